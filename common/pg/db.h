/*
 * db.h - PostgreSQL for fibers: prepared statements in pipeline mode, pools, transactions,
 * migrations.
 *
 * Classes of statements (<daemon>/sql/<subject>/<name>.sql, statement.h):
 *
 *   READ   shares few pipelined connections: statements of many requests in one flush
 *   WRITE  one atomic statement; its own pool, so commits share a flush and delay no read
 *   TX     only in a transaction (db_begin), on a leased connection of the write pool
 *   VITAL  leases and probes: an own connection without lock waits; repeatable, not durable
 *
 * Each daemon's role has its own schema, first in search_path. After a lost connection, an unsent
 * WRITE uses another connection and a READ is sent again. An unanswered WRITE or COMMIT fails with
 * ERR_UNCERTAIN and is never repeated. A server that answers no read within the statement timeout
 * counts as lost. sqlstate.def maps SQLSTATEs to errors; err->constraint names a violated
 * constraint.
 *
 * A lock timeout is ERR_UNAVAILABLE and changes nothing. After repeated timeouts only one request
 * at a time sends the statement (db_gate.c), so that a lock cannot use up a pool.
 */
#ifndef ATRIUM_COMMON_PG_DB_H
#define ATRIUM_COMMON_PG_DB_H

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/base/metrics.h"
#include "common/base/secret.h"
#include "common/base/uuid.h"
#include "common/runtime/fiber.h"
#include "common/wire/fields.h"

struct db;
struct db_tx;
struct sql_shape;

enum db_class { DB_READ, DB_WRITE, DB_TX, DB_VITAL };

struct db_statement {
    const char *name; /* "session_get", also on the server */
    enum db_class class;
    int params;
    const char *text;
    const struct sql_shape *shape; /* NULL only in tests of this layer */
};

/* A migration, embedded from <daemon>/schema/NNNN_name.sql, is one transaction; name NULL ends the
 * list. NNNN_name_concurrently.sql runs outside of transactions, statement by statement; each ends
 * with a semicolon at a line's end, and all repeat after an interruption. Warnings with
 * MIGRATION_WARNING are logged: ids, no personal data. */
#define MIGRATION_WARNING "01M01"
struct db_migration {
    const char *name;
    const char *sql;
};

struct db_options {
    const char *conninfo;           /* several hosts are possible, see db_new() */
    const char *schema;             /* "auth" */
    const char *program;            /* application_name: "atrium-authd.1" */
    const struct db_statement *sql; /* ended by a row without a name, or NULL */
    const struct db_migration *migrations;
    size_t read_connections;      /* default 2 */
    size_t write_connections;     /* default 8 */
    int64_t statement_timeout_ms; /* default 5,000; server-side */
    int64_t lock_timeout_ms;      /* default 2,000; server-side; 0: none */
    size_t queue_max; /* statements waiting for a connection (default 2,048), then ERR_OVERLOADED */
};

/* Connects in the background with back-off (50 .. 400 ms). Borrows options. resolver.h resolves
 * host names, except those from environment variables or service files, for which libpq blocks. Of
 * several hosts, the last good one is tried first, each for 3 s, until one allows writing. Once a
 * promoted standby's timeline was seen, servers of older ones are rejected. */
struct db *db_new(struct loop *loop, struct metrics *metrics, const struct db_options *options);

/* Requires that no fiber waits and that no transaction or result is left. */
void db_destroy(struct db **self_p);

/* Adds at most 40 borrowed statements of common/, up to a row without a name. db_prepare() verifies
 * those added before. */
void db_extend_sql(struct db *self, const struct db_statement *sql);

/* Returns a migration's next piece for the caller to free, or NULL. *rest starts as the migration's
 * sql. */
char *db_migration_part(const struct db_migration *self, const char **rest);

/* Applies migrations under an advisory lock and prepares all statements. Parks. Fails:
 * ERR_UNAVAILABLE (no server or a locked table: retry), ERR_OVERLOADED (the server is too slow:
 * retry), ERR_INTERNAL (wrong migration or statement, see err->detail). */
int db_prepare(struct db *self, struct error *err) MUST_USE;

bool db_ready(const struct db *self);
size_t db_connections_max(const struct db *self);

/* Writes "host=/run/postgresql port=5432", or "" while disconnected. */
void db_server(const struct db *self, char *ret, size_t size);

/* Returns why the server last refused a write (full disk, read-only, I/O error), or NULL. A
 * successful probe clears it. */
const char *db_refusal(const struct db *self);
void db_refusal_set(struct db *self, const char *text);

/* True while a statement waits suspiciously long, or its gate is closed. */
bool db_waits(struct db *self);

size_t db_gates_closed(const struct db *self);

/* Sets the time after which statements are logged by name; 0, the default, logs none. */
void db_set_slow(struct db *self, int64_t us);

/* ---- parameters ---- */

/* An array of items without quotes: identifiers, numbers, tags up to `item_max` characters. */
struct db_array {
    char *text;
    size_t length, size;
};
#define DB_ARRAY_INT 20                         /* characters per number */
#define DB_ARRAY_BYTES(size_) (3 + 2 * (size_)) /* characters of a bytes item */
struct db_array db_array_new(struct arena *arena, size_t items, size_t item_max);
void db_array_add(struct db_array *self, const char *item);
void db_array_add_int(struct db_array *self, int64_t number);
void db_array_add_bytes(struct db_array *self, const uint8_t *bytes, size_t size);

/* Accepts any texts; NULL items become null. */
struct db_array db_array_texts(struct arena *arena, const char *const *items, size_t count);

/* ---- transactions ---- */

/* Leases a connection (READ COMMITTED). Destroying an uncommitted transaction rolls it back. */
int db_begin(struct db *self, int64_t deadline_mono_ms, struct db_tx **ret,
             struct error *err) MUST_USE;
int db_commit(struct db_tx **tx_p, struct error *err) MUST_USE;
void db_tx_destroy(struct db_tx **tx_p);

/* ---- for tests and status ---- */

struct db_stats {
    uint64_t statements, syncs, flushes, reconnects;
    size_t in_flight_max; /* most calls at a time on one connection */
};
struct db_stats db_stats(const struct db *self);

#endif
