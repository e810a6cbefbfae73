/*
 * test_page_export.c - the export page: request, state and download with the cookie. Fresh proof,
 * limit, second factor and audit rows equal POST and GET /auth/export (test_account_export).
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/browser.h"
#include "tests/support/document.h"
#include "tests/support/unit.h"

#define MARK "a finding that is in the file"
#define DOWNLOAD "href=\"/t/demo/account/export/"

enum { MINUTE = 60, DAY = 86400, MADE_MS = 60000 };

static struct suite *suite;

static void start_suite(void)
{
    suite = suite_start(
        &(struct suite_options){.instances = "authd=2,docd=2,gateway=2", .test_clock = true});
}

static bool has_header(const struct browser *browser, const char *name, const char *value)
{
    TEXT found = http_header(browser->page, name);

    return value ? found && strcmp(found, value) == 0 : !found;
}

static long exports_of(const struct person *person, const char *state)
{
    return suite_count(suite,
                       "select count(*) from doc.export e join auth.account a on a.id = "
                       "e.account_id where a.email = '%s' and e.state = '%s'",
                       person->email, state);
}

/* Signs in if needed, makes an export, and returns its path (caller frees). */
static char *make_file(struct browser *browser, const struct person *person)
{
    const char *at;

    if (browser_get(browser, "account") != 200)
        CU_ASSERT_TRUE(browser_signs_in(browser, person->email, FORM_PASSWORD));
    CU_ASSERT_EQUAL(browser_get(browser, "account/export"), 200);
    CU_ASSERT_EQUAL(browser_post(browser, "account/export", "do=ask"), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/account/export"));
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, MADE_MS,
                                  "select count(*) from doc.export where state = 'pending'"));
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    at = strstr(browser->page->body, DOWNLOAD);
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    at += strlen("href=\"");
    return strndup(at, strcspn(at, "\""));
}

static long audited(const char *action, const char *path)
{
    return suite_count(suite,
                       "select count(*) from doc.audit where event->>'action' = '%s' and "
                       "entity = 'Export/%s' and event->'agent'->>'profile' like 'Patient/%%'",
                       action, strrchr(path, '/') + 1);
}

static void a_person_asks_waits_and_fetches(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    free(document_put(suite, patient->access, "a.txt", "text/plain", MARK, sizeof(MARK) - 1));
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    CU_ASSERT_TRUE(browser_sees(browser, "href=\"/t/demo/account/export\""));
    CU_ASSERT_EQUAL(browser_get(browser, "account/export"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "You haven’t requested a file yet."));
    PGconn *held = suite_lock(suite, "auth.oauth_consent");
    CU_ASSERT_EQUAL(browser_post(browser, "account/export", "do=ask"), 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Being prepared"));
    CU_ASSERT_TRUE(browser_sees(browser, "Check again"));
    CU_ASSERT_FALSE(browser_sees(browser, "Request a file")); /* one at a time */
    CU_ASSERT_FALSE(browser_sees(browser, DOWNLOAD));
    suite_unlock(held);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, MADE_MS,
                                  "select count(*) from doc.export where state = 'pending'"));
    CU_ASSERT_EQUAL(browser_get(browser, "account/export"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, " kB · available until "));
    const char *at = strstr(browser->page->body, DOWNLOAD);
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    TEXT path = strndup(at + strlen("href=\""), strcspn(at + strlen("href=\""), "\""));
    CU_ASSERT_EQUAL(audited("export.create", path), 1);
    CU_ASSERT_EQUAL(audited("export.read", path), 0);
    CU_ASSERT_EQUAL(browser_get(browser, path), 200);
    CU_ASSERT_PTR_NOT_NULL(memmem(browser->page->body, browser->page->size, MARK, strlen(MARK)));
    CU_ASSERT_EQUAL(memcmp(browser->page->body, "PK", 2), 0);
    CU_ASSERT_EQUAL(audited("export.read", path), 1);
}

static void the_file_has_the_headers_of_pages(void)
{
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},
        {"Referrer-Policy", "no-referrer"},
        {"Content-Type", "application/zip"},
        {"Content-Disposition", "attachment; filename=\"export.zip\"; filename*=UTF-8''export.zip"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Access-Control-Allow-Origin", NULL},
        {"Set-Cookie", NULL},
    };
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    TEXT path = make_file(browser, patient);

    CU_ASSERT_EQUAL(browser_get(browser, path), 200);
    for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
        UNIT_CHECK(has_header(browser, headers[i][0], headers[i][1]), "%s", headers[i][0]);
}

static void nothing_is_kept_of_the_file(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    TEXT path = make_file(browser, patient);

    for (int i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(browser_get(browser, path), 200);
    CU_ASSERT_EQUAL(audited("export.read", path), 4);
    suite_advance_clock(suite, 7 * DAY + MINUTE);
    BROWSER later = browser_open(suite);
    CU_ASSERT_TRUE(browser_signs_in(later, patient->email, FORM_PASSWORD));
    CU_ASSERT_EQUAL(browser_get(later, path), 404);
    CU_ASSERT_TRUE(browser_sees(later, "This file is no longer available."));
}

static void another_persons_cookie_gets_nothing(void)
{
    static const char *const wrong[] = {"account/export/x",
                                        "account/export/0198c0de-0000-7000-8000-000000000000"};
    PERSON patient = person_register(suite, NULL);
    PERSON other = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    BROWSER thief = browser_open(suite);
    BROWSER without = browser_open(suite);
    TEXT path = make_file(browser, patient);

    CU_ASSERT_TRUE(browser_signs_in(thief, other->email, FORM_PASSWORD));
    CU_ASSERT_EQUAL(browser_get(thief, path), 404);
    CU_ASSERT_TRUE(browser_sees(thief, "This file is no longer available."));
    CU_ASSERT_FALSE(browser_sees(thief, ">Download</a>"));
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        UNIT_CHECK(browser_get(thief, wrong[i]) == 404, "%s: %d", wrong[i], thief->page->status);
    CU_ASSERT_EQUAL(browser_get(without, path), 303);
    CU_ASSERT_TRUE(browser_goes_to(without, "/t/demo/sign-in"));
    CU_ASSERT_EQUAL(audited("export.read", path), 0);
}

static void cookie_and_bearer_keep_apart(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    TEXT path = make_file(browser, patient);
    char api[80];

    snprintf(api, sizeof(api), "/auth/export/%s", strrchr(path, '/') + 1);
    CU_ASSERT_EQUAL(browser_get(browser, api), 401);
    HTTP_ANSWER page = http_get(suite_url(suite), path, patient->access);
    CHECK_STATUS(page, 303);
    HTTP_ANSWER file = http_get(suite_url(suite), api, patient->access);
    CHECK_STATUS(file, 200);
}

static void a_stale_proof_is_renewed_first(void)
{
    static const char goal[] = "/t/demo/step-up?goal=account/export";
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    TEXT path = make_file(browser, patient);

    CU_ASSERT_EQUAL(browser_get(browser, "account/export"), 200);
    suite_advance_clock(suite, 16 * MINUTE);
    CU_ASSERT_EQUAL(browser_post(browser, "account/export", "do=ask"), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, goal));
    CU_ASSERT_EQUAL(browser_get(browser, path), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, goal));
    CU_ASSERT_EQUAL(browser_get(browser, "account/export"), 303);
    CU_ASSERT_TRUE(browser_goes_to(browser, goal));
    CU_ASSERT_EQUAL(audited("export.read", path), 0);
    CU_ASSERT_EQUAL(exports_of(patient, "ready"), 1);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_EQUAL(browser_post(browser, "step-up", "goal=account/export&password=" FORM_PASSWORD),
                    303);
    CU_ASSERT_TRUE(browser_goes_to(browser, "/t/demo/account/export"));
    CU_ASSERT_EQUAL(browser_get(browser, path), 200);
}

static void a_foreign_form_asks_for_nothing(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, FORM_PASSWORD));
    browser->no_token = true;
    CU_ASSERT_EQUAL(browser_post(browser, "account/export", "do=ask"), 403);
    browser->no_token = false;
    CU_ASSERT_EQUAL(browser_get(browser, "account/export"), 200);
    free(browser->origin);
    browser->origin = strdup("https://evil.example");
    CU_ASSERT_EQUAL(browser_post(browser, "account/export", "do=ask"), 403);
    CU_ASSERT_EQUAL(exports_of(patient, "pending") + exports_of(patient, "ready"), 0);
}

static void a_fourth_in_a_day_is_refused(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    for (int i = 0; i < 3; i++)
        free(make_file(browser, patient));
    CU_ASSERT_EQUAL(browser_post(browser, "account/export", "do=ask"), 429);
    CU_ASSERT_TRUE(browser_sees(browser, "You’ve requested three files within a day."));
    CU_ASSERT_TRUE(has_header(browser, "Retry-After", "86400"));
    CU_ASSERT_TRUE(browser_sees(browser, DOWNLOAD)); /* an existing file can be downloaded */
    CU_ASSERT_EQUAL(exports_of(patient, "ready"), 3);
}

static void require_factor(const struct person *admin, const char *scope)
{
    HTTP_ANSWER answer = http_put(suite_url(suite), "/v1/project/account-policy", admin->access,
                                  json_pack("{s:s}", "requireMfa", scope));

    CHECK_STATUS(answer, 200);
}

static void a_demanded_factor_comes_first(void)
{
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    TEXT path = make_file(browser, patient);

    require_factor(admin, "everyone");
    CU_ASSERT_EQUAL(browser_get(browser, path), 403);
    CU_ASSERT_TRUE(browser_sees(browser, "Two-step verification is required here."));
    CU_ASSERT_EQUAL(browser_get(browser, "account/export"), 403);
    CU_ASSERT_EQUAL(browser_get(browser, "account/factor"), 200); /* a page with a token */
    CU_ASSERT_EQUAL(browser_post(browser, "account/export", "do=ask"), 403);
    CU_ASSERT_EQUAL(exports_of(patient, "ready"), 1);
    CU_ASSERT_EQUAL(audited("export.read", path), 0);
}

static void stop_suite(void)
{
    suite_stop(&suite);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE_ALWAYS(start_suite),
        CASE(a_person_asks_waits_and_fetches),
        CASE(the_file_has_the_headers_of_pages),
        CASE(nothing_is_kept_of_the_file),
        CASE(another_persons_cookie_gets_nothing),
        CASE(cookie_and_bearer_keep_apart),
        CASE(a_stale_proof_is_renewed_first),
        CASE(a_foreign_form_asks_for_nothing),
        CASE(a_fourth_in_a_day_is_refused),
        CASE(a_demanded_factor_comes_first),
        CASE_ALWAYS(stop_suite),
    };

    return unit_run("page export", cases, ARRAY_SIZE(cases));
}
