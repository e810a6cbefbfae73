/*
 * test_authd_webauthn_peers.c - ten thousand authenticator answers, mostly altered, which authd,
 * npm's @simplewebauthn/server and Debian's python3-fido2 must judge alike. Needs both peers (make
 * npm). ATRIUM_PASSKEY_SEED repeats a printed seed.
 *
 * tier: browser
 */
#include <CUnit/CUnit.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "authd/passkey/webauthn.h"
#include "tests/support/authenticator.h"
#include "tests/support/odd_passkey.h"
#include "tests/support/program.h"
#include "tests/support/unit.h"

enum { ANSWERS = 10000, PEER_MS = 300000, BASE64 = sodium_base64_VARIANT_URLSAFE_NO_PADDING };

static const char rp_id[] = "my.lakeside.example", origin[] = "https://my.lakeside.example";
static const char *const origins[] = {origin, NULL};
static struct unit_dir dir;

static unsigned seed;

static unsigned chance(unsigned below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

struct key {
    struct authenticator *authenticator;
    struct webauthn_credential credential;
};

struct answer {
    bool is_new;
    uint8_t challenge[WEBAUTHN_CHALLENGE_SIZE];
    char challenge_text[64];
    const struct key *key;
    struct authenticator_answer bytes;
};

static const char *check(const struct answer *answer)
{
    const struct webauthn_ceremony ceremony = {.rp_id = rp_id,
                                               .origins = origins,
                                               .challenge = {answer->challenge,
                                                             sizeof(answer->challenge)}};
    const struct webauthn_credential *credential = &answer->key->credential;
    const struct authenticator_answer *bytes = &answer->bytes;
    struct webauthn_credential made;
    struct webauthn_assertion shown;

    if (answer->is_new)
        return webauthn_check_registration(
            &ceremony, (struct field_bytes){bytes->client_data.bytes, bytes->client_data.size},
            (struct field_bytes){bytes->attestation.bytes, bytes->attestation.size}, &made);
    return webauthn_check_assertion(
        &ceremony, credential->algorithm,
        (struct field_bytes){credential->key, credential->key_size},
        (struct field_bytes){bytes->client_data.bytes, bytes->client_data.size},
        (struct field_bytes){bytes->auth_data.bytes, bytes->auth_data.size},
        (struct field_bytes){bytes->signature.bytes, bytes->signature.size}, &shown);
}

/* Sets an authenticator's or browser's deviations, all of them signed. */
static void set_behaviour(struct authenticator *key)
{
    static const char *const wrong_origins[] = {"https://my.lakeside.example:444",
                                                "http://my.lakeside.example", "", "null",
                                                "https://MY.lakeside.example"};
    static const char *const wrong_types[] = {"webauthn.create", "webauthn.get", "", "payment.get"};

    key->origin = origin;
    key->type = NULL;
    key->rp_id = NULL;
    key->count = chance(3) ? chance(1u << 20) + 1 : 0;
    key->flags = AUTHENTICATOR_PRESENT | AUTHENTICATOR_VERIFIED;
    switch (chance(8)) {
    case 0:
        key->origin = wrong_origins[chance(ARRAY_SIZE(wrong_origins))];
        break;
    case 1:
        key->type = wrong_types[chance(ARRAY_SIZE(wrong_types))];
        break;
    case 2:
        key->rp_id = chance(2) ? "lakeside.example" : "";
        break;
    case 3:
        key->flags = (uint8_t)(chance(2) ? AUTHENTICATOR_PRESENT : AUTHENTICATOR_VERIFIED);
        break;
    case 4:
        key->flags |= AUTHENTICATOR_BACKUP_ELIGIBLE | (chance(2) ? AUTHENTICATOR_BACKED_UP : 0);
        break;
    default:
        break;
    }
}

static void flip(struct authenticator_bytes *bytes, size_t at, unsigned bits)
{
    bytes->bytes[at] ^= (uint8_t)(1u << chance(bits));
}

/* Flips a bit of the client data: not the highest of a byte, because JSON readers differ on invalid
 * UTF-8, and not one in the challenge's last character, because base64 readers differ on its two
 * unused bits. */
static void flip_client_data(const struct answer *answer, struct authenticator_bytes *bytes)
{
    char *text = (char *)bytes->bytes;
    char *challenge =
        memmem(text, bytes->size, answer->challenge_text, strlen(answer->challenge_text));
    size_t avoid =
        challenge ? (size_t)(challenge - text) + strlen(answer->challenge_text) - 1 : bytes->size;
    size_t at = chance((unsigned)bytes->size);

    if (at != avoid)
        flip(bytes, at, 7);
}

/* Flips a bit of a new credential: hash, counter, AAGUID, id, or a point's coordinate. */
static void flip_new(const struct answer *answer, struct authenticator_answer *bytes)
{
    enum { HASH = 32, FLAGS = 1, COUNT = 4, AAGUID = 16, LENGTH = 2, ID = 32 };
    size_t start = bytes->attestation.size - bytes->auth_data.size;
    size_t at = chance(HASH + COUNT + AAGUID + ID);
    bool point = answer->key->authenticator->algorithm == AUTHENTICATOR_ES256 && chance(3) == 0;

    if (point)
        at = bytes->auth_data.size - 1 - chance(32);
    else if (at >= HASH + COUNT + AAGUID)
        at += FLAGS + LENGTH;
    else if (at >= HASH)
        at += FLAGS;
    flip(&bytes->attestation, start + at, 8);
}

static void change(struct answer *answer)
{
    enum { NUMBER = 28 }; /* bytes of the second number that are never framing */
    struct authenticator_answer *bytes = &answer->bytes;
    struct authenticator_bytes *const parts[] = {
        &bytes->client_data, answer->is_new ? &bytes->attestation : &bytes->auth_data,
        answer->is_new ? &bytes->attestation : &bytes->signature};
    struct authenticator_bytes *part = parts[chance(3)];

    switch (chance(6)) {
    case 0:
        flip_client_data(answer, &bytes->client_data);
        break;
    case 1:
        if (answer->is_new)
            flip_new(answer, bytes);
        else
            flip(&bytes->auth_data, chance(32), 8);
        break;
    case 2:
        /* not in the DER frame of ECDSA's two numbers, which readers treat differently */
        if (!answer->is_new)
            flip(&bytes->signature, bytes->signature.size - 1 - chance(NUMBER), 8);
        break;
    case 3:
        part->size -= chance((unsigned)part->size) + 1;
        break;
    default:
        break;
    }
}

static void make_answer(struct key *keys, size_t count, struct answer *ret)
{
    struct key *key = &keys[chance((unsigned)count)], *by = chance(10) ? key : &keys[0];
    uint8_t other[WEBAUTHN_CHALLENGE_SIZE];
    char other_text[64];

    *ret = (struct answer){.is_new = chance(3) == 0, .key = key};
    for (size_t i = 0; i < sizeof(ret->challenge); i++) {
        ret->challenge[i] = (uint8_t)chance(256);
        other[i] = (uint8_t)chance(256);
    }
    sodium_bin2base64(ret->challenge_text, sizeof(ret->challenge_text), ret->challenge,
                      sizeof(ret->challenge), BASE64);
    sodium_bin2base64(other_text, sizeof(other_text), other, sizeof(other), BASE64);
    set_behaviour(by->authenticator);
    if (ret->is_new)
        authenticator_make(by->authenticator, rp_id, chance(12) ? ret->challenge_text : other_text,
                           &ret->bytes);
    else
        authenticator_sign(by->authenticator, rp_id, chance(12) ? ret->challenge_text : other_text,
                           &ret->bytes);
    change(ret);
}

static void write_base64(FILE *file, const void *bytes, size_t size, char end)
{
    size_t room = sodium_base64_encoded_len(size, BASE64);
    char *text = malloc(room);

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    sodium_bin2base64(text, room, bytes, size, BASE64);
    fprintf(file, "%s%c", text, end);
    free(text);
}

/* Writes kind, origin, rp id, challenge, credential id, COSE key, clientDataJSON,
 * attestationObject, authenticatorData, signature. */
static void write_answer(FILE *file, const struct answer *answer)
{
    const struct authenticator *key = answer->key->authenticator;
    const struct authenticator_answer *bytes = &answer->bytes;
    struct authenticator_bytes cose;

    authenticator_public_key(key, &cose);
    fprintf(file, "%s\t%s\t%s\t%s\t", answer->is_new ? "create" : "get", origin, rp_id,
            answer->challenge_text);
    write_base64(file, key->id, sizeof(key->id), '\t');
    write_base64(file, cose.bytes, cose.size, '\t');
    write_base64(file, bytes->client_data.bytes, bytes->client_data.size, '\t');
    write_base64(file, bytes->attestation.bytes, bytes->attestation.size, '\t');
    write_base64(file, bytes->auth_data.bytes, bytes->auth_data.size, '\t');
    write_base64(file, bytes->signature.bytes, bytes->signature.size, '\n');
}

static void enrol(struct key *self, int algorithm)
{
    struct answer answer = {.is_new = true, .key = self};
    const struct webauthn_ceremony ceremony = {.rp_id = rp_id,
                                               .origins = origins,
                                               .challenge = {answer.challenge,
                                                             sizeof(answer.challenge)}};

    self->authenticator = authenticator_new(algorithm, origin);
    sodium_bin2base64(answer.challenge_text, sizeof(answer.challenge_text), answer.challenge,
                      sizeof(answer.challenge), BASE64);
    authenticator_make(self->authenticator, rp_id, answer.challenge_text, &answer.bytes);
    CU_ASSERT_PTR_NULL(webauthn_check_registration(
        &ceremony,
        (struct field_bytes){answer.bytes.client_data.bytes, answer.bytes.client_data.size},
        (struct field_bytes){answer.bytes.attestation.bytes, answer.bytes.attestation.size},
        &self->credential));
}

static size_t write_answers(const char *path, bool ret_accepted[static ANSWERS])
{
    static const int algorithms[] = {AUTHENTICATOR_ES256, AUTHENTICATOR_EDDSA, AUTHENTICATOR_RS256,
                                     AUTHENTICATOR_ES256};
    struct key keys[ARRAY_SIZE(algorithms)];
    FILE *file = fopen(path, "w");
    struct answer answer;
    size_t accepted = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        enrol(&keys[i], algorithms[i]);
    for (size_t i = 0; i < ANSWERS; i++) {
        make_answer(keys, ARRAY_SIZE(keys), &answer);
        write_answer(file, &answer);
        ret_accepted[i] = !check(&answer);
        accepted += ret_accepted[i];
    }
    fclose(file);
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        authenticator_destroy(&keys[i].authenticator);
    return accepted;
}

static void compare(const char *peer, const char *const *argv, const bool accepted[static ANSWERS])
{
    PROGRAM program = program_start(argv, NULL);
    size_t different = 0;

    CU_ASSERT_TRUE(program_wait_end(program, PEER_MS));
    if (!UNIT_CHECK(program->code == 0 && strlen(program->out) == 2 * (size_t)ANSWERS,
                    "%s: exit code %d, %zu bytes", peer, program->code, strlen(program->out)))
        return;
    for (size_t i = 0; i < ANSWERS && different < 5; i++) {
        bool there = program->out[2 * i] == '1';

        different += !UNIT_CHECK(there == accepted[i], "answer %zu: %s says %d, authd %d", i, peer,
                                 there, accepted[i]);
    }
}

static const struct unit_need needs[] = {
    {"/usr/lib/python3/dist-packages/fido2", NULL},
    {"build/npm/installed/passkeys", "npm"},
    {NULL, NULL},
};

static void write_odd(const char *path)
{
    struct key key;
    struct answer answer = {.key = &key};
    FILE *file = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    enrol(&key, AUTHENTICATOR_ES256);
    sodium_bin2base64(answer.challenge_text, sizeof(answer.challenge_text), answer.challenge,
                      sizeof(answer.challenge), BASE64);
    for (size_t i = 0; i < odd_passkey_count; i++) {
        const struct odd_passkey *row = &odd_passkeys[i];

        answer.is_new = row->is_new;
        odd_passkey_make(row, key.authenticator, rp_id, answer.challenge_text, &answer.bytes);
        write_answer(file, &answer);
        UNIT_CHECK(!check(&answer) == row->authd, "%s", row->label);
        UNIT_CHECK(row->why || (row->authd == row->simplewebauthn && row->authd == row->fido2),
                   "%s: nothing says why the three differ", row->label);
    }
    fclose(file);
    authenticator_destroy(&key.authenticator);
}

static void compare_odd(const char *peer, const char *const *argv, bool fido2)
{
    PROGRAM program = program_run(argv, NULL);

    if (!UNIT_CHECK(program->code == 0 && strlen(program->out) == 2 * odd_passkey_count,
                    "%s: exit code %d: %s", peer, program->code, program->err))
        return;
    for (size_t i = 0; i < odd_passkey_count; i++) {
        const struct odd_passkey *row = &odd_passkeys[i];
        bool there = program->out[2 * i] == '1';

        UNIT_CHECK(there == (fido2 ? row->fido2 : row->simplewebauthn), "%s: %s says %d",
                   row->label, peer, there);
    }
}

static void odd_answers_are_judged_alike_or_the_row_says_why(void)
{
    char path[160];

    if (!unit_has(needs, "ATRIUM_REQUIRE_ALL"))
        return;
    snprintf(path, sizeof(path), "%s/odd", dir.path);
    write_odd(path);
    compare_odd("simplewebauthn",
                (const char *const[]){"/usr/bin/env", "node", "tests/passkeys/verdicts.mjs", path,
                                      NULL},
                false);
    compare_odd("python3-fido2",
                (const char *const[]){"/usr/bin/python3", "tests/passkeys/verdicts.py", path, NULL},
                true);
}

static void three_servers_say_the_same(void)
{
    const char *chosen = getenv("ATRIUM_PASSKEY_SEED");
    static bool accepted[ANSWERS];
    char path[160];
    size_t count;

    if (!unit_has(needs, "ATRIUM_REQUIRE_ALL"))
        return;
    seed = chosen ? (unsigned)strtoul(chosen, NULL, 10) : (unsigned)time(NULL);
    printf("seed %u ", seed);
    snprintf(path, sizeof(path), "%s/answers", dir.path);
    count = write_answers(path, accepted);
    UNIT_CHECK(count > ANSWERS / 10 && count < ANSWERS * 9 / 10, "%zu accepted", count);
    compare("simplewebauthn",
            (const char *const[]){"/usr/bin/env", "node", "tests/passkeys/verdicts.mjs", path,
                                  NULL},
            accepted);
    compare("python3-fido2",
            (const char *const[]){"/usr/bin/python3", "tests/passkeys/verdicts.py", path, NULL},
            accepted);
}

static const struct unit_case cases[] = {
    CASE(three_servers_say_the_same),
    CASE(odd_answers_are_judged_alike_or_the_row_says_why),
};

int main(void)
{
    int result;

    dir = unit_dir_make();
    result = unit_run("authd webauthn peers", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return result;
}
