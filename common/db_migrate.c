/*
 * db_migrate.c - brings the schema up to date and proves the statements, once at start.
 *
 * One instance migrates at a time: the others wait for its advisory lock and then find nothing to do.  Each
 * migration and the note that it was applied are one transaction.  Names that this build does not know are
 * fine: a newer build has migrated, and every migration suits the build before it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/db_private.h"
#include "common/log.h"

enum { MIGRATE_MS = 10 * 60 * 1000 }; /* longest wait for one script: the lock, or a migration */

/* Text of a script. The parts are constants of the program, names without quotes in them. */
static char *script_text(const char *format, ...) PRINTF_LIKE(1, 2);
static char *script_text(const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        log_die("db", "out of memory");
    va_end(args);
    return text;
}

/* Runs the statements of sql (consumed) as one transaction; the result is that of the last. */
static int script_run(struct db_tx *tx, char *sql, PGresult **ret, struct error *err)
{
    struct db *db = tx->db;
    struct db_call *call;
    int rc;

    if (!tx->conn) {
        free(sql);
        return error_retry(err, ERR_UNAVAILABLE, 1, "The database connection was lost.");
    }
    call = db_call_new(db, CALL_SCRIPT);
    call->text = sql;
    db_conn_send(tx->conn, call);
    rc = db_call_wait(db, &call, loop_mono_ms(db->loop) + MIGRATE_MS, false, ret, err);
    free(sql);
    return rc;
}

static bool is_applied(const PGresult *applied, const char *name)
{
    for (int row = 0; row < PQntuples(applied); row++)
        if (strcmp(PQgetvalue(applied, row, 0), name) == 0)
            return true;
    return false;
}

static int apply(struct db_tx *tx, const struct db_migration *migration, struct error *err)
{
    CLEANUP(db_pg_clear) PGresult *done = NULL;

    log_event(LOG_NOTICE, "db", "applying migration", "name", migration->name, NULL);
    if (script_run(tx,
                   script_text("%s\n;\ninsert into schema_migration (name) values ('%s')",
                               migration->sql, migration->name),
                   &done, err) == 0)
        return 0;
    if (err->code == ERR_UNAVAILABLE && !err->sqlstate[0])
        return -1;
    return error_detail(err, "migration %s", migration->name);
}

static int migrate(struct db_tx *tx, struct error *err)
{
    const struct db_options *options = tx->db->options;
    CLEANUP(db_pg_clear) PGresult *applied = NULL;
    CLEANUP(db_pg_clear) PGresult *done = NULL;

    if (script_run(
            tx,
            script_text("set statement_timeout = 0;"
                        "select pg_advisory_lock(hashtextextended('atrium %s', 0));"
                        "create table if not exists schema_migration (name text primary key);"
                        "select name from schema_migration",
                        options->schema),
            &applied, err) < 0)
        return -1;
    for (const struct db_migration *row = options->migrations; row && row->name; row++)
        if (!is_applied(applied, row->name) && apply(tx, row, err) < 0)
            return -1;
    return script_run(tx,
                      script_text("select pg_advisory_unlock(hashtextextended('atrium %s', 0));"
                                  "reset statement_timeout",
                                  options->schema),
                      &done, err);
}

/* Prepares and describes one statement, with its row's word on the number of parameters. */
static int verify(struct db_tx *tx, struct db_call **call_p, struct error *err)
{
    const struct db_statement *row = (*call_p)->statement;
    CLEANUP(db_pg_clear) PGresult *described = NULL;

    if (db_call_wait(tx->db, call_p, loop_mono_ms(tx->db->loop) + MIGRATE_MS, false, &described,
                     err) < 0)
        return -1;
    if (PQnparams(described) == row->params)
        return 0;
    error_set(err, ERR_INTERNAL, "A statement is wrong.");
    return error_detail(err, "%s takes %d parameters, its row says %d", row->name,
                        PQnparams(described), row->params);
}

/* All statements in one go; the first that is wrong is reported. */
static int verify_all(struct db_tx *tx, struct error *err)
{
    struct db *db = tx->db;
    size_t count = db->statement_count[0] + db->statement_count[1], waited = 0;
    struct db_call **calls = calloc(count ? count : 1, sizeof(struct db_call *));
    int rc = 0;

    if (!calls)
        log_die("db", "out of memory");
    for (size_t i = 0; i < count; i++) {
        calls[i] = db_call_new(db, CALL_VERIFY);
        calls[i]->statement = db_statement(db, (int)i);
        calls[i]->in_tx = true;
        if (tx->conn)
            db_conn_send(tx->conn, calls[i]);
        else
            calls[i]->state = CALL_LOST;
    }
    for (; waited < count; waited++) {
        struct error later;

        error_init(&later, NULL);
        if (verify(tx, &calls[waited], rc == 0 ? err : &later) < 0)
            rc = -1;
    }
    free(calls);
    return rc;
}

static int prepare(struct db_tx *tx, struct error *err)
{
    if (db_conn_pipeline(tx->conn, false) < 0)
        log_die("db", "a leased connection is busy");
    if (migrate(tx, err) < 0)
        return -1;
    if (!tx->conn || db_conn_pipeline(tx->conn, true) < 0)
        return error_retry(err, ERR_UNAVAILABLE, 1, "The database connection was lost.");
    return verify_all(tx, err);
}

int db_prepare(struct db *self, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;

    if (db_begin(self, loop_mono_ms(self->loop) + DB_CONNECT_MS, &tx, err) < 0)
        return -1;
    if (prepare(tx, err) == 0)
        return 0;
    /* The lock, the settings and whatever still runs end with the connection. */
    if (tx->conn)
        db_conn_lose(tx->conn);
    return -1;
}
