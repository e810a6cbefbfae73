/*
 * service.h - the skeleton of every daemon: `main` is a table and one call.
 *
 * service_main() reads command line and configuration, opens log, loop, clock, offload pool, bus,
 * database and outbox, runs the start hook, lets callers in, notifies systemd, serves until
 * SIGTERM, drains (bounded) and exits with 0. SIGHUP reloads (service_reload.c).
 */
#ifndef ATRIUM_COMMON_SERVICE_SERVICE_H
#define ATRIUM_COMMON_SERVICE_SERVICE_H

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/bus/bus.h"
#include "common/domain/request.h"
#include "common/pg/db.h"
#include "common/runtime/fiber.h"
#include "common/runtime/loop.h"
#include "common/runtime/offload.h"
#include "common/service/audit_chain.h"
#include "common/service/check.h"
#include "common/service/config.h"
#include "common/service/metric_rows.h"
#include "common/service/outbox.h"
#include "common/service/project_purge.h"
#include "common/service/seal_table.h"

struct common_config {
    const char *run_dir;       /* sockets and lock files */
    const char *log_level;     /* debug info notice warning error */
    const char *log_format;    /* auto text json journal */
    int64_t slow_statement;    /* ms; 0: none is logged */
    bool development;          /* written by `atriumctl dev` only: allows --test-clock */
    const char *bus_hosts;     /* file of bus_hosts.h; NULL: all of the suite is on this host */
    const char *bus_listen;    /* address to listen at for other hosts; NULL: that of bus_hosts */
    const char *bus_keys;      /* directory of the secret keys, <service>.<instance>.key */
    int64_t audit_keep_months; /* 0: all; this and the next two: `atriumctl audit prune` */
    const char *audit_export_dir; /* where months go before they are dropped */
    const char *audit_database;   /* conninfo of a role that may become atrium_audit */
    const char *public_url;       /* of the gateway, for pages; NULL: there are none */
};
extern const struct config_row common_config_rows[];
extern const size_t common_config_row_count;

struct database_config {
    const char *database; /* conninfo */
    int64_t read_connections, write_connections;
    int64_t statement_timeout, lock_timeout; /* ms */
};
/* Rows for a daemon's configuration struct `s` that has a member `struct database_config db`. */
#define DATABASE_CONFIG_ROWS(s, database_default)                                                 \
    {"database",                                                                                  \
     CONFIG_TYPE_TEXT,                                                                            \
     offsetof(s, db.database),                                                                    \
     database_default,                                                                            \
     1,                                                                                           \
     4096,                                                                                        \
     0,                                                                                           \
     NULL,                                                                                        \
     "Connection string (libpq) of this daemon's own role; it can list several hosts."},          \
        {"read_connections",                                                                      \
         CONFIG_TYPE_INT,                                                                         \
         offsetof(s, db.read_connections),                                                        \
         "2",                                                                                     \
         1,                                                                                       \
         64,                                                                                      \
         0,                                                                                       \
         NULL,                                                                                    \
         "Connections that all reads share."},                                                    \
        {"write_connections",                                                                     \
         CONFIG_TYPE_INT,                                                                         \
         offsetof(s, db.write_connections),                                                       \
         "8",                                                                                     \
         1,                                                                                       \
         64,                                                                                      \
         0,                                                                                       \
         NULL,                                                                                    \
         "Connections for writes and transactions."},                                             \
        {"statement_timeout",                                                                     \
         CONFIG_TYPE_DURATION,                                                                    \
         offsetof(s, db.statement_timeout),                                                       \
         "5s",                                                                                    \
         100,                                                                                     \
         600000,                                                                                  \
         0,                                                                                       \
         NULL,                                                                                    \
         "Longest time that a statement can run."},                                               \
    {                                                                                             \
        "lock_timeout", CONFIG_TYPE_DURATION, offsetof(s, db.lock_timeout), "2s", 100, 600000, 0, \
            NULL, "Longest time that a statement can wait for a lock; longer returns 503."        \
    }

struct service_definition {
    const char *name;    /* "authd": also the section and the directory of its sockets */
    const char *summary; /* one line for --help */
    size_t size;         /* sizeof the daemon's struct, whose FIRST member is struct service */
    const struct config_row *config; /* own section */
    size_t config_count;
    size_t config_size;     /* sizeof the configuration struct */
    size_t database_offset; /* of its member struct database_config; SIZE_MAX: no database */
    const char *schema;     /* "auth" */
    const struct db_statement *sql; /* ended by a row without a name, or NULL */
    const struct db_migration *migrations;
    bool audit;   /* common/service/schema/audit.sql is among them: its chain is kept */
    bool erasure; /* the tables of common/service/schema/erasure.sql are, too: see erasure.h */
    const struct operation
        *operations; /* ended by name NULL; those of service_routes.def are added */
    /* See bus_options.admit; NULL: nothing. */
    int (*admit)(void *daemon, struct request *req, const struct operation *row, struct error *err);
    /* See bus_options.find_project. */
    int (*find_project)(void *daemon, const struct request *req, const char *name, struct uuid *ret,
                        struct error *err);
    const struct check *checks;   /* doctor rows beside those of all daemons, ended by name NULL; or
                                   * NULL */
    const char *const *upstreams; /* services called, NULL-ended */
    const struct bus_method *const *outbox_methods; /* NULL: no outbox */
    size_t
        seal_key_offset; /* of the const char *seal_key path in the configuration; SIZE_MAX: none */
    const struct seal_table
        *seal_tables; /* what it seals, ended by name NULL; NULL: the outbox alone */
    const struct purge_step
        *purge; /* what it keeps of a project, ended by table NULL; NULL: nothing */
    const struct tenant_table
        *tenant; /* of that, what travels to another installation; NULL: nothing */
    /* May be NULL. Checks the files that the configuration names, also for --check-config; may
     * block. */
    int (*configured)(void *daemon, struct error *err);
    /* May be NULL. After a reload: takes over what `configured` made of the new configuration in
     * `fresh`, an unstarted daemon whose arena lives until the next reload. Rows without
     * CONFIG_RELOAD have new values there: do not use them. Must not park. */
    void (*reload)(void *daemon, void *fresh);
    /* On a fiber, or NULL. After database and bus, before requests. Must not wait for other
     * daemons. */
    int (*start)(void *daemon, struct error *err);
    /* On SIGTERM, all running: stops other input than the bus's, and waits, bounded, for work under
     * way. */
    void (*drain)(void *daemon);
    /* After the drain and all runs: frees what start made; after a failed start some is NULL. */
    void (*stop)(void *daemon);
};

struct blocker {
    int64_t pid;          /* of the backend; 0: none */
    char since[25];       /* when its present statement began; "": the role may not see it */
    char table[130];      /* that is waited for; "": not known */
    char application[65]; /* "psql"; "": the role may not see it */
    int64_t waiting;      /* statements of this role */
    int64_t waited_ms;    /* the first of them */
};

struct service {
    const struct service_definition *definition;
    const char *instance; /* "1" */
    struct common_config *common;
    void *config;            /* the daemon's configuration struct */
    struct seal_keys seal;   /* empty without a seal_key */
    struct bus_hosts *hosts; /* NULL: all of the suite is on this host */
    struct arena *hosts_arena;
    struct arena *arena; /* lives as long as the process */
    int64_t started_mono_ms;
    struct loop *loop;
    struct clock *clock;
    struct metrics *metrics;
    struct spans *spans;
    struct bus *bus;
    struct db *db; /* NULL without a database */
    struct offload *offload;
    struct outbox *outbox;     /* NULL without outbox methods */
    struct audit_chain *audit; /* NULL without an audit trail */
    bool ready, stopping;
    const char
        *sandbox; /* what confines the programs that the daemon starts; NULL: it starts none */

    struct config_origin *origins[2]; /* of the rows of `common` and of the daemon's section */

    /* service.c's, service_check.c's, service_reload.c's and service_task.c's own */
    bool reloading, reload_again; /* a SIGHUP came, another one since */
    struct arena *reload_arena;   /* of the configuration in use; NULL: that of the start */
    const struct service_options *options;
    bool check_only; /* --check-config: credentials are the unit's and may be missing */
    struct service_seal *sealing;
    struct {
        bool silent; /* the last question was not answered in time */
        struct blocker blocker;
        int64_t blocked_mono_ms; /* since when */
        int64_t write_mono_ms;   /* the next probe that writes, not before */
    } database;
    int exit_code;
    bool ended; /* nothing is left to do but to let the last fibers end */
    struct loop_timer *watchdog;
    size_t tasks;                            /* fibers of service_every() */
    struct fiber_queue task_pause, task_end; /* tasks between two runs; who waits for their end */
};

int service_main(int argc, char **argv, const struct service_definition *definition);

/* A request of the daemon's own: fresh arena, trace id, deadline. Use with CLEANUP. */
struct request *service_request_new(struct service *self, int64_t timeout_ms);
void service_request_destroy(struct request **self_p);

/* Runs fn(daemon, req) on a fiber every `period_ms` (first at once), one at a time, with a fresh
 * request and timeout (at least a second). Failures are retried; the log has the first of its kind
 * and the recovery. A test clock shortens the period to 500 ms. */
void service_every(struct service *self, const char *name, int64_t period_ms,
                   int (*fn)(void *daemon, const struct request *req, struct error *err));

/* The same for what contract time does not make due; a test clock does not change the period. */
void service_every_real(struct service *self, const char *name, int64_t period_ms,
                        int (*fn)(void *daemon, const struct request *req, struct error *err));

/* Operations of every daemon (service_routes.def), for bus_call_instance(). */
struct bus_method service_status_method(const char *service);
struct bus_method service_metrics_method(const char *service);
struct bus_method service_spans_method(const char *service);
struct bus_method audit_page_method(const char *service);
struct bus_method service_check_method(const char *service);
struct bus_method service_config_method(const char *service);
struct bus_method seal_reseal_method(const char *service);
struct bus_method seal_retire_method(const char *service);
struct bus_method tenant_tables_method(const char *service);
struct bus_method tenant_read_method(const char *service);
struct bus_method tenant_add_method(const char *service);
struct bus_method tenant_hold_method(const char *service);
struct bus_method tenant_held_method(const char *service);

struct service_status_out {
    const char *service, *instance, *version;
    int64_t uptimeMs, inFlight, queued, fibers, pid;
    bool database;
    enum tristate writable; /* unset: of a build that does not say */
    const char *sandbox;    /* what confines the programs that it starts; NULL: it starts none */
    /* Ids of the file's keys "4c1f0a... 9a2b77...", the writing one first, and "single", "prepared"
     * (the second is newer) or "switched". NULL: none. */
    const char *sealKeys, *sealState;
};
FIELD_DECLARE(service_status_out);

struct service_metrics_out {
    struct field_list metrics; /* struct metric_row */
};
FIELD_DECLARE(service_metrics_out);

/* Ended spans of sampled requests, taken out of the instance's ring. */
struct service_spans_out {
    const char *spans; /* a JSON array of OTLP's Span objects */
    int64_t count;
};
FIELD_DECLARE(service_spans_out);

struct service_check_out {
    struct field_list findings; /* struct finding */
    const char *server;         /* of its database, see db_server(); NULL: none, or not connected */
};
FIELD_DECLARE(service_check_out);

/* A key of the configuration in use, and what the files have for it now. */
struct config_entry {
    const char *section, *key;
    const char *value; /* NULL: it has none */
    const char *file;  /* where that was read; NULL: it is the program's default */
    int64_t line;
    bool reload;      /* SIGHUP applies a change */
    bool changed;     /* the files have another value */
    const char *next; /* that value, where it has changed; NULL: none */
};
FIELD_DECLARE(config_entry);

struct service_config_out {
    struct field_list entries; /* struct config_entry */
    const char *error;         /* why a start would refuse the files; NULL: it would not */
};
FIELD_DECLARE(service_config_out);

/* A page of the audit trail (audit_chain.h); with rows left when there are any after the last. */
struct audit_page_in {
    int64_t after;       /* sequence */
    struct uuid project; /* absent: all */
};
FIELD_DECLARE(audit_page_in);

struct audit_page_out {
    bool kept; /* the daemon has an audit trail; else nothing else is set */
    int64_t sequence, unsealed;
    struct field_bytes hash;
    struct field_list rows, gaps; /* struct audit_record, struct audit_gap */
};
FIELD_DECLARE(audit_page_out);

/* Reseals a page of a table after `after` with the key that writes. */
struct seal_reseal_in {
    int64_t table;     /* from 0 on */
    const char *after; /* absent: from its start */
};
FIELD_DECLARE(seal_reseal_in);

struct seal_reseal_out {
    int64_t tables;   /* how many the daemon has */
    const char *name; /* of this one */
    const char *next; /* what to go on behind; absent at its end */
    int64_t waiting;  /* values of the page that another key had sealed: */
    int64_t resealed; /* those sealed anew by this call */
    int64_t unopened; /* those that no key opens */
};
FIELD_DECLARE(seal_reseal_out);

/* The second key of the file, which nothing is sealed with any more, may leave it. */
struct seal_retire_in {
    const char *id;
};
FIELD_DECLARE(seal_retire_in);

#endif
