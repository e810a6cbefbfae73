/*
 * invitation.c - see invitation.h.
 */
#include "authd/member/invitation.h"

#include "authd/account/app_url.h"
#include "authd/credential/throttle.h"
#include "authd/sql/member.h"
#include "common/service/audit.h"
#include "maild/maild_api.h"
#include "maild/template_api.h"
#include "settingsd/tenant_api.h"

enum { INVITATION_MAILBOX_MAX = 10 }; /* emails per mailbox and window, from all projects */
#define INVITATION_WINDOW MINUTES(15)

static bool is_patient(enum role role)
{
    return role == ROLE_PATIENT;
}

const char *invitation_template(enum role role)
{
    return is_patient(role) ? "PATIENT_INVITE" : "INVITE_TO_PROJECT";
}

int invitation_check_mapped(struct authd *d, const struct request *req, const struct tenant *tenant,
                            enum role role, struct error *err)
{
    const struct template_mapped_in which = {tenant->projectId, invitation_template(role)};
    struct template_mapped_out answer = {0};

    if (maild_template_mapped(d->svc.bus, req, &which, &answer, err) < 0)
        return -1;
    if (answer.mapped)
        return 0;
    return error_set(err, ERR_BAD_REQUEST, "The invitation email is not configured.");
}

static int give_link(const struct authd *d, const struct request *req, const struct tenant *tenant,
                     struct invitation *self, struct error *err)
{
    const char *app = app_url(d, req->arena, tenant, self->role);

    if (!app)
        return error_set(err, ERR_BAD_REQUEST, "The %s is not configured.",
                         is_patient(self->role) ? "PATIENT_APP_URL" : "PRACTITIONER_APP_URL");
    link_new(req->arena, app, "invitation", self->id, &self->link);
    return 0;
}

/* Columns of the part invitation_columns. */
struct invitation_row {
    struct uuid id;
    enum role role;
    const char *email, *name, *surname;
    bool admin;
    struct uuid policy, profile;
    int64_t invitedAt;
    struct uuid invitedBy;
    bool byAdmin;
};

static const struct field invitation_row_rows[] = {
    FIELD_UUID(struct invitation_row, id, FIELD_REQUIRED, "Its id"),
    FIELD_ENUM(struct invitation_row, role, role, account_roles, FIELD_REQUIRED, "Role",
               "Practitioner"),
    FIELD_TEXT(struct invitation_row, email, 0, 0, FIELD_REQUIRED, "Address", "ada@example.com"),
    FIELD_TEXT(struct invitation_row, name, 0, 0, FIELD_REQUIRED, "Name", "Ada"),
    FIELD_TEXT(struct invitation_row, surname, 0, 0, FIELD_REQUIRED, "Surname", "Lovelace"),
    FIELD_BOOL(struct invitation_row, admin, false, FIELD_REQUIRED, "Gives rights of an admin"),
    FIELD_UUID(struct invitation_row, policy, 0, "Access policy"),
    FIELD_UUID(struct invitation_row, profile, FIELD_REQUIRED, "Profile that it will have"),
    FIELD_INT(struct invitation_row, invitedAt, 0, 0, 0, FIELD_REQUIRED, "When", "0"),
    FIELD_UUID(struct invitation_row, invitedBy, 0, "Membership in whose name"),
    FIELD_BOOL(struct invitation_row, byAdmin, false, FIELD_REQUIRED, "Made or sent by an admin"),
};
FIELD_TABLE(invitation_row);

static struct invitation pending_of(const struct invitation_row *row)
{
    return (struct invitation){.pending = true,
                               .id = row->id,
                               .role = row->role,
                               .email = row->email,
                               .name = row->name,
                               .surname = row->surname,
                               .admin = row->admin,
                               .policy = row->policy,
                               .profile = row->profile,
                               .invited_at = row->invitedAt,
                               .invited_by = row->invitedBy,
                               .by_admin = row->byAdmin};
}

int invitation_prepare(struct authd *d, const struct request *req, const struct tenant *tenant,
                       struct invitation *self, struct error *err)
{
    const struct sql_invitation_find_pending_in find = {
        .project = tenant->projectId, .role = self->role, .email = self->email};
    struct invitation_row row;
    bool as_admin = self->admin;
    int found = sql_invitation_find_pending(d->svc.db, req, &find, &row, err);

    if (found < 0)
        return -1;
    if (found > 0) {
        *self = pending_of(&row);
        self->admin = self->admin || as_admin;
    } else {
        self->pending = false;
        self->id = uuid_ordered(req->now_ms);
        self->profile = uuid_random();
        self->invited_at = req->now_ms;
    }
    self->promotes = as_admin;
    return give_link(d, req, tenant, self, err);
}

int invitation_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                    struct uuid id, struct invitation *ret, struct error *err)
{
    const struct sql_invitation_get_in get = {.project = tenant->projectId, .id = id};
    struct invitation_row row;

    if (sql_require(sql_invitation_get(d->svc.db, req, &get, &row, err), err, ERR_NOT_FOUND,
                    "Member not found.") < 0)
        return -1;
    *ret = pending_of(&row);
    return give_link(d, req, tenant, ret, err);
}

struct mail invitation_mail(const struct request *req, const struct invitation *self,
                            const struct tenant *tenant, const char *template)
{
    return (struct mail){.template = template,
                         .tenant = tenant,
                         .to = self->email,
                         .display = arena_printf(req->arena, "%s %s", self->name, self->surname),
                         .expires_at = req->now_ms + INVITATION_LIFE,
                         .variables = {{"invitationUrl", self->link.url}}};
}

/* Wakes the outbox if the invitation was written. */
static int sent(struct authd *d, int rows, struct error *err)
{
    if (sql_require(rows, err, ERR_CONFLICT, "The invitation changed meanwhile. Try again.") < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return 0;
}

/* Limits emails of admins and operators. mail_admit() limits those of sign-ups. */
static int admit_mail(struct authd *d, const struct request *req, const struct invitation *self,
                      struct error *err)
{
    if (!uuid_is_set(&self->invited_by) && !self->promotes)
        return 0;
    return throttle_limit(d, req, "invitation mailbox", self->email, INVITATION_WINDOW,
                          INVITATION_MAILBOX_MAX, err);
}

static struct sql_audit mail_audit(const struct request *req, const struct tenant *tenant,
                                   const struct invitation *self, const char *detail)
{
    return audit_row(req, &(struct audit){.action = self->pending ? "invitation.renew"
                                                                  : "invitation.create",
                                          .project = tenant->projectId,
                                          .type = "Invitation",
                                          .id = self->id,
                                          .detail = detail});
}

int invitation_send(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const struct invitation *self, const struct mail *mail, struct error *err)
{
    const struct sql_invitation_send_in send = {
        .project = tenant->projectId,
        .id = self->id,
        .pending = self->pending,
        .role = self->role,
        .email = self->email,
        .name = self->name,
        .surname = self->surname,
        .promotes = self->promotes,
        .policy = self->policy,
        .profile = self->profile,
        .invited_at = self->invited_at,
        .invited_by = self->invited_by,
        .secret_hash = {self->link.hash, SECRET_HASH_SIZE},
        .expires_at = req->now_ms + INVITATION_LIFE,
        .mail = mail_row(d, req, mail),
        .audit = mail_audit(req, tenant, self, self->promotes ? "admin" : role_text(self->role))};

    if (admit_mail(d, req, self, err) < 0)
        return -1;
    return sent(d, sql_invitation_send(d->svc.db, req, &send, err), err);
}

int invitation_send_sign_up(struct authd *d, const struct request *req, const struct tenant *tenant,
                            const struct invitation *self, const struct mail *mail,
                            struct error *err)
{
    const struct sql_invitation_send_sign_up_in send = {
        .project = tenant->projectId,
        .id = self->id,
        .secret_hash = {self->link.hash, SECRET_HASH_SIZE},
        .expires_at = req->now_ms + INVITATION_LIFE,
        .mail = mail_row(d, req, mail),
        .audit = mail_audit(req, tenant, self, "sign-up")};

    return sent(d, sql_invitation_send_sign_up(d->svc.db, req, &send, err), err);
}
