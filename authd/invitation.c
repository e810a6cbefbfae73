/*
 * invitation.c - see invitation.h.
 */
#include "authd/invitation.h"

#include <string.h>

#include "authd/change.h"
#include "authd/deletion.h"
#include "authd/email_verified.h"
#include "authd/session.h"
#include "authd/throttle.h"
#include "common/audit.h"
#include "maild/maild_api.h"

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

    if (app == NULL)
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
                               .invited_by = db_uuid(res, 0, 9)};
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
                         .variables = {{"invitationUrl", self->link.url}}};
}

int invitation_send(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const struct invitation *self, const struct mail *mail, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct outbox_row row = mail_row(d, req, mail);
    struct audit_row audit = audit_row(
        req, &(struct audit){.action = self->pending ? "invitation.renew" : "invitation.create",
                             .project = tenant->projectId,
                             .type = "Invitation",
                             .id = self->id,
                             .detail = self->promotes ? "admin" : self->role});

    if (throttle_limit(d, req, "invitation mailbox", self->email, INVITATION_WINDOW,
                       INVITATION_MAILBOX_MAX, err) < 0 ||
        db_query(d->svc.db, req, SQL_INVITATION_SEND, &res, err, DB_UUID(tenant->projectId),
                 DB_UUID(self->id), DB_BOOL(self->pending), DB_TEXT(self->role),
                 DB_TEXT(self->email), DB_TEXT(self->name), DB_TEXT(self->surname),
                 DB_BOOL(self->promotes), DB_UUID(self->policy), DB_UUID(self->profile),
                 DB_INT(self->invited_at), DB_UUID(self->invited_by),
                 DB_BYTES(self->link.hash, SECRET_HASH_SIZE), DB_INT(req->now_ms + INVITATION_LIFE),
                 DB_OUTBOX(row), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_CONFLICT, "The invitation changed meanwhile. Try again.");
    outbox_kick(d->svc.outbox);
    return 0;
}

/* ---- accepting ---- */

/* The account that accepts what is `held`: a new one, or the one that has this role and e-mail by
 * now. *ret_found: it was there. */
static int take_account(struct db_tx *tx, const struct request *req, struct uuid project,
                        struct uuid id, const struct db_result *held, struct uuid *ret,
                        bool *ret_found, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *made = NULL;
    CLEANUP(db_result_destroy) struct db_result *owner = NULL;
    struct uuid fresh = uuid_ordered(req->now_ms);

    if (db_tx_query(tx, SQL_INVITATION_ACCOUNT, &made, err, DB_UUID(project), DB_UUID(id),
                    DB_UUID(fresh), DB_INT(req->now_ms)) < 0 ||
        db_tx_query(tx, SQL_INVITATION_OWNER, &owner, err, DB_TEXT(db_text(held, 0, 0)),
                    DB_UUID(project), DB_TEXT(db_text(held, 0, 1)), DB_INT(req->now_ms)) < 0)
        return -1;
    if (db_rows(owner) == 0) /* deleted this very moment */
        return error_retry(err, ERR_UNAVAILABLE, 1,
                           "The account was deleted meanwhile. Please try again.");
    *ret = db_uuid(owner, 0, 0);
    *ret_found = !uuid_equal(ret, &fresh);
    return 0;
}

/* Spends the invitation for the membership. */
static int take_membership(struct db_tx *tx, const struct request *req, struct uuid project,
                           struct uuid id, struct uuid account, struct uuid *ret, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct audit_row audit = audit_row(req, &(struct audit){.action = "invitation.accept",
                                                            .project = project,
                                                            .account = account,
                                                            .type = "Invitation",
                                                            .id = id});

    if (db_tx_query(tx, SQL_INVITATION_SPEND, &res, err, DB_UUID(project), DB_UUID(id),
                    DB_UUID(account), DB_INT(req->now_ms), DB_AUDIT(audit)) < 0)
        return -1;
    *ret = db_uuid(res, 0, 0);
    return 0;
}

/* An account whose date has come does not accept anything any more. */
static int remove_over(struct authd *d, const struct request *req, struct uuid project,
                       struct uuid id, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *over = NULL;

    if (db_query(d->svc.db, req, SQL_INVITATION_OVER, &over, err, DB_UUID(project), DB_UUID(id),
                 DB_INT(req->now_ms)) < 0)
        return -1;
    if (db_rows(over) == 0)
        return 0;
    return deletion_carry_out(d, req, db_uuid(over, 0, 0), db_uuid(over, 0, 1), err);
}

int invitation_accept(struct authd *d, const struct request *req, struct uuid id,
                      const uint8_t secret[static SECRET_HASH_SIZE], struct credential_owner *owner,
                      const char *password_hash, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *held = NULL;
    CLEANUP(db_result_destroy) struct db_result *dropped = NULL;
    CLEANUP(db_result_destroy) struct db_result *set = NULL;
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct uuid project = owner->tenant.projectId, membership;
    bool found = false;

    if (remove_over(d, req, project, id, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        db_tx_query(tx, SQL_INVITATION_HOLD, &held, err, DB_UUID(project), DB_UUID(id),
                    DB_BYTES(secret, SECRET_HASH_SIZE), DB_INT(req->now_ms)) < 0)
        return -1;
    if (db_rows(held) == 0) /* another request was first */
        return link_invalid(err);
    if (take_account(tx, req, project, id, held, &owner->account, &found, err) < 0 ||
        take_membership(tx, req, project, id, owner->account, &membership, err) < 0 ||
        db_tx_query(tx, SQL_RESET_DROP, &dropped, err, DB_UUID(owner->account)) < 0 ||
        email_claim(tx, req, owner, EMAIL_BY_INVITATION, err) < 0 ||
        db_tx_query(tx, SQL_CREDENTIAL_SET, &set, err, DB_UUID(owner->account),
                    DB_TEXT(password_hash), DB_INT(req->now_ms)) < 0)
        return -1;
    if (!found)
        return db_commit(&tx, err);
    owner->joined = membership;
    return credential_changed(d, req, &tx, owner, "Password", (struct uuid){""}, err);
}
