/* ctl.h - the context of a command, and the row that defines one. */
#ifndef ATRIUM_CTL_CTL_H
#define ATRIUM_CTL_CTL_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"
#include "common/base/uuid.h"
#include "ctl/arguments.h"

struct bus_method;
struct ctl_bus;

struct ctl {
    const struct command *commands; /* ends with words NULL */
    const struct command *command;
    struct arena *arena;
    bool json;
    const char *dir; /* a development suite; NULL: none */
    const char *config;
    struct arguments args;
    struct ctl_bus *bus; /* NULL if the command is not on the bus */
};

/* Runs a command. Can park if the command is on the bus. */
typedef int ctl_command(struct ctl *ctl, struct error *err);

struct ctl_call {
    const struct bus_method *method;
    const char *const *columns; /* NULL-ended; NULL: one record */
    const char *done;           /* the result as a sentence; NULL: print the response */
    /* finds the project of an R_PROJECT operation; NULL: the daemon finds it */
    int (*project)(struct ctl *ctl, struct uuid *ret, struct error *err);
};

struct command {
    const char *words; /* "project create" */
    const char *usage; /* see arguments.h */
    const char *summary;
    /* waits for this service; "": any; NULL: not on the bus */
    const char *service;
    ctl_command *run;
    struct ctl_call call; /* for call_command */
};

ctl_command account_passkey_remove_command, account_schedule_deletion_command, audit_export_command,
    audit_prune_command, audit_search_command, audit_tail_command, audit_verify_command,
    audit_verify_file_command, bot_put_command, bot_run_command, client_create_command,
    client_set_command, completion_command, config_check_command, config_show_command,
    content_import_command, database_sql_command, dev_command, doctor_command,
    documents_verify_command, explain_sign_in_command, job_list_command, job_run_due_command,
    keys_bus_command, keys_rotate_command, keys_seal, mail_queue_command, mail_retry_command,
    member_list_command, passwords_build_command, passwords_info_command, passwords_verify_command,
    policy_put_command, project_create_command, project_delete_command, project_list_command,
    project_policy_command, project_set_command, project_show_command, project_suspend_command,
    status_command, template_put_command, tenant_export_command, tenant_import_command,
    tenant_key_command, tenant_verify_command, user_create_admin_command, user_delete_command,
    user_import_command, user_list_command, user_lock_command, user_receipt_command,
    user_show_command, user_unlock_command, user_verify_receipt_command;

/* For lists of signing keys. */
extern const char *const key_columns[];

/* Finds a project by code or id. Parks. */
struct tenant;
int project_find(struct ctl *ctl, const char *code, struct tenant *ret, struct error *err) MUST_USE;

/* Finds a project like project_find(), but fails while it is being deleted. */
int project_find_kept(struct ctl *ctl, const char *code, struct tenant *ret,
                      struct error *err) MUST_USE;

/* Finds the project of --project. ERR_CONFLICT while it is being deleted. Parks. */
int project_from_args(struct ctl *ctl, struct uuid *ret, struct error *err) MUST_USE;

/* Finds a project whose audit log is to be read. Does not look up an id, because the log outlives
 * the project. Parks. */
int project_audited(struct ctl *ctl, struct uuid *ret, struct error *err) MUST_USE;

/* Part of the usage of `project set` (settingsd/setting_names.c). */
#define PROJECT_SETTINGS                                                \
    "default-patient-access-policy|DEFAULT_PRACTITIONER_ACCESS_POLICY|" \
    "PATIENT_APP_URL|PRACTITIONER_APP_URL|" PROJECT_SWITCHES
#define PROJECT_SWITCHES                                                             \
    "PATIENT_REGISTRATION_ENABLED|PATIENT_INVITATION_ENABLED|PATIENT_LOGIN_ENABLED|" \
    "PRACTITIONER_REGISTRATION_ENABLED|PRACTITIONER_INVITATION_ENABLED|"             \
    "PRACTITIONER_LOGIN_ENABLED|CLINICIAN_INVITE_ON_BUSINESS_EMAIL|inheritProviders"

/* Part of the usage of `project policy`. */
#define ACCOUNT_POLICY_MEMBERS                                                               \
    "passwordMinLength|passwordMinLengthWithMfa|refuseCommonPasswords|requireVerifiedEmail|" \
    "onSignIn|requireMfa|mailCode|documentsPerAccount|bytesPerAccount|bytesPerProject"

/* Prints disabled protections and how to enable them; nothing with --json. */
struct account_policy;
void account_policy_show_off(const struct ctl *ctl, const char *code,
                             const struct account_policy *policy);

/* Waits some seconds for the erasure, and prints the receipt in any case. */
int user_receipt_print(struct ctl *ctl, struct uuid account, const char *message,
                       struct error *err) MUST_USE;

#endif
