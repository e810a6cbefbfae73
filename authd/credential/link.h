/*
 * link.h - links that are mailed: a page of an application, with an id and a secret by which
 * set_password knows what it is asked for.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_LINK_H
#define ATRIUM_AUTHD_CREDENTIAL_LINK_H

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/base/secret.h"
#include "common/base/uuid.h"

struct link {
    const char *url;
    const char *secret;
    uint8_t hash[SECRET_HASH_SIZE]; /* of the secret, which is stored nowhere */
};

/* "<app>/<page>", with one slash between them; from the arena. app: an absolute URL. */
const char *link_page(struct arena *arena, const char *app, const char *page);

/* A link with a new secret of 256 random bits: "<app>/<page>?id=<id>&secret=<secret>". app NULL:
 * its url is NULL, there are no pages that it could lead to. */
void link_new(struct arena *arena, const char *app, const char *page, struct uuid id,
              struct link *ret);

/* The answer to a link that is not good, whatever the reason: ERR_BAD_REQUEST.
 * Returns -1. */
int link_invalid(struct error *err);

/* For a statement that finds or redeems a link: 0 when `rows`, its result, is positive, -1 when it
 * failed, link_invalid() when there was none. */
int link_require(int rows, struct error *err) MUST_USE;

#endif
