/*
 * test_botd_tenant.c - moves botd's rows of a project to another installation.
 */
#include <stdio.h>

#include "botd/sql_part.h"
#include "botd/tenant.h"
#include "tests/support/tenant_kit.h"
#include "tests/support/unit.h"

extern const struct db_migration botd_migrations[];

#define BOT_COLUMNS                                                                            \
    "insert into bot (project_id, id, name, kind, url, timeout_ms, identifier, secret_names, " \
    "secrets_sealed, signing_sealed, created_at, updated_at) "

/* The second bot's name and identifier look like a sealed column. The third bot has a quote in its
 * name, and no signing secret, as in an older build. */
#define ROWS_OF(project_, digit_)                                                             \
    BOT_COLUMNS                                                                               \
    "values ('" project_ "', '0190a00" digit_ "-0000-7000-8000-000000000001', 'A', "          \
    "'http', 'https://a.example/', 1000, '[{\"system\":\"s\",\"value\":\"v\"}]', '[\"k\"]', " \
    "@bot secrets|{\"k\":\"known-secret\"}@, @bot signing secret|known-signing@, 1, "         \
    "2);\n" BOT_COLUMNS "values ('" project_ "', '0190a00" digit_                             \
    "-0000-7000-8000-000000000002', "                                                         \
    "E'\",\"secrets_sealed\":\"\\\\\\\\x00', 'http', 'https://a.example/', 1000, "            \
    "'[{\"value\":\"w\",\"secrets_sealed\":\"\\\\x00\",\"signing_sealed\":null}]', '[]', "    \
    "@bot secrets|{\"k\":\"known\"}@, @bot signing secret|@, 1, 2);\n" BOT_COLUMNS            \
    "values ('" project_ "', '0190a00" digit_ "-0000-7000-8000-000000000003', E'\"\\\\', "    \
    "'http', 'https://a.example/', 1000, '[{\"value\":\"x\"}]', '[]', @bot secrets|{}@, "     \
    "null, "                                                                                  \
    "1, 2);\n"                                                                                \
    "insert into execution select '" project_ "', ('0190a00" digit_                           \
    "-0000-7000-8000-00000000010' || i)::uuid, '0190a00" digit_                               \
    "-0000-7000-8000-000000000001', i, i, 'success', null from generate_series(1, 4) i;\n"    \
    "insert into translation_day select '" project_ "', i, 7 from generate_series(1, 3) i;\n"

/* Programs belong to the operator's directory, so no file can add one. */
static void add_programs(struct tenant_kit_case *self)
{
    static const char *const names[] = {"/usr/bin/python3", "../secret", ".hidden", "a b", "echo"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        bool fine = i + 1 == ARRAY_SIZE(names);
        char sql[512];

        snprintf(sql, sizeof(sql),
                 "select row_to_json(json_populate_record(b, '{\"kind\":\"program\",\"url\":null,"
                 "\"program\":\"%s\",\"secrets_sealed\":\"\\\\x7b7d\","
                 "\"signing_sealed\":null}')) from bot b "
                 "where id = '0190a001-0000-7000-8000-000000000001'",
                 names[i]);
        UNIT_CHECK((tenant_kit_add(self, "bot", tenant_kit_text(self, TENANT_KIT_SENDER, sql)) ==
                    1) == fine,
                   "%s: %s", names[i], tenant_kit_error(self)->message);
    }
}

static void programs_of_a_file_stay_in_their_directory(void)
{
    tenant_kit_run(add_programs);
}

static const struct unit_case more[] = {CASE(programs_of_a_file_stay_in_their_directory),
                                        {.fn = NULL}};

static const struct tenant_kit kit = {
    .cases = more,
    .migrations = botd_migrations,
    .sql = botd_sql,
    .tables = botd_tenant_tables,
    .seed = ROWS_OF(TENANT_KIT_PROJECT, "1") ROWS_OF(TENANT_KIT_OTHER, "2"),
    .arrives = "select count(*) from bot b join bot_identifier i on i.bot_id = b.id "
               "where b.signing_sealed is not null and position('known' in b.secrets_sealed) = 0 "
               "having count(*) = 3",
    .opens = "select 1",
    .conflict = "update bot set name = 'other'",
};

int main(void)
{
    return tenant_kit_main("botd tenant", &kit);
}
