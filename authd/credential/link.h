/*
 * link.h - emailed links to an application's page, with an id and a secret for set_password.
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
    uint8_t hash[SECRET_HASH_SIZE]; /* the secret itself isn't stored */
};

/* Returns "<app>/<page>" with one slash in between. `app`: absolute URL. */
const char *link_page(struct arena *arena, const char *app, const char *page);

/* Makes "<app>/<page>?id=<id>&secret=<secret>" with 256 random bits. `app` NULL: makes a secret but
 * no URL. */
void link_new(struct arena *arena, const char *app, const char *page, struct uuid id,
              struct link *ret);

/* Fails with ERR_BAD_REQUEST, the same for every invalid link. */
int link_invalid(struct error *err);

/* Checks the result of a statement that finds or redeems a link. Returns -1 if it failed (`rows` is
 * negative), or calls link_invalid() if it found none (0). */
int link_require(int rows, struct error *err) MUST_USE;

#endif
