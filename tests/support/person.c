/*
 * person.c - patients and practitioners for the tests, see suite.h.
 */
#include <CUnit/CUnit.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

/* RFC 7636, appendix B. */
const char *const pkce_verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const char *const pkce_challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

static const char password_of_all[] = "correct horse battery staple";

static unsigned next_number(void)
{
    static atomic_uint number;

    return atomic_fetch_add(&number, 1) + 1;
}

char *person_address(void)
{
    char *text = NULL;

    if (asprintf(&text, "p%u-%d@patients.example", next_number(), (int)getpid()) < 0)
        abort();
    return text;
}

char *fresh_source(void)
{
    unsigned number = next_number();
    char *text = NULL;

    if (asprintf(&text, "127.%u.%u.%u", 1 + number / 62500 % 200, 1 + number / 250 % 250,
                 1 + number % 250) < 0)
        abort();
    return text;
}

json_t *body_login_start(const char *email, const char *password, const char *tenant)
{
    return json_pack("{s:s, s:s, s:s*, s:s}", "email", email, "password", password, "tenantCode",
                     tenant, "codeChallenge", pkce_challenge);
}

json_t *body_login_token(const char *code, const char *tenant)
{
    return json_pack("{s:s, s:s, s:s*}", "sessionCode", code, "codeVerifier", pkce_verifier,
                     "tenantCode", tenant);
}

json_t *body_register(const char *email, const char *tenant)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "email", email, "password", password_of_all,
                     "name", "Ana", "surname", "Prova", "tenantCode", tenant);
}

static char *copy_text(const struct http_answer *answer, const char *path)
{
    const char *text = http_text(answer, path);

    return *text ? strdup(text) : NULL;
}

static void take_tokens(struct person *self, const struct http_answer *answer)
{
    self->status = answer->status;
    self->access = copy_text(answer, "accessToken");
    self->refresh = copy_text(answer, "refreshToken");
    self->profile = copy_text(answer, "profile.reference");
    self->project = copy_text(answer, "project.reference");
}

struct person *person_register(struct suite *suite, const char *email)
{
    struct person *self = calloc(1, sizeof(*self));

    self->email = email ? strdup(email) : person_address();
    self->password = strdup(password_of_all);
    HTTP_ANSWER answer =
        suite_post_fresh(suite, "/auth/tenant/Patient/register",
                         body_register(self->email, suite_text(suite, "demo.tenantCode")));
    take_tokens(self, answer);
    return self;
}

struct person *person_register_settled(struct suite *suite)
{
    struct person *self = person_register(suite, NULL);

    CU_ASSERT_TRUE(suite_mails_arrive(suite, self->email, 1));
    return self;
}

struct person *person_sign_in(struct suite *suite, const char *role, const char *email,
                              const char *password, const char *tenant)
{
    const char *code = tenant ? tenant : suite_text(suite, "demo.tenantCode");
    struct person *self = calloc(1, sizeof(*self));
    char path[96];

    self->email = strdup(email);
    self->password = strdup(password);
    snprintf(path, sizeof(path), "/auth/tenant/%s/login/start", role);
    HTTP_ANSWER start =
        http_post(suite_url(suite), path, NULL, body_login_start(email, password, code));
    self->status = start->status;
    if (start->status != 200)
        return self;
    snprintf(path, sizeof(path), "/auth/tenant/%s/login/token", role);
    HTTP_ANSWER token = http_post(suite_url(suite), path, NULL,
                                  body_login_token(http_text(start, "sessionCode"), NULL));
    take_tokens(self, token);
    return self;
}

struct person *person_admin(struct suite *suite)
{
    return person_sign_in(suite, "Practitioner", suite_text(suite, "demo.adminEmail"),
                          suite_text(suite, "demo.adminPassword"), NULL);
}

void suite_require_proofs(struct suite *suite, const struct person *admin, bool required)
{
    HTTP_ANSWER put = http_put(suite_url(suite), "/v1/project/account-policy", admin->access,
                               json_pack("{s:b}", "requireVerifiedEmail", required));

    CHECK_STATUS(put, 200);
}

struct http_answer *suite_post_from(const struct suite *suite, const char *source, const char *path,
                                    json_t *body)
{
    return http_call(
        suite_url(suite),
        &(struct http_request){.method = "POST", .path = path, .source = source, .body = body});
}

struct http_answer *suite_post_fresh(const struct suite *suite, const char *path, json_t *body)
{
    char *source = fresh_source();
    struct http_answer *answer = suite_post_from(suite, source, path, body);

    free(source);
    return answer;
}

struct http_answer *suite_refresh(const struct suite *suite, const char *token)
{
    return suite_post_fresh(suite, "/auth/refresh-token",
                            json_pack("{s:s}", "refresh_token", token));
}

int suite_refresh_status(const struct suite *suite, const char *token)
{
    HTTP_ANSWER answer = suite_refresh(suite, token);

    return answer->status;
}

int suite_status(const struct suite *suite, const char *path, const char *bearer)
{
    HTTP_ANSWER answer = http_get(suite_url(suite), path, bearer);

    return answer->status;
}

struct http_answer *suite_post_link(const struct suite *suite, const char *path,
                                    const struct mail_link *link, const char *access,
                                    const char *password)
{
    char *source = fresh_source();
    struct http_answer *answer = http_call(
        suite_url(suite),
        &(struct http_request){.method = "POST",
                               .path = path,
                               .bearer = access,
                               .source = source,
                               .body = json_pack("{s:s, s:s, s:s*}", "id", link->id, "secret",
                                                 link->secret, "password", password)});

    free(source);
    return answer;
}

void suite_set_switch(struct suite *suite, const char *access, const char *name, bool enabled)
{
    char path[128];

    snprintf(path, sizeof(path), "/v1/project/settings/%s", name);
    HTTP_ANSWER answer =
        http_put(suite_url(suite), path, access, json_pack("{s:b}", "enabled", enabled));
    CHECK_STATUS(answer, 200);
}

void suite_set_value(struct suite *suite, const char *access, const char *name, const char *value)
{
    char path[128];

    snprintf(path, sizeof(path), "/v1/project/settings/values/%s", name);
    HTTP_ANSWER answer =
        http_put(suite_url(suite), path, access, json_pack("{s:s}", "value", value));
    CHECK_STATUS(answer, 200);
}

struct person *person_admin_of_child(struct suite *suite, const char *code)
{
    PERSON admin = person_admin(suite);
    HTTP_ANSWER child = http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                                  json_pack("{s:s, s:s}", "name", "Side", "tenantCode", code));

    CHECK_STATUS(child, 200);
    return person_sign_in(suite, "Practitioner", admin->email, admin->password, code);
}

bool suite_everywhere(struct suite *suite, const char *access, int status)
{
    enum { MANY = 24 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    int count = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.path = "/auth/me", .bearer = access};
    http_call_many(suite_url(suite), requests, MANY, 8, answers);
    for (int i = 0; i < MANY; i++)
        count += answers[i]->status == status;
    http_answers_destroy(answers, MANY);
    return count == MANY;
}

void person_destroy(struct person **self_p)
{
    struct person *self = *self_p;

    if (!self)
        return;
    free(self->email);
    free(self->password);
    free(self->access);
    free(self->refresh);
    free(self->profile);
    free(self->project);
    free(self);
    *self_p = NULL;
}

char *suite_account(struct suite *suite, const char *email)
{
    char sql[256];

    snprintf(sql, sizeof(sql), "select id from auth.account where email = '%s'", email);
    return suite_query(suite, sql);
}

void person_set_hash(struct suite *suite, const char *email, const char *hash)
{
    UNIT_CHECK(suite_count(suite,
                           "with done as (update auth.credential c set password_hash = '%s' from "
                           "auth.account a where a.id = c.account_id and a.email = '%s' "
                           "returning 1) select count(*) from done",
                           hash, email) == 1,
               "%s: %s", email, hash);
}
