/*
 * subject.c - see subject.h.
 */
#include "tests/support/subject.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

enum { DONE_MS = 15000 };

/* ---- people ---- */

struct subject subject_patient(struct suite *suite)
{
    return (
        struct subject){.suite = suite, .person = person_register(suite, NULL), .role = "Patient"};
}

struct subject subject_practitioner(struct suite *suite)
{
    PERSON admin = person_admin(suite);
    char *email = person_address();

    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    HTTP_ANSWER made =
        suite_post_fresh(suite, "/auth/tenant/Practitioner/register", body_register(email, "demo"));
    CHECK_STATUS(made, 200);
    struct subject self = {.suite = suite,
                           .person = person_sign_in(suite, "Practitioner", email,
                                                    "correct horse battery staple", NULL),
                           .role = "Practitioner"};
    free(email);
    return self;
}

void subject_release(struct subject *self)
{
    person_destroy(&self->person);
}

/* ---- the deletion ---- */

struct http_answer *deletion_ask(struct suite *suite, const char *access, json_t *body)
{
    return http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                              .path = "/auth/delete",
                                                              .bearer = access,
                                                              .body = body});
}

json_t *deletion_in_days(int days)
{
    return json_pack("{s:i}", "days", days);
}

void subject_read(struct subject *self, const struct http_answer *answer)
{
    CHECK_STATUS(answer, 200);
    snprintf(self->id, sizeof(self->id), "%s", http_text(answer, "user.id"));
    CU_ASSERT_EQUAL(clock_parse_iso(http_text(answer, "scheduled"), &self->scheduled), 0);
}

void subject_schedule(struct subject *self, int days)
{
    HTTP_ANSWER answer = deletion_ask(self->suite, self->person->access, deletion_in_days(days));

    subject_read(self, answer);
}

void subject_renew(struct subject *self)
{
    HTTP_ANSWER answer = suite_refresh(self->suite, self->person->refresh);

    CHECK_STATUS(answer, 200);
    free(self->person->access);
    free(self->person->refresh);
    self->person->access = strdup(http_text(answer, "access_token"));
    self->person->refresh = strdup(http_text(answer, "refresh_token"));
}

void subject_bring_near(struct subject *self)
{
    subject_schedule(self, 1);
    suite_go_before(self->suite, self->scheduled, MINUTES(10));
    subject_renew(self);
    CU_ASSERT_TRUE(suite_everywhere(self->suite, self->person->access, 200));
}

bool subject_is_scheduled(const struct subject *self)
{
    return suite_count(
               self->suite,
               "select count(*) from auth.account where id = '%s' and delete_at is not null",
               self->id) == 1;
}

bool subject_is_kept(const struct subject *self)
{
    return suite_count(
               self->suite,
               "select count(*) from auth.account where id = '%s' and delete_at is null and "
               "delete_schedule is null and not delete_wipe",
               self->id) == 1;
}

bool subject_goes(const struct subject *self)
{
    return suite_comes_to(self->suite, 0, DONE_MS,
                          "select count(*) from auth.account where id = '%s'", self->id);
}

long subject_jobs(const struct subject *self, const char *kind)
{
    return suite_count(self->suite,
                       "select count(*) from mail.job where account_id = '%s' and kind = '%s' and "
                       "state = 'waiting'",
                       self->id, kind);
}

/* ---- sign-ins ---- */

struct http_answer *subject_step(const struct subject *self, const char *name, json_t *body)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/%s", self->role, name);
    return suite_post_fresh(self->suite, path, body);
}

struct http_answer *subject_start(const struct subject *self)
{
    return subject_step(self, "start",
                        body_login_start(self->person->email, self->person->password, "demo"));
}

struct http_answer *subject_by_tenant(const struct subject *self)
{
    struct http_answer *started = subject_start(self);

    if (started->status != 200)
        return started;
    struct http_answer *answer =
        subject_step(self, "token", body_login_token(http_text(started, "sessionCode"), NULL));
    http_answer_destroy(&started);
    return answer;
}

json_t *subject_body_client(const struct subject *self)
{
    return json_pack("{s:s, s:s, s:s}", "email", self->person->email, "password",
                     self->person->password, "clientId", suite_text(self->suite, "demo.clientId"));
}

struct http_answer *subject_by_client(const struct subject *self)
{
    return suite_post_fresh(self->suite, "/v2/auth/login", subject_body_client(self));
}

struct http_answer *subject_by_business(const struct subject *self)
{
    json_t *body = subject_body_client(self);

    json_object_set_new(body, "tenantId", json_string(suite_text(self->suite, "demo.projectId")));
    return suite_post_fresh(self->suite, "/auth/b2b/login", body);
}

struct http_answer *subject_show_code(const struct subject *self, const char *login)
{
    return subject_step(self, "mfa",
                        json_pack("{s:s, s:s}", "loginId", login, "mfaToken", self->recovery));
}

struct http_answer *subject_by_code(const struct subject *self)
{
    HTTP_ANSWER started = subject_start(self);
    HTTP_ANSWER shown = subject_show_code(self, http_text(started, "loginId"));

    CHECK_STATUS(shown, 200);
    return subject_step(self, "token", body_login_token(http_text(shown, "sessionCode"), NULL));
}

void subject_enroll(struct subject *self)
{
    uint8_t secret[TOTP_SECRET];
    char code[7];
    HTTP_ANSWER status = http_get(suite_url(self->suite), "/auth/mfa/status", self->person->access);

    totp_read(http_text(status, "otpauthUrl"), secret);
    HTTP_ANSWER on =
        http_post(suite_url(self->suite), "/auth/mfa/enroll", self->person->access,
                  json_pack("{s:s}", "token", totp_code(secret, suite_now(self->suite), code)));
    CHECK_STATUS(on, 200);
    snprintf(self->recovery, sizeof(self->recovery), "%s", http_text(on, "recoveryCodes.0"));
}

void subject_check_unknown(const struct subject *self)
{
    struct http_answer *(*const ways[])(const struct subject *) = {subject_by_tenant,
                                                                   subject_by_client};

    for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
        HTTP_ANSWER answer = ways[i](self);
        CHECK_ERROR(answer, 400, BAD_PASSWORD);
    }
    CU_ASSERT_TRUE(suite_everywhere(self->suite, self->person->access, 401));
    HTTP_ANSWER out = http_post(suite_url(self->suite), "/auth/logout", self->person->access, NULL);
    CHECK_STATUS(out, 401);
    HTTP_ANSWER renewed = suite_refresh(self->suite, self->person->refresh);
    CHECK_ERROR(renewed, 401, "Refresh token is invalid or has expired.");
}
