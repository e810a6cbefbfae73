/*
 * pg.h - a PostgreSQL server for a unit test, in a temporary directory and on a Unix socket only.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PG_H
#define ATRIUM_TESTS_SUPPORT_PG_H

#include <sys/types.h>

#include "dev/server_user.h"
#include "tests/support/unit.h"

struct pg {
    struct unit_dir dir;
    struct server_user user;
    char conninfo[128];
    char bin[64];
    pid_t pid;           /* 0: not running */
    const char *address; /* TCP address, from the next start; NULL: none */
};

/* Makes a cluster, or copies the run's (prepared.h), and starts it; ends the program on failure.
 * Under root it uses another uid, because PostgreSQL refuses root. */
struct pg *pg_new(void);

/* Starts a standby of the server at this superuser connection string (without application_name),
 * with its own user and the name "standby". pg_promote() makes it a primary. */
struct pg *pg_new_standby(const char *primary);

void pg_destroy(struct pg **self_p);

/* pg_stop() stops immediately and drops connections (SIGINT: "fast"; SIGQUIT: no checkpoint).
 * pg_start() starts it again. */
void pg_stop(struct pg *self, int signo);
void pg_start(struct pg *self);

/* Leaves one empty WAL segment of a cleanly stopped cluster. */
void pg_trim(const char *data_dir);

/* Restarts it on the next timeline, like a promoted standby. */
void pg_next_timeline(struct pg *self);

/* Runs statements on a new connection, blocking. Returns the first value of the last result as a
 * number. */
long pg_exec(const struct pg *self, const char *sql);

/* Makes a schema and moves extensions there, because schema files look for them in their own
 * schema. */
void pg_make_schema(const struct pg *self, const char *name);

#endif
