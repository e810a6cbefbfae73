/*
 * operator.c - operations for atriumctl and settingsd: admins, policies in use, sessions by email.
 */
#include "authd/account/deletion.h"
#include "authd/account/ownership.h"
#include "authd/credential/password.h"
#include "authd/credential/password_rule.h"
#include "authd/member/invitation.h"
#include "authd/operation_api.h"
#include "authd/session/change.h"
#include "authd/session/session.h"
#include "authd/session/session_api.h"
#include "authd/sql/member.h"
#include "authd/sql/signin.h"
#include "authd/tenant.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

static int settle_membership(struct authd *d, const struct request *req, int64_t sequence,
                             struct uuid membership, struct error *err)
{
    const struct change change = {.sequence = sequence, .kind = "membership", .id = membership};

    return invalidation_wait(d, req, sequence, &change, 1, err);
}

/* Makes an account an admin, with a membership and profile if it has none. */
int admin_grant(struct authd *d, const struct request *req, const struct admin_grant_in *in,
                struct nothing *out UNUSED, struct error *err)
{
    const struct audit audit = {
        .action = "admin.grant", .project = in->projectId, .account = in->account};
    const struct sql_admin_grant_in grant = {.key = in->key,
                                             .account = in->account,
                                             .project = in->projectId,
                                             .membership = uuid_ordered(req->now_ms),
                                             .profile = uuid_random(),
                                             .policy = in->policyId,
                                             .now = req->now_ms,
                                             .change = {.until = req->now_ms + CHANGE_EVENT_LIFE},
                                             .audit = audit_row(req, &audit)};
    const struct sql_admin_grant_is_known_in which = {.key = in->key};
    struct sql_admin_grant_is_known_row done;
    struct sql_admin_grant_row row;
    int granted = sql_admin_grant(d->svc.db, req, &grant, &row, err);

    if (granted < 0)
        return -1;
    if (granted > 0)
        return settle_membership(d, req, row.sequence, row.membership, err);
    if (sql_admin_grant_is_known(d->svc.db, req, &which, &done, err) < 0)
        return -1;
    return done.known ? 0 : error_set(err, ERR_NOT_FOUND, "Account not found.");
}

int policy_in_use(struct authd *d, const struct request *req, const struct policy_in_use_in *in,
                  struct policy_in_use_out *out, struct error *err)
{
    const struct sql_policy_in_use_in which = {
        .project = in->projectId, .policy = in->policyId, .now = req->now_ms};
    struct sql_policy_in_use_row row;

    if (sql_policy_in_use(d->svc.db, req, &which, &row, err) < 0)
        return -1;
    out->inUse = row.in_use;
    return 0;
}

int shared_people(struct authd *d, const struct request *req, const struct shared_people_in *in,
                  struct shared_people_out *out, struct error *err)
{
    return ownership_count_shared(d, req, in->projectId, &out->people, err);
}

/* An existing admin needs no invitation. */
static int refuse_admin(struct authd *d, const struct request *req, struct uuid account,
                        struct uuid project, struct error *err)
{
    const struct sql_standing_get_in get = {.account = account, .project = project};
    struct sql_standing_get_row row = {.admin = false};

    if (sql_standing_get(d->svc.db, req, &get, &row, err) < 0)
        return -1;
    if (!row.admin)
        return 0;
    return error_set(err, ERR_CONFLICT, "This person is already an admin of the project.");
}

/* Adds to the error the command that fixes the project. */
static int hint(const char *command, const char *project, const char *name, struct error *err)
{
    if (err->code == ERR_BAD_REQUEST)
        return error_set(err, ERR_BAD_REQUEST, "%s See `atriumctl %s %s %s`.", err->message,
                         command, project, name);
    return -1;
}

/* Makes or updates the invitation. CONFLICT: it changed meanwhile. */
static int send_admin_invitation(struct authd *d, const struct request *req,
                                 const struct admin_create_in *in, const struct tenant *tenant,
                                 struct admin_create_out *out, struct error *err)
{
    struct invitation invitation = {.role = ROLE_PRACTITIONER,
                                    .email = in->email,
                                    .name = in->name,
                                    .surname = in->surname,
                                    .admin = true,
                                    .policy = tenant->defaultPractitionerPolicy};
    struct mail mail;

    if (invitation_prepare(d, req, tenant, &invitation, err) < 0)
        return hint("project set", in->tenantCode, "PRACTITIONER_APP_URL", err);
    mail = invitation_mail(req, &invitation, tenant, invitation_template(invitation.role));
    /* Invited people know the project, not the operator. */
    mail.variables[1] = (struct mail_variable){"inviterName", tenant->name};
    if (invitation_send(d, req, tenant, &invitation, &mail, err) < 0)
        return -1;
    *out = (struct admin_create_out){
        .membership = invitation.id, .profile = invitation.profile, .invited = true};
    return 0;
}

/* Invites even an existing account, because only its owner can accept. The setting for invitations
 * is for admins, so it doesn't bind operators. */
static int invite_admin(struct authd *d, const struct request *req,
                        const struct admin_create_in *in, const struct tenant *tenant,
                        struct admin_create_out *out, struct error *err)
{
    enum role role = ROLE_PRACTITIONER;

    if (invitation_check_mapped(d, req, tenant, role, err) < 0)
        return hint("template put --project", in->tenantCode, invitation_template(role), err);
    if (send_admin_invitation(d, req, in, tenant, out, err) == 0)
        return 0;
    if (err->code != ERR_CONFLICT)
        return -1;
    error_clear(err);
    return send_admin_invitation(d, req, in, tenant, out, err);
}

/* Makes the person with this address an admin. `hash`: password hash for a new account; NULL: the
 * account exists. */
static int make_admin(struct authd *d, const struct request *req, const struct admin_create_in *in,
                      const struct tenant *tenant, struct uuid account, const char *hash,
                      struct admin_create_out *out, struct error *err)
{
    const struct audit audit = {.action = "admin.create", .project = tenant->projectId};
    const struct sql_admin_create_in create = {.email = in->email,
                                               .account = uuid_ordered(req->now_ms),
                                               .name = in->name,
                                               .surname = in->surname,
                                               .now = req->now_ms,
                                               .password_hash = hash,
                                               .project = tenant->projectId,
                                               .membership = uuid_ordered(req->now_ms),
                                               .profile = uuid_random(),
                                               .policy = tenant->defaultPractitionerPolicy,
                                               .change = {.until = req->now_ms + CHANGE_EVENT_LIFE},
                                               .audit = audit_row(req, &audit)};
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_admin_create_row row;
    struct db_array above;

    if (tenant_ancestors(d, req, tenant->projectId, &above, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        (uuid_is_set(&account) && ownership_join(tx, req, account, above, err) < 0) ||
        sql_require(sql_admin_create(tx, req, &create, &row, err), err, ERR_CONFLICT,
                    "The account changed at the same time. Try again.") < 0 ||
        db_commit(&tx, err) < 0)
        return -1;
    *out = *row.admin;
    return settle_membership(d, req, row.sequence, out->membership, err);
}

static int choose_admin(struct authd *d, const struct request *req,
                        const struct admin_create_in *in, const struct tenant *tenant,
                        struct uuid account, struct admin_create_out *out, struct error *err)
{
    const struct password_owner owner = {.tenant = tenant,
                                         .role = ROLE_PRACTITIONER,
                                         .admin = true,
                                         .email = in->email,
                                         .display = arena_printf(req->arena, "%s %s", in->name,
                                                                 in->surname)};
    const char *hash = NULL;

    if (in->mail) {
        if (refuse_admin(d, req, account, tenant->projectId, err) < 0)
            return -1;
        return invite_admin(d, req, in, tenant, out, err);
    }
    if (in->existing)
        return uuid_is_set(&account) ? make_admin(d, req, in, tenant, account, NULL, out, err)
                                     : error_set(err, ERR_NOT_FOUND, "Account not found.");
    if (uuid_is_set(&account))
        return error_set(err, ERR_CONFLICT,
                         "There is an account with this address. Invite its owner with --mail, or "
                         "make it an admin as it is with --existing.");
    if (!in->password)
        return error_problem(err, "password", "is needed: there is no such account yet");
    if (password_rule_check(d, req, &owner, in->password, err) < 0 ||
        password_hash(d, req, in->password, &hash, err) < 0)
        return -1;
    return make_admin(d, req, in, tenant, account, hash, out, err);
}

/* See struct admin_create_in. */
int admin_create(struct authd *d, const struct request *req, const struct admin_create_in *in,
                 struct admin_create_out *out, struct error *err)
{
    const struct tenant_lookup_in which = tenant_lookup_from_text(in->tenantCode);
    struct tenant tenant = {.name = NULL};
    struct uuid account;

    if (in->mail && in->existing)
        return error_problem(err, "existing", "must be absent with mail");
    if (settingsd_tenant_lookup(d->svc.bus, req, &which, &tenant, err) < 0 ||
        account_find_practitioner(d, req, in->email, &account, err) < 0)
        return -1;
    return choose_admin(d, req, in, &tenant, account, out, err);
}

static int list_sessions(struct authd *d, const struct request *req, const char *email,
                         struct uuid project, struct session_list *out, struct error *err)
{
    const struct sql_operator_session_list_in list = {
        .email = email, .project = project, .now = req->now_ms};

    return MIN(sql_operator_session_list(d->svc.db, req, &list, &out->sessions, err), 0);
}

/* Lists sessions of every account with the email address, in one tenant or in all. */
int operator_sessions(struct authd *d, const struct request *req,
                      const struct operator_sessions_in *in, struct session_list *out,
                      struct error *err)
{
    struct uuid project;

    if (tenant_project_of(d, req, in->tenantCode, &project, err) < 0)
        return -1;
    return list_sessions(d, req, in->email, project, out, err);
}

/* Ends these sessions and returns the remaining ones. */
int operator_sessions_revoke(struct authd *d, const struct request *req,
                             const struct operator_sessions_in *in, struct session_list *out,
                             struct error *err)
{
    struct sql_operator_places_in find = {.email = in->email};
    struct sql_operator_places_rows places;
    size_t count;

    if (tenant_project_of(d, req, in->tenantCode, &find.project, err) < 0 ||
        sql_require(sql_operator_places(d->svc.db, req, &find, &places, err), err, ERR_NOT_FOUND,
                    "Account not found.") < 0)
        return -1;
    for (size_t i = 0; i < places.count; i++) {
        const struct session_end which = {.project = places.items[i].project,
                                          .account = places.items[i].account,
                                          .reason = "revoked"};

        if (session_end(d, req, &which, &count, err) < 0)
            return -1;
    }
    return list_sessions(d, req, in->email, find.project, out, err);
}
