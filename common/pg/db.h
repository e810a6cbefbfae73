/*
 * db.h - PostgreSQL for fibers: prepared statements in pipeline mode, pools, transactions,
 * migrations.
 *
 * Classes of a daemon's statements (<daemon>/sql/<subject>/<name>.sql, statement.h):
 *
 *   READ   shares few pipelined connections: statements of many requests in one flush
 *   WRITE  one atomic statement; an own pool: commits share a flush, no read waits for one
 *   TX     only inside a transaction (db_begin), on a leased connection of the write pool
 *   VITAL  leases and probes: an own connection, held up by no lock; repeatable, not durable
 *
 * Each daemon's role has its own schema, first in search_path. When a connection is lost: an unsent
 * WRITE goes to another, a READ is sent again, an unanswered WRITE or COMMIT is ERR_UNCERTAIN and
 * never repeated. A server that answers no read within the statement timeout counts as lost.
 * SQLSTATEs become errors by sqlstate.def; a violated constraint is ERR_CONFLICT, named in
 * err->constraint.
 *
 * A lock timeout is ERR_UNAVAILABLE, nothing was done; a statement that only times out is then sent
 * by one request at a time (db_gate.c), so that no lock uses up a pool.
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
    const char *name; /* "session_get", also its name on the server */
    enum db_class class;
    int params;
    const char *text;
    const struct sql_shape *shape; /* of a .sql file; NULL in tests of this layer alone */
};

/* A migration, embedded from <daemon>/schema/NNNN_name.sql, one transaction; name NULL ends the
 * list. NNNN_name_concurrently.sql runs its statements one by one outside of any; each ends in a
 * semicolon at the end of its line, all are repeated when interrupted. Warnings with
 * MIGRATION_WARNING are logged; they name ids, nothing of a person. */
#define MIGRATION_WARNING "01M01"
struct db_migration {
    const char *name;
    const char *sql;
};

struct db_options {
    const char *conninfo;           /* of the daemon's own role; see db_new() for several hosts */
    const char *schema;             /* "auth" */
    const char *program;            /* application_name: "atrium-authd.1" */
    const struct db_statement *sql; /* the daemon's, up to a row without a name; NULL: none */
    const struct db_migration *migrations;
    size_t read_connections;      /* 2 */
    size_t write_connections;     /* 8 */
    int64_t statement_timeout_ms; /* 5,000; enforced by the server */
    int64_t lock_timeout_ms;      /* 2,000; the same; 0: none */
    size_t queue_max; /* statements waiting for a connection (2,048); beyond: ERR_OVERLOADED */
};

/* Connects in the background with back-off (50 .. 400 ms). Options are borrowed. Host names are
 * resolved by resolver.h; those of environment variables or service files by libpq, which blocks.
 * Of several hosts the one that allows writing is used, the last good one tried first, each for 3
 * s. Once a promoted standby's timeline was seen, servers of an older one are refused. */
struct db *db_new(struct loop *loop, struct metrics *metrics, const struct db_options *options);

/* No fiber may wait for a statement; no transaction or result may be left. */
void db_destroy(struct db **self_p);

/* Adds statements of a part of common/, up to a row without a name, at most 40. Borrowed.
 * db_prepare() verifies those it knows; later ones show at first use. */
void db_extend_sql(struct db *self, const struct db_statement *sql);

/* The next piece of a migration, with its final note (caller frees); NULL: the end. *rest begins as
 * the migration's sql. */
char *db_migration_part(const struct db_migration *self, const char **rest);

/* Applies the migrations under an advisory lock and prepares every statement. Parks. Fails:
 * ERR_UNAVAILABLE (no server, or a needed table is locked: try again), ERR_INTERNAL (a migration or
 * statement is wrong, see err->detail: give up). */
int db_prepare(struct db *self, struct error *err) MUST_USE;

/* True while at least one connection is usable. */
bool db_ready(const struct db *self);

/* Connections of one handle at most. */
size_t db_connections_max(const struct db *self);

/* "host=/run/postgresql port=5432" (a numeric address for TCP); "" while disconnected. */
void db_server(const struct db *self, char *ret, size_t size);

/* Why the server last refused a write (full disk, read only, I/O error), or NULL. Statements of
 * requests set it; a probe that writes clears it. */
const char *db_refusal(const struct db *self);
void db_refusal_set(struct db *self, const char *text);

/* True while a statement waits for suspiciously long, or is held back because it gets no lock. */
bool db_waits(struct db *self);

/* Statements that are held back because they get no lock. */
size_t db_gates_closed(const struct db *self);

/* Statements slower than so many microseconds are logged by name; 0, the default: none. */
void db_set_slow(struct db *self, int64_t us);

/* ---- parameters ---- */

/* An array parameter, whose items need no quotes: identifiers, numbers, tags of at most `item_max`
 * characters. */
struct db_array {
    char *text;
    size_t length, size;
};
#define DB_ARRAY_INT 20                         /* characters of a number, at most */
#define DB_ARRAY_BYTES(size_) (3 + 2 * (size_)) /* of an item of bytes */
struct db_array db_array_new(struct arena *arena, size_t items, size_t item_max);
void db_array_add(struct db_array *self, const char *item);
void db_array_add_int(struct db_array *self, int64_t number);
void db_array_add_bytes(struct db_array *self, const uint8_t *bytes, size_t size);

/* The array of `count` texts, whatever is in them; where one is NULL, its item is null. */
struct db_array db_array_texts(struct arena *arena, const char *const *items, size_t count);

/* ---- transactions ---- */

/* On a leased connection (READ COMMITTED). Destroying an uncommitted one rolls it back. */
int db_begin(struct db *self, int64_t deadline_mono_ms, struct db_tx **ret,
             struct error *err) MUST_USE;
int db_commit(struct db_tx **tx_p, struct error *err) MUST_USE;
void db_tx_destroy(struct db_tx **tx_p);

/* ---- for tests and status ---- */

struct db_stats {
    uint64_t statements, syncs, flushes, reconnects;
    size_t in_flight_max; /* most statements ever in flight on one connection */
};
struct db_stats db_stats(const struct db *self);

#endif
