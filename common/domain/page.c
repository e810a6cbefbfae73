/* page.c - see page.h. */
#include "common/domain/page.h"
#include "common/domain/uri.h"

#include <ctype.h>

static const struct field page_visit_rows[] = {
    FIELD_TEXT(struct page_visit, url, 1, 4096, FIELD_REQUIRED, "Public URL of the gateway.",
               "https://id.example.org"),
    FIELD_TEXT(struct page_visit, cookie, 1, PAGE_COOKIE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "The browser's cookie.", ""),
    FIELD_TEXT(struct page_visit, formToken, 1, 256, FIELD_REQUIRED, "Token for the page's forms.",
               ""),
    FIELD_TEXT(struct page_visit, languages, 0, 8192, 0, "Accept-Language.", "de, en;q=0.8"),
    FIELD_TEXT(struct page_visit, language, 2, 2, 0, "Language that the person chose.", "de"),
    FIELD_TEXT(struct page_visit, here, 1, PAGE_HERE_MAX, FIELD_SECRET, "URL of the page.", ""),
    FIELD_TEXT(struct page_visit, next, 0, PAGE_NEXT_MAX, FIELD_SECRET,
               "Request that continues after this page.", ""),
    FIELD_BOOL(struct page_visit, own, false, 0,
               "Whether the form is from a page that this browser got from this origin."),
    FIELD_BOOL(struct page_visit, isNew, false, 0, "Whether the cookie was made for this request."),
    FIELD_BOOL(struct page_visit, stale, false, 0,
               "Whether the cookie has changed since the browser got the page."),
    FIELD_TEXT(struct page_visit, submission, 1, 64, 0, "Identifies the submitted form.", ""),
};
FIELD_TABLE(page_visit);

static const struct field page_answer_rows[] = {
    FIELD_INT(struct page_answer, status, 200, 599, 0, FIELD_REQUIRED, "Status.", "200"),
    FIELD_TEXT(struct page_answer, location, 0, 8192, 0, "Path to which the browser is redirected.",
               "/t/demo"),
    FIELD_TEXT(struct page_answer, html, 0, PAGE_HTML_MAX, 0, "HTML of the page.", ""),
    FIELD_TEXT(struct page_answer, policy, 0, 4096, 0, "Content security policy of the page.", ""),
    FIELD_TEXT(struct page_answer, cookie, 0, PAGE_COOKIE_MAX, 0, "The browser's new cookie.", ""),
    FIELD_INT(struct page_answer, retryAfter, 0, INT32_MAX, 0, FIELD_OMIT_ZERO, "Seconds.", "60"),
    FIELD_OBJECT(struct page_answer, content, content, 0, "File to send instead of a page."),
};
FIELD_TABLE(page_answer);

/* Rejects capitals, because `iss` and origins are compared byte by byte. */
bool page_is_origin(const char *url)
{
    struct uri uri;

    return uri_is_origin(url) && uri_parse(url, &uri) && (uri.secure || uri_is_loopback(&uri)) &&
           !strpbrk(url, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

bool page_is_code(const char *code)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._";

    return *code != '\0' && code[strspn(code, allowed)] == '\0';
}
