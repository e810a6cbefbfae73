/*
 * test_maild_tenant.c - what maild keeps of a project, moved to another installation.
 */
#include "maild/sql_part.h"
#include "maild/tenant.h"
#include "tests/support/tenant_kit.h"

extern const struct db_migration maild_migrations[];

/* The second job is being done, the third one is done. */
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
    "previous_sealed, previous_until, created_at, updated_at) values ('" project_ "', "         \
    "'0190a00" digit_ "-0000-7000-8000-0000000000cc', 'https://a.example/', "                   \
    "'{session.created,member.added}', true, @webhook secret|whsec_known@, null, null, 1, 2), " \
    "('" project_ "', "                                                                         \
    "'0190a00" digit_ "-0000-7000-8000-0000000000dd', 'https://b.example/', "                   \
    "'{session.created}', false, @webhook secret|whsec_known@, @webhook "                       \
    "secret|whsec_known-before@, 9, 1, 2);\n"

static const struct tenant_kit kit = {
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
