/*
 * test_answer_times.c - response times do not reveal whether an account exists or which role it
 * has, and an API key is as fast as a token. The compared requests alternate, so that other load
 * affects all alike.
 *
 * tier: time
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum { TRIES_MAX = 150, KINDS_MAX = 3 };

struct times {
    double ms[KINDS_MAX][TRIES_MAX];
    int tries;
};

static const char wrong_login[] = "Username or password is incorrect.";

static struct suite *suite;

static void note(struct times *self, size_t kind, int try, const struct http_answer *answer)
{
    self->ms[kind][try] = answer->seconds * 1000;
    self->tries = try + 1;
}

static void check_alike(struct times *self, size_t kinds, double factor)
{
    double first = unit_median(self->ms[0], (size_t)self->tries);

    for (size_t kind = 1; kind < kinds; kind++) {
        double other = unit_median(self->ms[kind], (size_t)self->tries);

        UNIT_CHECK(other < factor * first && first < factor * other,
                   "kind %zu: %.1f ms, the first: %.1f ms", kind, other, first);
    }
}

/* An unknown account costs as much as a wrong password. The known account stays below the failure
 * limit. */
static void a_sign_in_tells_no_account(void)
{
    PERSON patient = person_register(suite, NULL);
    char *unknown = person_address();
    const char *const kinds[][2] = {{patient->email, "wrong"}, {unknown, "wrong"}, {unknown, ""}};
    static struct times times;

    for (int i = 0; i < 31; i++) {
        for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
            HTTP_ANSWER answer =
                suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                                 body_login_start(kinds[kind][0], kinds[kind][1], "demo"));

            CHECK_ERROR(answer, 400, wrong_login);
            note(&times, kind, i, answer);
        }
    }
    check_alike(&times, ARRAY_SIZE(kinds), 1.5);
    free(unknown);
}

static void a_sign_in_in_one_step_tells_no_role(void)
{
    PERSON patient = person_register(suite, NULL);
    char *unknown = person_address();
    const char *const emails[] = {unknown, patient->email, suite_text(suite, "demo.adminEmail")};
    static struct times times;

    for (int i = 0; i < 21; i++) {
        for (size_t kind = 0; kind < ARRAY_SIZE(emails); kind++) {
            HTTP_ANSWER answer = suite_post_fresh(
                suite, "/v2/auth/login",
                json_pack("{s:s, s:s, s:s}", "email", emails[kind], "password", "wrong", "clientId",
                          suite_text(suite, "demo.clientId")));

            CHECK_ERROR(answer, 400, wrong_login);
            note(&times, kind, i, answer);
        }
    }
    check_alike(&times, ARRAY_SIZE(emails), 1.5);
    free(unknown);
}

/* Requests emails for a patient and for no account in turn, three each, which is within the
 * mailbox's limit. */
static void check_mail_tells_no_account(const char *path)
{
    enum { PATIENTS = 5, EACH = 3 };
    static struct times times;

    for (int i = 0; i < PATIENTS * EACH; i += EACH) {
        PERSON patient = person_register(suite, NULL);

        for (int j = 0; j < EACH; j++) {
            char *unknown = person_address();
            const char *const emails[] = {patient->email, unknown};

            for (size_t kind = 0; kind < ARRAY_SIZE(emails); kind++) {
                HTTP_ANSWER answer = suite_post_fresh(suite, path,
                                                      json_pack("{s:s, s:s}", "email", emails[kind],
                                                                "tenantCode", "demo"));

                CHECK_STATUS(answer, 200);
                note(&times, kind, i + j, answer);
            }
            free(unknown);
        }
    }
    check_alike(&times, 2, 1.1);
}

static void a_reset_tells_no_account(void)
{
    check_mail_tells_no_account("/auth/reset-password");
}

static void a_verification_tells_no_account(void)
{
    check_mail_tells_no_account("/auth/verify-email/send");
}

static void an_api_key_is_as_quick_as_a_token(void)
{
    enum { TRIES = TRIES_MAX };
    PERSON admin = person_admin(suite);
    char policy[64];
    HTTP_ANSWER rules = http_post(suite_url(suite), "/v1/project/access-policies", admin->access,
                                  json_pack("{s:s, s:[{s:s}]}", "name", "Machines", "resource",
                                            "resourceType", "*"));
    snprintf(policy, sizeof(policy), "AccessPolicy/%s", http_text(rules, "id"));
    HTTP_ANSWER key =
        http_post(suite_url(suite), "/v1/project/api-keys", admin->access,
                  json_pack("{s:s, s:s}", "name", "Laboratory", "accessPolicy", policy));
    const char *const bearers[] = {admin->access, http_text(key, "key")};
    static struct times times;

    CHECK_STATUS(key, 200);
    for (int i = 0; i < TRIES; i++) {
        for (size_t kind = 0; kind < ARRAY_SIZE(bearers); kind++) {
            HTTP_ANSWER answer = http_get(suite_url(suite), "/locales", bearers[kind]);

            CHECK_STATUS(answer, 200);
            note(&times, kind, i, answer);
        }
    }
    check_alike(&times, ARRAY_SIZE(bearers), 1.3);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_sign_in_tells_no_account),        CASE(a_sign_in_in_one_step_tells_no_role),
    CASE(a_reset_tells_no_account),          CASE(a_verification_tells_no_account),
    CASE(an_api_key_is_as_quick_as_a_token), CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2"});
    return unit_run("answer times", cases, ARRAY_SIZE(cases));
}
