/*
 * db_kit.c - see db_kit.h.
 */
#include "tests/support/db_kit.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/base/clock.h"

enum { PREPARE_MS = 60000 };

struct db_param db_kit_int(char buffer[static 24], int64_t value)
{
    snprintf(buffer, 24, "%lld", (long long)value);
    return DB_TEXT(buffer);
}

static void check_count(const struct db_statement *statement, size_t count)
{
    if ((size_t)statement->params == count)
        return;
    fprintf(stderr, "%s has %d parameters, not %zu\n", statement->name, statement->params, count);
    abort();
}

int db_kit_query(struct db *db, int64_t deadline_mono_ms, const struct db_statement *statement,
                 struct db_result **ret, struct error *err, const struct db_param *params,
                 size_t count)
{
    check_count(statement, count);
    return db_query(db, deadline_mono_ms, statement, params, ret, err);
}

int db_kit_tx_query(struct db_tx *tx, const struct db_statement *statement, struct db_result **ret,
                    struct error *err, const struct db_param *params, size_t count)
{
    check_count(statement, count);
    return db_tx_query(tx, statement, params, ret, err);
}

const struct db_migration db_kit_migrations[3] = {
    {"0001_initial", DB_KIT_SQL},
    {"0002_more", "alter table thing add note text"},
    {NULL, NULL},
};

struct db_options db_kit_options(const struct pg *server, const char *schema,
                                 const struct db_statement *statements)
{
    return (struct db_options){
        .conninfo = server->conninfo,
        .schema = schema,
        .program = schema,
        .sql = statements,
        .migrations = db_kit_migrations,
        .read_connections = 2,
        .write_connections = 4,
        .statement_timeout_ms = 3000,
        .queue_max = 64,
    };
}

int db_kit_prepare(struct db *db, struct error *err)
{
    int64_t end = clock_mono_ms() + PREPARE_MS;

    while (db_prepare(db, err) < 0) {
        if ((err->code != ERR_UNAVAILABLE && err->code != ERR_OVERLOADED) || clock_mono_ms() > end)
            return -1;
        error_clear(err);
    }
    return 0;
}

bool db_kit_setup(struct db_fixture *self, struct pg *server, struct loop *loop,
                  const struct db_options *options)
{
    char sql[80];

    *self = (struct db_fixture){.loop = loop, .metrics = metrics_new(), .options = *options};
    error_init(&self->err, NULL);
    snprintf(sql, sizeof(sql), "create schema %s", options->schema);
    pg_exec(server, sql);
    self->db = db_new(loop, self->metrics, &self->options);
    return UNIT_CHECK(db_kit_prepare(self->db, &self->err) == 0, "%s %s", self->err.message,
                      self->err.detail);
}

void db_kit_teardown(struct db_fixture *self)
{
    db_destroy(&self->db);
    metrics_destroy(&self->metrics);
}

int64_t db_kit_soon(const struct db_fixture *self)
{
    return loop_mono_ms(self->loop) + 10000;
}

void db_kit_sleep_ms(struct db_fixture *self, int64_t ms)
{
    if (fiber_sleep_until(self->loop, clock_mono_ms() + ms, &self->err) < 0)
        CU_FAIL("sleep");
}
