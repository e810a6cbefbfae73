/*
 * service.h - the skeleton of all daemons: `main` is a table and one call.
 *
 * service_main() reads command line and configuration, opens log, loop, clock, offload pool, bus,
 * database and outbox, runs the start hook, admits callers, notifies systemd, serves until SIGTERM,
 * drains (bounded) and exits with 0. SIGHUP reloads (service_reload.c).
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
    const char *run_dir;
    const char *log_level; /* debug info notice warning error */
    const char *log_format;
    int64_t slow_statement; /* slow-statement limit in ms; 0: log none */
    bool development;       /* set by `atriumctl dev` only: allows --test-clock */
    const char *bus_hosts;  /* file of bus_hosts.h; NULL: one host */
    const char *bus_listen; /* address for other hosts; NULL: as in bus_hosts */
    const char *bus_keys;   /* directory of secret keys, <service>.<instance>.key */
    int64_t
        audit_keep_months; /* 0: keep all; this and the next two are for `atriumctl audit prune` */
    const char *audit_export_dir; /* receives months before they are dropped */
    const char *audit_database;   /* conninfo of a role that can become atrium_audit */
    const char *public_url;       /* URL of the gateway, for pages; NULL: no pages */
};
extern const struct config_row common_config_rows[];
extern const size_t common_config_row_count;

struct database_config {
    const char *database;
    int64_t read_connections, write_connections;
    int64_t statement_timeout, lock_timeout; /* ms */
};
/* For a configuration struct `s` with a member `struct database_config db`. */
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
    const char *name; /* "authd": also section and socket directory */
    const char *summary;
    size_t size; /* daemon's struct, whose FIRST member is struct service */
    const struct config_row *config;
    size_t config_count;
    size_t config_size;
    size_t database_offset;         /* offset of the member struct database_config */
    const char *schema;             /* "auth" */
    const struct db_statement *sql; /* ended by a row without a name, or NULL */
    const struct db_migration *migrations;
    bool audit;   /* has the table of common/service/schema/audit.sql, so keeps its chain */
    bool erasure; /* has the tables of common/service/schema/erasure.sql, see erasure.h */
    const struct operation *operations; /* ended by name NULL; service_routes.def's are added */
    /* See bus_options. */
    int (*admit)(void *daemon, struct request *req, const struct operation *row, struct error *err);
    /* See bus_options. */
    int (*find_project)(void *daemon, const struct request *req, const char *name, struct uuid *ret,
                        struct error *err);
    const struct check *checks;   /* own doctor rows, ended by name NULL, or NULL */
    const char *const *upstreams; /* services called, NULL-ended */
    const struct bus_method *const *outbox_methods; /* or NULL */
    size_t seal_key_offset; /* offset of the configuration's const char *seal_key, or SIZE_MAX */
    const struct seal_table
        *seal_tables;               /* sealed columns, ended by name NULL; NULL: only the outbox */
    const struct purge_step *purge; /* data of projects, ended by table NULL, or NULL */
    const struct tenant_table *tenant; /* tables that move to another installation, or NULL */
    /* Checks files that the configuration names, also for --check-config. Can block or be NULL. */
    int (*configured)(void *daemon, struct error *err);
    /* Takes over what `configured` made in `fresh`, an unstarted daemon whose arena lives until the
     * next reload. Do not use its values without CONFIG_RELOAD. Must not park. Can be NULL. */
    void (*reload)(void *daemon, void *fresh);
    /* Runs on a fiber before requests. Must not wait for other daemons. Can be NULL. */
    int (*start)(void *daemon, struct error *err);
    /* Stops all input except the bus, and waits for running work, for a limited time. */
    void (*drain)(void *daemon);
    /* Frees what start made; after a failed start some is NULL. */
    void (*stop)(void *daemon);
};

struct blocker {
    int64_t pid;          /* process id of the session that blocks, or 0 */
    char since[25];       /* start of its statement; "": hidden from the role */
    char table[130];      /* table that is waited for; "": unknown */
    char application[65]; /* "psql"; "": hidden from the role */
    int64_t waiting;      /* number of this role's statements that wait */
    int64_t waited_ms;    /* how long the first of them has waited */
};

struct service {
    const struct service_definition *definition;
    const char *instance;
    struct common_config *common;
    void *config;
    struct seal_keys seal;   /* empty without a seal_key */
    struct bus_hosts *hosts; /* NULL: the suite has one host */
    struct arena *hosts_arena;
    struct arena *arena; /* lives as long as the process */
    int64_t started_mono_ms;
    struct loop *loop;
    struct clock *clock;
    struct metrics *metrics;
    struct spans *spans;
    struct bus *bus;
    struct db *db; /* or NULL */
    struct offload *offload;
    struct outbox *outbox;     /* or NULL */
    struct audit_chain *audit; /* or NULL */
    bool ready, stopping;
    const char *sandbox; /* confinement of started programs; NULL: starts none */

    struct config_origin *origins[2]; /* origins of the rows of `common` and of the daemon's rows */

    /* private to service*.c: */
    bool reloading, reload_again; /* SIGHUP came, and another since */
    struct arena
        *reload_arena; /* memory of the current configuration; NULL: still the one from the start */
    const struct service_options *options;
    bool check_only; /* --check-config: the unit's credentials can be missing */
    struct service_seal *sealing;
    struct {
        bool silent; /* the last probe got no answer in time */
        struct blocker blocker;
        int64_t blocked_mono_ms; /* since when the database is blocked */
        int64_t write_mono_ms;   /* when the next probe that writes is allowed */
    } database;
    int exit_code;
    bool ended; /* nothing is left but the end of the last fibers */
    struct loop_timer *watchdog;
    size_t tasks;                            /* service_every() fibers */
    struct fiber_queue task_pause, task_end; /* tasks between runs; waiters for their end */
};

int service_main(int argc, char **argv, const struct service_definition *definition);

/* Creates a request for the daemon's own work: fresh arena, trace id, deadline. Use CLEANUP. */
struct request *service_request_new(struct service *self, int64_t timeout_ms);
void service_request_destroy(struct request **self_p);

/* Runs fn(daemon, req) on a fiber every `period_ms`, first immediately, one run at a time, with a
 * fresh request and timeout (at least a second). Retries failures; logs the first of a kind and the
 * recovery. A test clock shortens the period to 500 ms. */
void service_every(struct service *self, const char *name, int64_t period_ms,
                   int (*fn)(void *daemon, const struct request *req, struct error *err));

/* Like service_every(), for work that does not depend on contract time; ignores a test clock. */
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
    enum tristate writable; /* unset: an older build */
    const char *sandbox;    /* confinement of started programs, or NULL */
    /* The file's keys by id, "4c1f0a... 9a2b77...", the writing one first, and "single", "prepared"
     * (the second is newer) or "switched". NULL: none. */
    const char *sealKeys, *sealState;
};
FIELD_DECLARE(service_status_out);

struct service_metrics_out {
    struct field_list metrics; /* struct metric_row */
};
FIELD_DECLARE(service_metrics_out);

/* Ended spans, which are removed from the instance's ring. */
struct service_spans_out {
    const char *spans; /* JSON array of OTLP Spans */
    int64_t count;
};
FIELD_DECLARE(service_spans_out);

struct service_check_out {
    struct field_list findings; /* struct finding */
    const char *server;         /* the database server, see db_server(), or NULL */
};
FIELD_DECLARE(service_check_out);

/* A key's value in use, and its current value in the files. */
struct config_entry {
    const char *section, *key;
    const char *value; /* or NULL */
    const char *file;  /* file that sets the value; NULL: the default */
    int64_t line;
    bool reload;      /* SIGHUP applies changes */
    bool changed;     /* files have another value */
    const char *next; /* changed value, or NULL */
};
FIELD_DECLARE(config_entry);

struct service_config_out {
    struct field_list entries; /* struct config_entry */
    const char *error;         /* why a start would fail, or NULL */
};
FIELD_DECLARE(service_config_out);

/* A page of the audit log (audit_chain.h), which has rows while any are left. */
struct audit_page_in {
    int64_t after;       /* sequence */
    struct uuid project; /* absent: all */
};
FIELD_DECLARE(audit_page_in);

struct audit_page_out {
    bool kept; /* the daemon has an audit log; otherwise all is unset */
    int64_t sequence, unsealed;
    struct field_bytes hash;
    struct field_list rows, gaps; /* struct audit_record, struct audit_gap */
};
FIELD_DECLARE(audit_page_out);

/* A page of a table, after `after`, to reseal with the writing key. */
struct seal_reseal_in {
    int64_t table;     /* from 0 */
    const char *after; /* absent: the start */
};
FIELD_DECLARE(seal_reseal_in);

struct seal_reseal_out {
    int64_t tables;   /* number of the daemon's tables */
    const char *name; /* name of this table */
    const char *next; /* next `after`; absent at the end */
    int64_t waiting;  /* values of the page that another key sealed: */
    int64_t resealed; /* those resealed in this call */
    int64_t unopened; /* those that no key opens */
};
FIELD_DECLARE(seal_reseal_out);

/* The file's second key, which seals nothing any more and can be retired. */
struct seal_retire_in {
    const char *id;
};
FIELD_DECLARE(seal_retire_in);

#endif
