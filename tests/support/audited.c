/*
 * audited.c - see audited.h.
 */
#include "tests/support/audited.h"

#include <CUnit/CUnit.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/passkeys.h"
#include "tests/support/rows.h"
#include "tests/support/suite_command.h"
#include "tests/support/trail.h"
#include "tests/support/unit.h"

enum { KEPT_MAX = 128 };

static struct suite *suite;
static struct person *people[KEPT_MAX];
static char *texts[KEPT_MAX];
static size_t people_count, text_count;

void audited_scene_set(struct suite **ret, struct person **ret_admin)
{
    *ret = suite = suite_start(&(struct suite_options){.test_clock = true});
    PERSON closed = person_admin_of_child(suite, "closed");

    CU_ASSERT_EQUAL(closed->status, 200);
    *ret_admin = person_admin(suite);
    suite_set_switch(suite, (*ret_admin)->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    PROGRAM policy = ATRIUMCTL(suite, NULL, "project", "policy", "demo", "mailCode", "true");
    CU_ASSERT_EQUAL(policy->code, 0);
    trail_open(suite);
}

void audited_scene_leave(struct suite **self_p, struct person **admin_p)
{
    person_destroy(admin_p);
    suite_stop(self_p);
    suite = NULL;
}

struct person *audited_person(struct person *person)
{
    return people[people_count++] = person;
}

const char *audited_text(char *text)
{
    return texts[text_count++] = text;
}

void audited_release(void)
{
    while (people_count > 0)
        person_destroy(&people[--people_count]);
    while (text_count > 0)
        free(texts[--text_count]);
}

const char *audited_path(const char *format, ...)
{
    char *path;
    va_list args;

    va_start(args, format);
    if (vasprintf(&path, format, args) < 0)
        abort();
    va_end(args);
    return audited_text(path);
}

struct http_request audited_post(const char *path, json_t *body)
{
    return (struct http_request){
        .method = "POST", .path = path, .body = body, .source = audited_text(fresh_source())};
}

struct http_request audited_by(const struct person *person, const char *method, const char *path,
                               json_t *body)
{
    return (struct http_request){
        .method = method, .path = path, .bearer = person->access, .body = body};
}

struct person *audited_patient(void)
{
    return audited_person(person_register(suite, NULL));
}

json_t *audited_body_one_step(const char *email, const char *password)
{
    return json_pack("{s:s, s:s, s:s}", "email", email, "password", password, "clientId",
                     suite_text(suite, "demo.clientId"));
}

json_t *audited_body_b2b(const char *email, const char *password)
{
    json_t *body = audited_body_one_step(email, password);

    json_object_set_new(body, "tenantId", json_string(suite_text(suite, "demo.projectId")));
    return body;
}

json_t *audited_body_named(json_t *body)
{
    json_object_set_new(body, "name", json_string("Ana"));
    json_object_set_new(body, "surname", json_string("Prova"));
    return body;
}

struct person *audited_practitioner(void)
{
    struct person *self = calloc(1, sizeof(*self));

    self->email = person_address();
    self->password = strdup("a password");
    HTTP_ANSWER answer =
        suite_post_fresh(suite, "/auth/b2b/register",
                         audited_body_named(audited_body_b2b(self->email, self->password)));
    CHECK_STATUS(answer, 200);
    self->access = strdup(http_text(answer, "accessToken"));
    return audited_person(self);
}

const char *audited_begin(const char *role, const struct person *person)
{
    HTTP_ANSWER answer =
        suite_post_fresh(suite, audited_path("/auth/tenant/%s/login/start", role),
                         body_login_start(person->email, person->password, "demo"));

    CHECK_STATUS(answer, 200);
    return audited_text(strdup(*http_text(answer, "sessionCode") ? http_text(answer, "sessionCode")
                                                                 : http_text(answer, "loginId")));
}

void audited_prepare(const struct person *person, struct audited_factor *ret)
{
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", person->access);

    totp_read(http_text(status, "otpauthUrl"), ret->key);
    totp_code(ret->key, suite_now(suite), ret->code);
}

void audited_enroll(const struct person *person, struct audited_factor *ret)
{
    audited_prepare(person, ret);
    HTTP_ANSWER answer = http_post(suite_url(suite), "/auth/mfa/enroll", person->access,
                                   json_pack("{s:s}", "token", ret->code));
    CHECK_STATUS(answer, 200);
    snprintf(ret->recovery, sizeof(ret->recovery), "%s", http_text(answer, "recoveryCodes.0"));
    /* to a time step whose code has not been used */
    suite_advance_clock(suite, 4 * TOTP_STEP);
    totp_code(ret->key, suite_now(suite), ret->code);
}

struct authenticator *audited_passkey(const char *role)
{
    return authenticator_new(AUTHENTICATOR_ES256, strcmp(role, "Patient") == 0
                                                      ? PASSKEY_PATIENT_ORIGIN
                                                      : PASSKEY_PRACTITIONER_ORIGIN);
}

const char *audited_passkey_add(const struct person *who, struct authenticator *key)
{
    HTTP_ANSWER added = passkey_enroll(suite, who->access, key);

    CHECK_STATUS(added, 200);
    return audited_path("/auth/passkey/%s", http_text(added, "id"));
}

struct http_request audited_show(const char *role, const char *login, const char *token)
{
    return audited_post(audited_path("/auth/tenant/%s/login/mfa", role),
                        json_pack("{s:s, s:s}", "loginId", login, "mfaToken", token));
}

char *audited_rows(const char *daemon, const char *trace)
{
    char sql[400];

    snprintf(sql, sizeof(sql),
             "select concat_ws(' ', count(*), min(event->>'action'), min(event->>'outcome'), "
             "min(split_part(entity, '/', 1)), min(event->>'detail')) from trail "
             "where daemon = '%s' and event->>'trace' = '%s'",
             daemon, trace);
    return suite_query(suite, sql);
}

static const struct route *route_of(const char *operation)
{
    const struct route *route = test_routes;

    while (route->method && strcmp(route->operation, operation) != 0)
        route++;
    return route;
}

static struct {
    const struct audited *rows;
    size_t count;
    enum audited_part part;
    struct suite **suite;
    struct person **admin;
} program;

static void the_scene_is_set(void)
{
    audited_scene_set(program.suite, program.admin);
}

static void each_request_leaves_its_row(void)
{
    for (size_t i = 0; i < program.count; i++) {
        const struct audited *row = &program.rows[i];
        struct http_request request = row->request();
        char trace[32], header[64], want[160];

        snprintf(trace, sizeof(trace), "audited-%zu", i);
        snprintf(header, sizeof(header), "X-Request-Id: %s", trace);
        request.headers[0] = header;
        HTTP_ANSWER answer = http_call(suite_url(suite), &request);
        UNIT_CHECK(answer->status == row->status, "%s: %d %s", row->operation, answer->status,
                   answer->body);
        snprintf(want, sizeof(want), "%d%s%s", row->want != NULL, row->want ? " " : "",
                 row->want ? row->want : "");
        char *found = audited_rows(route_of(row->operation)->service, trace);
        UNIT_CHECK(strcmp(found, want) == 0, "%s (%zu): \"%s\", not \"%s\"", row->operation, i,
                   found, want);
        free(found);
        audited_release();
    }
}

static enum audited_part part_of(const struct route *route)
{
    static const char *const sign_ins[] = {"/auth/tenant/", "/v2/auth/login", "/auth/b2b/",
                                           "/auth/register"};

    if (strcmp(route->service, "authd") != 0 || !strstr(route->path, "/auth/"))
        return AUDITED_ADMIN;
    for (size_t i = 0; i < ARRAY_SIZE(sign_ins); i++)
        if (strncmp(route->path, sign_ins[i], strlen(sign_ins[i])) == 0)
            return AUDITED_SIGN_INS;
    return AUDITED_OWN;
}

/* Without a row here, a changing route would be untested. */
static void no_route_is_left_out(void)
{
    static const char *const daemons[] = {"authd", "settingsd", "maild"};
    /* They ask an identity provider, and leave no row: tests/http/test_federation*.c. */
    static const char *const asking[] = {"patient_federated_start", "practitioner_federated_start",
                                         "identity_provider_test", "own_identity_link_start",
                                         "step_up_federated_start"};

    for (const struct route *route = test_routes; route->method; route++) {
        bool here = false, shown = false;

        for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
            here = here || strcmp(route->service, daemons[i]) == 0;
        if (!here || route->flags & R_SAFE || part_of(route) != program.part)
            continue;
        for (size_t i = 0; i < ARRAY_SIZE(asking); i++)
            shown = shown || strcmp(asking[i], route->operation) == 0;
        for (size_t i = 0; i < program.count; i++) {
            const struct audited *row = &program.rows[i];

            shown = shown || (strcmp(row->operation, route->operation) == 0 && row->status < 300);
        }
        UNIT_CHECK(shown, "%s %s: which row does it leave? (table `audited`)", route->method,
                   route->path);
    }
}

void audited_check_absent(const char *const *secrets, size_t count)
{
    char *all = suite_query(suite, "select string_agg(concat_ws(' ', entity, event), E'\\n') "
                                   "from trail");

    CU_ASSERT_TRUE(strlen(all) > 10000);
    for (size_t i = 0; i < count; i++)
        UNIT_CHECK(*secrets[i] && !strstr(all, secrets[i]), "%s is in the trail", secrets[i]);
    free(all);
}

static void no_address_or_hash_is_in_it(void)
{
    static const char *const secrets[] = {"@", "argon2"};

    audited_check_absent(secrets, ARRAY_SIZE(secrets));
}

static void suite_shuts_down_cleanly(void)
{
    audited_scene_leave(program.suite, program.admin);
}

int audited_run(const char *title, const struct audited *rows, size_t count, enum audited_part part,
                struct suite **ret_suite, struct person **ret_admin)
{
    static const struct unit_case cases[] = {
        CASE_ALWAYS(the_scene_is_set),
        CASE(each_request_leaves_its_row),
        CASE(no_route_is_left_out),
        CASE(no_address_or_hash_is_in_it),
        CASE_ALWAYS(suite_shuts_down_cleanly),
    };

    program.rows = rows;
    program.count = count;
    program.part = part;
    program.suite = ret_suite;
    program.admin = ret_admin;
    return unit_run(title, cases, ARRAY_SIZE(cases));
}
