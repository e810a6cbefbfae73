/*
 * page.c - see page.h.
 */
#include "common/domain/page.h"

#include <ctype.h>
#include <string.h>

static const struct field page_visit_rows[] = {
    FIELD_TEXT(struct page_visit, url, 1, 4096, FIELD_REQUIRED, "The gateway's address.",
               "https://id.example.org"),
    FIELD_TEXT(struct page_visit, cookie, 1, PAGE_COOKIE_MAX, FIELD_REQUIRED | FIELD_SECRET,
               "The browser's cookie.", ""),
    FIELD_TEXT(struct page_visit, formToken, 1, 256, FIELD_REQUIRED, "For forms.", ""),
    FIELD_TEXT(struct page_visit, languages, 0, 8192, 0, "Accept-Language.", "de, en;q=0.8"),
    FIELD_TEXT(struct page_visit, next, 0, PAGE_NEXT_MAX, FIELD_SECRET, "Where it goes on to.", ""),
    FIELD_BOOL(struct page_visit, own, false, 0, "Whether a form came from such a page."),
    FIELD_BOOL(struct page_visit, isNew, false, 0, "Whether the cookie is of this request."),
    FIELD_BOOL(struct page_visit, stale, false, 0, "Whether the cookie has changed since."),
    FIELD_TEXT(struct page_visit, submission, 1, 64, 0, "Which form of this browser it is.", ""),
};
FIELD_TABLE(page_visit);

static const struct field page_answer_rows[] = {
    FIELD_INT(struct page_answer, status, 200, 599, 0, FIELD_REQUIRED, "Status.", "200"),
    FIELD_TEXT(struct page_answer, location, 0, 8192, 0, "Where the browser goes.", "/t/demo"),
    FIELD_TEXT(struct page_answer, html, 0, PAGE_HTML_MAX, 0, "The page.", ""),
    FIELD_TEXT(struct page_answer, policy, 0, 4096, 0, "Its content security policy.", ""),
    FIELD_TEXT(struct page_answer, cookie, 0, PAGE_COOKIE_MAX, 0, "The browser's new cookie.", ""),
    FIELD_TEXT(struct page_answer, cookieTenant, 1, 64, 0, "The tenant that it is for.", "demo"),
    FIELD_INT(struct page_answer, retryAfter, 0, INT32_MAX, 0, FIELD_OMIT_ZERO, "Seconds.", "60"),
    FIELD_OBJECT(struct page_answer, content, content, 0, "A file in the place of the page."),
};
FIELD_TABLE(page_answer);

static bool is_loopback(const char *host, size_t length)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (strlen(names[i]) == length && memcmp(names[i], host, length) == 0)
            return true;
    }
    return false;
}

bool page_is_origin(const char *url)
{
    bool secure = strncmp(url, "https://", 8) == 0;
    const char *host = url + (secure ? 8 : 7), *port;
    size_t length;

    if (!secure && strncmp(url, "http://", 7) != 0)
        return false;
    length = host[0] == '[' ? strspn(host + 1, "0123456789abcdef:.") + 2
                            : strspn(host, "abcdefghijklmnopqrstuvwxyz0123456789.-");
    if (length == 0 || (host[0] == '[' && host[length - 1] != ']'))
        return false;
    port = host + length;
    if (port[0] == ':' && (!isdigit((unsigned char)port[1]) || strlen(port) > 6 ||
                           port[1 + strspn(port + 1, "0123456789")] != '\0'))
        return false;
    return (port[0] == ':' || port[0] == '\0') && (secure || is_loopback(host, length));
}

bool page_is_code(const char *code)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._";

    return *code != '\0' && code[strspn(code, allowed)] == '\0';
}
