/*
 * candidate.c - see candidate.h.
 *
 * All refusals take the same steps: find the account, verify a password (or a dummy hash), count a
 * failure.
 */
#include "authd/signin/candidate.h"

#include <string.h>

#include "authd/account/enforced.h"
#include "authd/credential/password.h"
#include "authd/credential/password_mixture.h"
#include "authd/mail.h"
#include "authd/session/address_key.h"
#include "authd/sql/signin.h"
#include "common/domain/password_filter.h"
#include "common/domain/password_text.h"
#include "settingsd/policy_api.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

#define COMMON_MAIL_WINDOW DAYS(30) /* minimum between two emails about a common password */

/* An account and one of its memberships; both unset if there is no account. */
struct candidate_row {
    struct uuid id, project, profile;
    const char *hash, *name, *surname, *address_key;
    int64_t changes;
    bool mfa, locked, barred, enforced;
};

static const struct field candidate_row_rows[] = {
    FIELD_UUID(struct candidate_row, id, 0, "The account's id"),
    FIELD_UUID(struct candidate_row, project, 0, "Project of the membership"),
    FIELD_UUID(struct candidate_row, profile, 0, "Profile of the membership"),
    FIELD_TEXT(struct candidate_row, hash, 0, 0, 0, "Hash of the password", "$argon2id$"),
    FIELD_TEXT(struct candidate_row, name, 0, 0, 0, "Name", "Ada"),
    FIELD_TEXT(struct candidate_row, surname, 0, 0, 0, "Surname", "Lovelace"),
    FIELD_TEXT(struct candidate_row, address_key, 0, 0, 0, "Seals its network addresses", ""),
    FIELD_INT(struct candidate_row, changes, 0, 0, 0, 0, "Changes of the credential", "0"),
    FIELD_BOOL(struct candidate_row, mfa, false, 0, "Has a second factor"),
    FIELD_BOOL(struct candidate_row, locked, false, 0, "Locked there, or everywhere"),
    FIELD_BOOL(struct candidate_row, barred, false, 0, "Locked everywhere, by an operator"),
    FIELD_BOOL(struct candidate_row, enforced, false, 0, "Any identity provider is enforced"),
};
FIELD_TABLE(candidate_row);

static struct candidate candidate_new(const struct request *req, enum role role,
                                      struct uuid project, size_t places)
{
    struct candidate self = {.is = {.project = project, .role = role}};

    self.places = arena_calloc(req->arena, places, sizeof(*self.places));
    self.locked_places = arena_calloc(req->arena, places, sizeof(*self.locked_places));
    return self;
}

bool candidate_is_member(const struct candidate *self)
{
    return self->count > 0 || self->locked;
}

bool candidate_is_locked_in(const struct candidate *self, struct uuid project)
{
    for (size_t i = 0; i < self->locked_count; i++) {
        if (uuid_equal(&self->locked_places[i].project, &project))
            return true;
    }
    return false;
}

/* Takes the account from the first row, and adds each row's place if it counts. */
static void add_row(const struct request *req, const struct candidate_row *row, struct uuid only,
                    struct candidate *ret)
{
    if (!uuid_is_set(&row->id))
        return;
    if (!uuid_is_set(&ret->is.account)) {
        ret->is.account = row->id;
        ret->hash = row->hash;
        ret->address_key = row->address_key;
        ret->display = arena_printf(req->arena, "%s %s", row->name, row->surname);
        ret->changes = row->changes;
        ret->mfa = row->mfa;
        ret->barred = row->barred;
    }
    if (!uuid_is_set(&row->project))
        return;
    if (uuid_is_set(&only) && !uuid_equal(&only, &row->project))
        return;
    if (row->locked)
        ret->locked_places[ret->locked_count++] = (struct place){row->project, row->profile};
    else
        ret->places[ret->count++] = (struct place){row->project, row->profile};
    ret->locked = ret->count == 0;
}

/* Removes places where the person must sign in with an identity provider, so that the answer is as
 * for a wrong password. A named project is checked even for a person who isn't a member: it takes
 * the same time. */
static int remove_enforced(struct authd *d, const struct request *req, const char *email,
                           struct candidate *who, struct error *err)
{
    const struct enforced_person person = {who->is.account, who->is.role, email};
    size_t count = 0;
    bool enforced;

    if (uuid_is_set(&who->is.project)) {
        if (enforced_check(d, req, who->is.project, &person, &who->enforced, err) < 0)
            return -1;
        who->count = who->enforced ? 0 : who->count;
        who->locked = who->locked && !who->enforced;
        return 0;
    }
    for (size_t i = 0; i < who->count; i++) {
        if (enforced_check(d, req, who->places[i].project, &person, &enforced, err) < 0)
            return -1;
        if (!enforced)
            who->places[count++] = who->places[i];
    }
    who->enforced = count < who->count;
    who->count = count;
    return 0;
}

static int find_patient(struct authd *d, const struct request *req, struct uuid project,
                        const char *email, const struct throttle_keys *keys, struct candidate *ret,
                        struct error *err)
{
    const struct sql_candidate_find_patient_in find = {
        .project = project, .email = email, .throttle_limits = throttle_limit_values(req, keys)};
    struct sql_candidate_find_patient_row row;

    if (sql_candidate_find_patient(d->svc.db, req, &find, &row, err) < 0)
        return -1;
    *ret = candidate_new(req, ROLE_PATIENT, project, 1);
    add_row(req, row.candidate, project, ret);
    if (row.enforced && remove_enforced(d, req, email, ret, err) < 0)
        return -1;
    return throttle_result(d, req, row.pair, row.address, row.account, err);
}

static int find_practitioner(struct authd *d, const struct request *req, struct uuid project,
                             const char *email, const struct throttle_keys *keys,
                             struct candidate *ret, struct error *err)
{
    const struct sql_candidate_find_practitioner_in find = {
        .email = email, .throttle_limits = throttle_limit_values(req, keys)};
    struct sql_candidate_find_practitioner_rows rows;
    const struct sql_candidate_find_practitioner_row *first;

    if (sql_candidate_find_practitioner(d->svc.db, req, &find, &rows, err) < 0)
        return -1;
    *ret = candidate_new(req, ROLE_PRACTITIONER, project, rows.count);
    for (size_t i = 0; i < rows.count; i++)
        add_row(req, rows.items[i].candidate, project, ret);
    first = rows.items;
    if (first->enforced && remove_enforced(d, req, email, ret, err) < 0)
        return -1;
    return throttle_result(d, req, first->pair, first->address, first->account, err);
}

int candidate_find(struct authd *d, const struct request *req, enum role role, struct uuid project,
                   const char *email, const struct throttle_keys *keys, struct candidate *ret,
                   struct error *err)
{
    int result = role == ROLE_PATIENT ? find_patient(d, req, project, email, keys, ret, err)
                                      : find_practitioner(d, req, project, email, keys, ret, err);

    ret->email = email;
    if (result == 0)
        address_key_adopt(d, req, ret->is.account, ret->address_key);
    return result;
}

static void fill(const struct request *req, enum role role, struct field_list rows,
                 struct candidate *ret)
{
    const struct candidate_row *items = rows.items;

    *ret = candidate_new(req, role, (struct uuid){""}, rows.count);
    for (size_t i = 0; i < rows.count; i++)
        add_row(req, &items[i], (struct uuid){""}, ret);
    if (ret->count == 1)
        ret->is.project = ret->places[0].project;
}

int candidate_of_login(struct authd *d, const struct request *req, enum role role,
                       struct uuid login, struct candidate *ret, struct error *err)
{
    const struct sql_candidate_of_login_in of = {.login = login, .role = role, .now = req->now_ms};
    struct field_list rows;

    if (sql_candidate_of_login(d->svc.db, req, &of, &rows, err) < 0)
        return -1;
    fill(req, role, rows, ret);
    address_key_adopt(d, req, ret->is.account, ret->address_key);
    return 0;
}

int candidate_refuse_login(struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST, "Login session is invalid or has expired.");
}

int candidate_of_account(struct authd *d, const struct request *req, enum role role,
                         struct uuid account, struct uuid project, bool by_provider,
                         struct candidate *ret, struct error *err)
{
    const struct sql_candidate_of_account_in of = {.account = account, .project = project};
    struct field_list rows;
    bool any;

    if (sql_candidate_of_account(d->svc.db, req, &of, &rows, err) < 0)
        return -1;
    fill(req, role, rows, ret);
    any = rows.count > 0 && ((const struct candidate_row *)rows.items)->enforced;
    if (any && !by_provider && remove_enforced(d, req, NULL, ret, err) < 0)
        return -1;
    address_key_adopt(d, req, ret->is.account, ret->address_key);
    return 0;
}

int candidate_reject(struct authd *d, const struct request *req, const struct candidate *who,
                     const struct throttle_keys *keys, struct error *err)
{
    const struct sql_audit audit =
        sign_in_failure(req, &who->is, who->enforced ? "identity-provider" : "password");

    if (throttle_fail(d, req, keys, &audit, err) < 0)
        return -1;
    ++*d->count.sign_in_bad;
    return error_set(err, ERR_BAD_REQUEST, "Username or password is incorrect.");
}

int candidate_check_lock(struct authd *d, const struct request *req, const struct candidate *who,
                         const struct throttle_keys *keys, struct error *err)
{
    if (who->anywhere ? !who->barred : !who->locked)
        return 0;
    if ((keys && throttle_check(d, req, keys, err) < 0) ||
        sign_in_refused(d, req, &who->is, "locked", err) < 0)
        return -1;
    return error_set(err, ERR_ACCOUNT_LOCKED, "Login is not enabled.");
}

bool candidate_is_common(const struct authd *d, const char *password)
{
    CLEANUP(password_text_destroy) char *normal = password_text_normalize(password);

    return password_filter_has(d->common_passwords, normal ? normal : password);
}

/* Policies for common passwords, the strictest last. */
enum on_common { ON_COMMON_IGNORE, ON_COMMON_MAIL, ON_COMMON_REQUIRE_CHANGE };

static enum on_common on_common_of(const struct account_policy *policy)
{
    const char *want = policy && policy->onSignIn ? policy->onSignIn : "ignore";

    if (strcmp(want, "require-change") == 0)
        return ON_COMMON_REQUIRE_CHANGE;
    return strcmp(want, "mail") == 0 ? ON_COMMON_MAIL : ON_COMMON_IGNORE;
}

/* Finds the strictest policy of the places, and a tenant that has it. */
static int strictest(struct authd *d, const struct request *req, const struct candidate *who,
                     struct tenant *ret_tenant, enum on_common *ret, struct error *err)
{
    const char **ids = arena_calloc(req->arena, who->count, sizeof(*ids));
    const struct tenants_of_in in = {{ids, who->count}};
    struct tenant_list found = {0};
    const struct tenant *tenants;

    for (size_t i = 0; i < who->count; i++)
        ids[i] = who->places[i].project.text;
    if (settingsd_tenants_of(d->svc.bus, req, &in, &found, err) < 0)
        return -1;
    tenants = found.tenants.items;
    *ret = ON_COMMON_IGNORE;
    for (size_t i = 0; i < found.tenants.count; i++) {
        enum on_common want = on_common_of(tenants[i].accountPolicy);

        if (want <= *ret)
            continue;
        *ret = want;
        *ret_tenant = tenants[i];
    }
    return 0;
}

/* Emails the owner, at most once per COMMON_MAIL_WINDOW. */
static void mail_owner(struct authd *d, const struct request *req, const struct candidate *who,
                       const struct tenant *tenant)
{
    const struct mail mail = {.template = "COMMON_PASSWORD",
                              .tenant = tenant,
                              .builtin = true,
                              .to = who->email,
                              .display = who->display};
    struct error ignored;
    bool admitted;

    error_init(&ignored, req->arena);
    if (throttle_admit(d, req, "common password", who->is.account.text, COMMON_MAIL_WINDOW, 1,
                       &admitted, &ignored) < 0 ||
        (admitted && mail_queue(d, req, &mail, &ignored) < 0))
        log_event(LOG_WARNING, "login", "the owner could not be told of a common password", "trace",
                  req->trace, NULL);
}

int candidate_check_common(struct authd *d, const struct request *req, const struct candidate *who,
                           const struct throttle_keys *keys, struct error *err)
{
    enum on_common want;
    struct tenant tenant;

    if (strictest(d, req, who, &tenant, &want, err) < 0)
        return -1;
    if (want == ON_COMMON_IGNORE)
        return 0;
    if (throttle_check(d, req, keys, err) < 0)
        return -1;
    if (want == ON_COMMON_MAIL) {
        mail_owner(d, req, who, &tenant);
        return 0;
    }
    if (sign_in_refused(d, req, &who->is, "common-password", err) < 0)
        return -1;
    return error_set(err, ERR_PASSWORD_CHANGE_REQUIRED,
                     "This password is too common. Reset it to sign in.");
}

/* Returns the account's hash, or a dummy that takes the time of one of the tenant's accounts. */
static const char *hash_of(struct authd *d, const struct request *req, const struct candidate *who)
{
    return who->hash ? who->hash
                     : password_mixture_dummy(d, req, who->is.role, who->is.project, who->email);
}

int candidate_verify(struct authd *d, const struct request *req, struct candidate *who,
                     const char *password, bool *ret_right, struct error *err)
{
    const char *hash = hash_of(d, req, who);
    bool right;

    if (password_verify(d, req, hash, password, &right, &who->renewed, err) < 0)
        return -1;
    *ret_right = right && who->hash && (who->anywhere || candidate_is_member(who));
    return 0;
}

int candidate_authenticate(struct authd *d, const struct request *req, struct candidate *who,
                           const struct throttle_keys *keys, const char *password,
                           struct error *err)
{
    bool right, common;

    if (candidate_verify(d, req, who, password, &right, err) < 0)
        return -1;
    if (!right)
        return candidate_reject(d, req, who, keys, err);
    common = candidate_is_common(d, password);
    secret_wipe_text(password);
    if (candidate_check_lock(d, req, who, keys, err) < 0)
        return -1;
    return common ? candidate_check_common(d, req, who, keys, err) : 0;
}
