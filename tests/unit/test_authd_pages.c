/*
 * test_authd_pages.c - the pages in each language: complete and small, with user text escaped,
 * errors beside fields and in the title, and the focus on the first error.
 */
#include <string.h>

#include "authd/page/template/pages.h"
#include "tests/support/unit.h"

enum { PAGE_MOST = 10 * 1024 }; /* uncompressed; compressed it is less than half */

#define EVIL "\"><script>alert(1)</script>'&"
#define SITE \
    .host = "id.example.org", .code = "north", .tenant = "North <Clinic>", .form_token = "masked"

static struct page begin(struct arena *arena, enum page_language language)
{
    struct page page;

    page_init(&page, arena, language);
    return page;
}

static void has(const struct page *page, const char *piece)
{
    UNIT_CHECK(strstr(page->text, piece) != NULL, "%s is not in %s", piece, page->text);
}

static void has_not(const struct page *page, const char *piece)
{
    UNIT_CHECK(!strstr(page->text, piece), "%s is in %s", piece, page->text);
}

static void check_page(const struct page *page)
{
    UNIT_CHECK(page->length <= PAGE_MOST, "%zu bytes", page->length);
    UNIT_CHECK(strncmp(page->text, "<!doctype html>\n<html lang=\"", 28) == 0, "%s", page->text);
    UNIT_CHECK(strcmp(page->text + page->length - 8, "</html>\n") == 0, "%s", page->text);
    UNIT_CHECK(unit_occurrences(page->text, "<h1>") == 1, "%s", page->text);
    UNIT_CHECK(unit_occurrences(page->text, "<title>") == 1, "%s", page->text);
    UNIT_CHECK(unit_occurrences(page->text, " autofocus") <= 1, "%s", page->text);
    has(page, "<bdi>id.example.org</bdi> · <bdi>north</bdi>");
    has_not(page, "<script");
}

static void every_page_is_whole_in_every_language(void)
{
    static const struct page_account_session sessions[] = {
        {"1", EVIL, EVIL, EVIL, EVIL, true},
        {EVIL, EVIL, EVIL, EVIL, EVIL, false},
    };
    const struct page_scopes_scope scopes[] = {
        {.name = EVIL}, {.may = EVIL, .what = EVIL, .whose = EVIL, .query = EVIL}};
    const struct page_account_consent consents[] = {
        {.client = EVIL, .name = EVIL, .since = EVIL, .scope = scopes, .scope_count = 2},
        {.client = "c", .name = "C", .since = "now"},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (enum page_language language = PAGE_EN; language <= PAGE_ES; language++) {
        struct page pages[] = {begin(arena, language), begin(arena, language),
                               begin(arena, language), begin(arena, language),
                               begin(arena, language), begin(arena, language)};

        page_sign_in(&pages[0],
                     &(struct page_sign_in_in){
                         SITE, .email = EVIL, .problem = PAGE_TEXT_ERROR_TOO_OFTEN,
                         .email_problem = PAGE_TEXT_ERROR_EMAIL,
                         .password_problem = PAGE_TEXT_ERROR_REQUIRED, .may_register = true});
        page_choose(&pages[1], &(struct page_choose_in){SITE, .step = EVIL});
        page_mfa(&pages[2],
                 &(struct page_mfa_in){SITE, .step = EVIL, .code_problem = PAGE_TEXT_ERROR_CODE});
        page_register(&pages[3],
                      &(struct page_register_in){SITE, .wrong = true, .ask_role = true,
                                                 .name = EVIL, .surname = EVIL, .email = EVIL,
                                                 .problem = PAGE_TEXT_ERROR_DISABLED,
                                                 .name_problem = PAGE_TEXT_ERROR_REQUIRED,
                                                 .surname_problem = PAGE_TEXT_ERROR_REQUIRED,
                                                 .email_problem = PAGE_TEXT_ERROR_TAKEN,
                                                 .password_problem = PAGE_TEXT_ERROR_PASSWORD});
        page_account(&pages[4], &(struct page_account_in){SITE, .name = EVIL, .email = EVIL,
                                                          .unverified = true, .more_sessions = true,
                                                          .notice = PAGE_TEXT_NOTE_SESSION_ENDED,
                                                          .session = sessions, .session_count = 2,
                                                          .consent = consents, .consent_count = 2});
        page_note(&pages[5], &(struct page_note_in){.host = "id.example.org",
                                                    .code = "north",
                                                    .tenant = "North <Clinic>",
                                                    .title = PAGE_TEXT_ERROR_EXPIRED,
                                                    .text = PAGE_TEXT_ERROR_EXPIRED_TEXT,
                                                    .wrong = true});
        for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
            check_page(&pages[i]);
            has(&pages[i], arena_printf(arena, "<html lang=\"%s\">", page_language_tag(language)));
            has(&pages[i], "<bdi>North &lt;Clinic&gt;</bdi>");
        }
        for (size_t i = 0; i < 5; i++)
            has(&pages[i], "<input type=\"hidden\" name=\"formToken\" value=\"masked\">");
    }
}

static void a_wrong_password_stands_beside_its_field_and_in_the_title(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct page page = begin(arena, PAGE_EN);

    page_sign_in(&page, &(struct page_sign_in_in){SITE, .email = "ada@example.org",
                                                  .password_problem = PAGE_TEXT_ERROR_CREDENTIALS});
    has(&page, "<title>Error: Sign in – North &lt;Clinic&gt;</title>");
    has(&page, "required value=\"ada@example.org\">");
    has(&page, "aria-invalid=\"true\" aria-describedby=\"password-wrong\" autofocus>\n"
               "<p class=\"wrong\" id=\"password-wrong\">Incorrect email address or password.</p>");
    has_not(&page, "email-wrong");
    has_not(&page, "/register");
}

static void a_first_look_has_no_error_and_the_focus_on_the_first_field(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct page sign_in = begin(arena, PAGE_EN), form = begin(arena, PAGE_EN);

    page_sign_in(&sign_in, &(struct page_sign_in_in){SITE, .may_register = true});
    has(&sign_in, "<title>Sign in – ");
    has(&sign_in, "required value=\"\" autofocus>");
    has(&sign_in, "action=\"/t/north/sign-in\"");
    has(&sign_in, "href=\"/t/north/register\"");
    has_not(&sign_in, "aria-invalid=");
    has_not(&sign_in, "role=\"alert\"");
    page_register(&form, &(struct page_register_in){SITE});
    has(&form, "autocomplete=\"given-name\" required value=\"\" autofocus>");
    has(&form, "autocomplete=\"new-password\"");
    has_not(&form, "aria-invalid=");
    has_not(&form, "type=\"radio\" ");
}

static void the_focus_is_on_the_first_wrong_field(void)
{
    static const struct {
        enum page_text name, surname, email, password;
        const char *first;
    } rows[] = {
        {PAGE_TEXT_ERROR_REQUIRED, PAGE_TEXT_ERROR_REQUIRED, 0, 0, "id=\"name\""},
        {0, PAGE_TEXT_ERROR_REQUIRED, PAGE_TEXT_ERROR_EMAIL, 0, "id=\"surname\""},
        {0, 0, PAGE_TEXT_ERROR_TAKEN, PAGE_TEXT_ERROR_PASSWORD, "id=\"email\""},
        {0, 0, 0, PAGE_TEXT_ERROR_PASSWORD, "id=\"password\""},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct page page = begin(arena, PAGE_DE);
        const char *focus, *field;

        page_register(&page, &(struct page_register_in){
                                 SITE, .wrong = true, .name_problem = rows[i].name,
                                 .surname_problem = rows[i].surname, .email_problem = rows[i].email,
                                 .password_problem = rows[i].password});
        UNIT_CHECK(unit_occurrences(page.text, " autofocus") == 1, "row %zu", i);
        focus = strstr(page.text, " autofocus");
        field = strstr(page.text, rows[i].first);
        UNIT_CHECK(focus && field && field < focus && !memchr(field, '>', (size_t)(focus - field)),
                   "row %zu: %s", i, page.text);
    }
}

static void a_session_can_be_ended_but_the_own_one_only_signed_out_of(void)
{
    static const struct page_account_session sessions[] = {
        {"own", "Firefox, Linux", NULL, "192.0.2.1", "today", true},
        {"other", "Growth <chart>", "Chrome, Android", "192.0.2.2", "yesterday", false},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct page page = begin(arena, PAGE_EN);

    page_account(&page, &(struct page_account_in){SITE, .name = "Ada", .email = "a@b.example",
                                                  .session = sessions, .session_count = 2});
    has(&page, "<bdi>Firefox, Linux</bdi> <strong>(this browser)</strong>");
    has(&page, "name=\"session\" value=\"other\"");
    has(&page,
        "value=\"end\" aria-label=\"End session: Growth &lt;chart&gt;\">End session</button>");
    has(&page, "<bdi>Growth &lt;chart&gt;</bdi>");
    has(&page, "<bdi>Chrome, Android</bdi> · <bdi>192.0.2.2</bdi><br>yesterday");
    has(&page, "<button name=\"do\" value=\"sign-out\">");
    has_not(&page, "value=\"own\"");
}

static void an_account_without_passkeys_says_so(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct page none = begin(arena, PAGE_EN), two = begin(arena, PAGE_EN);

    page_account(&none, &(struct page_account_in){SITE, .name = "Ada", .email = "a@b.example"});
    page_account(&two, &(struct page_account_in){SITE, .name = "Ada", .email = "a@b.example",
                                                 .passkeys = "2"});
    has(&none, "<dd>None yet</dd>");
    has(&two, "<dd>2</dd>");
    has_not(&two, "None yet");
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(every_page_is_whole_in_every_language),
        CASE(a_wrong_password_stands_beside_its_field_and_in_the_title),
        CASE(a_first_look_has_no_error_and_the_focus_on_the_first_field),
        CASE(the_focus_is_on_the_first_wrong_field),
        CASE(a_session_can_be_ended_but_the_own_one_only_signed_out_of),
        CASE(an_account_without_passkeys_says_so),
    };

    return unit_run("authd pages", cases, ARRAY_SIZE(cases));
}
