/*
 * test_settingsd_client.c - client registrations as stored.
 */
#include <string.h>

#include "settingsd/client_api.h"
#include "settingsd/client_settings.h"
#include "tests/support/unit.h"

static struct arena *arena;

static struct oauth_settings web(void)
{
    static const char *uris[] = {"https://web.example/cb"}, *scopes[] = {"openid", "email"};

    return (struct oauth_settings){.type = "confidential",
                                   .authMethod = CLIENT_AUTH_SECRET_BASIC,
                                   .redirectUris = {uris, 1},
                                   .scopes = {scopes, 2},
                                   .idTokenClaims = {&scopes[1], 1},
                                   .firstParty = true};
}

static void what_is_written_is_read(void)
{
    const struct oauth_settings settings = web();
    struct oauth_settings read;
    const char *text = NULL;
    struct error err;

    error_init(&err, arena);
    CU_ASSERT_EQUAL(client_settings_print(arena, &settings, &text, &err), 0);
    client_settings_read(arena, text, &read);
    CU_ASSERT_EQUAL(read.authMethod, CLIENT_AUTH_SECRET_BASIC);
    CU_ASSERT_STRING_EQUAL(read.redirectUris.items[0], "https://web.example/cb");
    CU_ASSERT_STRING_EQUAL(read.idTokenClaims.items[0], "email");
    CU_ASSERT_TRUE(read.firstParty);
}

/* An empty object would be stored as a public client. */
static void what_cannot_be_written_is_an_error(void)
{
    struct oauth_settings settings = web();
    const char *text = NULL;
    struct error err;

    error_init(&err, arena);
    settings.tosVersion = "\xff"; /* invalid UTF-8 */
    CU_ASSERT_EQUAL(client_settings_print(arena, &settings, &text, &err), -1);
    CU_ASSERT_EQUAL(err.code, ERR_INTERNAL);
    CU_ASSERT_PTR_NULL(text);
}

static void registrations_are_compared_by_what_they_say(void)
{
    struct oauth_settings one = web(), other = web();

    CU_ASSERT_TRUE(client_settings_equal(arena, &one, &other));
    other.scopes.count = 1;
    CU_ASSERT_FALSE(client_settings_equal(arena, &one, &other));
    other = web();
    one.tosVersion = other.tosVersion = "\xff"; /* invalid UTF-8, but still different */
    other.firstParty = false;
    CU_ASSERT_FALSE(client_settings_equal(arena, &one, &other));
}

static const struct unit_case cases[] = {
    CASE(what_is_written_is_read),
    CASE(what_cannot_be_written_is_an_error),
    CASE(registrations_are_compared_by_what_they_say),
};

int main(void)
{
    int result;

    arena = arena_new();
    result = unit_run("settingsd clients", cases, ARRAY_SIZE(cases));
    arena_destroy(&arena);
    return result;
}
