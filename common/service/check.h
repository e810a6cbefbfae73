/*
 * check.h - a daemon's self-checks: operation service_check, for `atriumctl doctor`.
 *
 * A check is a table row with a name and a function. service_check.c and check_database.c have
 * those of all daemons, <daemon>/check.c and its service_definition a daemon's own. Results are for
 * operators: files, hosts and settings, but no secrets or personal data.
 */
#ifndef ATRIUM_COMMON_SERVICE_CHECK_H
#define ATRIUM_COMMON_SERVICE_CHECK_H

#include "common/domain/request.h"
#include "common/wire/fields.h"

enum { CHECKS_MAX = 64, CHECK_EACH_MS = 4000 /* longest run of one check */ };

struct finding {
    const char *check; /* row's name */
    const char *state; /* "ok", "warn", "fail"; NULL: does not apply, left out */
    const char *seen;
    const char *mend; /* repair instruction, or NULL */
};
FIELD_DECLARE(finding);

enum check_flags {
    CHECK_DATABASE = 1 << 0, /* skipped while the database does not answer */
};

struct check {
    const char *name;
    unsigned flags;
    const char *mend; /* repair instruction, unless a finding has its own */
    /* Checks within req's deadline and calls check_ok() or the like; leaves *ret if it does not
     * apply. -1 is a failed finding with err's message. */
    int (*run)(void *daemon, const struct request *req, struct finding *ret, struct error *err);
};

/* Sets the state "ok", "warn" or "fail"; `mend` NULL: uses the row's text. Returns 0, so that
 * `return check_ok(...)` is one step. */
int check_say(const struct request *req, struct finding *ret, const char *state, const char *mend,
              const char *format, ...) PRINTF_LIKE(5, 6);
#define check_ok(req, ret, ...) check_say(req, ret, "ok", NULL, __VA_ARGS__)
#define check_warn(req, ret, ...) check_say(req, ret, "warn", __VA_ARGS__)
#define check_fail(req, ret, ...) check_say(req, ret, "fail", __VA_ARGS__)

/* Formats an age: "3 s", "5 min", "7 h", "40 days". */
const char *check_age(struct arena *arena, int64_t ms);

struct check_report {
    struct finding items[CHECKS_MAX];
    size_t count;
};

/* Runs a table's checks (ended by name NULL), each for at most CHECK_EACH_MS, except rows that have
 * a flag of `without`. False: a check failed. Parks. */
bool checks_run(const struct check *rows, unsigned without, void *daemon, const struct request *req,
                struct check_report *report);

/* ---- check_database.c: for daemons with a database ---- */

struct db;
struct db_migration;

/* Adds the checks' statements. Call it before db_prepare(). */
void check_database_extend(struct db *db);

/* The server's version and settings. Too old a version, or settings that lose data, fail. */
struct check_server {
    const char *version;
    int64_t number; /* for example 150014 */
    const char *synchronous_commit, *fsync, *full_page_writes;
    int64_t ahead_ms; /* server's clock minus this host's, beyond the answer's travel time */
};
void check_server_version(const struct request *req, const struct check_server *server,
                          struct finding *ret);
void check_server_durability(const struct request *req, const struct check_server *server,
                             struct finding *ret);
void check_server_clock(const struct request *req, const struct check_server *server,
                        struct finding *ret);

/* Checks for a struct service. */
extern const struct check check_database_reachable[];
extern const struct check check_database_rows[];

#endif
