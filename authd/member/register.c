/*
 * register.c - self-registration of patients and practitioners.
 *
 * The gateway has counted the request (register_admit) and checked its fields. It delays error
 * answers to one second, so nothing here needs to take equal time.
 */

#include "authd/account/app_url.h"
#include "authd/account/deletion.h"
#include "authd/account/email_link.h"
#include "authd/account/email_verified.h"
#include "authd/account/enforced.h"
#include "authd/credential/continue_token.h"
#include "authd/credential/password.h"
#include "authd/credential/password_rule.h"
#include "authd/member/business.h"
#include "authd/session/address_key.h"
#include "authd/session/admission.h"
#include "authd/session/session.h"
#include "authd/signin/sign_in_api.h"
#include "authd/sql/account.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

static const char NOT_ENABLED[] = "Registration is not enabled for this project.";
static const char FAILED[] = "Registration failed.";

struct registration {
    enum role role;
    const struct tenant *tenant;
    struct uuid home; /* project of a patient's account */
    struct uuid policy;
    const char *email, *password, *name, *surname;
    const char *cookie;         /* from the browser if it registers on a page */
    const char *continue_token; /* continueAsPatientToken */
    struct continue_token link; /* decoded token; id not set: none */
};

static int failed(struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST, "%s", FAILED);
}

static int link_over(struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST,
                     "The continue-as-patient link is invalid or has expired.");
}

static bool is_patient(const struct registration *who)
{
    return who->role == ROLE_PATIENT;
}

/* Emails of a registration. A row without a method isn't written. */
struct letters {
    struct sql_outbox welcome;
    struct email_link proof;
};

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

/* Writes a patient's welcome, and a link to verify the address, for practitioners only if the
 * tenant requires it. A mailbox that has reached its limit gets no email. */
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
        email_link_new(d, req, who->tenant, &route, &owner, EMAIL_LINK_REGISTER, &ret->proof);
    return 0;
}

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

/* One statement writes everything and uses the link. A unique index decides between two
 * requests. */
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
        return uuid_is_set(&who->link.id) ? link_over(err) : failed(err);
    if (err->code != ERR_CONFLICT)
        return -1;
    error_clear(err);
    return failed(err);
}

/* Makes the account and signs it in, unless the tenant requires verified addresses. */
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
    if (session_draft(d, req, who->tenant->projectId, uuid_ordered(req->now_ms), who->role,
                      who->email, "password", &draft, err) < 0)
        return -1;
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

/* Refuses an address whose people must sign in with an identity provider. */
static int refuse_enforced(struct authd *d, const struct request *req,
                           const struct registration *who, enum role role, struct error *err)
{
    const struct enforced_person person = {.role = role, .email = who->email};
    bool enforced;

    if (enforced_check(d, req, who->tenant->projectId, &person, &enforced, err) < 0)
        return -1;
    return enforced ? failed(err) : 0;
}

/* Refuses an address that has an account. This only saves a useless hash: the unique index
 * decides. */
static int refuse_patient(struct authd *d, const struct request *req,
                          const struct registration *who, struct error *err)
{
    struct uuid patient;

    if (account_find_patient(d, req, who->home, who->email, &patient, err) < 0)
        return -1;
    return uuid_is_set(&patient) ? failed(err) : refuse_enforced(d, req, who, ROLE_PATIENT, err);
}

static int refuse_practitioner(struct authd *d, const struct request *req,
                               const struct registration *who, struct error *err)
{
    struct uuid practitioner;

    if (account_find_practitioner(d, req, who->email, &practitioner, err) < 0)
        return -1;
    return uuid_is_set(&practitioner) ? failed(err)
                                      : refuse_enforced(d, req, who, ROLE_PRACTITIONER, err);
}

/* Checks that patients can register with the tenant. */
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

/* Invites a person with a business address if the project wants that, unless they followed the
 * continue-as-patient link in the email of such an invitation. *ret_invited: the person was
 * invited, so there is nothing to register. */
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
    if (refuse_enforced(d, req, who, ROLE_PRACTITIONER, err) < 0)
        return -1;
    secret_wipe_text(who->password); /* the invitation asks for another one */
    return business_invite(d, req, &sign_up, err);
}

/* Refuses an email address that has an account in any project, because that person joins other
 * tenants by invitation. */
static int register_practitioner(struct authd *d, const struct request *req,
                                 struct registration *who, struct token_or_step *out,
                                 struct error *err)
{
    const struct tenant *tenant = who->tenant;

    who->role = ROLE_PRACTITIONER;
    who->policy = tenant->defaultPractitionerPolicy;
    if (!uuid_is_set(&who->policy) || !tenant->practitionerRegistration)
        return error_set(err, ERR_FORBIDDEN, "%s", NOT_ENABLED);
    if (refuse_practitioner(d, req, who, err) < 0)
        return -1;
    return register_account(d, req, who, out, err);
}

/* Members that all four inputs have. */
#define REGISTRATION(in, tenant_)                                                                  \
    {                                                                                              \
        .tenant = (tenant_), .email = (in)->email, .password = (in)->password, .name = (in)->name, \
        .surname = (in)->surname                                                                   \
    }

/* Only this route turns business addresses into invitations, because only its answer has nextStep
 * and its input the link's token. */
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

/* Registers a patient unless `type` differs. Ignores business addresses. */
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
