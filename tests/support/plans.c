/*
 * plans.c - see plans.h.
 */
#include "tests/support/plans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/pg/db_private.h"
#include "tests/support/migrations.h"

static void run(PGconn *conn, const char *sql)
{
    PGresult *result = PQexec(conn, sql);

    UNIT_CHECK(PQresultStatus(result) == PGRES_COMMAND_OK, "%.60s: %s", sql, PQerrorMessage(conn));
    PQclear(result);
}

/* True when `word`, up to a space or line end, is one of the words. */
static bool is_among(const char *words, const char *word)
{
    size_t length = strcspn(word, " \n");

    for (const char *next = words; *next != '\0'; next += strspn(next, " ")) {
        size_t size = strcspn(next, " ");

        if (size == length && strncmp(next, word, length) == 0)
            return true;
        next += size;
    }
    return false;
}

void plans_make_schema(const struct plans *self, const struct pg *server)
{
    PGconn *conn = PQconnectdb(server->conninfo);
    char sql[200], held_up[200];

    snprintf(sql, sizeof(sql),
             "create schema %s; set search_path = %s; set client_min_messages = warning",
             self->schema, self->schema);
    run(conn, sql);
    for (const struct db_migration *next = self->migrations; next->name; next++) {
        migration_apply(conn, next, held_up, sizeof(held_up));
        UNIT_CHECK(held_up[0] == '\0' || (self->blocking && is_among(self->blocking, next->name)),
                   "migration %s: %s. See \"Migrations\" in docs/development.md.", next->name,
                   held_up);
    }
    PQfinish(conn);
}

const struct db_statement *plans_statement(const struct plans *self, size_t i)
{
    for (const struct db_statement *const *table = self->sql; *table; table++)
        for (const struct db_statement *file = *table; file->name; file++)
            if (i-- == 0)
                return file;
    return NULL;
}

const struct db_statement *plans_find(const struct plans *self, const char *name)
{
    const struct db_statement *statement = NULL;

    for (size_t i = 0; (statement = plans_statement(self, i)); i++)
        if (strcmp(statement->name, name) == 0)
            return statement;
    fprintf(stderr, "no statement %s\n", name);
    abort();
}

static void prepare(PGconn *conn, const struct db_statement *statement)
{
    Oid types[DB_PARAMS_MAX];
    PGresult *made, *shape;
    struct error err;

    error_init(&err, NULL);
    db_statement_types(statement, types);
    made = PQprepare(conn, statement->name, statement->text,
                     statement->shape ? statement->params : 0, types);
    shape = PQdescribePrepared(conn, statement->name);
    UNIT_CHECK(PQnparams(shape) == statement->params, "%s has %d parameters: %s", statement->name,
               PQnparams(shape), PQresultErrorMessage(made));
    UNIT_CHECK(db_statement_check(statement, shape, &err) == 0, "%s", err.detail);
    PQclear(made);
    PQclear(shape);
}

PGconn *plans_open(const struct plans *self, const struct pg *server)
{
    PGconn *conn = PQconnectdb(server->conninfo);
    char *sql = NULL;

    CU_ASSERT_EQUAL(PQstatus(conn), CONNECTION_OK);
    if (asprintf(&sql, "set search_path = %s; set client_min_messages = warning", self->schema) < 0)
        abort();
    run(conn, sql);
    free(sql);
    for (size_t i = 0; plans_statement(self, i); i++)
        prepare(conn, plans_statement(self, i));
    return conn;
}

void plans_explain(PGconn *conn, const struct db_statement *statement, char *ret, size_t size)
{
    char sql[512];
    size_t length = (size_t)snprintf(sql, sizeof(sql), "explain (costs off) execute \"%s\"%s",
                                     statement->name, statement->params > 0 ? " (null" : "");
    PGresult *result;

    for (int i = 1; i < statement->params; i++)
        length += (size_t)snprintf(sql + length, sizeof(sql) - length, ", null");
    if (statement->params > 0)
        snprintf(sql + length, sizeof(sql) - length, ")");
    result = PQexec(conn, sql);
    UNIT_CHECK(PQntuples(result) > 0, "%s: %s", statement->name, PQresultErrorMessage(result));
    ret[0] = '\0';
    for (int row = 0; row < PQntuples(result); row++) {
        size_t used = strlen(ret);

        snprintf(ret + used, size - used, "%s\n", PQgetvalue(result, row, 0));
    }
    PQclear(result);
}

/* Finds the table of the plan's next node of a kind ("Seq Scan"), or NULL. Moves *plan past it. */
static const char *next_table(const char **plan, const char *kind)
{
    const char *node = strstr(*plan, kind), *table = node ? strstr(node, " on ") : NULL;

    if (!table)
        return NULL;
    *plan = table + strlen(" on ");
    return *plan;
}

bool plans_scan_whole(const struct plans *self, const char *plan)
{
    const char *table;

    while ((table = next_table(&plan, "Seq Scan"))) {
        if (!is_among(self->small, table))
            return true;
    }
    return false;
}

/* True when an index is read without a condition, from its start or in full. */
static bool walks_index(const struct plans *self, const char *plan)
{
    const char *table;

    while ((table = next_table(&plan, " Scan using "))) {
        const char *condition = strchr(table, '\n');

        condition = condition ? condition + 1 + strspn(condition + 1, " ") : "";
        if (strncmp(condition, "Index Cond:", strlen("Index Cond:")) != 0 &&
            !is_among(self->small, table))
            return true;
    }
    return false;
}

void plans_check(const struct plans *self, const struct pg *server, const char *walks)
{
    PGconn *conn = plans_open(self, server);
    char plan[16384], sql[512];

    if (self->emptied) {
        snprintf(sql, sizeof(sql), "vacuum (analyze) %s", self->emptied);
        run(conn, sql);
    }
    run(conn, "set enable_seqscan = off");
    run(conn, "set plan_cache_mode = force_generic_plan");
    for (size_t i = 0; plans_statement(self, i); i++) {
        const struct db_statement *statement = plans_statement(self, i);

        plans_explain(conn, statement, plan, sizeof(plan));
        if (!UNIT_CHECK(!plans_scan_whole(self, plan), "%s reads a table from end to end",
                        statement->name) ||
            !UNIT_CHECK(!walks_index(self, plan) || is_among(walks, statement->name),
                        "%s reads an index from end to end", statement->name))
            printf("%s", plan);
    }
    PQfinish(conn);
}

void plans_check_filled(const struct plans *self, const struct pg *server, const char *fill,
                        const struct db_statement *statement, const char *index)
{
    PGconn *conn = plans_open(self, server);
    char plan[16384];

    run(conn, fill);
    run(conn, "analyze");
    run(conn, "set plan_cache_mode = force_generic_plan");
    plans_explain(conn, statement, plan, sizeof(plan));
    UNIT_CHECK(!plans_scan_whole(self, plan) && strstr(plan, index), "%s should use %s:\n%s",
               statement->name, index, plan);
    PQfinish(conn);
}
