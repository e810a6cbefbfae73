/*
 * db_kit.c - see db_kit.h.
 */
#include "tests/support/db_kit.h"

#include <stdio.h>

const struct db_migration db_kit_migrations[3] = {
    {"0001_initial", DB_KIT_SQL},
    {"0002_more", "alter table thing add note text"},
    {NULL, NULL},
};

struct db_options db_kit_options(const struct pg *server, const char *schema,
                                 const struct db_statement *statements, size_t count)
{
    return (struct db_options){
        .conninfo = server->conninfo,
        .schema = schema,
        .program = schema,
        .statements = statements,
        .statement_count = count,
        .migrations = db_kit_migrations,
        .read_connections = 2,
        .write_connections = 4,
        .statement_timeout_ms = 3000,
        .queue_max = 64,
    };
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
    return UNIT_CHECK(db_prepare(self->db, &self->err) == 0, "%s %s", self->err.message,
                      self->err.detail);
}

void db_kit_teardown(struct db_fixture *self)
{
    db_destroy(&self->db);
    metrics_destroy(&self->metrics);
}
