/*
 * test_authd_webauthn.c - checks of an authenticator's answers: valid ones, each fault, and
 * arbitrary bytes.
 */
#include <CUnit/CUnit.h>
#include <sodium.h>
#include <string.h>

#include "authd/passkey/webauthn.h"
#include "tests/support/authenticator.h"
#include "tests/support/odd_passkey.h"
#include "tests/support/unit.h"

static const char rp_id[] = "my.lakeside.example", origin[] = "https://my.lakeside.example";
static const char *const origins[] = {"https://other.example", origin, NULL};
static const uint8_t challenge[WEBAUTHN_CHALLENGE_SIZE] = "0123456789abcdef0123456789abcde";

static const struct webauthn_ceremony ceremony = {
    .rp_id = rp_id, .origins = origins, .challenge = {challenge, sizeof(challenge)}};

static const char *challenge_text(void)
{
    static char text[64];

    return sodium_bin2base64(text, sizeof(text), challenge, sizeof(challenge),
                             sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static struct field_bytes bytes_of(const struct authenticator_bytes *bytes)
{
    return (struct field_bytes){bytes->bytes, bytes->size};
}

static const char *check_new(const struct authenticator_answer *answer,
                             struct webauthn_credential *ret)
{
    return webauthn_check_registration(&ceremony, bytes_of(&answer->client_data),
                                       bytes_of(&answer->attestation), ret);
}

static const char *check(const struct webauthn_credential *credential,
                         const struct authenticator_answer *answer, struct webauthn_assertion *ret)
{
    return webauthn_check_assertion(&ceremony, credential->algorithm,
                                    (struct field_bytes){credential->key, credential->key_size},
                                    bytes_of(&answer->client_data), bytes_of(&answer->auth_data),
                                    bytes_of(&answer->signature), ret);
}

static struct authenticator *enrolled(int algorithm, struct webauthn_credential *ret)
{
    struct authenticator *self = authenticator_new(algorithm, origin);
    struct authenticator_answer answer;

    authenticator_make(self, rp_id, challenge_text(), &answer);
    CU_ASSERT_PTR_NULL(check_new(&answer, ret));
    return self;
}

static bool is(const char *wrong, const char *want)
{
    return UNIT_CHECK(wrong && strcmp(wrong, want) == 0, "%s instead of %s", wrong ? wrong : "none",
                      want);
}

static void keys_of_three_algorithms_are_enrolled_and_shown(void)
{
    static const int algorithms[] = {AUTHENTICATOR_ES256, AUTHENTICATOR_EDDSA, AUTHENTICATOR_RS256};

    for (size_t i = 0; i < ARRAY_SIZE(algorithms); i++) {
        struct webauthn_credential credential;
        struct webauthn_assertion assertion;
        struct authenticator_answer answer;
        AUTHENTICATOR key = enrolled(algorithms[i], &credential);

        CU_ASSERT_EQUAL(credential.algorithm, algorithms[i]);
        CU_ASSERT_EQUAL(credential.sign_count, 1);
        CU_ASSERT_FALSE(credential.backed_up);
        CU_ASSERT_EQUAL(credential.id_size, sizeof(key->id));
        CU_ASSERT_EQUAL(memcmp(credential.id, key->id, sizeof(key->id)), 0);
        key->flags |= AUTHENTICATOR_BACKUP_ELIGIBLE | AUTHENTICATOR_BACKED_UP;
        authenticator_sign(key, rp_id, challenge_text(), &answer);
        CU_ASSERT_PTR_NULL(check(&credential, &answer, &assertion));
        CU_ASSERT_EQUAL(assertion.sign_count, 2);
        CU_ASSERT_TRUE(assertion.backed_up);
    }
}

struct fault {
    const char *want;
    const char *origin, *type, *rp_id;
    unsigned without, with; /* flags */
    bool cross_origin;
};

static const struct fault faults[] = {
    {.want = "origin", .origin = "https://my.lakeside.example:8443"},
    {.want = "origin", .origin = "http://my.lakeside.example"},
    {.want = "origin", .origin = "https://my.lakeside.example/"},
    {.want = "origin", .origin = "https://evil.example"},
    {.want = "type", .type = "payment.get"},
    {.want = "cross-origin", .cross_origin = true},
    {.want = "rp", .rp_id = "lakeside.example"},
    {.want = "presence", .without = AUTHENTICATOR_PRESENT},
    {.want = "verification", .without = AUTHENTICATOR_VERIFIED},
    {.want = "format", .with = AUTHENTICATOR_BACKED_UP},
};

static void set_fault(struct authenticator *key, const struct fault *fault)
{
    key->origin = fault->origin ? fault->origin : origin;
    key->type = fault->type;
    key->rp_id = fault->rp_id;
    key->cross_origin = fault->cross_origin;
    key->flags =
        (uint8_t)((AUTHENTICATOR_PRESENT | AUTHENTICATOR_VERIFIED | fault->with) & ~fault->without);
}

static void each_fault_is_named(void)
{
    struct webauthn_credential credential, other;
    struct webauthn_assertion assertion;
    struct authenticator_answer answer;
    AUTHENTICATOR key = enrolled(AUTHENTICATOR_ES256, &credential);

    for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
        set_fault(key, &faults[i]);
        authenticator_make(key, rp_id, challenge_text(), &answer);
        is(check_new(&answer, &other), faults[i].want);
        authenticator_sign(key, rp_id, challenge_text(), &answer);
        is(check(&credential, &answer, &assertion), faults[i].want);
    }
}

static void an_answer_to_another_challenge_is_refused(void)
{
    static const char *const others[] = {"", "AAAA", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY",
                                         "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZQA="};
    struct webauthn_credential credential, other;
    struct webauthn_assertion assertion;
    struct authenticator_answer answer;
    AUTHENTICATOR key = enrolled(AUTHENTICATOR_ES256, &credential);

    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        authenticator_make(key, rp_id, others[i], &answer);
        is(check_new(&answer, &other), "challenge");
        authenticator_sign(key, rp_id, others[i], &answer);
        is(check(&credential, &answer, &assertion), "challenge");
    }
}

static void an_answer_of_the_other_kind_is_refused(void)
{
    struct webauthn_credential credential, other;
    struct webauthn_assertion assertion;
    struct authenticator_answer made, shown, mixed;
    AUTHENTICATOR key = enrolled(AUTHENTICATOR_ES256, &credential);

    authenticator_make(key, rp_id, challenge_text(), &made);
    authenticator_sign(key, rp_id, challenge_text(), &shown);
    mixed = made;
    mixed.client_data = shown.client_data;
    is(check_new(&mixed, &other), "type");
    mixed = shown;
    mixed.client_data = made.client_data;
    is(check(&credential, &mixed, &assertion), "type");
}

static void a_signature_of_another_key_is_refused(void)
{
    struct webauthn_credential one, two;
    struct webauthn_assertion assertion;
    struct authenticator_answer answer;
    UNUSED AUTHENTICATOR first = enrolled(AUTHENTICATOR_ES256, &one);
    AUTHENTICATOR second = enrolled(AUTHENTICATOR_ES256, &two);
    AUTHENTICATOR third = enrolled(AUTHENTICATOR_RS256, &two);

    authenticator_sign(second, rp_id, challenge_text(), &answer);
    is(check(&one, &answer, &assertion), "signature");
    authenticator_sign(third, rp_id, challenge_text(), &answer);
    is(check(&one, &answer, &assertion), "signature");
    one.algorithm = WEBAUTHN_EDDSA; /* the stored row is damaged */
    CU_ASSERT_PTR_NOT_NULL(check(&one, &answer, &assertion));
}

/* A point off the curve, and the one at infinity. */
static void a_key_that_is_none_is_refused(void)
{
    struct webauthn_credential credential;
    struct authenticator_answer answer;
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, origin);

    for (int zeros = 0; zeros < 2; zeros++) {
        authenticator_make(key, rp_id, challenge_text(), &answer);
        if (zeros)
            memset(answer.attestation.bytes + answer.attestation.size - 32, 0, 32);
        else
            answer.attestation.bytes[answer.attestation.size - 1] ^= 1;
        is(check_new(&answer, &credential), "key");
    }
}

/* Anyone can sign for such a key: RSA with exponent 1, where the signature equals the signed data,
 * or with known factors; a point of small order on edwards25519. */
static void a_key_of_everyone_is_refused(void)
{
    static const struct {
        const char *label;
        int algorithm;
        size_t at, size; /* at: counted from the end */
        const char *bytes;
    } rows[] = {
        {"exponent 0", AUTHENTICATOR_RS256, 3, 3, "\0\0\0"},
        {"exponent 1", AUTHENTICATOR_RS256, 3, 3, "\0\0\1"},
        {"exponent 2", AUTHENTICATOR_RS256, 3, 3, "\0\0\2"},
        {"exponent 65536", AUTHENTICATOR_RS256, 3, 3, "\1\0\0"},
        {"an even modulus", AUTHENTICATOR_RS256, 6, 1, "\2"},
        {"the neutral point", AUTHENTICATOR_EDDSA, 32, 32,
         "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"},
        {"a point of order 4", AUTHENTICATOR_EDDSA, 32, 32,
         "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"},
    };
    struct webauthn_credential credential;
    struct webauthn_assertion assertion;
    struct authenticator_answer answer;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AUTHENTICATOR key = authenticator_new(rows[i].algorithm, origin);
        const char *wrong;

        authenticator_make(key, rp_id, challenge_text(), &answer);
        CU_ASSERT_PTR_NULL(check_new(&answer, &credential));
        memcpy(answer.attestation.bytes + answer.attestation.size - rows[i].at, rows[i].bytes,
               rows[i].size);
        wrong = check_new(&answer, &credential);
        UNIT_CHECK(wrong && strcmp(wrong, "key") == 0, "%s: %s", rows[i].label,
                   wrong ? wrong : "taken");
    }

    /* A damaged stored key accepts no answer. */
    struct webauthn_credential stored;
    AUTHENTICATOR rsa = enrolled(AUTHENTICATOR_RS256, &stored);

    authenticator_sign(rsa, rp_id, challenge_text(), &answer);
    CU_ASSERT_PTR_NULL(check(&stored, &answer, &assertion));
    memcpy(stored.key + stored.key_size - 3, "\0\0\1", 3);
    is(check(&stored, &answer, &assertion), "key");
}

/* libcbor recurses, so deeper nesting than an attestation's must not reach it. */
static void deep_and_long_cbor_is_refused(void)
{
    struct webauthn_credential credential;
    struct authenticator_answer answer;
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, origin);
    static uint8_t deep[WEBAUTHN_ATTESTATION_MAX + 1];
    static const char *const short_texts[] = {"\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
                                              "\x9f\x01\xff", "\xc0\x01", "\xbf\xff", "\xa1\x01"};

    authenticator_make(key, rp_id, challenge_text(), &answer);
    memset(deep, 0x81, sizeof(deep));
    is(webauthn_check_registration(&ceremony, bytes_of(&answer.client_data),
                                   (struct field_bytes){deep, WEBAUTHN_ATTESTATION_MAX},
                                   &credential),
       "format");
    is(webauthn_check_registration(&ceremony, bytes_of(&answer.client_data),
                                   (struct field_bytes){deep, sizeof(deep)}, &credential),
       "size");
    for (size_t i = 0; i < ARRAY_SIZE(short_texts); i++)
        is(webauthn_check_registration(&ceremony, bytes_of(&answer.client_data),
                                       (struct field_bytes){(const uint8_t *)short_texts[i],
                                                            strlen(short_texts[i])},
                                       &credential),
           "format");
}

/* No byte can change, except the AAGUID and unread CBOR names. */
static void no_changed_assertion_is_accepted(void)
{
    struct webauthn_credential credential;
    struct webauthn_assertion assertion;
    struct authenticator_answer answer;
    AUTHENTICATOR key = enrolled(AUTHENTICATOR_ES256, &credential);
    struct authenticator_bytes *const parts[] = {&answer.client_data, &answer.auth_data,
                                                 &answer.signature};

    authenticator_sign(key, rp_id, challenge_text(), &answer);
    for (size_t p = 0; p < ARRAY_SIZE(parts); p++) {
        for (size_t at = 0; at < parts[p]->size; at++) {
            parts[p]->bytes[at] ^= 0x04;
            UNIT_CHECK(check(&credential, &answer, &assertion), "part %zu, byte %zu", p, at);
            parts[p]->bytes[at] ^= 0x04;
        }
        parts[p]->size--;
        CU_ASSERT_PTR_NOT_NULL(check(&credential, &answer, &assertion));
        parts[p]->size++;
    }
    CU_ASSERT_PTR_NULL(check(&credential, &answer, &assertion));
}

static void a_truncated_registration_is_refused(void)
{
    struct webauthn_credential credential;
    struct authenticator_answer answer;
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, origin);
    size_t size;

    authenticator_make(key, rp_id, challenge_text(), &answer);
    size = answer.attestation.size;
    for (answer.attestation.size = 0; answer.attestation.size < size; answer.attestation.size++)
        CU_ASSERT_PTR_NOT_NULL(check_new(&answer, &credential));
    CU_ASSERT_PTR_NULL(check_new(&answer, &credential));
}

static void odd_answers_are_judged_as_the_table_says(void)
{
    struct webauthn_credential credential, other;
    struct webauthn_assertion assertion;
    struct authenticator_answer answer;
    AUTHENTICATOR key = enrolled(AUTHENTICATOR_ES256, &credential);

    for (size_t i = 0; i < odd_passkey_count; i++) {
        const struct odd_passkey *row = &odd_passkeys[i];
        const char *wrong;

        odd_passkey_make(row, key, rp_id, challenge_text(), &answer);
        wrong = row->is_new ? check_new(&answer, &other) : check(&credential, &answer, &assertion);
        UNIT_CHECK(!wrong == row->authd, "%s: %s", row->label, wrong ? wrong : "accepted");
    }
}

static const struct unit_case cases[] = {
    CASE(keys_of_three_algorithms_are_enrolled_and_shown),
    CASE(each_fault_is_named),
    CASE(an_answer_to_another_challenge_is_refused),
    CASE(an_answer_of_the_other_kind_is_refused),
    CASE(a_signature_of_another_key_is_refused),
    CASE(a_key_that_is_none_is_refused),
    CASE(a_key_of_everyone_is_refused),
    CASE(deep_and_long_cbor_is_refused),
    CASE(no_changed_assertion_is_accepted),
    CASE(a_truncated_registration_is_refused),
    CASE(odd_answers_are_judged_as_the_table_says),
};

int main(void)
{
    return unit_run("authd webauthn", cases, ARRAY_SIZE(cases));
}
