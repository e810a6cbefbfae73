/*
 * ctl.h - the context that every command of atriumctl gets, and the row that defines a command.
 */
#ifndef ATRIUM_CTL_CTL_H
#define ATRIUM_CTL_CTL_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"
#include "common/base/uuid.h"
#include "ctl/arguments.h"

struct ctl_bus;

struct ctl {
    const struct command *commands; /* all, ended by words NULL */
    struct arena *arena;            /* lives as long as the command */
    bool json;                      /* --json */
    const char *dir;                /* --dir: of a development suite, NULL when not given */
    const char *config;             /* --config, NULL when not given */
    struct arguments args;          /* of the command */
    struct ctl_bus *bus;            /* on the bus; NULL in commands that call no daemon */
};

struct command {
    const char *words;   /* "project create" */
    const char *usage;   /* its arguments, see arguments.h */
    const char *summary; /* one line for --help */
    /* service that must be there before it runs; "" any, NULL: it is not on the bus */
    const char *service;
    int (*run)(struct ctl *ctl, struct error *err);
};

/* dev.c */
int dev_command(struct ctl *ctl, struct error *err) MUST_USE;

/* config.c */
int config_show_command(struct ctl *ctl, struct error *err) MUST_USE;
int config_check_command(struct ctl *ctl, struct error *err) MUST_USE;

/* completion.c */
int completion_command(struct ctl *ctl, struct error *err) MUST_USE;

/* database.c */
int database_sql_command(struct ctl *ctl, struct error *err) MUST_USE;

/* project.c */

/* The project that a code or an id names. Parks. */
struct tenant;
int project_find(struct ctl *ctl, const char *code, struct tenant *ret, struct error *err) MUST_USE;

/* The id of the project that --project names, by which all daemons but settingsd know it.
 * ERR_CONFLICT while it is being deleted. Parks. */
int project_from_args(struct ctl *ctl, struct uuid *ret, struct error *err) MUST_USE;

/* The same for commands that only read the audit trail: an id is not looked up, since the trail
 * outlives the project. Parks. */
int project_audited(struct ctl *ctl, struct uuid *ret, struct error *err) MUST_USE;

int project_create_command(struct ctl *ctl, struct error *err) MUST_USE;
int project_list_command(struct ctl *ctl, struct error *err) MUST_USE;
int project_show_command(struct ctl *ctl, struct error *err) MUST_USE;
int project_suspend_command(struct ctl *ctl, struct error *err) MUST_USE;

/* project_delete.c */
int project_delete_command(struct ctl *ctl, struct error *err) MUST_USE;

/* tenant_export.c */
int tenant_key_command(struct ctl *ctl, struct error *err) MUST_USE;
int tenant_export_command(struct ctl *ctl, struct error *err) MUST_USE;

/* tenant_import.c */
int tenant_import_command(struct ctl *ctl, struct error *err) MUST_USE;
int tenant_verify_command(struct ctl *ctl, struct error *err) MUST_USE;

/* project.c */

/* What `project set` writes, a word of its usage (settingsd/setting_names.c): texts, then
 * switches. */
#define PROJECT_SETTINGS                                                \
    "default-patient-access-policy|DEFAULT_PRACTITIONER_ACCESS_POLICY|" \
    "PATIENT_APP_URL|PRACTITIONER_APP_URL|" PROJECT_SWITCHES
#define PROJECT_SWITCHES                                                             \
    "PATIENT_REGISTRATION_ENABLED|PATIENT_INVITATION_ENABLED|PATIENT_LOGIN_ENABLED|" \
    "PRACTITIONER_REGISTRATION_ENABLED|PRACTITIONER_INVITATION_ENABLED|"             \
    "PRACTITIONER_LOGIN_ENABLED|CLINICIAN_INVITE_ON_BUSINESS_EMAIL"
int project_set_command(struct ctl *ctl, struct error *err) MUST_USE;

/* account_policy.c */

/* The members that `project policy` writes, a word of its usage. */
#define ACCOUNT_POLICY_MEMBERS                                                               \
    "passwordMinLength|passwordMinLengthWithMfa|refuseCommonPasswords|requireVerifiedEmail|" \
    "onSignIn|requireMfa|mailCode|documentsPerAccount|bytesPerAccount|bytesPerProject"
int project_policy_command(struct ctl *ctl, struct error *err) MUST_USE;

/* A line for each protection that the policy of the project `code` has off, and how to switch it
 * on; nothing with --json. */
struct account_policy;
void account_policy_show_off(const struct ctl *ctl, const char *code,
                             const struct account_policy *policy);

/* user.c */
int user_create_admin_command(struct ctl *ctl, struct error *err) MUST_USE;
int user_reset_mfa_command(struct ctl *ctl, struct error *err) MUST_USE;
int user_list_command(struct ctl *ctl, struct error *err) MUST_USE;
int user_show_command(struct ctl *ctl, struct error *err) MUST_USE;
int user_lock_command(struct ctl *ctl, struct error *err) MUST_USE;
int user_unlock_command(struct ctl *ctl, struct error *err) MUST_USE;
int user_delete_command(struct ctl *ctl, struct error *err) MUST_USE;

/* account.c */
int account_send_reset_command(struct ctl *ctl, struct error *err) MUST_USE;
int account_reset_mfa_command(struct ctl *ctl, struct error *err) MUST_USE;
int account_passkey_remove_command(struct ctl *ctl, struct error *err) MUST_USE;
int account_leave_command(struct ctl *ctl, struct error *err) MUST_USE;
int account_schedule_deletion_command(struct ctl *ctl, struct error *err) MUST_USE;

/* user_receipt.c */
int user_receipt_command(struct ctl *ctl, struct error *err) MUST_USE;
int user_verify_receipt_command(struct ctl *ctl, struct error *err) MUST_USE;

/* Waits up to some seconds until all of a deleted account is erased. Prints the receipt in any
 * case; with --json under the message. */
int user_receipt_print(struct ctl *ctl, struct uuid account, const char *message,
                       struct error *err) MUST_USE;

/* user_import.c */
int user_import_command(struct ctl *ctl, struct error *err) MUST_USE;

/* member.c */
int member_list_command(struct ctl *ctl, struct error *err) MUST_USE;

/* policy.c */
int policy_put_command(struct ctl *ctl, struct error *err) MUST_USE;
int policy_list_command(struct ctl *ctl, struct error *err) MUST_USE;
int policy_delete_command(struct ctl *ctl, struct error *err) MUST_USE;

/* client.c */
int client_create_command(struct ctl *ctl, struct error *err) MUST_USE;
int client_show_command(struct ctl *ctl, struct error *err) MUST_USE;
int client_set_command(struct ctl *ctl, struct error *err) MUST_USE;
int client_secret_command(struct ctl *ctl, struct error *err) MUST_USE;
int client_list_command(struct ctl *ctl, struct error *err) MUST_USE;
int client_delete_command(struct ctl *ctl, struct error *err) MUST_USE;
int api_key_list_command(struct ctl *ctl, struct error *err) MUST_USE;
int api_key_revoke_command(struct ctl *ctl, struct error *err) MUST_USE;

/* bot.c */
int bot_put_command(struct ctl *ctl, struct error *err) MUST_USE;
int bot_list_command(struct ctl *ctl, struct error *err) MUST_USE;
int bot_delete_command(struct ctl *ctl, struct error *err) MUST_USE;
int bot_run_command(struct ctl *ctl, struct error *err) MUST_USE;

/* template.c */
int template_put_command(struct ctl *ctl, struct error *err) MUST_USE;
int template_list_command(struct ctl *ctl, struct error *err) MUST_USE;
int template_delete_command(struct ctl *ctl, struct error *err) MUST_USE;
int template_preview_command(struct ctl *ctl, struct error *err) MUST_USE;

/* content.c */
int content_import_command(struct ctl *ctl, struct error *err) MUST_USE;

/* documents.c */
int documents_verify_command(struct ctl *ctl, struct error *err) MUST_USE;

/* key.c */
int keys_list_command(struct ctl *ctl, struct error *err) MUST_USE;
int keys_rotate_command(struct ctl *ctl, struct error *err) MUST_USE;

/* seal.c */
int keys_seal(struct ctl *ctl, struct error *err) MUST_USE;

/* bus_key.c */
int keys_bus_command(struct ctl *ctl, struct error *err) MUST_USE;

/* passwords.c */
int passwords_build_command(struct ctl *ctl, struct error *err) MUST_USE;
int passwords_verify_command(struct ctl *ctl, struct error *err) MUST_USE;
int passwords_info_command(struct ctl *ctl, struct error *err) MUST_USE;

/* session.c */
int session_list_command(struct ctl *ctl, struct error *err) MUST_USE;
int session_revoke_command(struct ctl *ctl, struct error *err) MUST_USE;

/* mail.c */
int mail_queue_command(struct ctl *ctl, struct error *err) MUST_USE;
int mail_retry_command(struct ctl *ctl, struct error *err) MUST_USE;
int mail_drop_command(struct ctl *ctl, struct error *err) MUST_USE;

/* audit.c */
int audit_verify_command(struct ctl *ctl, struct error *err) MUST_USE;
int audit_export_command(struct ctl *ctl, struct error *err) MUST_USE;
int audit_checkpoint_command(struct ctl *ctl, struct error *err) MUST_USE;
int audit_proof_command(struct ctl *ctl, struct error *err) MUST_USE;

/* audit_search.c */
int audit_tail_command(struct ctl *ctl, struct error *err) MUST_USE;
int audit_search_command(struct ctl *ctl, struct error *err) MUST_USE;

/* audit_prune.c */
int audit_prune_command(struct ctl *ctl, struct error *err) MUST_USE;
int audit_verify_file_command(struct ctl *ctl, struct error *err) MUST_USE;

/* job.c */
int job_list_command(struct ctl *ctl, struct error *err) MUST_USE;
int job_run_due_command(struct ctl *ctl, struct error *err) MUST_USE;

/* doctor.c */
int doctor_command(struct ctl *ctl, struct error *err) MUST_USE;

/* status.c */
int status_command(struct ctl *ctl, struct error *err) MUST_USE;

/* explain.c */
int explain_sign_in_command(struct ctl *ctl, struct error *err) MUST_USE;

#endif
