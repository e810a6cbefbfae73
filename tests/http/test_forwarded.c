/*
 * test_forwarded.c - the URL for upload forms: public_url, otherwise the request's host, or a
 * trusted proxy's header.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/document.h"
#include "tests/support/unit.h"

static struct suite *suite;

#define FAMILY "X-Forwarded-Proto: https", "X-Forwarded-Host: api.example.org"
#define STANDARD "Forwarded: for=192.0.2.7;proto=https;host=\"api.example.org:8443\""

struct row {
    const char *headers[4];
    const char *url; /* NULL: the suite's own */
};

static void check(const struct row *rows, size_t count)
{
    PERSON patient = person_register(suite, NULL);

    for (size_t i = 0; i < count; i++) {
        char own[128];
        struct http_request request = {
            .method = "POST",
            .path = "/document",
            .bearer = patient->access,
            .body = json_pack("{s:s, s:s}", "fileName", "a", "contentType", "a/b"),
        };

        for (size_t k = 0; k < ARRAY_SIZE(rows[i].headers); k++)
            request.headers[k] = rows[i].headers[k];
        snprintf(own, sizeof(own), "%s/storage/documents", suite_url(suite));
        HTTP_ANSWER made = http_call(suite_url(suite), &request);
        CHECK_STATUS(made, 200);
        UNIT_CHECK(strcmp(http_text(made, "uploadOptions.url"), rows[i].url ? rows[i].url : own) ==
                       0,
                   "%zu: %s", i, http_text(made, "uploadOptions.url"));
    }
}

static void without_a_trusted_proxy_headers_are_ignored(void)
{
    static const struct row rows[] = {{{NULL}, NULL}, {{FAMILY}, NULL}, {{STANDARD}, NULL}};

    check(rows, ARRAY_SIZE(rows));
}

static void a_trusted_proxy_is_believed(void)
{
    static const struct row rows[] = {
        {{NULL}, NULL},
        {{FAMILY}, "https://api.example.org/storage/documents"},
        {{"X-Forwarded-Proto: https", "Host: own.example.org"},
         "https://own.example.org/storage/documents"},
        {{"X-Forwarded-Proto: http, https", "X-Forwarded-Host: evil.example.org",
          "X-Forwarded-Host: api.example.org"},
         "https://api.example.org/storage/documents"},
        {{"X-Forwarded-Proto: javascript"}, NULL},
        {{STANDARD}, NULL},
    };

    suite_reconfigure(suite, "gateway.trusted_proxies=127.0.0.0/8");
    check(rows, ARRAY_SIZE(rows));
}

static void one_header_is_believed(void)
{
    static const struct row rows[] = {
        {{STANDARD}, "https://api.example.org:8443/storage/documents"},
        {{"Forwarded: proto=http;host=evil.example.org, Proto=https; host=api.example.org"},
         "https://api.example.org/storage/documents"},
        {{FAMILY}, NULL},
    };

    suite_reconfigure(suite,
                      "gateway.trusted_proxies=127.0.0.0/8,gateway.forwarded_header=Forwarded");
    check(rows, ARRAY_SIZE(rows));
}

static void public_url_wins(void)
{
    static const struct row rows[] = {
        {{NULL}, "https://public.example.org/storage/documents"},
        {{FAMILY}, "https://public.example.org/storage/documents"},
    };

    suite_reconfigure(suite, "gateway.trusted_proxies=127.0.0.0/8,"
                             "docd.public_url=https://public.example.org");
    check(rows, ARRAY_SIZE(rows));
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(without_a_trusted_proxy_headers_are_ignored),
    CASE(a_trusted_proxy_is_believed),
    CASE(one_header_is_believed),
    CASE(public_url_wins),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){0});
    return unit_run("forwarded", cases, ARRAY_SIZE(cases));
}
