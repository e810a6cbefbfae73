/*
 * fuzz_email.c - canonical email addresses and domains. Input: one text.
 */
#include <ctype.h>
#include <string.h>

#include "common/wire/codec.h"
#include "tests/fuzz/fuzz.h"

enum { EMAIL_MAX = 254, LOCAL_MAX = 64 };

static void require_plain(const char *text)
{
    for (; *text; text++)
        FUZZ_REQUIRE(*text > ' ' && *text <= '~' && !isupper((unsigned char)*text));
}

static void check_email(struct arena *arena, char *text, const char *email)
{
    const char *at = strchr(email, '@'), *again = fields_email(arena, email), *domain;

    require_plain(email);
    FUZZ_REQUIRE(strlen(email) <= EMAIL_MAX);
    FUZZ_REQUIRE(at && !strchr(at + 1, '@') && at > email && at - email <= LOCAL_MAX);
    FUZZ_REQUIRE(again && strcmp(again, email) == 0);
    domain = fields_domain(arena, at + 1);
    FUZZ_REQUIRE(domain && strcmp(domain, at + 1) == 0);
    for (char *c = text; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    again = fields_email(arena, text);
    FUZZ_REQUIRE(again && strcmp(again, email) == 0);
}

int fuzz_email(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *text = fuzz_text(data, size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *email, *domain, *again;

    if (!codec_is_text(text, strlen(text)))
        return 0;
    domain = fields_domain(arena, text);
    if (domain) {
        require_plain(domain);
        again = fields_domain(arena, domain);
        FUZZ_REQUIRE(again && strcmp(again, domain) == 0);
    }
    email = fields_email(arena, text);
    if (email)
        check_email(arena, text, email);
    return 0;
}
