/*
 * db_migrate.c - migrates the schema and verifies the statements at start.
 *
 * One instance migrates while others wait for its advisory lock. Each migration and its note are
 * one transaction, unless it runs concurrently (db.h). The database can have migrations that this
 * build does not know, from a newer one: each migration also suits the build before it. Waiting for
 * a table's lock blocks later users, so a migration waits briefly, then fails, and the supervisor
 * retries.
 */
#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/pg/db_private.h"

enum {
    MIGRATE_MS = MINUTES(10), /* limit for one script, and for another instance */
    TURN_MS = 50,             /* polling interval */
    VERIFY_AHEAD = 32,        /* statements; libpq keeps a buffer of that size */
};

#define LOCK_TIMEOUT "200ms"
#define SQL_APPLIED "insert into schema_migration (name) values ('%s')"

/* Formats only constants, and names without quotes. */
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

/* Runs sql (consumed) as one transaction. */
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

static bool runs_concurrently(const struct db_migration *migration)
{
    static const char SUFFIX[] = "_concurrently";
    size_t length = strlen(migration->name), suffix = sizeof(SUFFIX) - 1;

    return length > suffix && strcmp(migration->name + length - suffix, SUFFIX) == 0;
}

char *db_migration_part(const struct db_migration *self, const char **rest)
{
    const char *part = *rest, *end;

    if (!part)
        return NULL;
    if (!runs_concurrently(self)) {
        *rest = NULL;
        return script_text("set local lock_timeout = '" LOCK_TIMEOUT "';\n%s\n;\n" SQL_APPLIED,
                           part, self->name);
    }
    part += strspn(part, " \n");
    if (!*part) {
        *rest = NULL;
        return script_text(SQL_APPLIED, self->name);
    }
    end = strstr(part, ";\n");
    *rest = end ? end + 2 : part + strlen(part);
    return script_text("%.*s", (int)(*rest - part), part);
}

static int apply(struct db_tx *tx, const struct db_migration *migration, struct error *err)
{
    const char *rest = migration->sql;
    char *part;

    log_event(LOG_NOTICE, "db", "applying migration", "name", migration->name, NULL);
    while ((part = db_migration_part(migration, &rest))) {
        CLEANUP(db_pg_clear) PGresult *done = NULL;

        if (script_run(tx, part, &done, err) == 0)
            continue;
        if (err->code == ERR_UNAVAILABLE && !err->sqlstate[0])
            return -1;
        return error_detail(err, "migration %s", migration->name);
    }
    return 0;
}

/* Polls until no other instance migrates: another's "create index concurrently" would wait for an
 * instance that waits inside the server. */
static int take_turn(struct db_tx *tx, struct error *err)
{
    struct loop *loop = tx->db->loop;
    int64_t until = loop_mono_ms(loop) + MIGRATE_MS;

    for (;;) {
        CLEANUP(db_pg_clear) PGresult *mine = NULL;

        if (script_run(tx,
                       script_text("select pg_try_advisory_lock(hashtextextended('atrium %s', 0))",
                                   tx->db->options->schema),
                       &mine, err) < 0)
            return -1;
        if (PQgetvalue(mine, 0, 0)[0] == 't')
            return 0;
        if (loop_mono_ms(loop) >= until)
            return error_retry(err, ERR_UNAVAILABLE, 1, "Another instance is migrating.");
        if (fiber_sleep_until(loop, loop_mono_ms(loop) + TURN_MS, err) < 0)
            return -1;
    }
}

static int migrate(struct db_tx *tx, struct error *err)
{
    const struct db_options *options = tx->db->options;
    CLEANUP(db_pg_clear) PGresult *applied = NULL;
    CLEANUP(db_pg_clear) PGresult *done = NULL;

    if (take_turn(tx, err) < 0 ||
        script_run(tx,
                   script_text(
                       "set statement_timeout = 0;"
                       "set lock_timeout = 0;" /* scripts set their own */
                       "create table if not exists schema_migration (name text primary key);"
                       "select name from schema_migration"),
                   &applied, err) < 0)
        return -1;
    for (const struct db_migration *row = options->migrations; row && row->name; row++)
        if (!is_applied(applied, row->name) && apply(tx, row, err) < 0)
            return -1;
    return script_run(tx,
                      script_text("select pg_advisory_unlock(hashtextextended('atrium %s', 0));"
                                  "reset statement_timeout; reset lock_timeout",
                                  options->schema),
                      &done, err);
}

static struct db_call *verify_send(struct db_tx *tx, int statement)
{
    struct db_call *call = db_call_new(tx->db, CALL_VERIFY);

    call->statement = db_statement(tx->db, statement);
    call->in_tx = true;
    if (tx->conn)
        db_conn_send(tx->conn, call);
    else
        call->state = CALL_LOST;
    return call;
}

static int verify(struct db_tx *tx, struct db_call **call_p, struct error *err)
{
    const struct db_statement *row = (*call_p)->statement;
    CLEANUP(db_pg_clear) PGresult *described = NULL;

    if (db_call_wait(tx->db, call_p, loop_mono_ms(tx->db->loop) + MIGRATE_MS, false, &described,
                     err) < 0)
        return -1;
    if (PQnparams(described) == row->params)
        return db_statement_check(row, described, err);
    error_set(err, ERR_INTERNAL, "A statement is wrong.");
    return error_detail(err, "%s takes %d parameters, its row says %d", row->name,
                        PQnparams(described), row->params);
}

static int verify_all(struct db_tx *tx, struct error *err)
{
    struct db *db = tx->db;
    size_t count = db->statement_count, sent = 0;
    struct db_call **calls = memory_array(count ? count : 1, sizeof(struct db_call *));
    int rc = 0;

    for (size_t i = 0; i < count; i++) {
        struct error later;

        for (; sent < count && sent < i + VERIFY_AHEAD; sent++)
            calls[sent] = verify_send(tx, (int)sent);
        error_init(&later, NULL);
        if (verify(tx, &calls[i], rc == 0 ? err : &later) < 0)
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
    /* The connection's end frees lock and settings, and stops what still runs. */
    if (tx->conn)
        db_conn_lose(tx->conn);
    return -1;
}
