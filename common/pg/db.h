/*
 * db.h - PostgreSQL for fibers: prepared statements in pipeline mode, pools, transactions,
 * migrations.
 *
 * A daemon's statements are files, <daemon>/sql/<subject>/<name>.sql, which run by the calls of
 * statement.h. Their classes:
 *
 *   READ   shares few pipelined connections: statements of many requests in one flush
 *   WRITE  one atomic statement (often a data-modifying CTE); its own, larger pool: many commits
 *          share a flush of the log, and no read waits for one
 *   TX     only inside a transaction (db_begin), on a leased connection of the write pool
 *   VITAL  what the suite lives by (leases of gateways, probes): on a connection of its own, so
 *          that no statement that waits for a lock holds it up.  Short, may be repeated, and is not
 *          made durable (synchronous_commit=off)
 *
 * Each daemon's role has its own schema, first in search_path: statements name tables without a
 * schema. Loss of the connection: before a WRITE was sent -> tried on another connection; READ ->
 * sent again; WRITE or COMMIT whose answer was lost -> ERR_UNCERTAIN, never repeated.  A server
 * that answers no read for longer than the statement timeout allows counts as lost.  SQLSTATEs
 * become errors by sqlstate.def; a violated constraint is ERR_CONFLICT with its name in
 * err->constraint.
 *
 * No statement waits longer than the lock timeout for a lock: then it is ERR_UNAVAILABLE, and was
 * not done.  A statement that only ever times out is sent by one request at a time until it gets
 * its lock (db_gate.c), so that a lock which a person holds uses up no pool.
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

/* One migration, embedded from <daemon>/schema/NNNN_name.sql; ended by a row with name NULL. It is
 * one transaction. The statements of NNNN_name_concurrently.sql run one by one and outside of any
 * ("create index concurrently"): each ends in a semicolon at the end of its line, and all of them
 * are repeated when one was interrupted. What an operator has to know of it is a warning with the
 * SQLSTATE MIGRATION_WARNING, which is logged; it names ids, and nothing of a person. */
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

/* A database handle; connects in the background with back-off (50 .. 400 ms) from now on. Options
 * are borrowed. A host name is resolved by resolver.h; one of an environment variable or a service
 * file is libpq's business, and blocks.
 *
 * Of several hosts (host=a,b) that one is used which allows writing; after a fail-over that is
 * another one, found within seconds.  The last good one is asked first, each for 3 s at most.  A
 * promoted standby begins a new timeline: once one was seen, servers of an older timeline are
 * refused, even when they allow writing, as a primary that was believed dead. */
struct db *db_new(struct loop *loop, struct metrics *metrics, const struct db_options *options);

/* Closes everything. No fiber may be waiting for a statement; no transaction or result may be
 * left. */
void db_destroy(struct db **self_p);

/* Adds statements of a part of common/ (outbox, audit trail) behind the daemon's, up to a row
 * without a name, at most 40 in all. They are borrowed. db_prepare() verifies those that it knows
 * by then; later ones show at first use. */
void db_extend_sql(struct db *self, const struct db_statement *sql);

/* What is sent next of a migration, the note that it was applied included (caller frees): NULL
 * after the end. *rest begins as the migration's sql. */
char *db_migration_part(const struct db_migration *self, const char **rest);

/* Applies the migrations under an advisory lock and prepares every statement once. Parks. Fails
 * with ERR_UNAVAILABLE while the server cannot be reached or another session has locked a table
 * that a migration needs (try again) and ERR_INTERNAL when a migration or a statement is wrong
 * (give up: err->detail says which). */
int db_prepare(struct db *self, struct error *err) MUST_USE;

/* True while at least one connection is usable. */
bool db_ready(const struct db *self);

/* Connections of one handle at most. */
size_t db_connections_max(const struct db *self);

/* Where it is connected to, "host=/run/postgresql port=5432" (a numeric address for TCP); "" while
 * it is not. */
void db_server(const struct db *self, char *ret, size_t size);

/* What the server said when it refused a write for a reason of its own (full disk, read only, I/O
 * error), or NULL: it has not since db_refusal_set() was given NULL last. Statements of requests
 * set it; a probe that writes clears it. */
const char *db_refusal(const struct db *self);
void db_refusal_set(struct db *self, const char *text);

/* True while a statement waits for suspiciously long, or is held back because it gets no lock. */
bool db_waits(struct db *self);

/* Statements that are held back because they get no lock. */
size_t db_gates_closed(const struct db *self);

/* Statements that take longer than so many microseconds are logged by name; 0, as at first:
 * none. */
void db_set_slow(struct db *self, int64_t us);

/* ---- parameters ---- */

/* A parameter that is an array. Items need no quotes there: identifiers, numbers, tags. Its size is
 * known before: `items` of at most `item_max` characters. */
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

/* A transaction on a leased connection (READ COMMITTED). Destroying an uncommitted one rolls it
 * back. */
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
