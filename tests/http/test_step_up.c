/*
 * test_step_up.c - fresh proof: what a stolen access token cannot do when its owner signed in over
 * 15 minutes ago, and how the owner proves their identity again.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define STATUS "/auth/mfa/status"
#define ENROLL "/auth/mfa/enroll"
#define DISABLE "/auth/mfa/disable"
#define STEP_UP "/auth/step-up"

enum { FRESH = 900 }; /* seconds */

static struct suite *suite;

struct owner {
    struct person *person;
    uint8_t secret[TOTP_SECRET];
    char recovery[11];
};

static void owner_free(struct owner *self)
{
    person_destroy(&self->person);
}
#define OWNER CLEANUP(owner_free) struct owner

static struct http_answer *post(const char *path, const char *access, json_t *body)
{
    return http_post(suite_url(suite), path, access, body);
}

static struct http_answer *post_token(const char *path, const char *access, const char *token)
{
    return post(path, access, json_pack("{s:s}", "token", token));
}

static struct http_answer *by_password(const char *access, const char *password)
{
    return post(STEP_UP, access, json_pack("{s:s}", "password", password));
}

static struct http_answer *by_code(const char *access, const char *code)
{
    return post(STEP_UP, access, json_pack("{s:s}", "mfaToken", code));
}

static struct http_answer *delete_in(const char *access, int days)
{
    return http_call(suite_url(suite),
                     &(struct http_request){.method = "DELETE",
                                            .path = "/auth/delete",
                                            .bearer = access,
                                            .body = json_pack("{s:i}", "days", days)});
}

static void check_step_up_required(const struct http_answer *answer)
{
    CHECK_STATUS(answer, 401);
    char *challenge = http_header(answer, "WWW-Authenticate");

    CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), "STEP_UP_REQUIRED");
    CU_ASSERT_STRING_EQUAL(challenge ? challenge : "",
                           "Bearer error=\"insufficient_user_authentication\", max_age=\"900\"");
    free(challenge);
}

static void read_secret(struct owner *self, const char *access)
{
    HTTP_ANSWER status = http_get(suite_url(suite), STATUS, access);

    totp_read(http_text(status, "otpauthUrl"), self->secret);
}

static const char *code_of(const struct owner *self, char ret[static 7])
{
    return totp_code(self->secret, suite_now(suite), ret);
}

static struct owner enrolled_patient(void)
{
    struct owner self = {.person = person_register(suite, NULL)};
    char code[7];

    read_secret(&self, self.person->access);
    HTTP_ANSWER on = post_token(ENROLL, self.person->access, code_of(&self, code));
    CHECK_STATUS(on, 200);
    snprintf(self.recovery, sizeof(self.recovery), "%s", http_text(on, "recoveryCodes.0"));
    return self;
}

static void a_bearer_token_alone_neither_enrols_nor_deletes(void)
{
    OWNER owner = {.person = person_register(suite, NULL)};
    char code[7];

    suite_advance_clock(suite, FRESH + 60);
    HTTP_ANSWER renewed = post("/auth/refresh-token", NULL,
                               json_pack("{s:s}", "refresh_token", owner.person->refresh));
    CHECK_STATUS(renewed, 200);
    const char *const stolen[] = {owner.person->access, http_text(renewed, "access_token")};
    for (size_t i = 0; i < ARRAY_SIZE(stolen); i++) {
        read_secret(&owner, stolen[i]);
        HTTP_ANSWER enrolled = post_token(ENROLL, stolen[i], code_of(&owner, code));
        check_step_up_required(enrolled);
        HTTP_ANSWER deleted = delete_in(stolen[i], 0);
        check_step_up_required(deleted);
    }
    PERSON again =
        person_sign_in(suite, "Patient", owner.person->email, owner.person->password, NULL);
    CU_ASSERT_EQUAL(again->status, 200); /* without a second factor */
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", owner.person->access);
    CU_ASSERT_TRUE(json_is_false(http_member(me, "security.mfaEnrolled")));
}

static void a_bearer_token_alone_does_not_disable(void)
{
    OWNER owner = enrolled_patient();

    suite_advance_clock(suite, FRESH);
    HTTP_ANSWER off = post_token(DISABLE, owner.person->access, owner.recovery);
    check_step_up_required(off);
    HTTP_ANSWER proven = by_code(owner.person->access, owner.recovery);
    CHECK_STATUS(proven, 204);
    char code[7];
    HTTP_ANSWER done = post_token(DISABLE, owner.person->access, code_of(&owner, code));
    CHECK_STATUS(done, 200);
}

static void guesses_are_limited_as_sign_ins_are(void)
{
    PERSON patient = person_register(suite, NULL);

    for (int i = 0; i < 10; i++) {
        HTTP_ANSWER wrong = by_password(patient->access, "wrong");
        CHECK_ERROR(wrong, 400, "The password is incorrect.");
    }
    HTTP_ANSWER right = by_password(patient->access, patient->password);
    CHECK_STATUS(right, 429);
    HTTP_ANSWER start = post("/auth/tenant/Patient/login/start", NULL,
                             body_login_start(patient->email, patient->password, "demo"));
    CHECK_STATUS(start, 429);
}

static void guessed_codes_are_limited(void)
{
    OWNER owner = enrolled_patient();

    for (int i = 0; i < 20; i++) {
        HTTP_ANSWER wrong = by_code(owner.person->access, "0000000000");
        CHECK_ERROR(wrong, 400, "The code is incorrect.");
    }
    HTTP_ANSWER right = by_code(owner.person->access, owner.recovery);
    CHECK_STATUS(right, 429);
}

static void a_fresh_sign_in_is_proof_enough(void)
{
    OWNER owner = {.person = person_register(suite, NULL)};
    char code[7];

    read_secret(&owner, owner.person->access);
    suite_advance_clock(suite, FRESH - 60);
    HTTP_ANSWER enrolled = post_token(ENROLL, owner.person->access, code_of(&owner, code));
    CHECK_STATUS(enrolled, 200);
    PERSON other = person_register(suite, NULL);
    suite_advance_clock(suite, FRESH - 60);
    HTTP_ANSWER deleted = delete_in(other->access, 0);
    CHECK_STATUS(deleted, 200);
}

static void a_password_proves_again(void)
{
    OWNER owner = {.person = person_register(suite, NULL)};
    const char *access = owner.person->access;
    char code[7];

    suite_advance_clock(suite, FRESH + 60);
    HTTP_ANSWER wrong = by_password(access, "wrong");
    CHECK_ERROR(wrong, 400, "The password is incorrect.");
    read_secret(&owner, access);
    HTTP_ANSWER still = post_token(ENROLL, access, code_of(&owner, code));
    check_step_up_required(still);
    HTTP_ANSWER proven = by_password(access, owner.person->password);
    CHECK_STATUS(proven, 204);
    CU_ASSERT_EQUAL(proven->size, 0);
    HTTP_ANSWER enrolled = post_token(ENROLL, access, code_of(&owner, code));
    CHECK_STATUS(enrolled, 200);
}

static void a_proof_counts_for_its_session(void)
{
    PERSON one = person_register(suite, NULL);
    PERSON two = person_sign_in(suite, "Patient", one->email, one->password, NULL);

    suite_advance_clock(suite, FRESH + 60);
    HTTP_ANSWER proven = by_password(one->access, one->password);
    CHECK_STATUS(proven, 204);
    HTTP_ANSWER other = delete_in(two->access, 0);
    check_step_up_required(other);
    suite_advance_clock(suite, FRESH);
    HTTP_ANSWER late = delete_in(one->access, 0);
    check_step_up_required(late);
    HTTP_ANSWER later = delete_in(one->access, 1);
    CHECK_STATUS(later, 200);
}

static void a_password_is_not_enough_with_a_factor(void)
{
    OWNER owner = enrolled_patient();
    const char *access = owner.person->access;
    char code[7];

    HTTP_ANSWER password = by_password(access, owner.person->password);
    CHECK_ERROR(password, 400, "A code of the second factor is required.");
    suite_advance_clock(suite, FRESH + 60);
    HTTP_ANSWER spent = by_code(access, "123456");
    CHECK_ERROR(spent, 400, "The code is incorrect.");
    HTTP_ANSWER proven = by_code(access, code_of(&owner, code));
    CHECK_STATUS(proven, 204);
    HTTP_ANSWER twice = by_code(access, code);
    CHECK_ERROR(twice, 400, "The code is incorrect.");
    HTTP_ANSWER deleted = delete_in(access, 0);
    CHECK_STATUS(deleted, 200);
}

static void malformed_step_ups_are_refused(void)
{
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER empty = post(STEP_UP, patient->access, json_object());
    CHECK_PROBLEM(empty, "password");
    HTTP_ANSWER brief = by_code(patient->access, "12345");
    CHECK_PROBLEM(brief, "mfaToken");
    HTTP_ANSWER none = by_code(patient->access, "123456");
    CHECK_ERROR(none, 400, "No second factor is enrolled.");
    HTTP_ANSWER anonymous = by_password(NULL, patient->password);
    CHECK_STATUS(anonymous, 401);
    CU_ASSERT_STRING_EQUAL(http_text(anonymous, "code"), "");
}

static void a_proof_is_asked_for_last(void)
{
    OWNER owner = enrolled_patient();

    suite_advance_clock(suite, FRESH + 60);
    HTTP_ANSWER twice = post_token(ENROLL, owner.person->access, "123456");
    CHECK_ERROR(twice, 409, "A second factor is already enrolled.");
    HTTP_ANSWER wrong = post_token(DISABLE, owner.person->access, "123456");
    CHECK_ERROR(wrong, 400, "The code is incorrect.");
    PERSON admin = person_admin(suite);
    suite_advance_clock(suite, FRESH + 60);
    HTTP_ANSWER last = delete_in(admin->access, 0);
    CHECK_STATUS(last, 409);
}

static void the_header_names_the_configured_age(void)
{
    suite_reconfigure(suite, "authd.fresh_sign_in=2m");
    PERSON patient = person_register(suite, NULL);
    suite_advance_clock(suite, 130);
    HTTP_ANSWER refused = delete_in(patient->access, 0);
    char *challenge = http_header(refused, "WWW-Authenticate");
    CHECK_STATUS(refused, 401);
    CU_ASSERT_STRING_EQUAL(challenge ? challenge : "",
                           "Bearer error=\"insufficient_user_authentication\", max_age=\"120\"");
    free(challenge);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_bearer_token_alone_neither_enrols_nor_deletes),
    CASE(a_bearer_token_alone_does_not_disable),
    CASE(guesses_are_limited_as_sign_ins_are),
    CASE(guessed_codes_are_limited),
    CASE(a_fresh_sign_in_is_proof_enough),
    CASE(a_password_proves_again),
    CASE(a_proof_counts_for_its_session),
    CASE(a_password_is_not_enough_with_a_factor),
    CASE(malformed_step_ups_are_refused),
    CASE(a_proof_is_asked_for_last),
    CASE(the_header_names_the_configured_age),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("step up", cases, ARRAY_SIZE(cases));
}
