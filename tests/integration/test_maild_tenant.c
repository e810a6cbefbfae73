/*
 * test_maild_tenant.c - moves maild's rows of a project to another installation.
 */
#include "maild/sql_part.h"
#include "maild/tenant.h"
#include "tests/support/tenant_kit.h"
#include "tests/support/unit.h"

extern const struct db_migration maild_migrations[];

/* The second job is running, the third is done. */
#define ROWS_OF(project_, digit_)                                                               \
    "insert into template (project_id, name, language, subject, html, text, updated_at) "       \
    "select '" project_ "', n, l, E'Caf\\u00e9 \"{{name}}\"', '<p>\\n</p>', E'a\\tb\\n', 5 "    \
    "from unnest('{reset,welcome}'::text[]) n, unnest(array['', 'pt-BR', 'de']) l;\n"           \
    "insert into job (id, kind, due_at, account_id, schedule_id, project_id, state, try_at, "   \
    "lease, created_at, done_at) select ('0190a00" digit_ "-0000-7000-8000-00000000000' || "    \
    "i)::uuid, 'account-delete', 9, '0190a00" digit_ "-0000-7000-8000-0000000000aa', '0190a00"  \
    "" digit_ "-0000-7000-8000-0000000000bb', '" project_ "', "                                 \
    "case i when 3 then 'done' else 'waiting' end, i, "                                         \
    "case i when 2 then '" project_ "'::uuid end, 1, case i when 3 then 4 end "                 \
    "from generate_series(1, 3) i;\n"                                                           \
    "insert into webhook (project_id, id, url, events, enabled, secret_sealed, "                \
    "previous_sealed, previous_until, created_at, updated_at, format, audience) values "        \
    "('" project_ "', '0190a00" digit_ "-0000-7000-8000-0000000000cc', 'https://a.example/', "  \
    "'{session.revoked}', true, @webhook secret|whsec_known@, null, null, 1, 2, 'caep', 'a'), " \
    "('" project_ "', "                                                                         \
    "'0190a00" digit_ "-0000-7000-8000-0000000000dd', 'https://b.example/', "                   \
    "'{session.created}', false, @webhook secret|whsec_known@, @webhook "                       \
    "secret|whsec_known-before@, 9, 1, 2, 'standard', null);\n"

#define OLD_ROW(id_, behind_)                                                                      \
    "{\"project_id\":\"" TENANT_KIT_PROJECT "\",\"id\":\"" id_                                     \
    "\",\"url\":\"https://a.example/\",\"events\":[\"member.added\"],\"enabled\":true,"            \
    "\"gone_at\":null,\"secret_sealed\":\"\\\\x77687365635f6b6e6f776e\",\"previous_sealed\":null," \
    "\"previous_until\":null,\"created_at\":1,\"updated_at\":2" behind_ "}"

static void add_old_row(struct tenant_kit_case *self)
{
    static const char row[] = OLD_ROW("0190a009-0000-7000-8000-0000000000cc", "");

    UNIT_CHECK(tenant_kit_add(self, "webhook", row) == 1, "%s", tenant_kit_error(self)->message);
    UNIT_CHECK(tenant_kit_add(self, "webhook", row) == 0, "%s", tenant_kit_error(self)->message);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select count(*) from webhook "
                                   "where format = 'standard' and audience is null"),
                    1);
    UNIT_CHECK(tenant_kit_add(self, "webhook",
                              OLD_ROW("0190a009-0000-7000-8000-0000000000dd", ",\"more\":1")) < 0,
               "a column that there is not");
    UNIT_CHECK(tenant_kit_add(self, "webhook",
                              OLD_ROW("0190a009-0000-7000-8000-0000000000dd",
                                      ",\"format\":\"caep\",\"audience\":null")) < 0,
               "tokens for no audience");
}

static void webhooks_without_a_format_are_standard(void)
{
    tenant_kit_run(add_old_row);
}

static const struct unit_case more[] = {CASE(webhooks_without_a_format_are_standard), {.fn = NULL}};

static const struct tenant_kit kit = {
    .cases = more,
    .migrations = maild_migrations,
    .sql = maild_sql,
    .tables = maild_tenant_tables,
    .seed = ROWS_OF(TENANT_KIT_PROJECT, "1") ROWS_OF(TENANT_KIT_OTHER, "2"),
    .arrives = "select count(*) from job, webhook where lease is null and try_at = 0 "
               "and position('known' in secret_sealed) = 0 having count(*) = 6",
    .opens = "update job set state = 'done', done_at = 7, attempts = 1 where state = 'waiting'",
    .conflict = "update template set subject = 'other'",
};

int main(void)
{
    return tenant_kit_main("maild tenant", &kit);
}
