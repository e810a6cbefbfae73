/*
 * dev_mail.c - see dev_mail.h.
 */
#include "gateway/endpoint/dev_mail.h"

#include "common/base/file.h"
#include "gateway/endpoint/exchange.h"

enum { PAGE_MAX = 4 * 1024 * 1024 };

void dev_mail_serve(struct exchange *exchange)
{
    static const struct answer_header more[] = {
        {"Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; "
                                    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {NULL, NULL},
    };
    const char *dir = exchange->gateway->service.common->run_dir;
    CLEANUP(file_close)
    FILE *file = fopen(arena_printf(exchange->arena, "%s/mail.html", dir), "re");
    char *page = arena_alloc_raw(exchange->arena, PAGE_MAX);
    struct answer answer = {.status = 200,
                            .body = page,
                            .content_type = "text/html; charset=utf-8",
                            .page = true,
                            .more = more};

    if (!file) {
        (void)error_set(&exchange->err, ERR_NOT_FOUND, "No email was captured yet.");
        exchange_fail(exchange, NULL);
        return;
    }
    answer.size = fread(page, 1, PAGE_MAX, file);
    exchange_reply(exchange, &answer);
}
