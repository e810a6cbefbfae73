/*
 * arrival.c - see arrival.h.
 */
#include "authd/arrival.h"

#include <sodium.h>
#include <string.h>

#include "authd/mail.h"
#include "authd/tenant.h"
#include "common/address.h"

enum { KEY_SIZE = ARRIVAL_KEYS_SIZE / 2 };

static void make_key(const struct authd *d, const char *kind, struct uuid account, const char *what,
                     uint8_t ret[static KEY_SIZE])
{
    const char *parts[] = {kind, account.text, what};
    crypto_generichash_state state;

    crypto_generichash_init(&state, d->svc.seal_key.bytes, d->svc.seal_key.length, KEY_SIZE);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        crypto_generichash_update(&state, (const uint8_t *)parts[i], strlen(parts[i]) + 1);
    crypto_generichash_final(&state, ret, KEY_SIZE);
    sodium_memzero(&state, sizeof(state));
}

void arrival_keys(const struct authd *d, const struct request *req, struct uuid account,
                  uint8_t ret[static ARRIVAL_KEYS_SIZE])
{
    struct address_subjects subjects;

    address_subjects_of(req->address, &subjects);
    make_key(d, "arrival address", account, subjects.items[0].text, ret);
    make_key(d, "arrival agent", account, req->userAgent, ret + KEY_SIZE);
}

static const char *or_unknown(const char *text)
{
    return text != NULL ? text : "unknown";
}

static int queue_mail(struct authd *d, const struct request *req, const struct mail *mail,
                      struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct outbox_row row = mail_row(d, req, mail);

    if (db_query(d->svc.db, req, SQL_OUTBOX_PUT, &res, err, DB_OUTBOX(row)) < 0)
        return -1;
    outbox_kick(d->svc.outbox);
    return 0;
}

void arrival_report(struct authd *d, const struct request *req, const struct session_draft *draft,
                    const char *email, const char *display)
{
    struct tenant tenant;
    struct error err;
    char when[25];
    struct mail mail = {.template = "NEW_SIGN_IN",
                        .tenant = &tenant,
                        .to = email,
                        .display = display,
                        .variables = {{"when", when},
                                      {"browser", or_unknown(draft->browser)},
                                      {"os", or_unknown(draft->os)},
                                      {"address", req->address}}};

    clock_format_iso(req->now_ms, when);
    error_init(&err, req->arena);
    if (tenant_open_id(d, req, draft->refresh.project, &tenant, &err) < 0 ||
        queue_mail(d, req, &mail, &err) < 0)
        log_event(LOG_WARNING, "session", "a new sign-in was not reported to its owner", "trace",
                  req->trace, NULL);
}
