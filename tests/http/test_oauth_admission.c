/*
 * test_oauth_admission.c - a session gets a code only while its person could sign in: project
 * settings, networks and required second factor.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oauth.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *admin, *patient;
static char *app; /* a first-party client */

static void the_scene_is_set(void)
{
    oauth_scene_set(&suite, &admin, &patient, &app, NULL);
}

static void check_code(struct browser *browser, const char *behind)
{
    oauth_check_asked(browser, app, behind, false);
}

static void check_denied(struct browser *browser, const char *what)
{
    char *error;

    oauth_ask(browser, app, OAUTH_USUAL);
    error = oauth_parameter(browser, "error");
    UNIT_CHECK(strcmp(error, "access_denied") == 0, "%s: %s", what, error);
    free(error);
}

static void closed_sign_in_gives_no_code(void)
{
    BROWSER browser = browser_open(suite);

    free(oauth_code(browser, patient, app, OAUTH_USUAL));
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", false);
    check_denied(browser, "PATIENT_LOGIN_ENABLED");
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", true);
}

static void closed_sign_in_of_practitioners_gives_no_code(void)
{
    BROWSER browser = browser_open(suite);

    free(oauth_code(browser, admin, app, OAUTH_USUAL));
    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", false);
    check_denied(browser, "PRACTITIONER_LOGIN_ENABLED");
    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", true);
    check_code(browser, OAUTH_USUAL);
}

static void a_network_that_is_not_allowed_gets_no_code(void)
{
    PERSON other = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER strict = http_post(suite_url(suite), "/v1/project/access-policies", admin->access,
                                   json_pack("{s:s, s:[{s:s}], s:[{s:s, s:s}]}", "name", "Inside",
                                             "resource", "resourceType", "*", "ipAccessRule", "ip",
                                             "127.9.0.0/16", "action", "allow"));
    char sql[256];

    CHECK_STATUS(strict, 200);
    free(oauth_code(browser, other, app, OAUTH_USUAL));
    snprintf(sql, sizeof(sql),
             "update auth.membership set policy_id = '%s' where profile_id = '%s'",
             http_text(strict, "id"), strchr(other->profile, '/') + 1);
    free(suite_query(suite, sql));
    check_denied(browser, "ipAccessRule");
    free(browser->source);
    browser->source = strdup("127.9.0.7");
    check_code(browser, OAUTH_USUAL);
}

static void require_mfa(const char *whom)
{
    HTTP_ANSWER set = http_put(suite_url(suite), "/v1/project/account-policy", admin->access,
                               json_pack("{s:s}", "requireMfa", whom));

    CHECK_STATUS(set, 200);
}

/* Signing in again could not add a factor, so authorize refuses the request immediately. */
static void a_demanded_factor_is_demanded_at_authorize(void)
{
    BROWSER browser = browser_open(suite);
    uint8_t secret[TOTP_SECRET];

    totp_enrol(suite, admin, suite_now(suite), secret); /* an admin who can disable it again */
    free(oauth_code(browser, patient, app, OAUTH_USUAL));
    require_mfa("everyone");
    check_denied(browser, "requireMfa");
    require_mfa("none");
    check_code(browser, OAUTH_USUAL);
}

static void the_scene_is_left(void)
{
    oauth_scene_leave(&suite, &admin, &patient, &app);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(closed_sign_in_gives_no_code),
    CASE(closed_sign_in_of_practitioners_gives_no_code),
    CASE(a_network_that_is_not_allowed_gets_no_code),
    CASE(a_demanded_factor_is_demanded_at_authorize),
    CASE_ALWAYS(the_scene_is_left),
};

int main(void)
{
    return unit_run("oauth admission", cases, ARRAY_SIZE(cases));
}
