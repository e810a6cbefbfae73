/*
 * check.h - what a daemon alone can tell about its own health: the operation service_check, which
 * `atriumctl doctor` asks of every instance.
 *
 * A check is a table row: a name and a function that looks at one thing. Those of all daemons are
 * in service_check.c and check_database.c, a daemon's own in <daemon>/check.c and its
 * service_definition. Operators read it: files, hosts and settings are fine, secrets and personal
 * data are not.
 */
#ifndef ATRIUM_COMMON_SERVICE_CHECK_H
#define ATRIUM_COMMON_SERVICE_CHECK_H

#include "common/domain/request.h"
#include "common/wire/fields.h"

enum { CHECKS_MAX = 64, CHECK_EACH_MS = 4000 /* longest run of one */ };

struct finding {
    const char *check; /* name of the row */
    const char *state; /* "ok", "warn", "fail"; NULL: nothing to look at, the row is left out */
    const char *seen;
    const char *mend; /* how; NULL when all is well */
};
FIELD_DECLARE(finding);

enum check_flags {
    CHECK_DATABASE = 1 << 0, /* asks the database: left out while that does not answer */
};

struct check {
    const char *name;
    unsigned flags;
    const char *mend; /* how to mend what it finds, unless it knows better */
    /* Looks, on a fiber, until req's deadline, and calls one of the three below; if it does not
     * apply, it leaves *ret alone. -1 is a failed finding, told by err. */
    int (*run)(void *daemon, const struct request *req, struct finding *ret, struct error *err);
};

/* What was seen; 0, so that `return check_ok(...)` reads as one step. mend NULL: the row's. */
int check_ok(const struct request *req, struct finding *ret, const char *format, ...)
    PRINTF_LIKE(3, 4);
int check_warn(const struct request *req, struct finding *ret, const char *mend, const char *format,
               ...) PRINTF_LIKE(4, 5);
int check_fail(const struct request *req, struct finding *ret, const char *mend, const char *format,
               ...) PRINTF_LIKE(4, 5);

/* "3 s", "5 min", "7 h", "40 days": an age of so many ms. */
const char *check_age(struct arena *arena, int64_t ms);

/* Findings of one answer. */
struct check_report {
    struct finding items[CHECKS_MAX];
    size_t count;
};

/* Runs the table (ended by name NULL; NULL: empty) without rows that have a flag of `without`, each
 * for CHECK_EACH_MS, until req's deadline. False: one failed. Parks. */
bool checks_run(const struct check *rows, unsigned without, void *daemon, const struct request *req,
                struct check_report *report);

/* ---- check_database.c: for every daemon that has one ---- */

struct db;
struct db_migration;

/* Adds the checks' statements to a db before db_prepare(); returns the first's number. */
void check_database_extend(struct db *db);

/* Judges what the server says of itself: too old a version, or settings that lose data, fail. */
struct check_server {
    const char *version;
    int64_t number; /* 150014 */
    const char *synchronous_commit, *fsync, *full_page_writes;
    int64_t ahead_ms; /* of this host's clock; beyond what the way of the answer may explain */
};
void check_server_version(const struct request *req, const struct check_server *server,
                          struct finding *ret);
void check_server_durability(const struct request *req, const struct check_server *server,
                             struct finding *ret);
void check_server_clock(const struct request *req, const struct check_server *server,
                        struct finding *ret);

/* The rows; their daemon is a struct service. */
extern const struct check check_database_reachable[];
extern const struct check check_database_rows[];

#endif
