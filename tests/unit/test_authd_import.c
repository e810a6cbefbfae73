/*
 * test_authd_import.c - import lines: validation, statements' parameters, and batch limits.
 */
#include <CUnit/CUnit.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "authd/import/import_line.h"
#include "tests/support/unit.h"

static const int64_t now_ms = 1700000000000;

static struct import_batch *batch_new(struct arena *arena)
{
    struct import_batch *batch = arena_alloc(arena, sizeof(*batch));

    batch->arena = arena;
    batch->hash = "no hash";
    batch->rules = (struct import_rules){
        .now_ms = now_ms, .patient_policy = true, .practitioner_policy = true};
    return batch;
}

static void read_text(struct import_batch *batch, const char *text, int64_t first_line)
{
    import_read_lines(batch, (struct field_bytes){(const uint8_t *)text, strlen(text)}, first_line);
}

#define PERSON_TEXT(email) "{\"email\":\"" email "\",\"firstName\":\"Ana\",\"lastName\":\"Lima\"}"

static void lines_keep_their_numbers(void)
{
    struct arena *arena = arena_new();
    struct import_batch *batch = batch_new(arena);

    read_text(batch, PERSON_TEXT("a@b.example") "\n\n \t\r\n" PERSON_TEXT("c@d.example"), 100);
    CU_ASSERT_EQUAL_FATAL(batch->count, 2);
    CU_ASSERT_EQUAL(batch->items[0].line, 100);
    CU_ASSERT_EQUAL(batch->items[1].line, 103);
    CU_ASSERT_EQUAL(import_good(batch), 2);
    CU_ASSERT_PTR_EQUAL(import_find(batch, 103), &batch->items[1]);
    CU_ASSERT_PTR_NULL(import_find(batch, 101));
    CU_ASSERT_PTR_NULL(import_find(batch, 104));
    arena_destroy(&arena);
}

static void addresses_are_those_of_registration(void)
{
    struct arena *arena = arena_new();
    struct import_batch *batch = batch_new(arena);

    read_text(batch,
              PERSON_TEXT(" Ana@B\xc3\xbc"
                          "cher.example"),
              1);
    CU_ASSERT_PTR_NULL(batch->items[0].why);
    CU_ASSERT_STRING_EQUAL(batch->items[0].email, "ana@xn--bcher-kva.example");
    arena_destroy(&arena);
}

/* A message repeats only displayable parts of a line. */
static void unknown_keys_are_named_if_they_are_words(void)
{
    static const struct {
        const char *key, *why;
    } rows[] = {
        {"phoneNumber", "phoneNumber is not a known key"},
        {"a b", "a key is not a known key"},
        {"\\u202e", "a key is not a known key"},
        {"", "a key is not a known key"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct arena *arena = arena_new();
        struct import_batch *batch = batch_new(arena);

        read_text(batch, arena_printf(arena, "{\"email\":\"a@b.example\",\"%s\":1}", rows[i].key),
                  1);
        CU_ASSERT_STRING_EQUAL(batch->items[0].why, rows[i].why);
        CU_ASSERT_STRING_EQUAL(batch->items[0].email, "a@b.example");
        arena_destroy(&arena);
    }
}

static void a_role_needs_a_policy(void)
{
    struct arena *arena = arena_new();
    struct import_batch *batch = batch_new(arena);

    batch->rules.patient_policy = false;
    read_text(batch, PERSON_TEXT("a@b.example"), 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(batch->items[0].why);
    CU_ASSERT_PTR_NOT_NULL(strstr(batch->items[0].why, "role needs a default access policy"));
    arena_destroy(&arena);
}

/* An invited practitioner chooses a password, so the hash is unused, and an invalid one is no
 * error. */
static void hashes_of_the_invited_are_passed_over(void)
{
    static const char text[] = "{\"email\":\"a@b.example\",\"firstName\":\"Ana\",\"lastName\":"
                               "\"Lima\",\"role\":\"Practitioner\",\"passwordHash\":\"md5\"}";
    struct arena *arena = arena_new();
    struct import_batch *batch = batch_new(arena);

    read_text(batch, text, 1);
    CU_ASSERT_PTR_NOT_NULL(batch->items[0].why);
    batch = batch_new(arena);
    batch->rules.invites = true;
    read_text(batch, text, 1);
    CU_ASSERT_PTR_NULL(batch->items[0].why);
    arena_destroy(&arena);
}

static void a_batch_is_bounded(void)
{
    struct arena *arena = arena_new();
    struct import_batch *batch = batch_new(arena);
    char *text = malloc(3 * (IMPORT_LINES_MAX + 1));

    for (size_t i = 0; i <= IMPORT_LINES_MAX; i++)
        memcpy(text + 3 * i, "{}\n", 3);
    import_read_lines(batch,
                      (struct field_bytes){(const uint8_t *)text, (size_t)3 * IMPORT_LINES_MAX}, 1);
    CU_ASSERT_EQUAL(batch->count, IMPORT_LINES_MAX);
    CU_ASSERT_FALSE(batch->over);
    batch = batch_new(arena);
    import_read_lines(
        batch, (struct field_bytes){(const uint8_t *)text, (size_t)3 * (IMPORT_LINES_MAX + 1)}, 1);
    CU_ASSERT_TRUE(batch->over);
    free(text);
    arena_destroy(&arena);
}

static void an_array_is_one(void)
{
    struct arena *arena = arena_new();
    struct import_batch *batch = batch_new(arena);

    CU_ASSERT_FALSE(import_read_array(batch, "{\"a\":1}"));
    CU_ASSERT_FALSE(import_read_array(batch, "[{}"));
    CU_ASSERT_EQUAL(batch->count, 0);
    CU_ASSERT_TRUE(import_read_array(batch, "[" PERSON_TEXT("a@b.example") ", 1, null]"));
    CU_ASSERT_EQUAL(batch->count, 3);
    CU_ASSERT_EQUAL(import_good(batch), 1);
    CU_ASSERT_STRING_EQUAL(batch->items[2].why, "is not a JSON object");
    arena_destroy(&arena);
}

static json_t *rows_of(const char *text)
{
    json_t *rows = json_loads(text, 0, NULL);

    UNIT_CHECK(json_is_array(rows), "%s", text);
    return rows;
}

static void good_lines_are_rows(void)
{
    struct arena *arena = arena_new();
    struct import_batch *batch = batch_new(arena);
    json_auto_t *refusals = NULL;
    struct import_rows rows;
    char number[24];

    read_text(batch, PERSON_TEXT("a@b.example") "\n{}\n" PERSON_TEXT("c@d.example"), 7);
    import_refuse(&batch->items[2], true, NULL);
    rows = import_rows(batch);
    refusals = rows_of(import_refusal_rows(batch));
    CU_ASSERT_STRING_EQUAL(rows.lines.text, "{7}");
    CU_ASSERT_EQUAL(strlen(rows.ids.text), sizeof(struct uuid) - 1 + strlen("{}"));
    CU_ASSERT_STRING_EQUAL(rows.emails.text, "{\"a@b.example\"}");
    CU_ASSERT_STRING_EQUAL(rows.hashes.text, "{\"no hash\"}");
    snprintf(number, sizeof(number), "{%lld}", (long long)now_ms);
    CU_ASSERT_STRING_EQUAL(rows.created.text, number);
    CU_ASSERT_STRING_EQUAL(rows.totps.text, "{NULL}");
    CU_ASSERT_EQUAL(json_array_size(refusals), 2);
    CU_ASSERT_TRUE(json_is_true(json_object_get(json_array_get(refusals, 1), "existing")));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(json_array_get(refusals, 1), "why")),
                           IMPORT_EXISTING);
    CU_ASSERT_EQUAL(import_addresses(batch).size, IMPORT_ADDRESS_SIZE);
    CU_ASSERT_EQUAL(import_addresses(batch).bytes[7], 7);
    arena_destroy(&arena);
}

/* Rows are in order of addresses, practitioners first; duplicates are in order of lines. */
static void rows_and_their_ids_go_up_with_the_addresses(void)
{
    static const char text[] = PERSON_TEXT("c@x.example") "\n" PERSON_TEXT(
        "b@x.example") "\n{}\n"
                       "{\"email\":\"d@x.example\",\"firstName\":\"Ana\",\"lastName\":\"Lima\","
                       "\"role\":\"Practitioner\"}\n" PERSON_TEXT("B@x.example");
    static const int lines[] = {4, 2, 5, 1};
    struct arena *arena = arena_new();
    struct import_batch *batch = batch_new(arena);
    const struct import_account *last = NULL;

    read_text(batch, text, 1);
    CU_ASSERT_STRING_EQUAL(import_rows(batch).lines.text, "{4,2,5,1}");
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        const struct import_account *next = import_find(batch, lines[i]);

        CU_ASSERT_TRUE(uuid_is_set(&next->profile));
        CU_ASSERT_TRUE(!last || strcmp(last->id.text, next->id.text) < 0);
        CU_ASSERT_TRUE(!last || strcmp(last->membership.text, next->membership.text) < 0);
        last = next;
    }
    arena_destroy(&arena);
}

static const struct unit_case cases[] = {
    CASE(lines_keep_their_numbers),
    CASE(addresses_are_those_of_registration),
    CASE(unknown_keys_are_named_if_they_are_words),
    CASE(a_role_needs_a_policy),
    CASE(hashes_of_the_invited_are_passed_over),
    CASE(a_batch_is_bounded),
    CASE(an_array_is_one),
    CASE(good_lines_are_rows),
    CASE(rows_and_their_ids_go_up_with_the_addresses),
};

int main(void)
{
    totp_open();
    return unit_run("authd import", cases, ARRAY_SIZE(cases));
}
