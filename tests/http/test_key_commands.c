/*
 * test_key_commands.c - `atriumctl keys rotate` and ending of sessions: the effect on tokens.
 */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

/* On a test clock each authd reads the keys twice a second. */
enum { KEYS_KNOWN_MS = 5000, KEYS_KNOWN_US = 1000000 };

static struct suite *suite;

/* Returns the base64url header of a token, which differs between keys. */
static char *header_of(const char *token)
{
    return strndup(token, strcspn(token, "."));
}

static size_t count_api_keys(const json_t *keys)
{
    size_t i, count = 0;
    json_t *key;

    json_array_foreach(keys, i, key) count += !json_object_get(key, "use");
    return count;
}

static void rotated_keys_sign_old_tokens_last(void)
{
    PERSON before = person_register(suite, NULL);
    PROGRAM listed = ATRIUMCTL(suite, NULL, "keys", "list", "--json");
    CHECK_EXIT(listed, DONE);
    size_t count = json_array_size(listed->json) + 1;
    PROGRAM rotated = ATRIUMCTL(suite, NULL, "keys", "rotate", "--json");
    CHECK_EXIT(rotated, DONE);
    CU_ASSERT_EQUAL(json_array_size(rotated->json), count);
    CU_ASSERT_PTR_NULL(strstr(rotated->out, "PRIVATE"));
    HTTP_ANSWER jwks = http_get(suite_url(suite), "/.well-known/jwks.json", NULL);
    CHECK_STATUS(jwks, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(jwks, "keys")), count_api_keys(rotated->json));
    json_t *key;
    size_t i;
    json_array_foreach(rotated->json, i, key)
    {
        const char *kid = json_string_value(json_object_get(key, "kid"));

        UNIT_CHECK(kid && !strstr(jwks->body, kid) == !!json_object_get(key, "use"), "%s",
                   jwks->body);
    }

    /* The new key signs after ten seconds, when every gateway can have it. */
    char *old = header_of(before->access);
    PERSON meanwhile = person_register(suite, NULL);
    char *still = header_of(meanwhile->access);
    CU_ASSERT_STRING_EQUAL(old, still);
    suite_set_clock(suite, 12);
    PERSON after = person_register(suite, NULL);
    /* The other instance reads the keys twice a second, but may be late on an overloaded
     * machine. */
    for (int64_t limit = clock_mono_ms() + KEYS_KNOWN_MS;
         strncmp(after->access, old, strlen(old)) == 0 && clock_mono_ms() < limit;) {
        person_destroy(&after);
        after = person_register(suite, NULL);
    }
    char *new = header_of(after->access);
    CU_ASSERT_STRING_NOT_EQUAL(old, new);
    usleep(KEYS_KNOWN_US); /* both instances have it by then; either can serve the next requests */
    for (int round = 0; round < 4; round++) {
        PERSON more = person_register(suite, NULL);
        CU_ASSERT_EQUAL(strncmp(more->access, new, strlen(new)), 0);
    }
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", after->access), 200);
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", before->access), 200);
    suite_set_clock(suite, 0);
    free(old);
    free(still);
    free(new);
}

static void the_operator_ends_sessions(void)
{
    PERSON patient = person_register(suite, NULL);
    PERSON second = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    PERSON other = person_register(suite, NULL);

    PROGRAM list = ATRIUMCTL(suite, NULL, "session", "list", "--email", patient->email, "--json");
    CHECK_EXIT(list, DONE);
    CU_ASSERT_EQUAL(json_array_size(list->json), 2);
    CU_ASSERT_STRING_EQUAL(program_text(list, "0.authMethod"), "password");
    PROGRAM elsewhere = ATRIUMCTL(suite, NULL, "session", "revoke", "--email", patient->email,
                                  "--project", "nobody");
    CHECK_REFUSED(elsewhere, FAILED, "Tenant not found.");
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", patient->access), 200);
    PROGRAM unknown =
        ATRIUMCTL(suite, NULL, "session", "revoke", "--email", "nobody@patients.example");
    CHECK_REFUSED(unknown, FAILED, "Account not found.");
    PROGRAM revoked =
        ATRIUMCTL(suite, NULL, "session", "revoke", "--email", patient->email, "--json");
    CHECK_EXIT(revoked, DONE);
    CU_ASSERT_EQUAL(json_array_size(revoked->json), 0);
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", patient->access), 401);
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", second->access), 401);
    HTTP_ANSWER refresh = suite_refresh(suite, patient->refresh);
    CHECK_STATUS(refresh, 401);
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", other->access), 200);
    PERSON again = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    CU_ASSERT_EQUAL(again->status, 200);
    PROGRAM stranger = ATRIUMCTL(suite, NULL, "session", "list", "--email", "no@body.example");
    CHECK_EXIT(stranger, DONE);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(rotated_keys_sign_old_tokens_last),
    CASE(the_operator_ends_sessions),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2", .test_clock = true});
    return unit_run("key commands", cases, ARRAY_SIZE(cases));
}
