/*
 * login_start.c - the first step of a sign-in: e-mail and password against a session code.
 *
 * Every reject path does the same work: the account is looked up together with its memberships, a
 * password is verified (against a dummy hash when there is no account), a failure is counted, and
 * the answer is the same.
 */
#include <string.h>

#include "authd/password.h"
#include "authd/session.h"
#include "authd/tenant.h"

enum { CODE_SIZE = 24 }; /* random bytes: 32 characters */

struct place {
    struct uuid project, profile;
};

/* Who wants to sign in; all empty when there is no such account. */
struct candidate {
    struct uuid account;
    const char *hash, *display;
    struct place *places; /* memberships that count for this sign-in */
    size_t count;
};

/* Rows of SQL_PATIENT_FIND or SQL_PRACTITIONER_FIND; `only` absent: every place counts. */
static void read_candidate(const struct request *req, const struct db_result *res, struct uuid only,
                           struct candidate *ret)
{
    size_t rows = db_rows(res);

    *ret = (struct candidate){.places = arena_calloc(req->arena, rows, sizeof(*ret->places))};
    if (rows == 0)
        return;
    ret->account = db_uuid(res, 0, 0);
    ret->hash = arena_strdup(req->arena, db_text(res, 0, 1));
    ret->display = arena_printf(req->arena, "%s %s", db_text(res, 0, 2), db_text(res, 0, 3));
    for (size_t row = 0; row < rows; row++) {
        struct place place = {db_uuid(res, row, 4), db_uuid(res, row, 5)};

        if (!uuid_is_set(&only) || uuid_equal(&only, &place.project))
            ret->places[ret->count++] = place;
    }
}

static int reject(struct authd *d, const struct request *req, const struct throttle_keys *keys,
                  struct error *err)
{
    if (throttle_fail(d, req, keys, err) < 0)
        return -1;
    ++*d->count.sign_in_bad;
    return error_set(err, ERR_BAD_REQUEST, "Username or password is incorrect.");
}

/* Renews a hash of older parameters. Best effort: it must not spoil a good sign-in. */
static void rehash(struct authd *d, const struct request *req, const struct candidate *who,
                   const char *password)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct error ignored;
    const char *hash;

    error_init(&ignored, req->arena);
    if (password_hash(d, req, password, &hash, &ignored) < 0 ||
        db_query(d->svc.db, req, SQL_CREDENTIAL_REHASH, &res, &ignored, DB_UUID(who->account),
                 DB_TEXT(who->hash), DB_TEXT(hash), DB_INT(req->now_ms)) < 0)
        log_event(LOG_WARNING, "login", "a password hash was not renewed", "trace", req->trace,
                  NULL);
}

/* Right password, right place, below the limits: before the hash, and still after it (see
 * throttle.h). */
static int prove(struct authd *d, const struct request *req, const struct candidate *who,
                 const struct throttle_keys *keys, const char *password, struct error *err)
{
    bool right, stale;

    if (password_verify(d, req, who->hash, password, &right, &stale, err) < 0)
        return -1;
    if (!right || who->count == 0)
        return reject(d, req, keys, err);
    if (throttle_check(d, req, keys, err) < 0)
        return -1;
    if (stale)
        rehash(d, req, who, password);
    secret_wipe_text(password);
    return 0;
}

/* Writes the login and answers its code. project: the tenant named, or absent. */
static int begin(struct authd *d, const struct request *req, const struct candidate *who,
                 const struct throttle_keys *keys, struct uuid project, const char *challenge,
                 struct login_step *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    const char *code = secret_random_text(req->arena, CODE_SIZE);
    struct uuid id = uuid_ordered(req->now_ms);
    uint8_t hash[SECRET_HASH_SIZE];

    secret_hash(code, hash);
    if (db_query(d->svc.db, req, SQL_LOGIN_CREATE, &res, err, DB_UUID(id),
                 DB_BYTES(hash, sizeof(hash)), DB_UUID(who->account), DB_UUID(project),
                 DB_TEXT(challenge), DB_TEXT("password"), DB_INT(req->now_ms),
                 DB_INT(req->now_ms + LOGIN_LIFE), DB_BYTES(keys->pair, THROTTLE_KEY_SIZE),
                 DB_INT(req->now_ms + KNOWN_ADDRESS_LIFE)) < 0)
        return -1;
    out->nextStep = "token";
    out->sessionCode = code;
    return 0;
}

/* Starts a patient's sign-in. Fails, in this order: NOT_FOUND, FORBIDDEN, THROTTLED,
 * BAD_REQUEST. */
int patient_login_start(struct authd *d, const struct request *req,
                        const struct patient_login_start_in *in, struct login_step *out,
                        struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {NULL};
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct throttle_keys keys;
    struct candidate who;
    struct tenant tenant;

    if (password_slot_take(d, &slot, err) < 0 ||
        tenant_open(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    if (!tenant.patientLogin)
        return error_set(err, ERR_FORBIDDEN, "Login is not enabled.");
    throttle_keys(d, "Patient", tenant.projectId, in->email, req->address, &keys);
    if (throttle_check(d, req, &keys, err) < 0 ||
        db_query(d->svc.db, req, SQL_PATIENT_FIND, &res, err, DB_UUID(tenant.projectId),
                 DB_TEXT(in->email)) < 0)
        return -1;
    read_candidate(req, res, tenant.projectId, &who);
    if (prove(d, req, &who, &keys, in->password, err) < 0)
        return -1;
    return begin(d, req, &who, &keys, tenant.projectId, in->codeChallenge, out, err);
}

/* What a practitioner may choose from: the places whose tenants can be signed in to. */
static struct field_list choices(const struct request *req, const struct candidate *who,
                                 struct field_list tenants)
{
    struct login_tenant *list = arena_calloc(req->arena, tenants.count, sizeof(*list));
    const struct tenant *open = tenants.items;

    for (size_t t = 0; t < tenants.count; t++) {
        size_t p = 0;

        while (!uuid_equal(&who->places[p].project, &open[t].projectId))
            p++;
        list[t] = (struct login_tenant){
            .tenantCode = open[t].tenantCode,
            .project = session_reference(req->arena, "Project", open[t].projectId, open[t].name),
            .profile =
                session_reference(req->arena, "Practitioner", who->places[p].profile, who->display),
        };
    }
    return (struct field_list){list, tenants.count};
}

static int open_places(struct authd *d, const struct request *req, const struct candidate *who,
                       struct field_list *ret, struct error *err)
{
    const char **ids = arena_calloc(req->arena, who->count, sizeof(*ids));

    for (size_t p = 0; p < who->count; p++)
        ids[p] = who->places[p].project.text;
    return tenants_open(d, req, (struct field_texts){ids, who->count}, ret, err);
}

/* Starts a practitioner's sign-in; naming a tenant narrows it to that one. Fails: NOT_FOUND (a
 * tenant named), THROTTLED, BAD_REQUEST. */
int practitioner_login_start(struct authd *d, const struct request *req,
                             const struct practitioner_login_start_in *in, struct login_step *out,
                             struct error *err)
{
    CLEANUP(password_slot_leave) struct password_slot slot = {NULL};
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct tenant tenant = {.projectId.text = ""};
    struct field_list tenants = {&tenant, 1};
    struct throttle_keys keys;
    struct candidate who;

    if (password_slot_take(d, &slot, err) < 0)
        return -1;
    if (in->tenantCode != NULL && tenant_open(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    throttle_keys(d, "Practitioner", tenant.projectId, in->email, req->address, &keys);
    if (throttle_check(d, req, &keys, err) < 0 ||
        db_query(d->svc.db, req, SQL_PRACTITIONER_FIND, &res, err, DB_TEXT(in->email)) < 0)
        return -1;
    read_candidate(req, res, tenant.projectId, &who);
    if (prove(d, req, &who, &keys, in->password, err) < 0)
        return -1;
    if (in->tenantCode == NULL && open_places(d, req, &who, &tenants, err) < 0)
        return -1;
    if (tenants.count == 0) /* all suspended: nothing tells this from a wrong password */
        return reject(d, req, &keys, err);
    out->tenants = choices(req, &who, tenants);
    return begin(d, req, &who, &keys, tenant.projectId, in->codeChallenge, out, err);
}
