/*
 * test_maild_webhook_sign.c - Standard Webhooks signatures. test_webhook_delivery.c shows that
 * npm's standardwebhooks accepts them.
 */
#include <string.h>

#include "maild/webhook/webhook_sign.h"
#include "tests/support/unit.h"

/* The example of the specification and its libraries. */
static void the_example_of_the_specification_is_signed_so(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *signature =
        webhook_signature(arena, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                          "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, "{\"test\": 2432232314}");

    UNIT_REQUIRE(signature != NULL, "it is signed");
    UNIT_CHECK(strcmp(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=") == 0, "%s",
               signature);
}

static void another_form_of_secret_signs_nothing(void)
{
    static const char *const secrets[] = {
        "", "whsec", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_not base64",
        "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(secrets); i++)
        UNIT_CHECK(!webhook_signature(arena, secrets[i], "msg_1", 1, "{}"), "%s", secrets[i]);
}

static void a_new_secret_signs_and_is_no_other(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *one = webhook_secret_new(arena), *two = webhook_secret_new(arena);
    const char *by_one = webhook_signature(arena, one, "msg_1", 1, "{}");
    const char *by_two = webhook_signature(arena, two, "msg_1", 1, "{}");

    UNIT_REQUIRE(by_one && by_two, "both sign");
    UNIT_CHECK(strcmp(by_one, by_two) != 0, "%s", by_one);
}

static const struct unit_case cases[] = {
    CASE(the_example_of_the_specification_is_signed_so),
    CASE(another_form_of_secret_signs_nothing),
    CASE(a_new_secret_signs_and_is_no_other),
};

int main(void)
{
    return unit_run("webhook signatures", cases, ARRAY_SIZE(cases));
}
