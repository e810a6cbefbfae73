/*
 * test_note.c - signed notes: Go's published one is accepted, altered ones are not.
 */
#include <CUnit/CUnit.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/note.h"
#include "tests/support/unit.h"

/* from golang.org/x/mod/sumdb/note */
#define KEY "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
#define TEXT                                                     \
    "If you think cryptography is the answer to your problem,\n" \
    "then you don't know what your problem is.\n"
#define LINE                                                                                  \
    "\xe2\x80\x94 PeterNeumann "                                                              \
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBw" \
    "JnAM=\n"
#define OTHER_LINE "\xe2\x80\x94 Another AAAAAGJhc2U2NA==\n"

static struct arena *arena;

static const char *opened(const char *note, const char *key)
{
    const char *text = note_open(arena, note, key);

    return text ? text : "";
}

static void a_published_note_is_opened(void)
{
    CU_ASSERT_STRING_EQUAL(opened(TEXT "\n" LINE, KEY), TEXT);
    /* other keys' signatures are ignored */
    CU_ASSERT_STRING_EQUAL(opened(TEXT "\n" OTHER_LINE LINE, KEY), TEXT);
    /* the last empty line ends the text */
    CU_ASSERT_STRING_EQUAL(opened(TEXT "\n" TEXT "\n" LINE, KEY), "");
}

static void every_altered_byte_is_refused(void)
{
    static const char note[] = TEXT "\n" LINE;
    char altered[sizeof(note)];

    for (size_t i = 0; i + 1 < sizeof(note); i++) {
        memcpy(altered, note, sizeof(note));
        altered[i] ^= 1;
        UNIT_CHECK(!note_open(arena, altered, KEY), "byte %zu", i);
    }
}

static void every_altered_key_is_refused(void)
{
    char altered[] = KEY;

    for (size_t i = 0; i + 1 < sizeof(altered); i++) {
        altered[i] ^= 1;
        UNIT_CHECK(!note_open(arena, TEXT "\n" LINE, altered), "byte %zu", i);
        altered[i] ^= 1;
    }
}

static void other_forms_are_refused(void)
{
    static const char *const notes[] = {"",
                                        "\n\n",
                                        TEXT,
                                        TEXT "\n",
                                        TEXT "\n" OTHER_LINE,
                                        TEXT "\n" LINE "x",
                                        TEXT "\n" LINE "\xe2\x80\x94 Another",
                                        TEXT LINE};
    static const char *const keys[] = {"",
                                       "+",
                                       "++",
                                       "PeterNeumann",
                                       "PeterNeumann+c74f20a3",
                                       "PeterNeumann+c74f20a3+",
                                       (KEY "A"),
                                       ("Peter " KEY)};

    for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
        UNIT_CHECK(!note_open(arena, notes[i], KEY), "note %zu", i);
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        UNIT_CHECK(!note_open(arena, TEXT "\n" LINE, keys[i]), "key %zu", i);
}

static void what_is_signed_here_is_opened_by_its_key_alone(void)
{
    uint8_t public[NOTE_PUBLIC_SIZE], secret[NOTE_SECRET_SIZE], other[NOTE_PUBLIC_SIZE];
    const char *note;

    crypto_sign_keypair(other, secret);
    crypto_sign_keypair(public, secret);
    note = note_sign(arena, "lakeside.example/erasure", "a\n\nb\n", public, secret);
    CU_ASSERT_STRING_EQUAL(opened(note, note_key(arena, "lakeside.example/erasure", public)),
                           "a\n\nb\n");
    CU_ASSERT_STRING_EQUAL(opened(note, note_key(arena, "lakeside.example/other", public)), "");
    CU_ASSERT_STRING_EQUAL(opened(note, note_key(arena, "lakeside.example/erasure", other)), "");
}

static const struct unit_case cases[] = {
    CASE(a_published_note_is_opened),
    CASE(every_altered_byte_is_refused),
    CASE(every_altered_key_is_refused),
    CASE(other_forms_are_refused),
    CASE(what_is_signed_here_is_opened_by_its_key_alone),
};

int main(void)
{
    int failed;

    arena = arena_new();
    failed = unit_run("note", cases, ARRAY_SIZE(cases));
    arena_destroy(&arena);
    return failed;
}
