/*
 * test_migrations.c - migrations that would block writers of a large table are detected.
 */
#include <string.h>

#include "tests/support/migrations.h"
#include "tests/support/pg.h"

static struct pg *server;

static const struct row {
    const char *label, *name, *sql, *want; /* want: the table that is blocked, "" for none */
} rows[] = {
    {"a new table", "a", "create table made (id int); create index made_id on made (id)", ""},
    {"a new table that refers to one", "a", "create table made (id int references big)", ""},
    {"a column", "a", "alter table big add column more bigint not null default 0", ""},
    {"a column with a volatile default", "a",
     "alter table big add column more uuid default gen_random_uuid()",
     "big is read from end to end under AccessExclusiveLock on big"},
    {"a computed column", "a",
     "alter table big add column more int generated always as (size + 1) stored",
     "big is read from end to end under AccessExclusiveLock on big"},
    {"another type", "a", "alter table big alter column size type bigint",
     "big is read from end to end under AccessExclusiveLock on big"},
    {"not null", "a", "alter table big alter column size set not null",
     "big is read from end to end under AccessExclusiveLock on big"},
    {"a check", "a", "alter table big add constraint big_size check (size > 0)",
     "big is read from end to end under AccessExclusiveLock on big"},
    {"a check of what is written from now on", "a",
     "alter table big add constraint big_size check (size > 0) not valid", ""},
    {"a check, looked at afterwards", "a_concurrently",
     "alter table big drop constraint if exists big_size;\n"
     "alter table big add constraint big_size check (size > 0) not valid;\n"
     "alter table big validate constraint big_size;\n",
     ""},
    {"a check, looked at while a table is locked", "a",
     "alter table big add constraint big_size check (size > 0) not valid;\n"
     "alter table big validate constraint big_size;\n",
     "big is read from end to end under AccessExclusiveLock on big"},
    {"a reference", "a", "alter table big add foreign key (size) references other",
     "big is read from end to end under ShareRowExclusiveLock on big"},
    {"an index", "a", "create index big_size on big (size)",
     "big is read from end to end under ShareLock on big"},
    {"an index of a partitioned table", "a", "create index parted_id on parted (id)",
     "parted_other is read from end to end under ShareLock on parted"},
    {"an index, by itself but not concurrently", "a_concurrently",
     "drop index if exists big_size;\ncreate index big_size on big (size);\n",
     "big is read from end to end under ShareLock on big"},
    {"an index, concurrently", "a_concurrently",
     "drop index concurrently if exists big_size;\n"
     "create index concurrently big_size on big (size);\n",
     ""},
    {"all rows", "a", "update big set size = 1",
     "big is read from end to end under RowExclusiveLock on big"},
    {"a row", "a", "update big set size = 1 where id = 7", ""},
    {"a copy while another table is locked", "a",
     "alter table other add column more int; create table made as select * from big",
     "big is read from end to end under AccessExclusiveLock on other"},
    {"a copy", "a", "create table made as select * from big", ""},
};

static void test_migrations_that_block_writers_are_detected(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PGconn *conn = PQconnectdb(server->conninfo);
        char held_up[200];

        PQclear(PQexec(conn, "set client_min_messages = warning; drop schema if exists s cascade; "
                             "create schema s; set search_path = s; set enable_seqscan = off; "
                             "create table big (id int primary key, size int); "
                             "create table other (id int primary key); "
                             "create table parted (id int) partition by range (id); "
                             "create table parted_other partition of parted default"));
        migration_apply(conn, &(struct db_migration){rows[i].name, rows[i].sql}, held_up,
                        sizeof(held_up));
        UNIT_CHECK(strcmp(held_up, rows[i].want) == 0, "%s: %s", rows[i].label, held_up);
        PQfinish(conn);
    }
}

static const struct unit_case cases[] = {
    CASE(test_migrations_that_block_writers_are_detected),
};

int main(void)
{
    int failed;

    server = pg_new();
    failed = unit_run("migrations", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return failed;
}
