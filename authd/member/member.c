/*
 * member.c - members and invitations of a project, for its admins.
 *
 * A member keeps the invitation's id. It can be accepted while a request runs, so a request that
 * doesn't find a pending invitation looks for the member.
 */
#include "authd/member/member.h"

#include <string.h>

#include "authd/account/account_api.h"
#include "authd/account/admin.h"
#include "authd/account/app_url.h"
#include "authd/account/deletion.h"
#include "authd/account/email_verified.h"
#include "authd/account/ownership.h"
#include "authd/mail.h"
#include "authd/member/invitation.h"
#include "authd/member/member_api.h"
#include "authd/operation_api.h"
#include "authd/session/change.h"
#include "authd/session/session.h"
#include "authd/session/step_up_check.h"
#include "authd/sql/account.h"
#include "authd/sql/credential.h"
#include "authd/sql/member.h"
#include "authd/sql/outbox.h"
#include "authd/tenant.h"
#include "common/service/audit.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum {
    INVITE_ANSWER_MS = 150, /* minimum; see member_create() */
    LOCAL_MAX = 5,          /* admins with local sign-in in a project */
};

#define ADMIN_WORD(admin) ((admin) ? "admin" : "not admin") /* for the audit log */

static bool is_patient(enum role role)
{
    return role == ROLE_PATIENT;
}

static int not_found(struct error *err)
{
    return error_set(err, ERR_NOT_FOUND, "Member not found.");
}

static int already_member(struct error *err)
{
    return error_set(err, ERR_CONFLICT, "This person is already a member.");
}

/* A member or invitation of the caller's project. */
struct found {
    struct member member;
    struct uuid account; /* not set: pending */
};

/* Returns the organization for which addresses of the caller's project are verified. */
static int own_organization(struct authd *d, const struct request *req, struct uuid *ret,
                            struct error *err)
{
    struct tenant tenant;

    if (tenant_open_id(d, req, req->caller->project, &tenant, err) < 0)
        return -1;
    *ret = tenant_organization(&tenant);
    return 0;
}

static int find(struct authd *d, const struct request *req, struct uuid id, struct found *ret,
                struct error *err)
{
    struct sql_member_get_in get = {.project = req->caller->project, .id = id};
    struct sql_member_get_row row;
    int found;

    if (own_organization(d, req, &get.organization, err) < 0)
        return -1;
    found = sql_member_get(d->svc.db, req, &get, &row, err);
    if (found <= 0)
        return found < 0 ? -1 : not_found(err);
    *ret = (struct found){.member = *row.member, .account = row.account};
    return 0;
}

static struct sql_audit invitation_audit(const struct request *req, const char *action,
                                         struct uuid id, const char *detail)
{
    return audit_row(
        req, &(struct audit){.action = action, .type = "Invitation", .id = id, .detail = detail});
}

static struct sql_audit member_audit(const struct request *req, const char *action,
                                     struct uuid account, enum role role, struct uuid id,
                                     const char *detail)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .account = account,
                                          .role = role,
                                          .type = "ProjectMembership",
                                          .id = id,
                                          .detail = detail});
}

static int check_enabled(const struct tenant *tenant, enum role role, struct error *err)
{
    if (is_patient(role) ? tenant->patientInvitation : tenant->practitionerInvitation)
        return 0;
    return error_set(err, ERR_FORBIDDEN,
                     "Invitations are disabled in this project. Enable them in the settings.");
}

/* Returns the requested policy if the project has it, or the role's default. */
static int choose_policy(struct authd *d, const struct request *req, const struct tenant *tenant,
                         const struct member_create_in *in, enum role role, struct uuid *ret,
                         struct error *err)
{
    if (in->accessPolicy)
        return tenant_policy_of(d, req, tenant->projectId, in->accessPolicy, ret, err);
    *ret = is_patient(role) ? tenant->defaultPatientPolicy : tenant->defaultPractitionerPolicy;
    return uuid_is_set(ret)
               ? 0
               : error_problem(
                     err, "accessPolicy",
                     "is required, because the project has no default policy for this role");
}

static int send_invitation(struct authd *d, const struct request *req, const struct tenant *tenant,
                           const struct invitation *invitation, struct member *out,
                           struct error *err)
{
    struct mail mail =
        invitation_mail(req, invitation, tenant, invitation_template(invitation->role));

    mail.variables[1] = (struct mail_variable){"inviterName", req->caller->display};
    if (invitation_send(d, req, tenant, invitation, &mail, err) < 0)
        return -1;
    *out = (struct member){.id = invitation->id,
                           .localSignIn = TRISTATE_UNSET,
                           .email = invitation->email,
                           .displayName = mail.display,
                           .firstName = invitation->name,
                           .lastName = invitation->surname,
                           .admin = invitation->admin,
                           .profileType = invitation->role,
                           .profileId = invitation->profile,
                           .pending = true,
                           .invitedAt = invitation->invited_at};
    return 0;
}

/* `account` can be unset. */
static int is_above(struct authd *d, const struct request *req, struct uuid account,
                    const struct tenant *tenant, const struct db_array *above, bool *ret,
                    struct error *err)
{
    struct field_texts held;

    *ret = false;
    if (account_projects(d, req, account, (struct uuid){""}, true, &held, err) < 0)
        return -1;
    for (size_t i = 0; i < held.count && !*ret; i++)
        *ret = strcmp(held.items[i], tenant->projectId.text) != 0 &&
               strstr(above->text, held.items[i]);
    return 0;
}

/* A verified account joins directly if the project owns it, or if it is a member of a project
 * above. */
static int joins_at_once(struct authd *d, const struct request *req, const struct tenant *tenant,
                         struct uuid account, bool verified, struct invitee *ret, struct error *err)
{
    struct ownership found;
    bool above;

    if (tenant_ancestors(d, req, tenant->projectId, &ret->above, err) < 0 ||
        ownership_find(d, req, account, tenant->projectId, &found, err) < 0 ||
        is_above(d, req, account, tenant, &ret->above, &above, err) < 0)
        return -1;
    ret->owned = found.owned;
    ret->joins = verified && (found.owned || above);
    return 0;
}

int member_find_invitee(struct authd *d, const struct request *req, const struct tenant *tenant,
                        const struct invitation *invitation, struct invitee *ret, struct error *err)
{
    const struct sql_member_find_invitee_in find = {.role = invitation->role,
                                                    .project = tenant->projectId,
                                                    .email = invitation->email,
                                                    .now = req->now_ms,
                                                    .organization = tenant_organization(tenant)};
    struct sql_member_find_invitee_row row = {.proven = false};
    int found = sql_member_find_invitee(d->svc.db, req, &find, &row, err);

    *ret = (struct invitee){.member = false};
    if (found < 0)
        return -1;
    if (found > 0)
        *ret = (struct invitee){.account = row.id,
                                .display = arena_printf(req->arena, "%s %s", row.name, row.surname),
                                .member = row.member};
    /* same statements for unknown accounts, so the time is the same */
    return joins_at_once(d, req, tenant, found > 0 ? row.id : uuid_random(), row.proven, ret, err);
}

static int account_changed(struct error *err)
{
    return error_set(err, ERR_CONFLICT,
                     "The account was changed by another request. Please try again.");
}

int member_join(struct authd *d, const struct request *req, const struct tenant *tenant,
                const struct invitation *invitation, const struct invitee *invitee,
                struct member *out, struct error *err)
{
    const struct mail mail = {
        .template = invitation_template(invitation->role),
        .tenant = tenant,
        .to = invitation->email,
        .display = invitee->display,
        .variables = {{"invitationUrl", app_url(d, req->arena, tenant, ROLE_PRACTITIONER)},
                      {"inviterName", req->caller->display}}};
    const struct uuid id = uuid_ordered(req->now_ms);
    const struct sql_member_add_in add = {.project = tenant->projectId,
                                          .id = id,
                                          .account = invitee->account,
                                          .profile = uuid_random(),
                                          .admin = invitation->admin,
                                          .policy = invitation->policy,
                                          .now = req->now_ms,
                                          .organization = tenant_organization(tenant),
                                          .mail = mail_row(d, req, &mail),
                                          .audit = member_audit(req, "membership.create",
                                                                invitee->account, invitation->role,
                                                                id, NULL)};
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    int added;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0)
        return -1;
    if (ownership_join(tx, req, invitee->account, invitee->above, err) < 0)
        return err->code == ERR_NOT_FOUND ? account_changed(err) : -1;
    added = sql_member_add(tx, req, &add, out, err);
    if (added < 0 && err->code == ERR_CONFLICT) {
        error_clear(err);
        return already_member(err);
    }
    if (added == 0)
        return account_changed(err);
    if (added < 0 || db_commit(&tx, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return 0;
}

/* Invites the address, or adds its account directly. Both need what the project needs for an email,
 * so that the answer doesn't reveal the account. */
static int invite(struct authd *d, const struct request *req, const struct tenant *tenant,
                  struct invitation *invitation, struct member *out, struct error *err)
{
    struct invitee invitee;

    if (member_find_invitee(d, req, tenant, invitation, &invitee, err) < 0)
        return -1;
    if (invitee.member)
        return already_member(err);
    if (invitation_check_mapped(d, req, tenant, invitation->role, err) < 0 ||
        invitation_prepare(d, req, tenant, invitation, err) < 0)
        return -1;
    if (invitation->pending)
        return error_set(err, ERR_CONFLICT,
                         "This person is already invited. Resend the invitation instead.");
    if (invitation->admin && step_up_check(d, NULL, req, err) < 0)
        return -1;
    if (invitee.joins)
        return member_join(d, req, tenant, invitation, &invitee, out, err);
    return send_invitation(d, req, tenant, invitation, out, err);
}

/* Invites a person or adds an account. Neither the answer nor its time reveals if another
 * organization knows the email address. */
int member_create(struct authd *d, const struct request *req, const struct member_create_in *in,
                  struct member *out, struct error *err)
{
    int64_t answer_at = clock_mono_ms() + INVITE_ANSWER_MS;
    struct invitation invitation = {.role = in->type ? in->type : ROLE_PRACTITIONER,
                                    .email = in->email,
                                    .name = in->firstName,
                                    .surname = in->lastName,
                                    .admin = in->admin,
                                    .invited_by = req->caller->membership};
    struct tenant tenant;

    if (in->admin && is_patient(invitation.role))
        return error_problem(err, "admin", "must be false for a patient");
    if (tenant_open_id(d, req, req->caller->project, &tenant, err) < 0 ||
        check_enabled(&tenant, invitation.role, err) < 0 ||
        choose_policy(d, req, &tenant, in, invitation.role, &invitation.policy, err) < 0 ||
        invite(d, req, &tenant, &invitation, out, err) < 0)
        return -1;
    return fiber_sleep_until(d->svc.loop, answer_at, err);
}

/* Sends a pending invitation with a new link. */
int member_resend(struct authd *d, const struct request *req, const struct member_in *in,
                  struct member *out, struct error *err)
{
    struct invitation invitation;
    struct found found;
    struct tenant tenant;

    if (find(d, req, in->id, &found, err) < 0)
        return -1;
    if (!found.member.pending)
        return error_set(err, ERR_CONFLICT, "This member has no pending invitation.");
    if (tenant_open_id(d, req, req->caller->project, &tenant, err) < 0 ||
        check_enabled(&tenant, found.member.profileType, err) < 0 ||
        invitation_check_mapped(d, req, &tenant, found.member.profileType, err) < 0 ||
        invitation_find(d, req, &tenant, in->id, &invitation, err) < 0)
        return -1;
    invitation.invited_by = req->caller->membership;
    return send_invitation(d, req, &tenant, &invitation, out, err);
}

/* Lists the pending invitations for a role. */
static int list_invited(struct authd *d, const struct request *req, const struct tenant *tenant,
                        const struct members_in *page, struct member_list *out, struct error *err)
{
    const struct sql_invitation_count_in all = {.project = tenant->projectId,
                                                .role = page->invited};
    const struct sql_invitation_list_in list = {.project = tenant->projectId,
                                                .role = page->invited,
                                                .most = page->_count,
                                                .skip = page->_offset};
    struct sql_invitation_count_row count;

    if (sql_invitation_count(d->svc.db, req, &all, &count, err) < 0 ||
        sql_invitation_list(d->svc.db, req, &list, &out->resources, err) < 0)
        return -1;
    out->total = count.total;
    return 0;
}

/* Lists members and invitations, oldest first. */
static int list_members(struct authd *d, const struct request *req, const struct tenant *tenant,
                        const struct members_in *page, struct member_list *out, struct error *err)
{
    const struct sql_member_count_in all = {.project = tenant->projectId};
    const struct sql_member_list_in list = {.project = tenant->projectId,
                                            .organization = tenant_organization(tenant),
                                            .most = page->_count,
                                            .skip = page->_offset};
    struct sql_member_count_row count;

    if (sql_member_count(d->svc.db, req, &all, &count, err) < 0 ||
        sql_member_list(d->svc.db, req, &list, &out->resources, err) < 0)
        return -1;
    out->total = count.total;
    return 0;
}

int members(struct authd *d, const struct request *req, const struct members_in *in,
            struct member_list *out, struct error *err)
{
    struct tenant tenant;

    if (tenant_open_id(d, req, req->caller->project, &tenant, err) < 0)
        return -1;
    return in->invited ? list_invited(d, req, &tenant, in, out, err)
                       : list_members(d, req, &tenant, in, out, err);
}

/* Includes suspended projects. */
int operator_members(struct authd *d, const struct request *req,
                     const struct operator_members_in *in, struct member_list *out,
                     struct error *err)
{
    const struct tenant_lookup_in which = tenant_lookup_from_text(in->tenantCode);
    const struct members_in page = {._count = in->count, ._offset = in->offset};
    struct tenant tenant = {.name = NULL};

    if (settingsd_tenant_lookup(d->svc.bus, req, &which, &tenant, err) < 0)
        return -1;
    return list_members(d, req, &tenant, &page, out, err);
}

/* Call admin_is_last() first: it locks all admins, so that the limit holds. */
static int set_local(struct db_tx *tx, const struct request *req, const struct found *found,
                     enum tristate local, struct error *err)
{
    const struct member *member = &found->member;
    const struct sql_member_set_local_in set = {
        .project = req->caller->project,
        .id = member->id,
        .local = local == TRISTATE_TRUE,
        .most = LOCAL_MAX,
        .audit = member_audit(req, "membership.update", found->account, member->profileType,
                              member->id, set.local ? "local sign-in" : "no local sign-in")};

    if (local == TRISTATE_UNSET)
        return 0;
    return sql_require(sql_member_set_local(tx, req, &set, err), err, ERR_CONFLICT,
                       "Only admins can have local sign-in, and at most 5 of a project.");
}

static bool is_demoted(const struct found *found, const struct member_patch_in *in)
{
    return !in->admin ||
           (in->localSignIn == TRISTATE_FALSE && found->member.localSignIn == TRISTATE_TRUE);
}

/* Waits until all gateways know. */
static int change_member(struct authd *d, const struct request *req, const struct found *found,
                         const struct member_patch_in *in, struct error *err)
{
    const struct member *member = &found->member;
    bool admin = in->admin;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_member_set_admin_in set = {
        .project = req->caller->project,
        .id = member->id,
        .admin = admin,
        .audit = member_audit(req, "membership.update", found->account, member->profileType,
                              member->id, ADMIN_WORD(admin))};
    struct session_ended changed = {.count = 0};
    enum admin_last last = ADMIN_NOT_LAST;
    int rows;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        admin_is_last(tx, req, req->caller->project, member->id, &last, err) < 0)
        return -1;
    if (last && (last == ADMIN_LAST ? !admin : is_demoted(found, in)))
        return admin_refuse_last(last, err);
    if (admin && step_up_check(d, tx, req, err) < 0)
        return -1;
    rows = sql_member_set_admin(tx, req, &set, err);
    if (rows <= 0)
        return rows < 0 ? -1 : not_found(err);
    if (set_local(tx, req, found, in->localSignIn, err) < 0 ||
        session_ended_membership(tx, req, member->id, &changed, err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    return session_revocation_wait(d, req, &changed, err);
}

static int change_pending(struct authd *d, const struct request *req, struct found *found,
                          const struct member_patch_in *in, struct error *err)
{
    bool admin = in->admin;
    struct uuid id = found->member.id;
    const struct sql_invitation_set_admin_in set = {
        .project = req->caller->project,
        .id = id,
        .admin = admin,
        .by = req->caller->membership,
        .audit = invitation_audit(req, "invitation.update", id, ADMIN_WORD(admin))};
    int rows;

    if (admin && step_up_check(d, NULL, req, err) < 0)
        return -1;
    rows = sql_invitation_set_admin(d->svc.db, req, &set, err);
    if (rows != 0)
        return MIN(rows, 0);
    if (find(d, req, id, found, err) < 0)
        return -1;
    return change_member(d, req, found, in, err);
}

/* Grants or revokes the admin role, for a pending invitation on acceptance. */
int member_patch(struct authd *d, const struct request *req, const struct member_patch_in *in,
                 struct member *out, struct error *err)
{
    struct found found;
    int rc = 0;

    if (find(d, req, in->id, &found, err) < 0)
        return -1;
    if (in->admin && is_patient(found.member.profileType))
        return error_problem(err, "admin", "must be false for a patient");
    if (found.member.pending && in->localSignIn != TRISTATE_UNSET)
        return error_problem(err, "localSignIn", "can't be set before the invitation is accepted");
    if (found.member.admin != in->admin || in->localSignIn != TRISTATE_UNSET)
        rc = found.member.pending ? change_pending(d, req, &found, in, err)
                                  : change_member(d, req, &found, in, err);
    *out = found.member;
    out->admin = in->admin;
    if (in->localSignIn != TRISTATE_UNSET)
        out->localSignIn = in->localSignIn;
    if (!in->admin || out->localSignIn == TRISTATE_FALSE)
        out->localSignIn = TRISTATE_UNSET;
    return rc;
}

/* Ends what the account has or has started in the project. */
static int end_access(struct db_tx *tx, const struct request *req, struct uuid project,
                      struct uuid account, struct session_ended *ended, struct error *err)
{
    const struct sql_login_delete_project_in logins = {.account = account, .project = project};

    if (sql_login_delete_project(tx, req, &logins, err) < 0)
        return -1;
    return session_end_project(tx, req, project, account, "removed", ended, err);
}

/* A patient's account is deleted with the membership. The change counter is locked last, because
 * other transactions lock these rows before it. */
static int erase_patient(struct authd *d, struct db_tx *tx, const struct request *req,
                         struct uuid project, struct uuid account, struct session_ended *ended,
                         struct error *err)
{
    const struct sql_reset_delete_in reset = {.account = account};
    const struct sql_account_row_lock_in lock = {.account = account};
    const struct sql_factor_delete_in factor = {.account = account};
    const struct sql_patient_delete_in patient = {.account = account};

    if (sql_reset_delete(tx, req, &reset, err) < 0 ||
        sql_account_row_lock(tx, req, &lock, err) < 0 ||
        sql_factor_delete(tx, req, &factor, err) < 0 ||
        deletion_queue_exports(d, req, tx, account, false, err) < 0 ||
        end_access(tx, req, project, account, ended, err) < 0)
        return -1;
    return sql_patient_delete(tx, req, &patient, err) < 0 ? -1 : 0;
}

struct removal {
    bool proven;               /* requires a fresh proof */
    const char *reason;        /* for the audit row, or NULL */
    const struct mail *notice; /* to the member, or NULL */
};

static const struct removal removal_by_admin = {.proven = false};

static int queue_notice(struct authd *d, struct db_tx *tx, const struct request *req,
                        const struct mail *notice, struct error *err)
{
    struct sql_outbox_insert_in insert;

    if (!notice)
        return 0;
    insert.outbox = mail_row(d, req, notice);
    return sql_outbox_insert_tx(tx, req, &insert, err) < 0 ? -1 : 0;
}

/* Waits until all gateways refuse the member's tokens. */
static int remove_member(struct authd *d, const struct request *req, struct uuid project,
                         const struct found *found, const struct removal *how, struct error *err)
{
    const struct member *member = &found->member;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_member_delete_in delete = {
        .project = project,
        .id = member->id,
        .audit = audit_row(req, &(struct audit){.action = "membership.delete",
                                                .project = project,
                                                .account = found->account,
                                                .role = member->profileType,
                                                .type = "ProjectMembership",
                                                .id = member->id,
                                                .reason = how->reason})};
    const struct sql_last_sign_in_delete_in forget = {.account = found->account,
                                                      .project = project};
    struct session_ended ended;
    enum admin_last last = ADMIN_NOT_LAST;
    int deleted;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        admin_is_last(tx, req, project, member->id, &last, err) < 0)
        return -1;
    if (last)
        return admin_refuse_last(last, err);
    if (how->proven && step_up_check(d, tx, req, err) < 0)
        return -1;
    deleted = sql_member_delete(tx, req, &delete, err);
    if (deleted <= 0)
        return deleted < 0 ? -1 : not_found(err);
    if ((is_patient(member->profileType)
             ? erase_patient(d, tx, req, project, found->account, &ended, err)
             : end_access(tx, req, project, found->account, &ended, err)) < 0 ||
        sql_last_sign_in_delete(tx, req, &forget, err) < 0 ||
        queue_notice(d, tx, req, how->notice, err) < 0 ||
        session_ended_membership(tx, req, member->id, &ended, err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return session_revocation_wait(d, req, &ended, err);
}

static int leave(struct authd *d, const struct request *req, struct uuid account,
                 struct uuid project, const struct removal *how, struct error *err)
{
    const struct sql_member_of_account_in in = {.account = account, .project = project};
    struct found found = {.account = account, .member = {.profileType = ROLE_PRACTITIONER}};
    struct sql_member_of_account_row row;
    int there = sql_member_of_account(d->svc.db, req, &in, &row, err);

    if (there <= 0)
        return there < 0 ? -1 : not_found(err);
    found.member.id = row.id;
    return remove_member(d, req, project, &found, how, err);
}

int member_leave(struct authd *d, const struct request *req, struct uuid project, struct error *err)
{
    const struct removal how = {.proven = true};

    return leave(d, req, req->caller->account, project, &how, err);
}

int member_remove_for(struct authd *d, const struct request *req, struct uuid account,
                      struct uuid project, const char *reason, const struct mail *notice,
                      struct error *err)
{
    const struct removal how = {.reason = reason, .notice = notice};

    return leave(d, req, account, project, &how, err);
}

static int withdraw(struct authd *d, const struct request *req, struct found *found,
                    struct error *err)
{
    struct uuid id = found->member.id;
    const struct sql_invitation_withdraw_in in = {
        .project = req->caller->project,
        .id = id,
        .audit = invitation_audit(req, "invitation.withdraw", id, NULL)};
    int withdrawn = sql_invitation_withdraw(d->svc.db, req, &in, err);

    if (withdrawn != 0)
        return MIN(withdrawn, 0);
    if (find(d, req, id, found, err) < 0)
        return -1;
    return remove_member(d, req, req->caller->project, found, &removal_by_admin, err);
}

/* Removes a member or withdraws an invitation. */
int member_delete(struct authd *d, const struct request *req, const struct member_in *in,
                  struct ok_out *out, struct error *err)
{
    struct found found;

    if (uuid_equal(&in->id, &req->caller->membership))
        return error_set(err, ERR_CONFLICT, "You can't remove yourself. Ask another admin.");
    if (find(d, req, in->id, &found, err) < 0)
        return -1;
    out->ok = true;
    return found.member.pending
               ? withdraw(d, req, &found, err)
               : remove_member(d, req, req->caller->project, &found, &removal_by_admin, err);
}
