/*
 * test_statement.c - statements in .sql files, from structs to the server and back, and the start
 * check's errors.
 */
#include "common/pg/statement.h"

#include <stdio.h>
#include <string.h>

#include "common/base/log.h"
#include "tests/support/db_kit.h"
#include "tests/support/statement_kit.h"
#include "tests/support/statement_kit/sql/thing.h"

static const struct db_migration migrations[] = {
    {"0001_initial", "create table thing (id bigint primary key, name text, label text not null);"
                     "create table note (thing bigint not null, text text, at bigint not null)"},
    {NULL, NULL},
};

static struct pg *server;

struct kit {
    struct db_fixture db;
    struct arena *arena;
    struct request req;
};

static struct db_options options_of(const char *schema, const struct db_statement *sql)
{
    struct db_options options = db_kit_options(server, schema, NULL);

    options.sql = sql;
    options.migrations = migrations;
    return options;
}

static bool setup(struct kit *self, struct loop *loop, const char *schema)
{
    struct db_options options = options_of(schema, statement_kit_sql);

    self->arena = arena_new();
    self->req =
        (struct request){.arena = self->arena, .deadline_mono_ms = loop_mono_ms(loop) + 5000};
    return db_kit_setup(&self->db, server, loop, &options);
}

static void teardown(struct kit *self)
{
    db_kit_teardown(&self->db);
    arena_destroy(&self->arena);
}

static struct sql_thing_insert_in thing(int64_t id, const char *name)
{
    return (struct sql_thing_insert_in){.id = id,
                                        .name = name,
                                        .note = {.text = "first", .at = 1},
                                        .second = {.text = "second", .at = 2}};
}

static void insert(struct kit *kit, int64_t id, const char *name)
{
    struct sql_thing_insert_in in = thing(id, name);

    UNIT_CHECK(sql_thing_insert(kit->db.db, &kit->req, &in, &kit->db.err) >= 0, "%s",
               kit->db.err.detail);
}

static struct db_array array_of(struct arena *arena, const char *a, const char *b)
{
    struct db_array array = db_array_new(arena, 2, 40);

    db_array_add(&array, a);
    db_array_add(&array, b);
    return array;
}

static void types_travel_both_ways(struct loop *loop, void *arg UNUSED)
{
    static const uint8_t bytes[] = {0, 1, 255};
    struct kit kit;
    struct uuid key = uuid_random();
    struct sql_echo_row row;
    struct db_array byteses;
    struct sql_echo_in in = {.key = key,
                             .text = "it's",
                             .role = ROLE_PRACTITIONER,
                             .number = INT64_MIN,
                             .flag = true,
                             .bytes = {bytes, sizeof(bytes)},
                             .no_flag = TRISTATE_UNSET};

    if (!setup(&kit, loop, "types"))
        return;
    in.keys = array_of(kit.arena, key.text, uuid_random().text);
    in.texts = array_of(kit.arena, "a", "b");
    in.numbers = array_of(kit.arena, "40", "2");
    byteses = db_array_new(kit.arena, 1, DB_ARRAY_BYTES(sizeof(bytes)));
    db_array_add_bytes(&byteses, bytes, sizeof(bytes));
    in.byteses = byteses;
    UNIT_CHECK(sql_echo(kit.db.db, &kit.req, &in, &row, &kit.db.err) == 1, "%s", kit.db.err.detail);
    CU_ASSERT_TRUE(uuid_equal(&row.key, &key) && uuid_equal(&row.first_key, &key));
    CU_ASSERT_STRING_EQUAL(row.text, "it's");
    CU_ASSERT_TRUE(row.role == ROLE_PRACTITIONER && row.no_role == ROLE_NONE);
    CU_ASSERT_TRUE(row.number == INT64_MIN && row.flag && row.small == 7 && row.middle == -8);
    CU_ASSERT_TRUE(row.bytes.size == sizeof(bytes) && memcmp(row.bytes.bytes, bytes, 3) == 0);
    CU_ASSERT_TRUE(row.first_bytes.size == 3 && memcmp(row.first_bytes.bytes, bytes, 3) == 0);
    CU_ASSERT_TRUE(!uuid_is_set(&row.no_key) && !row.no_text && !row.no_number &&
                   row.no_flag == TRISTATE_UNSET && !row.no_bytes.bytes);
    CU_ASSERT_STRING_EQUAL(row.joined, "a+b");
    CU_ASSERT_EQUAL(row.sum, 42);
    teardown(&kit);
}

static void texts_of_an_array_have_any_character(struct loop *loop, void *arg UNUSED)
{
    static const char *const texts[] = {"a\"b",   "c\\",  "{d, e}", "",
                                        " NULL ", "NULL", NULL,     "\xc3\xa9"};
    struct kit kit;
    struct sql_echo_row row;
    struct sql_echo_in in = {
        .key = uuid_random(), .text = "", .role = ROLE_PATIENT, .bytes = {(const uint8_t *)"", 0}};

    if (!setup(&kit, loop, "texts"))
        return;
    in.keys = array_of(kit.arena, in.key.text, in.key.text);
    in.texts = db_array_texts(kit.arena, texts, ARRAY_SIZE(texts));
    in.numbers = array_of(kit.arena, "1", "1");
    in.byteses = array_of(kit.arena, "1", "1");
    UNIT_CHECK(sql_echo(kit.db.db, &kit.req, &in, &row, &kit.db.err) == 1, "%s", kit.db.err.detail);
    CU_ASSERT_STRING_EQUAL(row.joined,
                           "a\"b+c\\+{d, e}++ NULL +NULL+\xc3\xa9"); /* except the null */
    CU_ASSERT_STRING_EQUAL(db_array_texts(kit.arena, NULL, 0).text, "{}");
    teardown(&kit);
}

static void what_may_be_null_has_values_too(struct loop *loop, void *arg UNUSED)
{
    static const int64_t number = -1;
    struct kit kit;
    struct sql_echo_row row;
    struct sql_echo_in in = {.key = uuid_random(),
                             .text = "",
                             .role = ROLE_PATIENT,
                             .no_role = ROLE_DEVICE,
                             .bytes = {(const uint8_t *)"", 0},
                             .no_text = "",
                             .no_number = &number,
                             .no_flag = TRISTATE_FALSE,
                             .no_bytes = {(const uint8_t *)"x", 1}};

    if (!setup(&kit, loop, "values"))
        return;
    in.no_key = in.key;
    in.keys = in.texts = in.numbers = in.byteses = db_array_new(kit.arena, 0, 0);
    in.keys = array_of(kit.arena, in.key.text, in.key.text);
    in.numbers = array_of(kit.arena, "1", "1");
    in.byteses = array_of(kit.arena, "1", "1");
    UNIT_CHECK(sql_echo(kit.db.db, &kit.req, &in, &row, &kit.db.err) == 1, "%s", kit.db.err.detail);
    CU_ASSERT_TRUE(uuid_equal(&row.no_key, &in.key) && row.no_text && !row.no_text[0]);
    CU_ASSERT_TRUE(row.role == ROLE_PATIENT && row.no_role == ROLE_DEVICE);
    CU_ASSERT_TRUE(row.no_number && *row.no_number == -1 && row.no_flag == TRISTATE_FALSE);
    CU_ASSERT_TRUE(row.bytes.size == 0 && row.no_bytes.size == 1 && row.no_bytes.bytes[0] == 'x');
    teardown(&kit);
}

static void a_null_that_is_not_allowed_is_reported_by_name(struct loop *loop, void *arg UNUSED)
{
    struct sql_thing_name_in by_id = {.id = 1};
    struct sql_thing_rename_in nameless = {.up_to = 1};
    struct sql_thing_name_row row = {.name = "untouched"};
    struct db_tx *tx = NULL;
    struct kit kit;

    if (!setup(&kit, loop, "nulls"))
        return;
    insert(&kit, 1, NULL);
    CU_ASSERT_EQUAL(sql_thing_name(kit.db.db, &kit.req, &by_id, &row, &kit.db.err), -1);
    UNIT_CHECK(kit.db.err.code == ERR_INTERNAL && strstr(kit.db.err.detail, "thing_name.sql: name"),
               "%s", kit.db.err.detail);
    CU_ASSERT_EQUAL(db_begin(kit.db.db, kit.req.deadline_mono_ms, &tx, &kit.db.err), 0);
    CU_ASSERT_EQUAL(sql_thing_rename(tx, &kit.req, &nameless, &kit.db.err), -1);
    UNIT_CHECK(strstr(kit.db.err.detail, "thing_rename.sql: name"), "%s", kit.db.err.detail);
    db_tx_destroy(&tx);
    teardown(&kit);
}

static void an_unknown_role_is_refused(struct loop *loop, void *arg UNUSED)
{
    struct sql_thing_role_in by_id = {.id = 1};
    struct sql_thing_role_row row = {.role = ROLE_NONE};
    struct kit kit;

    if (!setup(&kit, loop, "roles"))
        return;
    insert(&kit, 1, "Cashier");
    CU_ASSERT_EQUAL(sql_thing_role(kit.db.db, &kit.req, &by_id, &row, &kit.db.err), -1);
    UNIT_CHECK(kit.db.err.code == ERR_INTERNAL &&
                   strstr(kit.db.err.detail, "thing_role.sql: role is unknown"),
               "%s", kit.db.err.detail);
    insert(&kit, 2, "Patient");
    by_id.id = 2;
    CU_ASSERT_EQUAL(sql_thing_role(kit.db.db, &kit.req, &by_id, &row, &kit.db.err), 1);
    CU_ASSERT_EQUAL(row.role, ROLE_PATIENT);
    teardown(&kit);
}

static void rows_are_counted(struct loop *loop, void *arg UNUSED)
{
    struct sql_thing_get_in by_id = {.id = 2};
    struct sql_thing_exists_in up_to = {.up_to = 1};
    struct kit_thing row = {.label = "untouched"};
    struct kit kit;

    if (!setup(&kit, loop, "counts"))
        return;
    insert(&kit, 1, "cup");
    CU_ASSERT_EQUAL(sql_thing_get(kit.db.db, &kit.req, &by_id, &row, &kit.db.err), 0);
    CU_ASSERT_STRING_EQUAL(row.label, "untouched");
    insert(&kit, 2, "plate");
    CU_ASSERT_EQUAL(sql_thing_get(kit.db.db, &kit.req, &by_id, &row, &kit.db.err), 1);
    CU_ASSERT_TRUE(row.id == 2 && strcmp(row.name, "plate") == 0);
    CU_ASSERT_STRING_EQUAL(row.label, "it's :quoted");
    CU_ASSERT_EQUAL(sql_thing_exists(kit.db.db, &kit.req, &up_to, &kit.db.err), 1);
    up_to.up_to = 2;
    CU_ASSERT_EQUAL(sql_thing_exists(kit.db.db, &kit.req, &up_to, &kit.db.err), -1);
    UNIT_CHECK(strstr(kit.db.err.detail, "thing_exists.sql: more than one"), "%s",
               kit.db.err.detail);
    teardown(&kit);
}

static void lists_fill_structs_and_columns(struct loop *loop, void *arg UNUSED)
{
    struct sql_thing_notes_in in;
    struct sql_thing_notes_rows notes;
    struct sql_thing_whole_in by_id = {.id = 1};
    struct sql_thing_whole_row whole;
    struct field_list things;
    struct kit kit;

    if (!setup(&kit, loop, "lists"))
        return;
    CU_ASSERT_EQUAL(sql_thing_list(kit.db.db, &kit.req, &things, &kit.db.err), 0);
    CU_ASSERT_EQUAL(things.count, 0);
    insert(&kit, 1, "cup");
    insert(&kit, 2, NULL);
    CU_ASSERT_EQUAL(sql_thing_list(kit.db.db, &kit.req, &things, &kit.db.err), 2);
    CU_ASSERT_TRUE(things.count == 2 && ((const struct kit_thing *)things.items)[1].id == 2 &&
                   !((const struct kit_thing *)things.items)[1].name);
    in.ids = array_of(kit.arena, "1", "3");
    CU_ASSERT_EQUAL(sql_thing_notes(kit.db.db, &kit.req, &in, &notes, &kit.db.err), 2);
    CU_ASSERT_TRUE(notes.count == 2 && notes.items[0].thing == 1);
    CU_ASSERT_STRING_EQUAL(notes.items[0].text, "cup, second");
    CU_ASSERT_STRING_EQUAL(notes.items[1].text, "first");
    CU_ASSERT_EQUAL(sql_thing_whole(kit.db.db, &kit.req, &by_id, &whole, &kit.db.err), 1);
    CU_ASSERT_TRUE(whole.notes == 2 && whole.whole->id == 1);
    CU_ASSERT_STRING_EQUAL(whole.whole->name, "cup");
    teardown(&kit);
}

static void statements_run_in_a_transaction(struct loop *loop, void *arg UNUSED)
{
    struct sql_thing_rename_in rename = {.up_to = 9, .name = "renamed"};
    struct sql_thing_insert_in in = thing(3, "bowl");
    struct sql_thing_get_in inserted = {.id = 3};
    struct kit_thing found;
    struct field_list things;
    struct db_tx *tx = NULL;
    struct kit kit;

    if (!setup(&kit, loop, "tx"))
        return;
    insert(&kit, 1, "cup");
    CU_ASSERT_EQUAL(db_begin(kit.db.db, kit.req.deadline_mono_ms, &tx, &kit.db.err), 0);
    CU_ASSERT_EQUAL(sql_thing_insert_tx(tx, &kit.req, &in, &kit.db.err), 1);
    CU_ASSERT_EQUAL(sql_thing_get_tx(tx, &kit.req, &inserted, &found, &kit.db.err), 1);
    CU_ASSERT_EQUAL(sql_thing_get(kit.db.db, &kit.req, &inserted, &found, &kit.db.err), 0);
    CU_ASSERT_EQUAL(sql_thing_get_statement->class,
                    DB_READ); /* a read, which is repeated when its connection is lost */
    CU_ASSERT_EQUAL(sql_thing_rename(tx, &kit.req, &rename, &kit.db.err), 2);
    db_tx_destroy(&tx);
    CU_ASSERT_EQUAL(sql_thing_list(kit.db.db, &kit.req, &things, &kit.db.err), 1);
    CU_ASSERT_EQUAL(db_begin(kit.db.db, kit.req.deadline_mono_ms, &tx, &kit.db.err), 0);
    CU_ASSERT_EQUAL(sql_thing_insert_tx(tx, &kit.req, &in, &kit.db.err), 1);
    CU_ASSERT_EQUAL(db_commit(&tx, &kit.db.err), 0);
    CU_ASSERT_EQUAL(sql_thing_list(kit.db.db, &kit.req, &things, &kit.db.err), 2);
    teardown(&kit);
}

static const struct sql_value number_column[] = {{"number", SQL_TYPE_INT8, false, 0, NULL}};

struct kit_age {
    int64_t createdAt;
};
FIELD_DECLARE(kit_age);
static const struct field kit_age_rows[] = {
    FIELD_TIME(struct kit_age, createdAt, 0, "When it was made."),
};
FIELD_TABLE(kit_age);

static void wrong_statements_end_the_start(struct loop *loop, void *arg UNUSED)
{
    static const struct sql_shape one_number = {.file = "wrong.sql",
                                                .line = 3,
                                                .rows = SQL_ROWS_ONE,
                                                .columns = number_column,
                                                .column_count = 1,
                                                .row_size = sizeof(int64_t)};
    static const struct sql_shape one_thing = {
        .file = "wrong.sql", .line = 3, .rows = SQL_ROWS_ONE, .table = &kit_thing_table};
    static const struct sql_shape one_age = {
        .file = "wrong.sql", .line = 3, .rows = SQL_ROWS_ONE, .table = &kit_age_table};
    static const struct {
        const char *text;
        const struct sql_shape *shape;
        const char *detail;
    } cases[] = {
        {"select\n  nothing as number", &one_number, "wrong.sql:4 42703"},
        {"select 1 as other", &one_number, "column 1 is other, its `row` has number there"},
        {"select 'x'::text as number", &one_number, "column 1, number, is of another type"},
        {"select 1 as number, 2 as more", &one_number, "column 2, more, is not in its `row`"},
        {"select", &one_number, "it answers 0 columns, its `row` has more: number is missing"},
        {"select id, name, id as size from thing", &one_thing, "column 3, size, is not in its"},
        {"select 'x'::text as id from thing", &one_thing, "column 1, id, is of another type"},
        {"select 1 as createdAt", &one_age,
         "column 1 is createdat, its `row` has \"createdAt\": it needs the quotes"},
    };

    pg_exec(server, "create schema wrong");
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct db_statement table[] = {
            {.name = "wrong", .class = DB_READ, .text = cases[i].text, .shape = cases[i].shape},
            {.name = NULL}};
        struct db_options options = options_of("wrong", table);
        struct metrics *metrics = metrics_new();
        struct error err;
        struct db *db;

        error_init(&err, NULL);
        db = db_new(loop, metrics, &options);
        CU_ASSERT_TRUE(db_prepare(db, &err) < 0);
        UNIT_CHECK(err.code == ERR_INTERNAL && strstr(err.detail, cases[i].detail), "%s: %s",
                   cases[i].text, err.detail);
        db_destroy(&db);
        metrics_destroy(&metrics);
    }
}

#define ON_FIBER(fn_)             \
    static void test_##fn_(void)  \
    {                             \
        unit_on_fiber(fn_, NULL); \
    }
ON_FIBER(types_travel_both_ways)
ON_FIBER(texts_of_an_array_have_any_character)
ON_FIBER(what_may_be_null_has_values_too)
ON_FIBER(a_null_that_is_not_allowed_is_reported_by_name)
ON_FIBER(an_unknown_role_is_refused)
ON_FIBER(rows_are_counted)
ON_FIBER(lists_fill_structs_and_columns)
ON_FIBER(statements_run_in_a_transaction)
ON_FIBER(wrong_statements_end_the_start)

static const struct unit_case cases[] = {
    CASE(test_types_travel_both_ways),
    CASE(test_texts_of_an_array_have_any_character),
    CASE(test_what_may_be_null_has_values_too),
    CASE(test_a_null_that_is_not_allowed_is_reported_by_name),
    CASE(test_an_unknown_role_is_refused),
    CASE(test_rows_are_counted),
    CASE(test_lists_fill_structs_and_columns),
    CASE(test_statements_run_in_a_transaction),
    CASE(test_wrong_statements_end_the_start),
};

int main(void)
{
    int rc;

    log_open("test_statement", "1", LOG_WARNING);
    server = pg_new();
    rc = unit_run("statement", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return rc;
}
