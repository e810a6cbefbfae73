/*
 * link.c - see link.h.
 */
#include "authd/credential/link.h"

#include <string.h>

enum { LINK_SECRET_SIZE = 32 }; /* random bytes */

const char *link_page(struct arena *arena, const char *app, const char *page)
{
    const char *slash = app[0] != '\0' && app[strlen(app) - 1] == '/' ? "" : "/";

    return arena_printf(arena, "%s%s%s", app, slash, page);
}

void link_new(struct arena *arena, const char *app, const char *page, struct uuid id,
              struct link *ret)
{
    const char *secret = secret_random_text(arena, LINK_SECRET_SIZE);

    ret->secret = secret;
    secret_hash(secret, ret->hash);
    ret->url = !app ? NULL
                    : arena_printf(arena, "%s?id=%s&secret=%s", link_page(arena, app, page),
                                   id.text, secret);
}

int link_invalid(struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST, "The link is invalid or has expired.");
}

int link_require(int rows, struct error *err)
{
    if (rows == 0)
        return link_invalid(err);
    return rows < 0 ? -1 : 0;
}
