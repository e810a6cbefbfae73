/*
 * explain.c - `atriumctl explain sign-in`: the checks of a sign-in in their order, and the first
 * that fails.
 */
#include <string.h>

#include "authd/session.h"
#include "authd/tenant.h"

enum { STEPS_MAX = 8 };

/* The steps so far; what follows a failed one is skipped. */
struct walk {
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

static int find_tenant(struct authd *d, const struct request *req, const char *code,
                       struct tenant *ret, bool *ret_found, struct error *err)
{
    const struct tenant_lookup_in which = {.tenantCode = code};

    *ret = (struct tenant){.name = NULL};
    *ret_found = settingsd_tenant_lookup(d->svc.bus, req, &which, ret, err) == 0;
    if (!*ret_found && err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    return 0;
}

static void walk_tenant(struct walk *walk, const struct tenant *tenant, bool found, bool patient)
{
    step(walk, "tenant", found, "No project has this tenant code: see `atriumctl project list`.");
    step(walk, "not suspended", !tenant->suspended,
         "The project is suspended: see `atriumctl project suspend`.");
    step(walk, patient ? "PATIENT_LOGIN_ENABLED" : "PRACTITIONER_LOGIN_ENABLED",
         patient ? tenant->patientLogin : tenant->practitionerLogin,
         "The switch is off in the project's settings.");
}

static int walk_account(struct authd *d, const struct request *req, const char *role,
                        const char *email, const struct tenant *tenant, struct walk *walk,
                        struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct throttle_keys keys;

    throttle_keys(d, role, tenant->projectId, email, "", &keys);
    if (db_query(d->svc.db, req, SQL_EXPLAIN, &res, err, DB_TEXT(role), DB_UUID(tenant->projectId),
                 DB_TEXT(email), DB_BYTES(keys.account, THROTTLE_KEY_SIZE), DB_INT(req->now_ms),
                 DB_INT(THROTTLE_SIGN_IN_WINDOW), DB_INT(THROTTLE_WIDE_MAX)) < 0)
        return -1;
    step(walk, "throttle", !db_bool(res, 0, 3),
         "Too many failures in 15 minutes: only addresses with a good sign-in are let through.");
    step(walk, "account", db_bool(res, 0, 0), "No account of this role has this e-mail here.");
    step(walk, "password", db_bool(res, 0, 1), "The account has no password yet.");
    step(walk, "membership", db_bool(res, 0, 2), "The account is no member of this project.");
    return 0;
}

int sign_in_explain(struct authd *d, const struct request *req, const struct sign_in_explain_in *in,
                    struct sign_in_explain_out *out, struct error *err)
{
    const char *role = in->role != NULL ? in->role : "Patient";
    struct walk *walk = arena_alloc(req->arena, sizeof(*walk));
    struct tenant tenant;
    bool found;

    if (find_tenant(d, req, in->tenantCode, &tenant, &found, err) < 0)
        return -1;
    walk_tenant(walk, &tenant, found, strcmp(role, "Patient") == 0);
    if (walk_account(d, req, role, in->email, &tenant, walk, err) < 0)
        return -1;
    out->wouldSucceed = !walk->failed;
    out->steps = (struct field_list){walk->steps, walk->count};
    return 0;
}
