/*
 * identity.c - see identity.h. Handlers: own_identities, own_identity_link, own_identity_delete,
 * project_account_identities, project_account_identity_unlink.
 */
#include "authd/federation/identity.h"

#include <string.h>

#include "authd/account/credential.h"
#include "authd/account/deletion.h"
#include "authd/account/email_verified.h"
#include "authd/account/ownership.h"
#include "authd/credential/password.h"
#include "authd/federation/federated_api.h"
#include "authd/mail.h"
#include "authd/member/member_api.h"
#include "authd/member/project_account.h"
#include "authd/session/address_key.h"
#include "authd/session/change.h"
#include "authd/session/session.h"
#include "authd/session/step_up_check.h"
#include "authd/shape_api.h"
#include "authd/signin/federated_proof.h"
#include "authd/sql/account.h"
#include "authd/sql/credential.h"
#include "authd/sql/federation.h"
#include "authd/sql/member.h"
#include "authd/sql/outbox.h"
#include "authd/tenant.h"
#include "common/base/clock.h"
#include "common/domain/name.h"
#include "common/service/audit.h"
#include "settingsd/tenant_api.h"

/* A person without a link yet. */
struct newcomer {
    const struct identity_arrival *in;
    const char *email; /* NULL: the provider named none */
    const char *name, *surname;
    bool counts;         /* the provider may assert this address */
    bool ended;          /* had an account here, which was deleted: only an invitation returns it */
    struct uuid account; /* has this address; not set: none */
    struct uuid organization;
};

/* ---- refusals ---- */

/* `why`: one word for the audit log. */
static int refuse(const char *why, struct error *err)
{
    (void)error_set(err, ERR_BAD_REQUEST, "You can't sign in here yet. Ask an administrator.");
    return error_detail(err, "%s", why);
}

/* A claim never links such an account, because the project would take it over: its owner signs in
 * first. */
static int refuse_claim(struct error *err)
{
    (void)error_set(err, ERR_ACCEPT_SIGNED_IN,
                    "There is an account with this email address. Sign in as you did so far.");
    return error_detail(err, "not-linked");
}

static int try_again(struct error *err)
{
    return error_retry(err, ERR_UNAVAILABLE, 1,
                       "The account was changed by another request. Please try again.");
}

/* ---- claims ---- */

static bool is_name(const char *text)
{
    char why[96];

    return text && *text != '\0' && strlen(text) <= NAME_MAX_LENGTH && name_check(text, why) == 0;
}

/* Takes the names that the provider states; otherwise the first part of the address. */
static void name(const struct request *req, const struct id_claims *claims, struct newcomer *self)
{
    const char *whole = is_name(claims->name) ? claims->name : NULL;
    const char *blank = whole ? strrchr(whole, ' ') : NULL;
    size_t local = strcspn(self->email, "@");

    self->name = claims->given_name;
    self->surname = claims->family_name;
    if (!is_name(self->name) && blank)
        self->name = arena_printf(req->arena, "%.*s", (int)(blank - whole), whole);
    if (!is_name(self->name))
        self->name = whole ? whole : arena_printf(req->arena, "%.*s", (int)local, self->email);
    if (!is_name(self->surname))
        self->surname = blank && is_name(blank + 1) ? blank + 1 : "-";
}

static int find_account(struct authd *d, const struct request *req, struct newcomer *self,
                        struct error *err)
{
    return self->in->role == ROLE_PATIENT
               ? account_find_patient(d, req, self->in->tenant->projectId, self->email,
                                      &self->account, err)
               : account_find_practitioner(d, req, self->email, &self->account, err);
}

/* ---- the link ---- */

/* *ret: not set if the identity has an account already. */
static int insert(struct db_tx *tx, const struct request *req, const struct identity_arrival *in,
                  struct uuid account, struct uuid *ret, struct error *err)
{
    const struct audit audit = {.action = "identity.link",
                                .project = in->tenant->projectId,
                                .account = account,
                                .role = in->role,
                                .type = "Account",
                                .id = account,
                                .detail = in->provider->name};
    const struct sql_identity_insert_in link = {.id = uuid_ordered(req->now_ms),
                                                .provider = in->provider->id,
                                                .project = in->provider->project,
                                                .issuer = in->provider->issuer,
                                                .subject = in->claims->subject,
                                                .role = in->role,
                                                .account = account,
                                                .now = req->now_ms,
                                                .audit = audit_row(req, &audit)};
    struct sql_identity_insert_row row = {.id.text = ""};

    if (sql_identity_insert(tx, req, &link, &row, err) < 0)
        return -1;
    *ret = row.id;
    return 0;
}

static int link_to(struct db_tx *tx, const struct request *req, const struct newcomer *self,
                   struct uuid account, struct identity_person *ret, struct error *err)
{
    *ret = (struct identity_person){.account = account, .email = self->email};
    if (insert(tx, req, self->in, account, &ret->identity, err) < 0)
        return -1;
    return uuid_is_set(&ret->identity) ? 0 : try_again(err);
}

/* Finds and locks the invitation of an admin, without admin rights. *ret: not set for none. */
static int find_invitation(struct db_tx *tx, const struct request *req, const struct newcomer *self,
                           struct uuid *ret, struct error *err)
{
    const struct sql_identity_invitation_find_in find = {.project = self->in->tenant->projectId,
                                                         .role = self->in->role,
                                                         .email = self->email,
                                                         .now = req->now_ms};
    struct sql_identity_invitation_find_row row = {.id.text = ""};

    *ret = (struct uuid){""};
    if (!self->counts)
        return 0;
    if (sql_identity_invitation_find(tx, req, &find, &row, err) < 0)
        return -1;
    *ret = row.id;
    return 0;
}

static int accept_invitation(struct db_tx *tx, const struct request *req,
                             const struct newcomer *self, struct uuid invitation,
                             struct uuid account, struct uuid *ret, struct error *err)
{
    const struct audit audit = {.action = "invitation.accept",
                                .project = self->in->tenant->projectId,
                                .account = account,
                                .type = "Invitation",
                                .id = invitation,
                                .detail = self->in->provider->name};
    const struct sql_invitation_spend_in spend = {.project = self->in->tenant->projectId,
                                                  .id = invitation,
                                                  .account = account,
                                                  .now = req->now_ms,
                                                  .audit = audit_row(req, &audit)};
    struct sql_invitation_spend_row row;
    int spent = sql_invitation_spend(tx, req, &spend, &row, err);

    if (spent <= 0)
        return spent < 0 ? -1 : try_again(err);
    *ret = row.membership;
    return 0;
}

static struct credential_owner owner_of(const struct newcomer *self, struct uuid account)
{
    return (struct credential_owner){.account = account,
                                     .email = self->email,
                                     .tenant = *self->in->tenant,
                                     .organization = self->organization};
}

/* ---- the email to the owner ---- */

static const char *way(const struct request *req, const char *provider)
{
    return arena_printf(req->arena, "Sign-in with %s", name_shown(req->arena, provider));
}

/* Call outbox_wake() after the commit. */
static int tell_owner(struct authd *d, struct db_tx *tx, const struct request *req,
                      const struct credential_owner *owner, const char *provider, struct error *err)
{
    char when[25];
    const struct mail mail = {.template = "CREDENTIAL_CHANGED",
                              .tenant = owner->shared ? NULL : &owner->tenant,
                              .to = owner->email,
                              .display = owner->display,
                              .variables = {{"what", way(req, provider)}, {"when", when}}};
    struct sql_outbox_insert_in notice;

    clock_format_iso(req->now_ms, when);
    notice.outbox = mail_row(d, req, &mail);
    return sql_outbox_insert_tx(tx, req, &notice, err) < 0 ? -1 : 0;
}

/* ---- an account that the project owns ---- */

struct owned {
    struct ownership found;
    const char *display;
    bool member;   /* belongs to the project where the person signs in */
    bool verified; /* the address */
};

static int is_member(struct authd *d, const struct request *req, const struct newcomer *self,
                     bool *ret, struct error *err)
{
    struct field_texts held;

    if (account_projects(d, req, self->account, self->in->tenant->projectId, true, &held, err) < 0)
        return -1;
    *ret = held.count > 0;
    return 0;
}

static int find_owned(struct authd *d, const struct request *req, const struct newcomer *self,
                      struct owned *ret, struct error *err)
{
    const struct sql_email_is_verified_in verified = {.account = self->account,
                                                      .organization = self->organization};
    const struct sql_account_get_in get = {.account = self->account};
    struct sql_email_is_verified_row row;
    struct sql_account_get_row account;

    if (ownership_find(d, req, self->account, self->in->provider->project, &ret->found, err) < 0)
        return -1;
    if (!ret->found.owned)
        return refuse_claim(err);
    if (sql_email_is_verified(d->svc.db, req, &verified, &row, err) < 0 ||
        is_member(d, req, self, &ret->member, err) < 0)
        return -1;
    if (sql_require(sql_account_get(d->svc.db, req, &get, &account, err), err, ERR_UNAVAILABLE,
                    "The account was deleted meanwhile. Please try again.") < 0)
        return -1;
    ret->verified = row.verified;
    ret->display = arena_printf(req->arena, "%s %s", account.name, account.surname);
    return 0;
}

/* Locks the account, if the project still owns it and it is nowhere an admin. An address can be
 * changed or given to the next person, so the account of one person at the provider is never
 * another's. */
static int hold(struct authd *d, struct db_tx *tx, const struct request *req,
                const struct newcomer *self, const struct owned *owned, struct error *err)
{
    const struct sql_identity_account_is_plain_in in = {
        .account = self->account, .provider = self->in->provider->id, .now = req->now_ms};
    struct sql_identity_account_is_plain_row row = {.plain = false};

    if (ownership_hold(d, tx, req, self->account, &owned->found, err) < 0) {
        if (err->code == ERR_INTERNAL || err->code == ERR_UNAVAILABLE)
            return -1;
        error_clear(err);
        return refuse_claim(err);
    }
    if (sql_identity_account_is_plain_tx(tx, req, &in, &row, err) < 0)
        return -1;
    return row.plain ? 0 : refuse_claim(err);
}

/* Tells the owner that a provider opens the account from now on, and commits. The first
 * verification of the address has ended what another person may have left there. */
static int commit_link(struct authd *d, const struct request *req, struct db_tx **tx_p,
                       const struct newcomer *self, const struct owned *owned,
                       struct credential_owner *owner, struct error *err)
{
    const char *provider = self->in->provider->name;
    struct session_ended ended = {.count = 0};

    if (!owned->verified)
        return credential_change_commit(d, req, tx_p, owner, way(req, provider), (struct uuid){""},
                                        err);
    if (tell_owner(d, *tx_p, req, owner, provider, err) < 0 ||
        (uuid_is_set(&owner->joined) &&
         session_ended_membership(*tx_p, req, owner->joined, &ended, err) < 0) ||
        db_commit(tx_p, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return session_revocation_wait(d, req, &ended, err);
}

/* Links an account as a link to its mailbox would verify it: the mailbox counts more than who made
 * the account. */
static int link_owned(struct authd *d, const struct request *req, const struct newcomer *self,
                      struct identity_person *ret, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct credential_owner owner = owner_of(self, self->account);
    struct owned owned;
    struct uuid invitation;
    struct db_array above;

    if (find_owned(d, req, self, &owned, err) < 0 ||
        tenant_ancestors(d, req, self->in->tenant->projectId, &above, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        find_invitation(tx, req, self, &invitation, err) < 0 ||
        hold(d, tx, req, self, &owned, err) < 0)
        return -1;
    owner.display = owned.display;
    if (!owned.member && !uuid_is_set(&invitation))
        return refuse("not-a-member", err);
    if (uuid_is_set(&invitation) &&
        (ownership_join(tx, req, self->account, above, err) < 0 ||
         accept_invitation(tx, req, self, invitation, self->account, &owner.joined, err) < 0))
        return -1;
    if (email_claim(tx, req, &owner, EMAIL_BY_PROVIDER, password_dummy(req->arena), err) < 0 ||
        link_to(tx, req, self, self->account, ret, err) < 0)
        return -1;
    return commit_link(d, req, &tx, self, &owned, &owner, err);
}

/* ---- a new account ---- */

static bool may_provision(const struct newcomer *self)
{
    const struct provider *provider = self->in->provider;

    if (self->ended)
        return false;
    return self->in->role == ROLE_PATIENT ? provider->provision_patients
                                          : provider->provision_practitioners && self->counts;
}

static int create(struct authd *d, struct db_tx *tx, const struct request *req,
                  const struct newcomer *self, struct uuid account, struct error *err)
{
    bool patient = self->in->role == ROLE_PATIENT;
    const struct sql_identity_account_create_in in = {
        .account = account,
        .role = self->in->role,
        .home = patient ? self->in->tenant->projectId : (struct uuid){""},
        .email = self->email,
        .name = self->name,
        .surname = self->surname,
        .now = req->now_ms,
        .password_hash = password_dummy(req->arena),
        .address_key_insert = address_key_draft(d, req, account)};
    int created = sql_identity_account_create(tx, req, &in, err);

    if (created <= 0)
        return created < 0 ? -1 : try_again(err);
    return 0;
}

/* Makes the new account a member with the project's default policy. */
static int provision(struct db_tx *tx, const struct request *req, const struct newcomer *self,
                     struct uuid account, struct error *err)
{
    const struct tenant *tenant = self->in->tenant;
    const struct uuid id = uuid_ordered(req->now_ms);
    const struct audit audit = {.action = "membership.create",
                                .project = tenant->projectId,
                                .account = account,
                                .role = self->in->role,
                                .type = "ProjectMembership",
                                .id = id,
                                .detail = self->in->provider->name};
    const struct sql_identity_member_add_in add = {
        .project = tenant->projectId,
        .id = id,
        .account = account,
        .profile = uuid_random(),
        .policy = self->in->role == ROLE_PATIENT ? tenant->defaultPatientPolicy
                                                 : tenant->defaultPractitionerPolicy,
        .provider = self->in->provider->id,
        .now = req->now_ms,
        .audit = audit_row(req, &audit)};

    if (!may_provision(self))
        return refuse("unknown", err);
    if (!uuid_is_set(&add.policy))
        return refuse("no-policy", err);
    return sql_identity_member_add(tx, req, &add, err) < 0 ? -1 : 0;
}

static int link_new(struct authd *d, const struct request *req, const struct newcomer *self,
                    struct identity_person *ret, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct uuid account = uuid_ordered(req->now_ms);
    struct credential_owner owner = owner_of(self, account);
    struct uuid invitation;
    int joined;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        find_invitation(tx, req, self, &invitation, err) < 0)
        return -1;
    if (!uuid_is_set(&invitation) && !may_provision(self))
        return refuse("unknown", err);
    if (create(d, tx, req, self, account, err) < 0)
        return -1;
    joined = uuid_is_set(&invitation)
                 ? accept_invitation(tx, req, self, invitation, account, &owner.joined, err)
                 : provision(tx, req, self, account, err);
    if (joined < 0 ||
        (self->counts &&
         email_claim(tx, req, &owner, EMAIL_BY_PROVIDER, password_dummy(req->arena), err) < 0) ||
        link_to(tx, req, self, account, ret, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* ---- who that is ---- */

/* *ret_found: the identity has an account; *ret_ended: it had one. */
static int find_linked(struct authd *d, const struct request *req,
                       const struct identity_arrival *in, struct identity_person *ret,
                       bool *ret_found, bool *ret_ended, struct error *err)
{
    const struct sql_identity_use_in use = {.provider = in->provider->id,
                                            .issuer = in->provider->issuer,
                                            .subject = in->claims->subject,
                                            .role = in->role,
                                            .now = req->now_ms};
    struct sql_account_get_in get;
    struct sql_account_get_row account;
    struct sql_identity_use_row row;
    int found = sql_identity_use(d->svc.db, req, &use, &row, err);

    *ret_found = found > 0 && uuid_is_set(&row.account);
    *ret_ended = found > 0 && !*ret_found;
    if (found <= 0 || !*ret_found)
        return MIN(found, 0);
    get.account = row.account;
    found = sql_account_get(d->svc.db, req, &get, &account, err);
    if (found <= 0)
        return found < 0 ? -1 : try_again(err);
    *ret = (struct identity_person){row.id, row.account, account.email};
    return 0;
}

int identity_find_person(struct authd *d, const struct request *req,
                         const struct identity_arrival *in, struct identity_person *ret,
                         struct error *err)
{
    struct newcomer self = {.in = in, .organization = tenant_organization(in->tenant)};
    bool found;

    if (find_linked(d, req, in, ret, &found, &self.ended, err) < 0)
        return -1;
    if (found)
        return 0;
    self.email = in->claims->email ? fields_email(req->arena, in->claims->email) : NULL;
    if (!self.email)
        return refuse("no-address", err);
    self.counts =
        in->claims->email_verified && provider_has_domain(in->provider, req->arena, self.email);
    if (!self.counts && in->role != ROLE_PATIENT)
        return refuse("domain", err);
    if (find_account(d, req, &self, err) < 0)
        return -1;
    name(req, in->claims, &self);
    if (!uuid_is_set(&self.account))
        return link_new(d, req, &self, ret, err);
    return self.counts ? link_owned(d, req, &self, ret, err) : refuse_claim(err);
}

/* ---- the end ---- */

static int end_sessions(struct db_tx *tx, const struct request *req,
                        struct sql_identity_session_end_in in, struct session_ended *ended,
                        struct error *err)
{
    struct field_list changes;

    in.now = req->now_ms;
    in.audit = audit_row(req, &(struct audit){.action = "session.end", .detail = "provider"});
    in.change.until = req->now_ms + CHANGE_SESSION_LIFE;
    /* A grant that was made meanwhile waited for its session's end, or this statement for it: the
     * next one finds it. */
    do {
        if (sql_identity_session_end(tx, req, &in, &changes, err) < 0)
            return -1;
        session_ended_add(req, &changes, ended);
    } while (changes.count > 0);
    return 0;
}

int identity_links_end(struct authd *d UNUSED, struct db_tx *tx, const struct request *req,
                       struct uuid provider, bool links, struct session_ended *ended,
                       struct error *err)
{
    const struct sql_identity_delete_in delete = {
        .provider = provider,
        .audit = audit_row(req, &(struct audit){.action = "identity.unlink",
                                                .project = req->caller ? req->caller->project
                                                                       : (struct uuid){""},
                                                .detail = "provider"})};

    if (end_sessions(tx, req, (struct sql_identity_session_end_in){.provider = provider}, ended,
                     err) < 0)
        return -1;
    return links ? MIN(sql_identity_delete(tx, req, &delete, err), 0) : 0;
}

int identity_logout(struct db_tx *tx, const struct request *req, struct uuid provider,
                    const struct logout_claims *claims, struct session_ended *ended,
                    struct error *err)
{
    return end_sessions(tx, req,
                        (struct sql_identity_session_end_in){.provider = provider,
                                                             .logged_out = true,
                                                             .subject = claims->subject,
                                                             .sid = claims->sid},
                        ended, err);
}

/* ---- handlers ---- */

int own_identities(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
                   struct own_identity_list *out, struct error *err)
{
    const struct sql_own_identity_list_in list = {.account = req->caller->account,
                                                  .project = req->caller->project};

    return MIN(sql_own_identity_list(d->svc.db, req, &list, &out->identities, err), 0);
}

/* Links the person who came back from the provider in the caller's own round. */
static int link_proven(struct db_tx *tx, const struct request *req, const struct tenant *tenant,
                       const struct sql_federated_proof_consume_row *proof,
                       struct own_identity *out, struct error *err)
{
    const struct provider provider = {.id = proof->provider,
                                      .project = proof->project,
                                      .name = proof->name,
                                      .issuer = proof->issuer};
    const struct id_claims claims = {.subject = proof->subject};
    const struct identity_arrival arrival = {&provider, tenant, req->caller->role, &claims};

    *out = (struct own_identity){.providerId = provider.id,
                                 .provider = provider.name,
                                 .createdAt = req->now_ms,
                                 .lastUsedAt = req->now_ms};
    if (insert(tx, req, &arrival, req->caller->account, &out->id, err) < 0)
        return -1;
    return uuid_is_set(&out->id) ? 0
                                 : error_set(err, ERR_CONFLICT,
                                             "This person of the provider has an account already.");
}

int own_identity_link(struct authd *d, const struct request *req,
                      const struct own_identity_link_in *in, struct own_identity *out,
                      struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_federated_proof_consume_row proof;
    struct credential_owner owner;
    struct tenant tenant;

    if (tenant_open_id(d, req, req->caller->project, &tenant, err) < 0 ||
        credential_owner_find(d, req, &owner, err) < 0 ||
        credential_owner_mailed(d, req, &owner, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        federated_proof_consume(&tx, req, in->sessionCode, in->codeVerifier, false, &proof, err) <
            0 ||
        link_proven(tx, req, &tenant, &proof, out, err) < 0 ||
        tell_owner(d, tx, req, &owner, proof.name, err) < 0 || step_up_check(d, tx, req, err) < 0 ||
        db_commit(&tx, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return 0;
}

struct unlink {
    struct credential_owner owner;
    enum role role;
    struct uuid id;
    const char *reason; /* the admin's; NULL: the owner removes the link */
};

/* Locks a link. A session that a provider made can't remove its owner's, so the person has another
 * way to sign in. */
static int lock_link(struct db_tx *tx, const struct request *req, const struct unlink *self,
                     struct sql_own_identity_lock_row *ret, struct error *err)
{
    const struct sql_own_identity_lock_in in = {.id = self->id,
                                                .account = self->owner.account,
                                                .project = req->caller->project,
                                                .session = req->caller->session};

    if (sql_require(sql_own_identity_lock(tx, req, &in, ret, err), err, ERR_NOT_FOUND,
                    "Identity not found.") < 0)
        return -1;
    if (ret->federated && !self->reason)
        return error_set(err, ERR_FORBIDDEN,
                         "Sign in without the identity provider to remove its link.");
    return 0;
}

/* Ends the link's sessions, in the provider's project and below it. */
static int end_link(struct db_tx *tx, const struct request *req, const struct unlink *self,
                    const struct sql_own_identity_lock_row *link, struct session_ended *ended,
                    struct error *err)
{
    const struct audit audit = {.action = "identity.unlink",
                                .project = req->caller->project,
                                .account = self->owner.account,
                                .role = self->role,
                                .type = "Account",
                                .id = self->owner.account,
                                .detail = link->name,
                                .reason = self->reason};
    const struct sql_identity_delete_in delete = {
        .provider = link->provider, .only = self->id, .audit = audit_row(req, &audit)};

    if (end_sessions(tx, req,
                     (struct sql_identity_session_end_in){.provider = link->provider,
                                                          .only = self->id},
                     ended, err) < 0)
        return -1;
    return MIN(sql_identity_delete(tx, req, &delete, err), 0);
}

static int remove_link(struct authd *d, const struct request *req, struct unlink *self,
                       struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct session_ended ended = {.count = 0};
    struct sql_own_identity_lock_row link;

    if (credential_owner_mailed(d, req, &self->owner, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lock_link(tx, req, self, &link, err) < 0 || step_up_check(d, tx, req, err) < 0 ||
        tell_owner(d, tx, req, &self->owner, link.name, err) < 0 ||
        end_link(tx, req, self, &link, &ended, err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return session_revocation_wait(d, req, &ended, err);
}

int own_identity_delete(struct authd *d, const struct request *req,
                        const struct own_identity_path_in *in, struct nothing *out UNUSED,
                        struct error *err)
{
    struct unlink self = {.id = in->id, .role = req->caller->role};

    return credential_owner_find(d, req, &self.owner, err) < 0 ? -1
                                                               : remove_link(d, req, &self, err);
}

/* Only links with providers of the project: those of one above are not its business. */
int project_account_identities(struct authd *d, const struct request *req,
                               const struct project_account_in *in, struct own_identity_list *out,
                               struct error *err)
{
    const struct sql_own_identity_list_in list = {.account = in->id,
                                                  .project = req->caller->project};
    struct project_account account;
    struct tenant tenant;

    if (project_account_read(d, req, in->id, "identities", &tenant, &account, err) < 0)
        return -1;
    return MIN(sql_own_identity_list(d->svc.db, req, &list, &out->identities, err), 0);
}

int project_account_identity_unlink(struct authd *d, const struct request *req,
                                    const struct project_account_identity_in *in,
                                    struct nothing *out UNUSED, struct error *err)
{
    struct unlink self = {.id = in->identity, .reason = in->reason};
    struct project_account account;

    if (project_account_open(d, req, in->id, &self.owner.tenant, &account, err) < 0)
        return -1;
    if (uuid_equal(&in->id, &req->caller->account))
        return error_set(err, ERR_CONFLICT, "You can't do this to your own account.");
    self.role = account.role;
    self.owner.account = in->id;
    self.owner.email = account.email;
    self.owner.display = arena_printf(req->arena, "%s %s", account.firstName, account.lastName);
    return remove_link(d, req, &self, err);
}
