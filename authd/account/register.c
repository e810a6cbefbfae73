/*
 * register.c - self-registration of patients and practitioners, by the tenant routes and by those
 * that name a client application.
 *
 * The gateway has counted the request (register_admit) and checked its fields before it comes here,
 * and holds every error answer back until a second has passed: nothing here needs to take equal
 * time.
 */

#include "authd/account/app_url.h"
#include "authd/account/business.h"
#include "authd/account/deletion.h"
#include "authd/account/email_link.h"
#include "authd/account/email_verified.h"
#include "authd/credential/continue_token.h"
#include "authd/credential/password.h"
#include "authd/credential/password_rule.h"
#include "authd/session/address_key.h"
#include "authd/session/admission.h"
#include "authd/session/session.h"
#include "authd/signin/sign_in_api.h"
#include "authd/sql/account.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

static const char NOT_ENABLED[] = "Registration is not enabled for this project.";
static const char FAILED[] = "Registration failed.";

/* Who registers where; the texts are the request's. */
struct registration {
    enum role role;
    const struct tenant *tenant;
    struct uuid home; /* the account's project: patients only */
    struct uuid policy;
    const char *email, *password, *name, *surname;
    const char *cookie;         /* of the browser that registers on a page, or NULL */
    const char *continue_token; /* continueAsPatientToken, or NULL */
    struct continue_token link; /* the same, once it was read; id absent: none */
};

static int link_over(struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST,
                     "The continue-as-patient link is invalid or has expired.");
}

static bool is_patient(const struct registration *who)
{
    return who->role == ROLE_PATIENT;
}

/* What a registration mails; a row without a method is not written. */
struct letters {
    struct sql_outbox welcome;
    struct email_link proof;
};

/* A patient's welcome. */
static struct sql_outbox welcome_mail(struct authd *d, const struct request *req,
                                      const struct registration *who, const char *display)
{
    const struct mail mail = {
        .template = "PATIENT_WELCOME",
        .tenant = who->tenant,
        .to = who->email,
        .display = display,
        .variables = {{"appUrl", app_url(d, req->arena, who->tenant, ROLE_PATIENT)}}};

    return mail_row(d, req, &mail);
}

/* A welcome for patients, and a link to prove the address for them and, where the tenant asks for
 * that, for practitioners. Nothing to a mailbox that has had enough. */
static int write_letters(struct authd *d, const struct request *req, const struct registration *who,
                         struct uuid account, const char *display, struct letters *ret,
                         struct error *err)
{
    const struct email_owner owner = {account, who->role, who->email, display};
    bool welcome = is_patient(who), proof = welcome || email_is_required(who->tenant);
    struct mail_route route;

    *ret = (struct letters){.welcome.method = NULL};
    if ((welcome && mail_admit(d, req, who->email, &welcome, err) < 0) ||
        (proof && mail_admit(d, req, who->email, &proof, err) < 0))
        return -1;
    if (welcome)
        ret->welcome = welcome_mail(d, req, who, display);
    mail_route_own(d, req, who->tenant, who->role, &route);
    if (proof)
        email_link_new(d, req, who->tenant, &route, &owner, EMAIL_LINK_VERIFY, &ret->proof);
    return 0;
}

/* The audit row of an account that signs in, or only is there. */
static struct sql_audit registration_audit(const struct request *req,
                                           const struct registration *who,
                                           const struct session_draft *draft, struct uuid account)
{
    if (!email_is_required(who->tenant))
        return session_audit(req, "account.register", draft, account, who->role);
    return audit_row(req, &(struct audit){.action = "account.register",
                                          .project = who->tenant->projectId,
                                          .account = account,
                                          .role = who->role,
                                          .type = "Account",
                                          .id = account,
                                          .detail = "verify-email"});
}

/* One statement makes account, credential, membership, session, mail and audit row, and spends the
 * link; a unique index decides the race of two. */
static int write_all(struct authd *d, const struct request *req, const struct registration *who,
                     const char *hash, const struct token_subject *subject,
                     const struct session_draft *draft, const char *display, struct error *err)
{
    const struct sql_address_key_insert keys = address_key_draft(d, req, draft->account);
    struct letters letters;
    struct sql_account_register_in in = {
        .now = req->now_ms,
        .account = draft->account,
        .role = who->role,
        .home = who->home,
        .email = who->email,
        .name = who->name,
        .surname = who->surname,
        .password_hash = hash,
        .project = who->tenant->projectId,
        .membership = subject->membership,
        .profile = subject->profile,
        .policy = who->policy,
        .continue_id = who->link.id,
        .continue_until = who->link.expires_at,
        .signs_in = !email_is_required(who->tenant),
        .session = session_values(req, draft),
        .address_key_insert = keys,
        .audit = registration_audit(req, who, draft, draft->account),
    };
    int registered;

    if (write_letters(d, req, who, draft->account, display, &letters, err) < 0)
        return -1;
    in.welcome = letters.welcome;
    in.link = letters.proof.row;
    in.verification = letters.proof.mail;
    registered = sql_account_register(d->svc.db, req, &in, err);
    if (registered > 0) {
        outbox_wake(d->svc.outbox);
        return 0;
    }
    if (registered == 0)
        return link_over(err);
    if (err->code != ERR_CONFLICT)
        return -1;
    error_clear(err);
    return error_set(err, ERR_BAD_REQUEST, "%s", FAILED);
}

/* Makes the account and signs it in; where the tenant asks for proven addresses its owner signs in
 * once the address is. */
static int register_account(struct authd *d, const struct request *req,
                            const struct registration *who, struct token_or_step *out,
                            struct error *err)
{
    CLEANUP(session_draft_wipe) struct session_draft draft;
    struct token_response tokens = {0};
    const char *display = arena_printf(req->arena, "%s %s", who->name, who->surname);
    const struct admission place = {.project = who->tenant->projectId,
                                    .role = who->role,
                                    .policy = who->policy,
                                    .action = "account.register"};
    const struct password_owner owner = {
        .tenant = who->tenant, .role = who->role, .email = who->email, .display = display};
    struct token_subject subject;
    const char *hash;

    if (admission_check(d, req, &place, err) < 0 ||
        password_rule_check(d, req, &owner, who->password, err) < 0 ||
        password_hash(d, req, who->password, &hash, err) < 0)
        return -1;
    secret_wipe_text(who->password);
    session_draft(d, req, who->tenant->projectId, uuid_ordered(req->now_ms), who->role, who->email,
                  "password", &draft);
    session_draft_for_browser(&draft, who->cookie);
    subject = (struct token_subject){.project = who->tenant->projectId,
                                     .membership = uuid_ordered(req->now_ms),
                                     .profile = uuid_random(),
                                     .session = draft.id,
                                     .role = who->role};
    if (write_all(d, req, who, hash, &subject, &draft, display, err) < 0)
        return -1;
    if (email_is_required(who->tenant)) {
        *out = (struct token_or_step){.nextStep = "verify-email"};
        return 0;
    }
    if (session_answer(d, req, &subject, &draft, who->tenant->name, display, &tokens, err) < 0)
        return -1;
    *out = (struct token_or_step){.accessToken = tokens.accessToken,
                                  .refreshToken = tokens.refreshToken,
                                  .expiresIn = tokens.expiresIn,
                                  .project = tokens.project,
                                  .profile = tokens.profile};
    return 0;
}

/* Spares the hash of a registration that cannot succeed; the unique index has the last word. */
static int refuse_patient(struct authd *d, const struct request *req,
                          const struct registration *who, struct error *err)
{
    struct uuid patient;

    if (account_find_patient(d, req, who->home, who->email, &patient, err) < 0)
        return -1;
    return uuid_is_set(&patient) ? error_set(err, ERR_BAD_REQUEST, "%s", FAILED) : 0;
}

/* The same for a practitioner. */
static int refuse_practitioner(struct authd *d, const struct request *req, const char *email,
                               struct error *err)
{
    struct uuid practitioner;

    if (account_find_practitioner(d, req, email, &practitioner, err) < 0)
        return -1;
    return uuid_is_set(&practitioner) ? error_set(err, ERR_BAD_REQUEST, "%s", FAILED) : 0;
}

/* Whether a patient may register with the tenant. Fails: FORBIDDEN, BAD_REQUEST. */
static int admit_patient(struct authd *d, const struct request *req, struct registration *who,
                         struct error *err)
{
    const struct tenant *tenant = who->tenant;

    who->role = ROLE_PATIENT;
    who->home = tenant->projectId;
    who->policy = tenant->defaultPatientPolicy;
    if (!uuid_is_set(&who->policy) || !tenant->patientRegistration)
        return error_set(err, ERR_FORBIDDEN, "%s", NOT_ENABLED);
    if (refuse_patient(d, req, who, err) < 0)
        return -1;
    if (who->continue_token &&
        continue_token_read(&d->svc.seal, who->home, who->email, who->continue_token, req->now_ms,
                            &who->link) < 0)
        return link_over(err);
    return 0;
}

/* Invites who comes with a business address, where the project wants that, unless a link of such an
 * invitation has led here. *ret_invited: it did, and there is nothing to register. */
static int invite_clinician(struct authd *d, const struct request *req,
                            const struct registration *who, bool *ret_invited, struct error *err)
{
    const struct business_sign_up sign_up = {who->tenant, who->email, who->name, who->surname};
    bool applies = false;

    if (!who->continue_token && business_applies(d, req, &sign_up, &applies, err) < 0)
        return -1;
    *ret_invited = applies;
    if (!applies)
        return 0;
    secret_wipe_text(who->password); /* the invitation asks for one of its own */
    return business_invite(d, req, &sign_up, err);
}

/* Registers a practitioner. An account with this e-mail in any project refuses it: one joins
 * another tenant by invitation only. Fails: FORBIDDEN, BAD_REQUEST. */
static int register_practitioner(struct authd *d, const struct request *req,
                                 struct registration *who, struct token_or_step *out,
                                 struct error *err)
{
    const struct tenant *tenant = who->tenant;

    who->role = ROLE_PRACTITIONER;
    who->policy = tenant->defaultPractitionerPolicy;
    if (!uuid_is_set(&who->policy) || !tenant->practitionerRegistration)
        return error_set(err, ERR_FORBIDDEN, "%s", NOT_ENABLED);
    if (refuse_practitioner(d, req, who->email, err) < 0)
        return -1;
    return register_account(d, req, who, out, err);
}

/* What the inputs of all four routes have in common. */
#define REGISTRATION(in, tenant_)                                                                  \
    {                                                                                              \
        .tenant = (tenant_), .email = (in)->email, .password = (in)->password, .name = (in)->name, \
        .surname = (in)->surname                                                                   \
    }

/* ---- handlers ---- */

/* The one route on which a business address may become an invitation: its answer is the one that
 * has nextStep, and its body the one that takes the token of the link back. Fails: NOT_FOUND,
 * FORBIDDEN, BAD_REQUEST, in this order. */
int patient_register(struct authd *d, const struct request *req,
                     const struct patient_register_in *in, struct token_or_step *out,
                     struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    struct tenant tenant;
    struct registration who = REGISTRATION(in, &tenant);
    bool invited = false;

    who.continue_token = in->continueAsPatientToken;
    who.cookie = in->cookie;
    if (password_slot_acquire(d, req, &slot, err) < 0 ||
        tenant_open(d, req, in->tenantCode, &tenant, err) < 0 ||
        admit_patient(d, req, &who, err) < 0 || invite_clinician(d, req, &who, &invited, err) < 0)
        return -1;
    if (invited) {
        out->nextStep = "clinician-invite";
        return 0;
    }
    return register_account(d, req, &who, out, err);
}

/* Fails like patient_register(). */
int practitioner_register(struct authd *d, const struct request *req,
                          const struct practitioner_register_in *in, struct token_or_step *out,
                          struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    struct tenant tenant;
    struct registration who = REGISTRATION(in, &tenant);

    who.cookie = in->cookie;
    if (password_slot_acquire(d, req, &slot, err) < 0 ||
        tenant_open(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    return register_practitioner(d, req, &who, out, err);
}

/* Registers with the project of a client application, as a patient unless `type` says otherwise. A
 * business address makes no difference here: see patient_register(), which it fails like. */
int client_register(struct authd *d, const struct request *req, const struct client_register_in *in,
                    struct token_or_step *out, struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    struct tenant tenant;
    struct registration who = REGISTRATION(in, &tenant);

    if (password_slot_acquire(d, req, &slot, err) < 0 ||
        tenant_open_client(d, req, in->clientId, &tenant, err) < 0)
        return -1;
    if (in->type == ROLE_PRACTITIONER)
        return register_practitioner(d, req, &who, out, err);
    if (admit_patient(d, req, &who, err) < 0)
        return -1;
    return register_account(d, req, &who, out, err);
}

/* Registers a practitioner with a project by a client application of it. Fails like
 * patient_register(). */
int b2b_register(struct authd *d, const struct request *req, const struct b2b_register_in *in,
                 struct token_or_step *out, struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {0};
    struct tenant tenant;
    struct registration who = REGISTRATION(in, &tenant);

    if (password_slot_acquire(d, req, &slot, err) < 0 ||
        tenant_open_business(d, req, in->clientId, in->tenantId, &tenant, err) < 0)
        return -1;
    return register_practitioner(d, req, &who, out, err);
}
