/*
 * invitation.c - see invitation.h.
 */
#include "authd/member/invitation.h"

#include <string.h>

#include "authd/credential/throttle.h"
#include "common/service/audit.h"
#include "maild/maild_api.h"
#include "settingsd/settingsd_api.h"

enum { INVITATION_MAILBOX_MAX = 10 }; /* mails to one mailbox in a window, of all projects */
#define INVITATION_WINDOW MINUTES(15)

static bool is_patient(const char *role)
{
    return strcmp(role, "Patient") == 0;
}

/* ---- preparing ---- */

const char *invitation_template(const char *role)
{
    return is_patient(role) ? "PATIENT_INVITE" : "INVITE_TO_PROJECT";
}

int invitation_check_mapped(struct authd *d, const struct request *req, const struct tenant *tenant,
                            const char *role, struct error *err)
{
    const struct template_mapped_in which = {tenant->projectId, invitation_template(role)};
    struct template_mapped_out answer = {0};

    if (maild_template_mapped(d->svc.bus, req, &which, &answer, err) < 0)
        return -1;
    if (answer.mapped)
        return 0;
    return error_set(err, ERR_BAD_REQUEST, "The invitation email is not configured.");
}

static int give_link(const struct request *req, const struct tenant *tenant,
                     struct invitation *self, struct error *err)
{
    bool patient = is_patient(self->role);
    const char *app = patient ? tenant->patientAppUrl : tenant->practitionerAppUrl;

    if (!app)
        return error_set(err, ERR_BAD_REQUEST, "The %s is not configured.",
                         patient ? "PATIENT_APP_URL" : "PRACTITIONER_APP_URL");
    link_new(req->arena, app, "invitation", self->id, &self->link);
    return 0;
}

/* A row of SQL_INVITATION_PENDING or SQL_INVITATION_GET. */
static void read_pending(const struct request *req, const struct db_result *res,
                         struct invitation *ret)
{
    *ret = (struct invitation){.pending = true,
                               .id = db_uuid(res, 0, 0),
                               .role = arena_strdup(req->arena, db_text(res, 0, 1)),
                               .email = arena_strdup(req->arena, db_text(res, 0, 2)),
                               .name = arena_strdup(req->arena, db_text(res, 0, 3)),
                               .surname = arena_strdup(req->arena, db_text(res, 0, 4)),
                               .admin = db_bool(res, 0, 5),
                               .policy = db_uuid(res, 0, 6),
                               .profile = db_uuid(res, 0, 7),
                               .invited_at = db_int(res, 0, 8),
                               .invited_by = db_uuid(res, 0, 9),
                               .by_admin = db_bool(res, 0, 10)};
}

int invitation_prepare(struct authd *d, const struct request *req, const struct tenant *tenant,
                       struct invitation *self, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    bool as_admin = self->admin;

    if (db_query(d->svc.db, req, SQL_INVITATION_PENDING, &res, err, DB_UUID(tenant->projectId),
                 DB_TEXT(self->role), DB_TEXT(self->email)) < 0)
        return -1;
    if (db_rows(res) > 0) {
        read_pending(req, res, self);
        self->admin = self->admin || as_admin;
    } else {
        self->pending = false;
        self->id = uuid_ordered(req->now_ms);
        self->profile = uuid_random();
        self->invited_at = req->now_ms;
    }
    self->promotes = as_admin;
    return give_link(req, tenant, self, err);
}

int invitation_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                    struct uuid id, struct invitation *ret, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_INVITATION_GET, &res, err, DB_UUID(tenant->projectId),
                 DB_UUID(id)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_NOT_FOUND, "Member not found.");
    read_pending(req, res, ret);
    return give_link(req, tenant, ret, err);
}

/* ---- sending ---- */

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

/* What was written is there with its mail, unless nothing was. */
static int sent(struct authd *d, const struct db_result *res, struct error *err)
{
    if (db_rows(res) == 0)
        return error_set(err, ERR_CONFLICT, "The invitation changed meanwhile. Try again.");
    outbox_wake(d->svc.outbox);
    return 0;
}

/* A mailbox gets so many of admins and operators; those of sign-ups count by mail_admit(). */
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
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct sql_outbox row = mail_row(d, req, mail);
    struct sql_audit audit = mail_audit(req, tenant, self, self->promotes ? "admin" : self->role);

    if (admit_mail(d, req, self, err) < 0 ||
        db_query(d->svc.db, req, SQL_INVITATION_SEND, &res, err, DB_UUID(tenant->projectId),
                 DB_UUID(self->id), DB_BOOL(self->pending), DB_TEXT(self->role),
                 DB_TEXT(self->email), DB_TEXT(self->name), DB_TEXT(self->surname),
                 DB_BOOL(self->promotes), DB_UUID(self->policy), DB_UUID(self->profile),
                 DB_INT(self->invited_at), DB_UUID(self->invited_by),
                 DB_BYTES(self->link.hash, SECRET_HASH_SIZE), DB_INT(req->now_ms + INVITATION_LIFE),
                 DB_OUTBOX(row), DB_AUDIT(audit)) < 0)
        return -1;
    return sent(d, res, err);
}

int invitation_send_sign_up(struct authd *d, const struct request *req, const struct tenant *tenant,
                            const struct invitation *self, const struct mail *mail,
                            struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct sql_outbox row = mail_row(d, req, mail);
    struct sql_audit audit = mail_audit(req, tenant, self, "sign-up");

    if (db_query(d->svc.db, req, SQL_SIGN_UP_SEND, &res, err, DB_UUID(tenant->projectId),
                 DB_UUID(self->id), DB_BYTES(self->link.hash, SECRET_HASH_SIZE),
                 DB_INT(req->now_ms + INVITATION_LIFE), DB_OUTBOX(row), DB_AUDIT(audit)) < 0)
        return -1;
    return sent(d, res, err);
}
