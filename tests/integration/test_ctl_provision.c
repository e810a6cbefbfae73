/*
 * test_ctl_provision.c - the SQL of `atriumctl database sql` on an empty database and an older
 * build's: audit rows are kept, and the daemon's role loses their ownership.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/pg/db.h"
#include "ctl/provision.h"
#include "tests/support/pg.h"

extern const struct db_migration ctl_migrations[];

static struct pg *server;

static PGconn *open_database(void)
{
    char conninfo[192];
    PGconn *conn;

    snprintf(conninfo, sizeof(conninfo), "%s dbname=atrium", server->conninfo);
    conn = PQconnectdb(conninfo);
    UNIT_CHECK(PQstatus(conn) == CONNECTION_OK, "%s", PQerrorMessage(conn));
    return conn;
}

static bool accepted(PGconn *conn, const char *sql)
{
    PGresult *result = PQexec(conn, sql);
    ExecStatusType status = PQresultStatus(result);

    PQclear(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static void run(PGconn *conn, const char *sql)
{
    UNIT_CHECK(accepted(conn, sql), "%.60s: %s", sql, PQerrorMessage(conn));
}

static long number(PGconn *conn, const char *sql)
{
    PGresult *result = PQexec(conn, sql);
    long value = PQntuples(result) == 1 ? strtol(PQgetvalue(result, 0, 0), NULL, 10) : -1;

    PQclear(result);
    return value;
}

static void provision(PGconn *conn)
{
    char *sql = provision_sql();

    run(conn, sql);
    free(sql);
}

/* Makes an older build's state: the daemon's role owns everything, and there are rows. */
static void make_old(PGconn *conn)
{
    run(conn,
        "create role \"atrium-maild\" login; create schema mail authorization \"atrium-maild\"");
    run(conn, "set session authorization \"atrium-maild\"; set search_path = mail");
    run(conn, "create table schema_migration (name text primary key)");
    run(conn, ctl_migrations[0].sql);
    run(conn, "select audit_month('audit_2026_01', 1767225600000, 1769904000000)");
    run(conn,
        "insert into audit (at, event, sequence, hash) values (1767225600001, '{}', 1, '\\x01')");
    run(conn, "insert into audit (at, event) values (1, '{}')");
    run(conn, "reset session authorization; reset search_path");
}

static void check_rights(PGconn *conn, const char *schema)
{
    run(conn, "set lock_timeout = '1s'");
    run(conn, "insert into audit (at, project_id, entity, event) values (5, null, 'x', '{}')");
    run(conn, "select sequence, hash from audit_head for update skip locked");
    run(conn, "update audit set sequence = 7, hash = '\\x07' where sequence is null and at = 5");
    run(conn, "update audit_head set sequence = 7, hash = '\\x07'");
    run(conn, "select audit_month('audit_2026_02', 1769904000000, 1772323200000)");
    run(conn, "create table own (id int); drop table own");
    UNIT_CHECK(!accepted(conn, "update audit set sequence = 8 where sequence = 7"), "%s", schema);
    UNIT_CHECK(!accepted(conn, "update audit set hash = '\\x08' where at = 5"), "%s", schema);
    UNIT_CHECK(!accepted(conn, "delete from audit"), "%s", schema);
    UNIT_CHECK(!accepted(conn, "drop table audit_2026_02"), "%s", schema);
    UNIT_CHECK(!accepted(conn, "update audit_head set sequence = 6"), "%s", schema);
    UNIT_CHECK(!accepted(conn, "select audit_month('audit_x', 0, 1)"), "%s", schema);
    UNIT_CHECK(!accepted(conn, "select audit_month('audit_2026_03', 0, 1)"), "%s", schema);
    UNIT_CHECK(!accepted(conn, "select audit_drop('audit_2026_02')"), "%s", schema);
}

static void the_daemon_cannot_change_its_audit_trail(void)
{
    static const char *const daemons[][2] = {
        {"mail", "set session authorization \"atrium-maild\"; set search_path = mail"},
        {"auth", "set session authorization \"atrium-authd\"; set search_path = auth"},
    };
    PGconn *conn;

    pg_exec(server, "create database atrium");
    conn = open_database();
    make_old(conn);
    provision(conn);
    provision(conn);
    CU_ASSERT_EQUAL(number(conn, "select count(*) from mail.audit"), 2);
    CU_ASSERT_EQUAL(number(conn, "select count(*) from mail.schema_migration"), 0);
    CU_ASSERT_EQUAL(
        number(conn, "select count(*) from auth.schema_migration where name = '0004_audit'"), 1);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        run(conn, daemons[i][1]);
        check_rights(conn, daemons[i][0]);
        run(conn, "reset session authorization; reset search_path");
    }
    /* The owner drops a month; the superuser can act as the owner. */
    run(conn, "set role atrium_audit");
    CU_ASSERT_EQUAL(number(conn, "select mail.audit_drop('audit_2026_01')"), 1);
    PQfinish(conn);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(the_daemon_cannot_change_its_audit_trail),
    };
    int exit_code;

    server = pg_new();
    exit_code = unit_run("ctl provision", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return exit_code;
}
