/*
 * test_pages_browser.c - the hosted pages in Chromium, driven by tests/pages/browser.cjs. Needs
 * playwright-core, axe-core (make npm) and Chromium.
 *
 * tier: browser
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/certificate.h"
#include "tests/support/identity_provider.h"
#include "tests/support/oauth.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define DEVICE_GRANT "urn:ietf:params:oauth:grant-type:device_code"

enum { BROWSER_MS = 840000 };

static struct suite *suite;
static struct unit_dir dir;
static char *consented, *device; /* a client that needs consent, and a device client */
static struct person *annex;     /* admin of a tenant with an identity provider */
static struct identity_provider *clinic;
static char provider[37];

static const struct unit_need needs[] = {
    {"/usr/bin/chromium", NULL},
    {"build/npm/installed/pages", "npm"},
    {NULL, NULL},
};

static void add_provider(void)
{
    HTTP_ANSWER made = http_post(
        suite_url(suite), "/v1/project/identity-providers", annex->access,
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:[s], s:s}", "name", "Lakeside staff", "preset",
                  "oidc", "issuer", identity_provider_issuer(clinic), "clientId", "atrium",
                  "clientSecret", "a secret", "roles", "practitioners", "state", "active"));

    CHECK_STATUS(made, 200);
    snprintf(provider, sizeof(provider), "%s", http_text(made, "id"));
}

/* Returns the address to which the provider sends the browser after a test sign-in. */
static char *test_provider(void)
{
    char path[128];

    snprintf(path, sizeof(path), "/v1/project/identity-providers/%s/test", provider);
    HTTP_ANSWER started = http_post(suite_url(suite), path, annex->access, json_object());
    CHECK_STATUS(started, 200);
    return identity_provider_visit(clinic, http_text(started, "authorizeUrl"));
}

static void test_start(void)
{
    char set[200];

    dir = unit_dir_make();
    certificate_make(&dir);
    clinic = identity_provider_start(&dir, "atrium", "a secret");
    identity_provider_person(clinic, json_pack("{s:s, s:s}", "sub", "rui", "email",
                                               "rui@lakeside.example"));
    snprintf(set, sizeof(set),
             "gateway.trusted_proxies=127.0.0.0/8,authd.allow_networks=127.0.0.1/32,"
             "authd.client_ca_file=%s/cert.pem",
             dir.path);
    suite = suite_start(&(struct suite_options){.set = set});
    setenv("TMPDIR", dir.path, 1); /* for Chromium's profile */
    PERSON admin = person_admin(suite);
    annex = person_admin_of_child(suite, "annex"); /* the same person */
    add_provider();
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    consented = oauth_register(suite, admin, "{\"firstParty\":false}");
    device = oauth_register(suite, admin,
                            "{\"name\":\"Television\",\"firstParty\":false,"
                            "\"grantTypes\":[\"" DEVICE_GRANT "\"],\"redirectUris\":[]}");
}

static void run_browser(const char *part)
{
    TEXT tested = test_provider();
    const char *const argv[] = {"/usr/bin/env",
                                "node",
                                "tests/pages/browser.cjs",
                                part,
                                suite_text(suite, "publicUrl"),
                                "demo",
                                consented,
                                device,
                                suite_text(suite, "demo.adminEmail"),
                                suite_text(suite, "demo.adminPassword"),
                                suite_text(suite, "mailDir"),
                                tested,
                                NULL};

    if (!unit_has(needs, "ATRIUM_REQUIRE_ALL"))
        return;
    PROGRAM browser = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(browser, BROWSER_MS));
    CHECK_EXIT(browser, 0);
}

static void every_page_is_fine_in_a_narrow_light_window(void)
{
    run_browser("light");
}

static void every_page_is_fine_in_a_wide_dark_window(void)
{
    run_browser("dark");
}

static void the_keyboard_alone_will_do(void)
{
    run_browser("keyboard");
}

static void passkeys_are_added_and_used(void)
{
    run_browser("passkeys");
}

static void second_tabs_and_second_clicks_lead_on(void)
{
    run_browser("tabs");
}

static void links_of_emails_lead_on(void)
{
    run_browser("emails");
}

static void test_stop(void)
{
    free(consented);
    free(device);
    person_destroy(&annex);
    suite_stop(&suite);
    identity_provider_stop(&clinic);
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(test_start),
    CASE(every_page_is_fine_in_a_narrow_light_window),
    CASE(every_page_is_fine_in_a_wide_dark_window),
    CASE(the_keyboard_alone_will_do),
    CASE(passkeys_are_added_and_used),
    CASE(second_tabs_and_second_clicks_lead_on),
    CASE(links_of_emails_lead_on),
    CASE_ALWAYS(test_stop),
};

int main(void)
{
    return unit_run("pages browser", cases, ARRAY_SIZE(cases));
}
