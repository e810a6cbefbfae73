/*
 * explain.c - see explain.h. For `atriumctl explain sign-in`.
 */
#include "authd/signin/explain.h"

#include "authd/account/email_verified.h"
#include "authd/account/enforced.h"
#include "authd/operation_api.h"
#include "authd/session/admission.h"
#include "authd/session/session.h"
#include "authd/sql/signin.h"
#include "authd/tenant.h"
#include "common/domain/policy.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum { STEPS_MAX = 16 };

/* The sign-in and its steps. After a failed step, the others are skipped. */
struct walk {
    const struct sign_in_explain_in *in;
    enum role role;
    struct tenant tenant;
    bool found;         /* the tenant exists */
    struct uuid policy; /* policy of the member; not set: none */
    bool factor;
    struct explain_step steps[STEPS_MAX];
    size_t count;
    bool failed;
};

static void step(struct walk *walk, const char *check, bool pass, const char *hint)
{
    struct explain_step *self = &walk->steps[walk->count++];

    self->check = check;
    self->outcome = walk->failed ? "skipped" : pass ? "pass" : "fail";
    self->hint = walk->failed || pass ? NULL : hint;
    walk->failed = walk->failed || !pass;
}

/* Adds a remark to the last check, which didn't fail. */
static void note(struct walk *walk, const char *outcome, const char *hint)
{
    struct explain_step *self = &walk->steps[walk->count - 1];

    if (walk->failed)
        return;
    self->outcome = outcome;
    self->hint = hint;
}

static void walk_tenant(struct walk *walk)
{
    bool patient = walk->role == ROLE_PATIENT;

    step(walk, "tenant", walk->found,
         "No project has this tenant code: see `atriumctl project list`.");
    step(walk, "not suspended", !walk->tenant.suspended,
         "The project is suspended: see `atriumctl project suspend`.");
    step(walk, patient ? "PATIENT_LOGIN_ENABLED" : "PRACTITIONER_LOGIN_ENABLED",
         patient ? walk->tenant.patientLogin : walk->tenant.practitionerLogin,
         "This setting of the project is disabled.");
}

static const char INVITED[] = "Invited, but the invitation has not been accepted yet: an admin of "
                              "the project can send it again.";

static int look_up(struct authd *d, const struct request *req, const struct walk *walk,
                   enum role role, struct sql_explain_row *ret, struct error *err)
{
    struct throttle_keys keys;
    struct db_array above;
    struct sql_explain_in in = {.role = role,
                                .project = walk->tenant.projectId,
                                .email = walk->in->email,
                                .key = {keys.account, THROTTLE_KEY_SIZE},
                                .now = req->now_ms,
                                .window = THROTTLE_SIGN_IN_WINDOW,
                                .most = THROTTLE_WIDE_MAX,
                                .organization = tenant_organization(&walk->tenant)};

    throttle_keys(d, req, role, walk->tenant.projectId, walk->in->email, "", &keys);
    in.providers_of = db_array_texts(req->arena, NULL, 0);
    if (walk->found &&
        tenant_inherits_from(d, req, walk->tenant.projectId, &in.providers_of, &above, err) < 0)
        return -1;
    return MIN(sql_explain(d->svc.db, req, &in, ret, err), 0);
}

static bool is_known(const struct sql_explain_row *row)
{
    return row->found || row->invited;
}

/* If no role is given, prefers a patient's account to a practitioner's. */
static int find_account(struct authd *d, const struct request *req, struct walk *walk,
                        struct sql_explain_row *ret, struct error *err)
{
    struct sql_explain_row practitioner;

    if (look_up(d, req, walk, walk->role, ret, err) < 0)
        return -1;
    if (walk->in->role || !walk->found || is_known(ret))
        return 0;
    if (look_up(d, req, walk, ROLE_PRACTITIONER, &practitioner, err) < 0)
        return -1;
    if (practitioner.member || practitioner.invited) {
        walk->role = ROLE_PRACTITIONER;
        *ret = practitioner;
    }
    return 0;
}

static const char LEFT[] =
    "The account is not a member of this project any more: the person, an admin or the directory "
    "has ended that. Only an invitation brings it back, not a sign-in with the identity provider.";

static const char *membership_hint(const struct sql_explain_row *row)
{
    return row->invited     ? INVITED
           : row->providers ? LEFT
                            : "The account is not a member of this project.";
}

static void walk_password(struct arena *arena, struct walk *walk, const struct sql_explain_row *row)
{
    step(walk, "password", row->has_password,
         row->providers ? arena_printf(arena,
                                       "The account has no password: its owner signs in with "
                                       "the identity provider %s.",
                                       row->providers)
                        : "The account has no password yet.");
    if (row->providers && row->has_password)
        note(walk, "pass",
             arena_printf(arena, "Its owner can also sign in with the identity provider %s.",
                          row->providers));
}

static void walk_account(struct arena *arena, struct walk *walk, const struct sql_explain_row *row)
{
    step(walk, "throttle", !row->throttled,
         "Too many failures in 15 minutes: only addresses of successful sign-ins are accepted.");
    step(walk, "account", row->found,
         row->invited ? INVITED : "This email address has no account with this role here.");
    step(walk, "not deleted", !row->deleted,
         "The date of its deletion has come: sign-ins ignore it, and its email address is free.");
    if (!walk->failed && row->delete_at)
        note(walk, "pass", "Its deletion is scheduled; a sign-in cancels it.");
    step(walk, "not locked", !row->locked,
         "An operator has locked the account: see `atriumctl user unlock`.");
    walk_password(arena, walk, row);
    step(walk, "address verified", !email_is_required(&walk->tenant) || row->verified,
         "The project requires verified email addresses, and this one is not verified: its owner "
         "can request a link with POST /auth/verify-email/send, or set a new password by an "
         "emailed link.");
    step(walk, "membership", row->member, membership_hint(row));
    step(walk, "member not locked", !row->member_locked,
         row->by_directory
             ? "The project's directory has deactivated the member (SCIM), and can activate it."
             : "An admin of the project has locked the member, and can unlock it by "
               "POST /v1/project/accounts/{id}/unlock.");
    if (!admission_is_admin(walk->role, row->admin))
        walk->policy = row->policy;
    walk->factor = row->factor;
}

/* Adds a step only if it fails: few projects enforce a provider. */
static int walk_enforced(struct authd *d, const struct request *req, struct walk *walk,
                         const struct sql_explain_row *row, struct error *err)
{
    const struct enforced_person who = {row->account, walk->role, walk->in->email};
    bool enforced = false;

    if (walk->found && enforced_check(d, req, walk->tenant.projectId, &who, &enforced, err) < 0)
        return -1;
    if (enforced)
        step(walk, "identity provider", false,
             "An identity provider is enforced for this person, who can sign in only with it. An "
             "admin with local sign-in can change that.");
    return 0;
}

static int walk_address(struct authd *d, const struct request *req, struct walk *walk,
                        struct error *err)
{
    const struct caller_context_in in = {.projectId = walk->tenant.projectId,
                                         .policyId = walk->policy};
    struct caller_context_out context = {.policyIpAccessRule = NULL};
    const char *address = walk->in->address;
    struct error refused;

    if (!walk->failed && uuid_is_set(&walk->policy) &&
        settingsd_caller_context(d->svc.bus, req, &in, &context, err) < 0)
        return -1;
    error_init(&refused, req->arena);
    step(walk, "address",
         !address || policy_address_check(context.policyIpAccessRule, address, &refused) == 0,
         "The ipAccessRule of the access policy does not allow this address.");
    if (!address && context.policyIpAccessRule)
        note(walk, "skipped", "The access policy has an ipAccessRule: check it with --address.");
    return 0;
}

int explain_sign_in(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const struct sign_in_explain_in *in, struct sign_in_explain_out *out,
                    struct error *err)
{
    struct walk *walk = arena_alloc(req->arena, sizeof(*walk));
    struct sql_explain_row row;

    *walk = (struct walk){.in = in, .role = in->role ? in->role : ROLE_PATIENT};
    walk->found = tenant != NULL;
    if (tenant)
        walk->tenant = *tenant;
    if (find_account(d, req, walk, &row, err) < 0)
        return -1;
    walk_tenant(walk);
    walk_account(req->arena, walk, &row);
    if (walk_enforced(d, req, walk, &row, err) < 0 || walk_address(d, req, walk, err) < 0)
        return -1;
    step(walk, "second factor", true, NULL);
    if (walk->factor)
        note(walk, "pass", "Enabled: a code is required after the password.");
    out->wouldSucceed = !walk->failed;
    out->secondFactor = walk->factor;
    out->steps = (struct field_list){walk->steps, walk->count};
    return 0;
}

/* Explains a sign-in. If the tenant is unknown, that is the first check that fails. */
int sign_in_explain(struct authd *d, const struct request *req, const struct sign_in_explain_in *in,
                    struct sign_in_explain_out *out, struct error *err)
{
    const struct tenant_lookup_in which = {.tenantCode = in->tenantCode};
    struct tenant tenant = {.name = NULL};
    bool found = settingsd_tenant_lookup(d->svc.bus, req, &which, &tenant, err) == 0;

    if (!found && err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    return explain_sign_in(d, req, found ? &tenant : NULL, in, out, err);
}
