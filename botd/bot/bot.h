/* bot.h - a registered bot (bot.c), for execute.c. */
#ifndef ATRIUM_BOTD_BOT_BOT_H
#define ATRIUM_BOTD_BOT_BOT_H

#include "botd/bot/program.h"
#include "botd/botd.h"
#include "common/service/fetch.h"

struct found_bot {
    struct uuid id;
    const char *url, *program; /* exactly one of the two is set */
    int64_t timeout_ms, version;
    bool warm;
    struct field_bytes secrets_sealed, signing_sealed;
};
extern const struct field_table found_bot_table;

#define BOT_SECRETS_PURPOSE "bot secrets"
#define BOT_SIGNING_PURPOSE "bot signing secret"

/* Returns the secret of a bot of an earlier release, which stored none. `row` ends with the bot's
 * id. */
const char *bot_signing_missing(const struct seal_keys *keys, struct arena *arena, const char *row);

/* Returns a bot's signing secret; the caller erases it. ERR_INTERNAL: no key opens it. */
int bot_signing_open(struct botd *d, const struct request *req, struct uuid bot,
                     struct field_bytes sealed, const char **ret, struct error *err) MUST_USE;

/* Returns "X-Atrium-Signature: t=<seconds>,v1=<hex>": HMAC-SHA256 with the bot's signing secret
 * over the time, a full stop and the body. */
const char *bot_signature(const struct request *req, const char *secret, const char *body);

#endif
