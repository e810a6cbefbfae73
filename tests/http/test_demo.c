/*
 * test_demo.c - tries the demo to its end: opens the links of its emails, which /dev/mail shows as
 * local links, and signs in with OpenID Connect.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/browser.h"
#include "tests/support/members.h"
#include "tests/support/oauth.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define NEW_PASSWORD "chosen+on+the+page"
#define PLAIN_NEW_PASSWORD "chosen on the page"

enum { SHOWN_MS = 10000, POLL_MS = 50 };

static struct suite *suite;
static struct person *admin;

static void start_suite(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2"});
    admin = person_admin(suite);
    HTTP_ANSWER put =
        http_put(suite_url(suite), "/v1/project/email-templates/EMAIL_VERIFICATION", admin->access,
                 json_pack("{s:s, s:s}", "subject", "Verify your email", "text",
                           "Gr\xc3\xbc\xc3\x9f dich = {{verifyUrl}}"));
    CHECK_STATUS(put, 200);
}

/* Finds a link to a demo page in the newest email to the address, or NULL. */
static const char *find_link(const char *html, const char *to, const char *page)
{
    char email[320], link[320];
    const char *at = html, *found = NULL;

    snprintf(email, sizeof(email), "To: &#60;%s&#62;", to);
    snprintf(link, sizeof(link), "<a href=\"%s/t/demo%s", suite_text(suite, "publicUrl"), page);
    while (!found && (at = strstr(at, email))) {
        found = strstr(at, link);
        if (found && found > strstr(at, "</article>"))
            found = NULL;
        at++;
    }
    return found;
}

/* Returns the path of a link, in which HTML escapes only "&" (caller frees). */
static char *path_of(const char *link)
{
    const char *from = strstr(link, "/t/demo");
    char *path = strndup(from, strcspn(from, "\"")), *out = path;

    for (from = path; *from; from += strncmp(from, "&#38;", 5) == 0 ? 5 : 1)
        *out++ = *from;
    *out = '\0';
    return path;
}

static int click(struct browser *browser, const char *to, const char *page)
{
    char *path = NULL;
    int status;

    for (int waited = 0; !path && waited < SHOWN_MS; waited += POLL_MS) {
        HTTP_ANSWER emails = http_get(suite_url(suite), "/dev/mail", NULL);

        const char *link = find_link(emails->body, to, page);
        path = link ? path_of(link) : NULL;
        usleep(POLL_MS * 1000);
    }
    UNIT_CHECK(path, "no link to %s for %s", page, to);
    status = path ? browser_get(browser, path) : 0;
    free(path);
    return status;
}

static int send_link(struct browser *browser, const char *page, const char *fields)
{
    char *id = browser_value(browser, "id"), *secret = browser_value(browser, "secret"), form[1024];

    snprintf(form, sizeof(form), "id=%s&secret=%s&%s", id, secret, fields);
    free(id);
    free(secret);
    return browser_post(browser, page, form);
}

static void the_page_loads_nothing(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);

    CU_ASSERT_EQUAL(click(browser, patient->email, "\""), 303);
    HTTP_ANSWER page = http_get(suite_url(suite), "/dev/mail", NULL);
    char *policy = http_header(page, "Content-Security-Policy");
    char *cross = http_header(page, "Access-Control-Allow-Origin");
    CU_ASSERT_PTR_NOT_NULL(strstr(policy, "default-src 'none'"));
    CU_ASSERT_PTR_NULL(cross);
    free(policy);
    free(cross);
}

static void the_page_shows_text_alone(void)
{
    char *email = person_address();
    BROWSER browser = browser_open(suite);
    json_t *body = body_register(email, "demo");

    json_object_set_new(body, "name", json_string("\xc3\x81na<script>"));
    HTTP_ANSWER made = suite_post_fresh(suite, "/auth/tenant/Patient/register", body);
    CHECK_STATUS(made, 200);
    CU_ASSERT_EQUAL(click(browser, email, "\""), 303);
    HTTP_ANSWER page = http_get(suite_url(suite), "/dev/mail", NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(page->body, "\xc3\x81na&#60;script&#62;"));
    CU_ASSERT_PTR_NULL(strstr(page->body, "<script"));
    free(email);
}

static void a_password_is_reset(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    char form[256];

    browser_get(browser, "reset-password");
    snprintf(form, sizeof(form), "email=%s", patient->email);
    CU_ASSERT_EQUAL(browser_post(browser, "reset-password", form), 200);
    CU_ASSERT_EQUAL(click(browser, patient->email, "/set-password?"), 200);
    CU_ASSERT_EQUAL(send_link(browser, "set-password", "password=" NEW_PASSWORD), 303);
    CU_ASSERT_TRUE(browser_signs_in(browser, patient->email, NEW_PASSWORD));
}

static void an_invitation_is_accepted(void)
{
    static const char *const types[] = {"Practitioner", "Patient"};

    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        char *email = person_address();
        BROWSER browser = browser_open(suite);
        HTTP_ANSWER made = http_post(suite_url(suite), "/v1/projects/me/members", admin->access,
                                     json_pack("{s:s, s:s, s:s, s:s}", "email", email, "firstName",
                                               "Ana", "lastName", "Prova", "type", types[i]));

        CHECK_STATUS(made, 200);
        CU_ASSERT_EQUAL(click(browser, email, "/invitation?"), 200);
        CU_ASSERT_EQUAL(send_link(browser, "invitation", "do=set-password&password=" NEW_PASSWORD),
                        303);
        CU_ASSERT_TRUE(browser_signs_in(browser, email, NEW_PASSWORD));
        free(email);
    }
}

/* The email is quoted-printable, because its text is not ASCII. */
static void an_address_is_verified(void)
{
    PERSON patient = person_register(suite, NULL);
    BROWSER browser = browser_open(suite);
    HTTP_ANSWER sent =
        http_post(suite_url(suite), "/auth/verify-email/send", patient->access, json_object());

    CHECK_STATUS(sent, 200);
    CU_ASSERT_EQUAL(click(browser, patient->email, "/verify-email?"), 200);
    HTTP_ANSWER page = http_get(suite_url(suite), "/dev/mail", NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(page->body, "Gr\xc3\xbc\xc3\x9f dich = <a"));
    CU_ASSERT_EQUAL(send_link(browser, "verify-email", "password=" FORM_PASSWORD), 303);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", patient->access);
    CU_ASSERT_TRUE(json_is_true(http_member(me, "security.emailVerified")));
}

static void register_on_page(struct browser *browser, const char *email, const char *more)
{
    char form[1024];

    snprintf(form, sizeof(form), "name=Ana&surname=Prova&email=%s&password=" FORM_PASSWORD "%s",
             email, more);
    browser_post(browser, "register", form);
}

static void a_clinician_continues_as_a_patient(void)
{
    char *person = person_address(), *email = NULL, *token, more[256];
    BROWSER browser = browser_open(suite);
    BROWSER second = browser_open(suite);

    if (asprintf(&email, "%.*s@ward.lakeside.example", (int)strcspn(person, "@"), person) < 0)
        abort();
    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", true);
    browser_get(browser, "register");
    register_on_page(browser, email, "&role=patient");
    CU_ASSERT_EQUAL(browser->page->status, 200);
    CU_ASSERT_EQUAL(click(browser, email, "/continue-as-patient?"), 200);
    CU_ASSERT_FALSE(browser_sees(browser, "name=\"role\""));
    token = browser_value(browser, "token");

    snprintf(more, sizeof(more), "&token=%s", token);
    register_on_page(browser, person, more); /* fails: the link is for another address */
    CU_ASSERT_EQUAL(browser->page->status, 400);
    CU_ASSERT_TRUE(browser_sees(browser, "This link doesn’t work with this email address"));
    register_on_page(browser, email, more);
    CU_ASSERT_EQUAL(browser->page->status, 303);
    CU_ASSERT_EQUAL(browser_follow(browser), 200);
    CU_ASSERT_TRUE(browser_sees(browser, email));
    CU_ASSERT_TRUE(browser_sees(browser, "Patient"));

    browser_get(second, "register");
    register_on_page(second, email, more); /* fails: the link works once */
    CU_ASSERT_EQUAL(second->page->status, 400);
    free(token);
    free(email);
    free(person);
}

static void a_token_makes_no_practitioner(void)
{
    BROWSER browser = browser_open(suite);
    char *email = person_address();

    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    browser_get(browser, "register");
    register_on_page(browser, email, "&role=practitioner&token=forged");
    CU_ASSERT_EQUAL(browser->page->status, 400);
    suite_set_switch(suite, admin->access, "PATIENT_REGISTRATION_ENABLED", false);
    browser_get(browser, "register");
    register_on_page(browser, email, "&token=forged");
    CU_ASSERT_EQUAL(browser->page->status, 403);
    free(email);
}

static void the_demos_client_signs_a_person_in(void)
{
    PERSON patient = browser_person(suite);
    BROWSER browser = browser_open(suite);
    const char *client = suite_text(suite, "demo.clientId");
    char *code, form[1024], ask[512], *issuer = oauth_issuer(suite);

    HTTP_ANSWER metadata =
        http_get(suite_url(suite), "/t/demo/.well-known/openid-configuration", NULL);
    CU_ASSERT_STRING_EQUAL(http_text(metadata, "issuer"), issuer);
    snprintf(ask, sizeof(ask),
             "&response_type=code&redirect_uri=http%%3A%%2F%%2Flocalhost%%3A3000%%2Fcallback"
             "&state=st8&scope=openid+profile+email+offline_access&resource=%s" OAUTH_PKCE,
             suite_text(suite, "publicUrl"));
    oauth_ask(browser, client, ask);
    oauth_follow(browser);
    oauth_sign_in(browser, patient->email, FORM_PASSWORD);
    code = oauth_parameter(browser, "code");
    CU_ASSERT_STRING_NOT_EQUAL(code, "");
    snprintf(form, sizeof(form),
             "grant_type=authorization_code&client_id=%s&code=%s&code_verifier=" OAUTH_VERIFIER
             "&redirect_uri=http%%3A%%2F%%2Flocalhost%%3A3000%%2Fcallback",
             client, code);
    HTTP_ANSWER tokens = oauth_post(suite, "token", form);
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_STRING_NOT_EQUAL(http_text(tokens, "id_token"), "");
    CU_ASSERT_STRING_NOT_EQUAL(http_text(tokens, "refresh_token"), "");
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", http_text(tokens, "access_token"));
    CHECK_STATUS(me, 200);
    CU_ASSERT_STRING_EQUAL(http_text(me, "profile.telecom.0.value"), patient->email);
    free(code);
    free(issuer);
}

static void stop_suite(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE_ALWAYS(start_suite),
        CASE(the_page_loads_nothing),
        CASE(the_page_shows_text_alone),
        CASE(a_password_is_reset),
        CASE(an_invitation_is_accepted),
        CASE(an_address_is_verified),
        CASE(the_demos_client_signs_a_person_in),
        CASE(a_clinician_continues_as_a_patient),
        CASE(a_token_makes_no_practitioner),
        CASE_ALWAYS(stop_suite),
    };

    return unit_run("demo", cases, ARRAY_SIZE(cases));
}
