/*
 * bot.h - what execute.c needs to know of a registered bot (bot.c).
 */
#ifndef ATRIUM_BOTD_BOT_H
#define ATRIUM_BOTD_BOT_H

#include "botd/botd.h"
#include "botd/fetch.h"
#include "botd/program.h"

/* What a bot's secrets are sealed for. */
#define BOT_SECRETS_PURPOSE "bot secrets"

/* The header "X-Atrium-Signature: t=<seconds>,v1=<hex>" of a call: HMAC-SHA256 with the bot's signing secret over the
 * time, a full stop and the body, so that the receiver knows who calls, with what, and when. From the arena. */
const char *bot_signature(struct botd *d, const struct request *req, struct uuid bot,
                          const char *body);

#endif
