/*
 * test_require_mfa.c - a project that requires a second factor: routes open to a session without
 * one.
 */
#include <CUnit/CUnit.h>
#include <string.h>
#include <time.h>

#include "tests/support/suite.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define POLICY "/v1/project/account-policy"
#define SETTINGS "/v1/project/settings"

static struct suite *suite;
static struct person *admin, *patient;

static void require(const char *scope)
{
    HTTP_ANSWER answer =
        http_put(suite_url(suite), POLICY, admin->access, json_pack("{s:s}", "requireMfa", scope));

    CHECK_STATUS(answer, 200);
}

static void check_refused(struct http_answer *answer)
{
    CHECK_STATUS(answer, 403);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), "MFA_ENROLLMENT_REQUIRED");
}

static void mfa_is_not_required_by_default(void)
{
    HTTP_ANSWER settings = http_get(suite_url(suite), SETTINGS, admin->access);
    HTTP_ANSWER documents = http_get(suite_url(suite), "/document", patient->access);

    CHECK_STATUS(settings, 200);
    CHECK_STATUS(documents, 200);
}

static void a_session_without_a_factor_has_its_own_routes_only(void)
{
    require("everyone");
    HTTP_ANSWER settings = http_get(suite_url(suite), SETTINGS, admin->access);
    HTTP_ANSWER documents = http_get(suite_url(suite), "/document", patient->access);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);
    HTTP_ANSWER sessions = http_get(suite_url(suite), "/auth/session", patient->access);
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", patient->access);
    HTTP_ANSWER accept =
        http_post(suite_url(suite), "/auth/invitation/accept", admin->access,
                  json_pack("{s:s, s:s}", "id", "11111111-1111-4111-8111-111111111111", "secret",
                            "0123456789012345678901234567890123456789012"));

    HTTP_ANSWER export = http_post(suite_url(suite), "/auth/export", patient->access, NULL);
    HTTP_ANSWER exports = http_get(suite_url(suite), "/auth/export", patient->access);
    HTTP_ANSWER file = http_get(
        suite_url(suite), "/auth/export/11111111-1111-4111-8111-111111111111", patient->access);

    check_refused(settings);
    check_refused(documents);
    check_refused(accept);
    check_refused(export);
    check_refused(exports);
    check_refused(file);
    CHECK_STATUS(me, 200);
    CHECK_STATUS(sessions, 200);
    CHECK_STATUS(status, 200);
}

static void enrolling_opens_the_rest(void)
{
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", admin->access);
    uint8_t secret[TOTP_SECRET];
    char code[7];

    totp_read(http_text(status, "otpauthUrl"), secret);
    HTTP_ANSWER enrolled =
        http_post(suite_url(suite), "/auth/mfa/enroll", admin->access,
                  json_pack("{s:s}", "token", totp_code(secret, (int64_t)time(NULL), code)));
    HTTP_ANSWER settings = http_get(suite_url(suite), SETTINGS, admin->access);

    CHECK_STATUS(enrolled, 200);
    CHECK_STATUS(settings, 200);
    HTTP_ANSWER documents = http_get(suite_url(suite), "/document", patient->access);
    check_refused(documents);
}

static void mfa_can_be_required_of_practitioners_only(void)
{
    require("practitioners");
    HTTP_ANSWER documents = http_get(suite_url(suite), "/document", patient->access);
    CHECK_STATUS(documents, 200);
    require("none");
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(mfa_is_not_required_by_default),  CASE(a_session_without_a_factor_has_its_own_routes_only),
    CASE(enrolling_opens_the_rest),        CASE(mfa_can_be_required_of_practitioners_only),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "gateway=2"});
    admin = person_admin(suite);
    patient = person_register(suite, NULL);
    return unit_run("require mfa", cases, ARRAY_SIZE(cases));
}
