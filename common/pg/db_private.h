/*
 * db_private.h - private to the database layer.
 *
 * A call is one statement or command, with its waiting fiber. A fiber that gives up leaves a sent
 * call to the connection, which drops the late answer. So a call never refers to a finished fiber's
 * memory.
 */
#ifndef ATRIUM_COMMON_PG_DB_PRIVATE_H
#define ATRIUM_COMMON_PG_DB_PRIVATE_H

#include <libpq-fe.h>
#include <sys/queue.h>

#include "common/pg/db_query.h"
#include "common/runtime/resolver.h"

enum {
    DB_PARAMS_MAX = 56,      /* per statement */
    DB_EXTRA_MAX = 48,       /* statements of common/ */
    DB_SETS_MAX = 12,        /* statement tables */
    DB_READ_DEPTH = 128,     /* statements in flight per shared connection */
    DB_READS_TOGETHER = 16,  /* reads per Sync: the first is answered with the last */
    DB_WRITE_DEPTH = 16,     /* writes: each can wait for a row lock and delays those after it */
    DB_WAIT_MS = 2000,       /* longest wait for a connection */
    DB_BACKOFF_MIN_MS = 50,  /* between connection attempts */
    DB_BACKOFF_MAX_MS = 400, /* also: how much longer an outage can last than its cause */
    DB_CONNECT_MS = 10000,   /* per attempt, with one host */
    DB_HOST_MS = 3000,       /* per attempt, with several hosts */
    DB_RESOLVE_MS = 3000,    /* part of that for the host's name */
    DB_HOSTS_MAX = 8,        /* per connection string; libpq handles longer lists */
    DB_VITAL_LOCK_MS = 500,  /* vital statements' lock timeout */
    DB_BUSY_MS = 20,         /* busy time after which another connection is opened */
    DB_STALL_MS = 250,       /* without an answer for this long, a connection gets new work last */
    DB_WAIT_LONG_MS = 1000,  /* wait that db_waits() reports */
    DB_SILENCE_MS = 2000,    /* silence after the statement timeout, then the server is gone */
};

enum {
    DB_TARGET_NAMES_SIZE = RESOLVER_ADDRESSES_MAX * (RESOLVER_NAME_MAX + 1),
    DB_TARGET_ADDRESSES_SIZE = RESOLVER_ADDRESSES_MAX * INET6_ADDRSTRLEN,
};

enum db_call_kind {
    CALL_STATEMENT, /* prepared on the connection's first use */
    CALL_COMMAND,   /* such as "commit", in the pipeline */
    CALL_VERIFY,    /* prepare and describe only */
    CALL_SCRIPT,    /* statements without parameters, no pipeline mode */
};

enum db_call_state {
    CALL_QUEUED,
    CALL_SENT,
    CALL_DONE, /* result is set */
    CALL_LOST, /* no answer: the connection was lost */
    CALL_DOWN, /* unsent: no server */
    CALL_HELD, /* unsent: the gate is closed */
};

struct db_conn;

struct db_call {
    TAILQ_ENTRY(db_call) link;
    struct db_conn *conn;
    int64_t sent_mono_ms;
    struct fiber *waiter; /* NULL: the connection frees the call */
    enum db_call_kind kind;
    enum db_call_state state;
    const struct db_statement *statement; /* STATEMENT, VERIFY */
    const char *text;                     /* COMMAND, SCRIPT */
    const struct db_param *params;        /* in the waiter's memory */
    bool begins;                          /* sends "begin" first */
    bool ends;                            /* the answer ends the lease */
    bool in_tx;
    size_t resent;  /* how often a read was lost and sent again */
    bool alone;     /* a read with its own Sync */
    bool synced;    /* a Sync follows */
    int unanswered; /* commands that were sent and not answered */
    bool prepares;  /* its statement is prepared before it runs */
    bool tries; /* lets this call through a closed gate, to try whether the statement works again */
    bool failed;
    bool skipped;                /* skipped after another call's error */
    int good;                    /* results received before the first error */
    int64_t started_us, sent_us; /* sent_us: 0 until it is sent */
    PGresult *result;            /* first error, or last result */
};
TAILQ_HEAD(db_calls, db_call);

/* One server. NULL members have the connection string's values. */
struct db_host {
    char *host, *hostaddr, *port;
};

struct db_hosts {
    struct db_host items[DB_HOSTS_MAX];
    size_t count; /* at least 1 */
};

struct db_conn {
    struct db_pool *pool;
    PGconn *pg; /* NULL: closed, or resolving */
    bool ready, resolving;
    size_t host;           /* index */
    int64_t timeline;      /* 0: unknown */
    int64_t heard_mono_ms; /* when the server last sent something */
    int64_t busy_mono_ms;  /* when the current calls, or otherwise the last ones, started */
    int fd;
    short watched;
    size_t depth; /* calls in flight */
    struct db_calls in_flight;
    bool leased;
    bool unreplicated; /* the server warned that the standby may lack a commit */
    bool touched;      /* something was sent in this turn */
    size_t unsynced;   /* calls since the last Sync */
    struct db_tx *tx;  /* transaction with the lease; NULL during a rollback */
    uint8_t *prepared; /* indexed by statement */
};

struct db_pool {
    struct db *db;
    size_t max, ready, leased, depth_max;
    size_t tried; /* failed hosts since the last success or pause */
    struct db_conn *conns;
    struct db_conn *connecting; /* the connection being opened; at most one at a time */
    struct loop_timer *timer;   /* ends the attempt, or starts the next */
    int64_t backoff_ms, retry_at_ms, connected_at_ms;
    bool closing;
    bool failing; /* last attempt failed, no connection */
    struct db_calls queue;
    size_t queued;
    size_t tries; /* number of running calls with `tries` */
    struct fiber_queue lessees;
    char *pg_options;
};

struct db_gate {
    size_t timeouts; /* consecutive */
    int64_t timed_out_mono_ms;
    bool closed, tried;
};

/* A table of statements: the daemon's rows, its files, then common/'s. */
struct db_set {
    const struct db_statement *items;
    size_t count, first; /* first: number of the first statement */
};

struct db {
    struct loop *loop;
    const struct db_options *options;
    struct db_set sets[DB_SETS_MAX];
    size_t set_count, statement_count;
    size_t statement_max; /* daemon's plus DB_EXTRA_MAX */
    struct db_pool read, write, vital;
    struct db_gate *gates;
    size_t gates_closed;
    char refusal[320];
    struct db_hosts hosts;
    struct resolver *resolver;
    size_t preferred;      /* last connected host */
    int64_t timeline;      /* highest seen */
    struct db_calls spare; /* reusable */
    struct db_stats stats;
    uint64_t *count_statements, *count_errors, *count_lost, *count_connects;
    uint64_t *count_slow;
    int64_t slow_us; /* 0: log none */
    struct histogram *latency;
    struct {
        int64_t second; /* monotonic; second that `lines` counts for */
        unsigned lines, suppressed;
    } slow_log;
    unsigned jitter; /* rand_r state */
};

struct db_tx {
    struct db *db;
    struct db_conn *conn; /* NULL: lost */
    int64_t deadline_mono_ms;
    bool begun;
    bool failed; /* rolled back by the server */
};

#define DB_POOLS(db_)                              \
    {                                              \
        &(db_)->read, &(db_)->write, &(db_)->vital \
    }

/* ---- db.c ---- */

struct db_pool *db_pool_of(struct db *self, const struct db_statement *statement);

/* Ends the process for an invalid number. */
const struct db_statement *db_statement(const struct db *self, int number);
size_t db_statement_number(const struct db *self, const struct db_statement *statement);
struct db_call *db_call_new(struct db *self, enum db_call_kind kind);
void db_call_free(struct db *self, struct db_call **call_p);

/* Wakes the waiter, or frees a call without one. */
void db_call_finish(struct db *self, struct db_call *call, enum db_call_state state);

/* Consumes the call and parks. Returns -1 for an early end, and the answer is discarded later.
 * uncertain: an unknown outcome is ERR_UNCERTAIN. */
int db_call_wait(struct db *self, struct db_call **call_p, int64_t deadline_mono_ms, bool uncertain,
                 PGresult **ret, struct error *err) MUST_USE;

/* ---- db_gate.c ---- */

/* Fails with ERR_UNAVAILABLE if the gate is closed and another call tries. */
int db_gate_enter(struct db_pool *pool, struct db_call *call, struct error *err) MUST_USE;

int db_gate_refuse(struct error *err);

/* False if the gate closed after the call was queued. */
bool db_gate_passes(struct db_pool *pool, const struct db_call *call);

void db_gate_leave(struct db *db, struct db_call *call, enum db_call_state state);
void db_gate_sweep(struct db *db);

/* True if further calls in this pipeline would wait for the same lock. */
bool db_gate_jams(const struct db_conn *conn);

/* ---- db_watch.c ---- */

/* Logs a slow call and records a traced one's span; err NULL: success. */
void db_watch(struct db *self, const struct db_call *call, const struct error *err);

/* ---- db_hosts.c ---- */

/* Fills one item whose members are NULL, unless the connection string's lists are plain. */
void db_hosts_init(struct db_hosts *self, const char *conninfo);
void db_hosts_clear(struct db_hosts *self);

/* A server as libpq's parameters. `host` repeats the name for each address. */
struct db_target {
    const char *host, *hostaddr, *port;
    char names[DB_TARGET_NAMES_SIZE], addresses[DB_TARGET_ADDRESSES_SIZE];
};

/* Resolves a server's name, unless socket or numeric; see resolver_poll(). */
enum resolver_state db_hosts_resolve(struct db *db, const struct db_host *host,
                                     struct db_target *ret, struct error *err) MUST_USE;

/* ---- db_pool.c ---- */

void db_pool_init(struct db_pool *self, struct db *db, size_t max, size_t depth_max,
                  char *pg_options); /* consumed */
void db_pool_close(struct db_pool *self);

bool db_pool_grow(struct db_pool *self);

/* Opens the next connection at the end of a turn, on the loop's stack, once the name is
 * resolved. */
void db_pool_open(struct db_pool *self);

void db_pool_dispatch(struct db_pool *self);
void db_pool_dequeue(struct db_pool *self, struct db_call *call);

/* Fails with ERR_UNAVAILABLE if there is no server, because waiting makes no sense. */
int db_pool_check(const struct db_pool *self, struct error *err) MUST_USE;

/* Returns NULL if the fiber must wait among the lessees. */
struct db_conn *db_pool_lease(struct db_pool *self);
void db_pool_release(struct db_conn *conn);

void db_pool_connected(struct db_conn *conn);
void db_pool_lost(struct db_conn *conn, bool was_ready);

bool db_pools_failing(const struct db *db);

/* Returns the first unanswered call's wait without a word from the server, or 0. */
int64_t db_conn_waits_ms(const struct db_conn *conn, int64_t now_ms);

/* Closes connections to servers with an older timeline than this one. */
void db_pool_promoted(struct db *db, int64_t timeline);

/* Closes other connections to a lost host that were silent since. */
void db_pool_host_gone(struct db *db, size_t host, int64_t since_ms);

/* Called when a waiter gives up: closes all connections that wait in vain if the server is gone.
 * That can free the call. */
void db_pool_probe(struct db *db, const struct db_call *call);

/* ---- db_conn.c ---- */

/* Starts connecting; the pool is notified of the outcome. False: the name is being resolved; call
 * again each turn. */
bool db_conn_open(struct db_conn *self);

/* Closes the connection. Calls in flight are lost, or queued again if that is safe. */
void db_conn_lose(struct db_conn *self);

/* Sends the call; queues or finishes it if the connection is gone. Afterwards only its waiter may
 * use it. */
void db_conn_send(struct db_conn *self, struct db_call *call);

void db_conn_flush(struct db_conn *self);

/* Switches pipeline mode; nothing may be in flight. */
int db_conn_pipeline(struct db_conn *self, bool on) MUST_USE;

/* ---- statement.c ---- */

/* Writes the parameters' types, 0 (unknown) for a statement without a shape. */
void db_statement_types(const struct db_statement *self, Oid ret[static DB_PARAMS_MAX]);

/* Compares the server's columns with those of the statement's file. */
int db_statement_check(const struct db_statement *self, const PGresult *described,
                       struct error *err) MUST_USE;

/* ---- db_result.c ---- */

/* OIDs of supported types (pg_type.dat), which never change. */
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

void db_pg_clear(PGresult **result_p);

/* Copies a nullable value into the arena. */
const char *db_text_copy(const struct db_result *self, size_t row, int column, struct arena *arena);
enum tristate db_tristate(const struct db_result *self, size_t row, int column);
struct field_bytes db_bytes_copy(const struct db_result *self, size_t row, int column,
                                 struct arena *arena);

bool db_result_is(const PGresult *result, const char *state);

/* Makes a server's refusal an error; `statement` is NULL for a command. The detail has the server's
 * text only for statements that do not compile, since others' can contain data. */
int db_result_error(const PGresult *result, const struct db_statement *statement,
                    struct error *err);

#endif
