/*
 * test_authd_sign_in.c - pure parts of sign-in: PKCE, refresh tokens, the dummy hash, User-Agents.
 */
#include <CUnit/CUnit.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "authd/credential/challenge.h"
#include "authd/credential/password.h"
#include "authd/credential/password_mixture.h"
#include "authd/credential/user_agent.h"
#include "authd/session/refresh_token.h"
#include "common/domain/password_scheme.h"
#include "tests/support/unit.h"

static void test_a_challenge_is_the_hash_of_its_verifier(void)
{
    static const struct {
        const char *label, *challenge, *verifier;
        bool want;
    } rows[] = {
        {"RFC 7636, appendix B", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
         "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", true},
        {"another verifier", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
         "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXl", false},
        {"plain is no method", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
         "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", false},
        {"shorter", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c",
         "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", false},
        {"empty", "", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", false},
        /* lengths and characters that RFC 7636, section 4.1 excludes */
        {"of 42 characters", "elOGB_2quSlplZKfRRVlu7gULhhEEXMiqv0rPXawGv8",
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
        {"of 128 characters", "aDbPE7rEAOkQUHHNavRwhN-srU5eMCyUv-0k4BOvtz4",
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         true},
        {"of 129 characters", "wSywJKLlVRzKDgj86PHF4xRVXMP-9jKe6ZSj23UhZq4",
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         false},
        {"with a plus", "rIuAzvG1S9I4oQcr5j9HXgJA4ycvBd9rNF3bOwc1MG0",
         "dBjftJeZ4CVP+mB92K27uhbUJU1p1r_wW1gFWFOEjXk", false},
        {"with a blank", "M80AEd2fYoJcAW459Io8uvdlW7-paVscKhmHq8LFrbw",
         "dBjftJeZ4CVP mB92K27uhbUJU1p1r_wW1gFWFOEjXk", false},
        {"with padding", "20xwJMOrFO1xeQ7yiiV7MYQenAHee4IKa0W722ftl88",
         "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk=", false},
        {"with a letter beyond ASCII", "RUtC4zwsHurOVLGA5tTSfLXawQG63URJ7Jmgs69grb0",
         "dBjftJeZ4CVPämB92K27uhbUJU1p1r_wW1gFWFOEjXk", false},
        {"of all that it may have", "bOhbeKLQHcR0Q0lSnhlCqaWe5bmUisg9zce2EIRpw7g",
         "-._~ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghi", true},
        {"empty", "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", "", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        UNIT_CHECK(challenge_matches(rows[i].challenge, rows[i].verifier) == rows[i].want, "%s",
                   rows[i].label);
}

static void test_a_refresh_token_is_read_as_it_was_made(void)
{
    struct seal_keys key = unit_seal_keys(1), other = unit_seal_keys(2);
    struct secret a, b;
    struct uuid project = uuid_random(), session = uuid_random();
    struct refresh_token made, next, read;

    refresh_token_new(&key, project, session, &made);
    refresh_token_new(&key, project, session, &next);
    CU_ASSERT_EQUAL(strlen(made.text), REFRESH_TEXT_SIZE - 1);
    CU_ASSERT_STRING_NOT_EQUAL(made.text, next.text);
    CU_ASSERT_EQUAL(refresh_token_parse(made.text, &read), 0);
    CU_ASSERT_TRUE(uuid_equal(&read.project, &project));
    CU_ASSERT_TRUE(uuid_equal(&read.session, &session));
    CU_ASSERT_EQUAL(memcmp(read.hash, made.hash, sizeof(made.hash)), 0);
    CU_ASSERT_TRUE(refresh_token_genuine(&read, &key, 1));
    CU_ASSERT_FALSE(refresh_token_genuine(&read, &other, 1));

    refresh_token_successor_key(&made, &a);
    refresh_token_successor_key(&next, &b);
    CU_ASSERT_EQUAL(a.length, SEAL_KEY_SIZE);
    CU_ASSERT_NOT_EQUAL(memcmp(a.bytes, b.bytes, SEAL_KEY_SIZE), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(a.bytes, made.hash, SEAL_KEY_SIZE), 0);
}

static void test_a_damaged_refresh_token_is_not_genuine(void)
{
    struct seal_keys key = unit_seal_keys(1);
    struct refresh_token made, read;

    refresh_token_new(&key, uuid_random(), uuid_random(), &made);
    for (size_t i = 0; i < REFRESH_TEXT_SIZE - 1; i++) {
        char text[REFRESH_TEXT_SIZE];

        memcpy(text, made.text, sizeof(text));
        text[i] = text[i] == 'A' ? 'Q' : 'A';
        UNIT_CHECK(refresh_token_parse(text, &read) < 0 || !refresh_token_genuine(&read, &key, 1),
                   "character %zu", i);
    }
    made.text[REFRESH_TEXT_SIZE - 2] = '\0';
    CU_ASSERT_EQUAL(refresh_token_parse(made.text, &read), -1);
    CU_ASSERT_EQUAL(refresh_token_parse("", &read), -1);
    memset(made.text, '=', REFRESH_TEXT_SIZE - 1);
    CU_ASSERT_EQUAL(refresh_token_parse(made.text, &read), -1);
}

static void test_the_dummy_hash_costs_what_a_real_one_costs(void)
{
    struct arena *arena = arena_new();
    const char *hash = password_dummy(arena);

    CU_ASSERT_EQUAL(crypto_pwhash_str_needs_rehash(hash, PASSWORD_OPSLIMIT, PASSWORD_MEMLIMIT), 0);
    CU_ASSERT_NOT_EQUAL(crypto_pwhash_str_verify(hash, "", 0), 0);
    CU_ASSERT_STRING_NOT_EQUAL(hash, password_dummy(arena));
    CU_ASSERT_EQUAL(strncmp(hash, PASSWORD_HASH_PREFIX, strlen(PASSWORD_HASH_PREFIX)), 0);
    arena_destroy(&arena);
}

static void test_browsers_and_systems_are_recognised(void)
{
    static const struct {
        const char *text, *browser, *os;
    } rows[] = {
        {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
         "Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0",
         "Edge", "Windows"},
        {"Mozilla/5.0 (X11; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0", "Firefox",
         "Linux"},
        {"Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
         "Gecko) Version/17.2 Mobile/15E148 Safari/604.1",
         "Safari", "iOS"},
        {"Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
         "Gecko) CriOS/120.0 Mobile/15E148 Safari/604.1",
         "Chrome", "iOS"},
        {"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) "
         "Chrome/120.0.0.0 Safari/537.36",
         "Chrome", "macOS"},
        {"Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) "
         "SamsungBrowser/23.0 Chrome/115.0 Mobile Safari/537.36",
         "Samsung Internet", "Android"},
        {"curl/7.88.1", "curl", NULL},
        {"", NULL, NULL},
        {"<script>alert(1)</script>", NULL, NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *browser = user_agent_browser(rows[i].text), *os = user_agent_os(rows[i].text);

        UNIT_CHECK((!browser) == (!rows[i].browser) &&
                       (!browser || strcmp(browser, rows[i].browser) == 0),
                   "browser of %s", rows[i].text);
        UNIT_CHECK((!os) == (!rows[i].os) && (!os || strcmp(os, rows[i].os) == 0), "system of %s",
                   rows[i].text);
    }
}

static void test_a_scrambled_hash_keeps_its_scheme(void)
{
    static const char *const hashes[] = {
        "$argon2d$v=19$m=4096,t=3,p=1$Lj/Od8+MTHR4qW0gfBw5cQ$"
        "+N+zRArSSLxTnfwJXGTyaXqsOi/ZlX9rdl4ey+E874M",
        "$2y$06$Jh9Mb68KRFP2oUyed/u3aOY6lbYm90VZn1dJoK9KaKqQGJYBo4VtC",
        "bcrypt$$2b$06$Jh9Mb68KRFP2oUyed/u3aOY6lbYm90VZn1dJoK9KaKqQGJYBo4VtC",
        "$pbkdf2-sha1$i=50000$Lj/Od8+MTHR4qW0gfBw5cQ==$pjZM4MrxI+wYfBuQXKxoQE9x7KE=",
        "pbkdf2_sha256$9$salt$3lC0ka+5IUGvoZ2KCoq182CencNrb9tTXpgPSvYo53A=",
        "$6$abcdefgh$E."
        "zEbhCVsARL5qFVN0YAyYlLNeY7R26PHT68UmiwwSHP5O8KDB1makgsfPpF8ZQ89T8YvBLD6zVd2lF5"
        "VaMt/.",
    };

    for (size_t i = 0; i < ARRAY_SIZE(hashes); i++) {
        char dummy[PASSWORD_SCHEME_TEXT_MAX + 1];
        struct password_scheme want, got;
        const char *why = "";

        snprintf(dummy, sizeof(dummy), "%s", hashes[i]);
        password_mixture_scramble(dummy);
        UNIT_CHECK(strcmp(dummy, hashes[i]) != 0, "%s", hashes[i]);
        if (!UNIT_CHECK(password_scheme_parse(hashes[i], &want, &why) == 0 &&
                            password_scheme_parse(dummy, &got, &why) == 0,
                        "%s: %s", dummy, why))
            continue;
        UNIT_CHECK(got.algorithm == want.algorithm && got.cost_ms == want.cost_ms &&
                       got.rounds == want.rounds && got.salt.size == want.salt.size &&
                       got.hash.size == want.hash.size,
                   "%s", dummy);
        UNIT_CHECK(memcmp(got.hash.bytes, want.hash.bytes, got.hash.size) != 0, "%s", dummy);
    }
}

static void test_counting_hashes_leaves_time_for_others(void)
{
    CU_ASSERT_TRUE(password_mixture_is_due(5000, 0, true));
    CU_ASSERT_FALSE(password_mixture_is_due(5000, 0, false));
    CU_ASSERT_TRUE(password_mixture_is_due(PASSWORD_MIXTURE_PERIOD, 0, false));
    CU_ASSERT_FALSE(password_mixture_is_due(PASSWORD_MIXTURE_PERIOD - 1, 0, false));
    CU_ASSERT_FALSE(password_mixture_is_due(11999, 4000, true));
    CU_ASSERT_TRUE(password_mixture_is_due(12000, 4000, true));
    CU_ASSERT_TRUE(password_mixture_is_due(PASSWORD_MIXTURE_PERIOD, MINUTES(4), true));
}

static const struct unit_case cases[] = {
    CASE(test_a_challenge_is_the_hash_of_its_verifier),
    CASE(test_a_refresh_token_is_read_as_it_was_made),
    CASE(test_a_damaged_refresh_token_is_not_genuine),
    CASE(test_the_dummy_hash_costs_what_a_real_one_costs),
    CASE(test_a_scrambled_hash_keeps_its_scheme),
    CASE(test_counting_hashes_leaves_time_for_others),
    CASE(test_browsers_and_systems_are_recognised),
};

int main(void)
{
    return sodium_init() < 0 ? 1 : unit_run("authd sign-in", cases, ARRAY_SIZE(cases));
}
