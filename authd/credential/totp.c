/*
 * totp.c - see totp.h.
 */
#include "authd/credential/totp.h"

#include <assert.h>
#include <liboath/oath.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

void totp_open(void)
{
    UNUSED int rc = oath_init();

    assert(rc == OATH_OK);
}

int64_t totp_step(const uint8_t *secret, size_t size, const char *code, int64_t now_ms)
{
    uint64_t step = 0;
    int position;

    /* liboath accepts seven and eight digits too */
    if (strlen(code) != TOTP_DIGITS || strspn(code, "0123456789") != TOTP_DIGITS || now_ms < 0)
        return -1;
    if (oath_totp_validate3((const char *)secret, size, now_ms / 1000, TOTP_STEP_S,
                            OATH_TOTP_DEFAULT_START_TIME, TOTP_WINDOW, &position, &step, code) < 0)
        return -1;
    return (int64_t)step;
}

size_t totp_decode(const char *text, uint8_t ret[static TOTP_SECRET_MAX])
{
    char *secret = NULL;
    size_t size = 0;

    if (oath_base32_decode(text, strlen(text), &secret, &size) != OATH_OK)
        return 0;
    if (size < TOTP_SECRET_MIN || size > TOTP_SECRET_MAX)
        size = 0;
    memcpy(ret, secret, size);
    sodium_memzero(secret, size);
    free(secret);
    return size;
}

/* Percent-encodes all reserved characters (RFC 3986, section 2.3). */
static const char *escape(struct arena *arena, const char *text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    static const char hex[] = "0123456789ABCDEF";
    char *out = arena_alloc(arena, strlen(text) * 3 + 1), *to = out;

    for (const char *at = text; *at != '\0'; at++) {
        if (strchr(plain, *at)) {
            *to++ = *at;
        } else {
            *to++ = '%';
            *to++ = hex[(uint8_t)*at >> 4];
            *to++ = hex[(uint8_t)*at & 15];
        }
    }
    return out;
}

const char *totp_url(struct arena *arena, const uint8_t secret[static TOTP_SECRET_SIZE],
                     const char *issuer, const char *account)
{
    const char *name = escape(arena, issuer), *url;
    char *base32 = NULL;
    UNUSED int rc = oath_base32_encode((const char *)secret, TOTP_SECRET_SIZE, &base32, NULL);

    assert(rc == OATH_OK); /* fails only if there is no memory */
    url = arena_printf(arena,
                       "otpauth://totp/%s:%s?secret=%s&issuer=%s&algorithm=SHA1&digits=6&period=30",
                       name, escape(arena, account), base32, name);
    sodium_memzero(base32, strlen(base32));
    free(base32);
    return url;
}
