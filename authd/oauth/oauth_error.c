/*
 * oauth_error.c - see oauth_error.h.
 */
#include "authd/oauth/oauth_error.h"

#include <string.h>

int oauth_fail(struct error *err, enum error_code code, const char *word, const char *text)
{
    (void)error_set(err, code, "%s", text);
    error_member(err, OAUTH_WORD, word);
    return -1;
}

const char *oauth_word(const struct error *err)
{
    for (const struct error_item *item = err->members; item; item = item->next)
        if (strcmp(item->name, OAUTH_WORD) == 0)
            return item->value;
    return NULL;
}

int oauth_fail_challenge(struct error *err, const char *challenge)
{
    error_member(err, OAUTH_CHALLENGE, challenge);
    return -1;
}

int oauth_fail_nonce(struct error *err, const char *nonce)
{
    error_member(err, OAUTH_NONCE, nonce);
    return -1;
}
