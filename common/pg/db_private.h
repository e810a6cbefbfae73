/*
 * db_private.h - what the files of the database layer share; no other file includes it.
 *
 *   db.c          handles, statements: queueing and waiting
 *   db_pool.c     which connection takes what; when one more is opened
 *   db_hosts.c    the servers of the connection string
 *   db_conn.c     one connection: connect, send, receive, loss
 *   db_tx.c       leases and transactions
 *   db_gate.c     statements that get no lock
 *   db_migrate.c  schema and verification of the statements, at start
 *   db_watch.c    slow statements, and the spans of traced ones
 *   db_result.c   SQLSTATEs, typed values, rows to structs
 *   statement.c   statements that are files: structs to parameters, columns to structs
 *
 * The unit of work is a call: one statement (or command) with the fiber that waits for it.
 * While a fiber waits, the call is its own; when it gives up on a call that was sent, it leaves it
 * to the connection, which throws the late answer away.  A call never refers to memory of a fiber
 * that has gone.
 */
#ifndef ATRIUM_COMMON_PG_DB_PRIVATE_H
#define ATRIUM_COMMON_PG_DB_PRIVATE_H

#include <libpq-fe.h>
#include <sys/queue.h>

#include "common/pg/db_query.h"
#include "common/runtime/resolver.h"

enum {
    DB_PARAMS_MAX = 48,     /* of one statement */
    DB_EXTRA_MAX = 48,      /* statements of common/ beside the daemon's */
    DB_SETS_MAX = 12,       /* tables of statements */
    DB_READ_DEPTH = 128,    /* statements in flight on one shared connection */
    DB_READS_TOGETHER = 16, /* reads of one Sync: the first of them is answered with the last */
    DB_WRITE_DEPTH =
        16, /* the same for writes: each may wait for a row lock and those behind it too */
    DB_WAIT_MS = 2000,       /* longest wait for a connection */
    DB_BACKOFF_MIN_MS = 50,  /* between attempts to connect */
    DB_BACKOFF_MAX_MS = 400, /* what an outage lasts longer than the server was away */
    DB_CONNECT_MS = 10000,   /* one attempt to connect to the only host */
    DB_HOST_MS = 3000,       /* the same where there is another host to try */
    DB_RESOLVE_MS = 3000,    /* of an attempt, until the host's name is resolved */
    DB_HOSTS_MAX = 8,        /* of a connection string; a longer list is libpq's business */
    DB_VITAL_LOCK_MS = 500,  /* longest wait of a vital statement for a lock */
    DB_BUSY_MS = 20,         /* a connection without a pause for so long: one more is opened */
    DB_STALL_MS = 250,       /* a connection that has not answered for so long gets new work last */
    DB_WAIT_LONG_MS = 1000,  /* what db_waits() calls suspiciously long */
    DB_SILENCE_MS =
        2000, /* beyond the statement timeout: then a server that has not said so is not there */
};

enum {
    DB_TARGET_NAMES_SIZE = RESOLVER_ADDRESSES_MAX * (RESOLVER_NAME_MAX + 1),
    DB_TARGET_ADDRESSES_SIZE = RESOLVER_ADDRESSES_MAX * INET6_ADDRSTRLEN,
};

enum db_call_kind {
    CALL_STATEMENT, /* a prepared statement, prepared on first use of the connection */
    CALL_COMMAND,   /* "commit" and the like, in the pipeline */
    CALL_VERIFY,    /* prepare and describe only */
    CALL_SCRIPT,    /* several statements without parameters, outside pipeline mode */
};

enum db_call_state {
    CALL_QUEUED, /* waits for a connection */
    CALL_SENT,
    CALL_DONE, /* result is set */
    CALL_LOST, /* the connection went between question and answer */
    CALL_DOWN, /* was not sent: there is no server */
    CALL_HELD, /* was not sent: its statement gets no lock */
};

struct db_conn;

struct db_call {
    TAILQ_ENTRY(db_call) link;
    struct db_conn *conn; /* that it was sent on */
    int64_t sent_mono_ms;
    struct fiber *waiter; /* NULL: none waits, the connection frees the call */
    enum db_call_kind kind;
    enum db_call_state state;
    const struct db_statement *statement; /* STATEMENT, VERIFY */
    const char *text;                     /* COMMAND, SCRIPT */
    const struct db_param *params;        /* the waiter's */
    bool begins;                          /* "begin" goes before it */
    bool ends;                            /* the lease is over when the answer is there */
    bool in_tx;
    size_t resent;               /* times that a read was lost */
    bool alone;                  /* a read that wants a Sync of its own */
    bool synced;                 /* a Sync stands behind it */
    int unanswered;              /* commands */
    bool prepares;               /* the statement is prepared before it runs */
    bool tries;                  /* the one that may try a closed gate */
    bool failed;                 /* result is an error */
    bool skipped;                /* by a neighbour's error, before the Sync of both */
    int good;                    /* results before that */
    int64_t started_us, sent_us; /* sent_us 0: not sent */
    PGresult *result;            /* the first error, else the last result */
};
TAILQ_HEAD(db_calls, db_call);

/* One server; NULL: as the connection string has it. */
struct db_host {
    char *host, *hostaddr, *port;
};

struct db_hosts {
    struct db_host items[DB_HOSTS_MAX];
    size_t count; /* 1 at least */
};

struct db_conn {
    struct db_pool *pool;
    PGconn *pg; /* NULL: not open, or the name of its host is being resolved */
    bool ready, resolving;
    size_t host;           /* its number */
    int64_t timeline;      /* of the server; 0: not known */
    int64_t heard_mono_ms; /* when the server said something last */
    int64_t busy_mono_ms;  /* since when calls are in flight; of an idle one: were */
    int fd;
    short watched; /* events */
    size_t depth;  /* calls in flight */
    struct db_calls in_flight;
    bool leased;
    bool unreplicated; /* the server has said that a commit may be missing on the standby */
    bool touched;      /* something was sent in this turn */
    size_t unsynced;   /* calls sent last that have no Sync yet */
    struct db_tx *tx;  /* who holds the lease; NULL while its rollback is on its way */
    uint8_t *prepared; /* by statement: is it known on this connection */
};

struct db_pool {
    struct db *db;
    size_t max, ready, leased, depth_max;
    size_t tried; /* hosts that failed since the last success or pause */
    struct db_conn *conns;
    struct db_conn *connecting; /* one at a time */
    struct loop_timer *timer;   /* end of the attempt, or time of the next one */
    int64_t backoff_ms, retry_at_ms, connected_at_ms;
    bool closing;
    bool failing; /* the last attempt failed, and it has no connection */
    struct db_calls queue;
    size_t queued;
    size_t tries; /* calls that try a closed gate */
    struct fiber_queue lessees;
    char *pg_options; /* session settings */
};

struct db_gate {
    size_t timeouts; /* in a row */
    int64_t timed_out_mono_ms;
    bool closed, tried;
};

/* A table of statements: the daemon's rows, its files, then those of common/. */
struct db_set {
    const struct db_statement *items;
    size_t count, first; /* number of the first */
};

struct db {
    struct loop *loop;
    const struct db_options *options;
    struct db_set sets[DB_SETS_MAX];
    size_t set_count, statement_count;
    size_t statement_max; /* the daemon's own and DB_EXTRA_MAX */
    struct db_pool read, write, vital;
    struct db_gate *gates;
    size_t gates_closed;
    char refusal[320]; /* see db_refusal() */
    struct db_hosts hosts;
    struct resolver *resolver;
    size_t preferred;      /* host that a connection was made to last */
    int64_t timeline;      /* highest that was seen */
    struct db_calls spare; /* calls for reuse */
    struct db_stats stats;
    uint64_t *count_statements, *count_errors, *count_lost, *count_connects;
    uint64_t *count_slow;
    int64_t slow_us; /* 0: none are logged */
    struct histogram *latency;
    struct {
        int64_t second; /* monotonic */
        unsigned lines, suppressed;
    } slow_log;
    unsigned jitter; /* state of rand_r */
};

struct db_tx {
    struct db *db;
    struct db_conn *conn; /* NULL: lost */
    int64_t deadline_mono_ms;
    bool begun;
    bool failed; /* the server has rolled back already, in effect */
};

#define DB_POOLS(db_)                              \
    {                                              \
        &(db_)->read, &(db_)->write, &(db_)->vital \
    }

/* ---- db.c ---- */

struct db_pool *db_pool_of(struct db *self, const struct db_statement *statement);

/* The row of a statement's number; ends the process for a number that is none. */
const struct db_statement *db_statement(const struct db *self, int number);
size_t db_statement_number(const struct db *self, const struct db_statement *statement);

struct db_call *db_call_new(struct db *self, enum db_call_kind kind);
void db_call_free(struct db *self, struct db_call **call_p);

/* State reached: wakes the waiter, or frees a call that has no waiter. */
void db_call_finish(struct db *self, struct db_call *call, enum db_call_state state);

/* Consumes the call and parks: 0 with the server's result, or -1, and a late answer is discarded.
 * uncertain: ERR_UNCERTAIN when the outcome is unknown. */
int db_call_wait(struct db *self, struct db_call **call_p, int64_t deadline_mono_ms, bool uncertain,
                 PGresult **ret, struct error *err) MUST_USE;

/* ---- db_gate.c ---- */

/* 0: may be sent or queued. -1 (ERR_UNAVAILABLE): its statement gets no lock and another call
 * tries. */
int db_gate_enter(struct db_pool *pool, struct db_call *call, struct error *err) MUST_USE;

int db_gate_refuse(struct error *err);

/* For a call queued before its gate was closed: false when it must not be sent. */
bool db_gate_passes(struct db_pool *pool, const struct db_call *call);

void db_gate_leave(struct db *db, struct db_call *call, enum db_call_state state);

/* Opens gates that nothing came to for a while. */
void db_gate_sweep(struct db *db);

/* After a lock timeout: do further calls in this pipeline wait for the same lock? */
bool db_gate_jams(const struct db_conn *conn);

/* ---- db_watch.c ---- */

/* Logs a slow call, records the span of a traced one; err NULL: it succeeded. */
void db_watch(struct db *self, const struct db_call *call, const struct error *err);

/* ---- db_hosts.c ---- */

/* One item, all NULL, unless the string is a plain list. */
void db_hosts_init(struct db_hosts *self, const char *conninfo);
void db_hosts_clear(struct db_hosts *self);

/* libpq's parameters: a name is in `host` once per address. NULL as in struct db_host. */
struct db_target {
    const char *host, *hostaddr, *port;
    char names[DB_TARGET_NAMES_SIZE], addresses[DB_TARGET_ADDRESSES_SIZE];
};

/* Resolves the name of a server, unless it is a socket or numeric; see resolver_poll(). */
enum resolver_state db_hosts_resolve(struct db *db, const struct db_host *host,
                                     struct db_target *ret, struct error *err) MUST_USE;

/* ---- db_pool.c ---- */

void db_pool_init(struct db_pool *self, struct db *db, size_t max, size_t depth_max,
                  char *pg_options); /* consumed */
void db_pool_close(struct db_pool *self);

/* Asks for one more connection unless one is coming, all exist, or it is too early. */
bool db_pool_grow(struct db_pool *self);

/* End of a turn: opens it, on the loop's stack, once the host's name is resolved. */
void db_pool_open(struct db_pool *self);

/* Sends what waits, as far as connections have room. */
void db_pool_dispatch(struct db_pool *self);

void db_pool_dequeue(struct db_pool *self, struct db_call *call);

/* 0 when waiting for a connection makes sense; -1 (ERR_UNAVAILABLE) when there is no server. */
int db_pool_check(const struct db_pool *self, struct error *err) MUST_USE;

/* A connection for one user alone, or NULL: wait among the lessees. */
struct db_conn *db_pool_lease(struct db_pool *self);
void db_pool_release(struct db_conn *conn);

void db_pool_connected(struct db_conn *conn);
void db_pool_lost(struct db_conn *conn, bool was_ready);

/* Any pool failed to connect, and has no connection. */
bool db_pools_failing(const struct db *db);

/* Nothing was heard of what was sent first for so long; 0: nothing is awaited. */
int64_t db_conn_waits_ms(const struct db_conn *conn, int64_t now_ms);

/* A server of a new timeline was seen: closes connections to older ones. */
void db_pool_promoted(struct db *db, int64_t timeline);

/* TCP gave this host up: closes its other connections that heard nothing since. */
void db_pool_host_gone(struct db *db, size_t host, int64_t since_ms);

/* The waiter of a sent call gave up. If the server is gone, closes all connections that wait in
 * vain; the call may be gone then. */
void db_pool_probe(struct db *db, const struct db_call *call);

/* ---- db_conn.c ---- */

/* Begins to connect; the pool hears how it ended. False: the host's name is being resolved, call
 * again in each turn. */
bool db_conn_open(struct db_conn *self);

/* Closes; calls in flight are lost, or go back to the queue when that is safe. */
void db_conn_lose(struct db_conn *self);

/* If the connection is gone, the call is queued again or finished: only its waiter may look at it
 * afterwards. */
void db_conn_send(struct db_conn *self, struct db_call *call);

/* End of a turn: pushes what libpq could not send at once. */
void db_conn_flush(struct db_conn *self);

/* Leaves or enters pipeline mode; nothing may be in flight. */
int db_conn_pipeline(struct db_conn *self, bool on) MUST_USE;

/* ---- statement.c ---- */

/* Types of the parameters, for "prepare"; all 0, unknown, for a statement that is a row. */
void db_statement_types(const struct db_statement *self, Oid ret[static DB_PARAMS_MAX]);

/* Are the columns that the server describes those that the statement's file names? */
int db_statement_check(const struct db_statement *self, const PGresult *described,
                       struct error *err) MUST_USE;

/* ---- db_result.c ---- */

/* Object identifiers of the types that are read and sent (pg_type.dat; fixed for ever). */
enum {
    OID_BOOL = 16,
    OID_BYTEA = 17,
    OID_INT8 = 20,
    OID_INT2 = 21,
    OID_INT4 = 23,
    OID_TEXT = 25,
    OID_BYTEA_ARRAY = 1001,
    OID_TEXT_ARRAY = 1009,
    OID_INT8_ARRAY = 1016,
    OID_BPCHAR = 1042,
    OID_VARCHAR = 1043,
    OID_VOID = 2278,
    OID_UUID = 2950,
    OID_UUID_ARRAY = 2951,
};

enum { DB_COLUMNS_MAX = 64 };

void db_pg_clear(PGresult **result_p); /* for CLEANUP */

/* Values that may be null, as members of a struct; texts and bytes are copies in the arena. */
const char *db_text_copy(const struct db_result *self, size_t row, int column, struct arena *arena);
enum tristate db_tristate(const struct db_result *self, size_t row, int column);
struct field_bytes db_bytes_copy(const struct db_result *self, size_t row, int column,
                                 struct arena *arena);

/* Is it a refusal with this SQLSTATE, or class of them? */
bool db_result_is(const PGresult *result, const char *state);

/* Turns a refusal of a statement (NULL: of a command) into an error. The server's text goes into
 * the detail only for statements that do not compile: others may hold data. */
int db_result_error(const PGresult *result, const struct db_statement *statement,
                    struct error *err);

#endif
