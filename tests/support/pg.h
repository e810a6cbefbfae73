/*
 * pg.h - a PostgreSQL server of one's own for a unit test: in a temporary directory, on a unix
 * socket only.
 */
#ifndef ATRIUM_TESTS_SUPPORT_PG_H
#define ATRIUM_TESTS_SUPPORT_PG_H

#include <sys/types.h>

#include "dev/server_user.h"
#include "tests/support/unit.h"

struct pg {
    struct unit_dir dir;
    struct server_user user;
    char conninfo[128];  /* of the superuser */
    char bin[64];        /* where the server's programs are */
    pid_t pid;           /* 0: not running */
    const char *address; /* where it listens by TCP too, from the next start on; NULL: nowhere */
};

/* Makes a cluster, or copies the one of the run (prepared.h), and starts it; ends the test program
 * with a message when that cannot be done. Runs as root (which PostgreSQL refuses) under another
 * uid. */
struct pg *pg_new(void);

/* A standby of the server with this connection string (of a superuser, without application_name),
 * which reaches it as the user that this one runs as. Started; it becomes a primary by
 * pg_promote(). Its name there is "standby". */
struct pg *pg_new_standby(const char *primary);

/* Stops the server and removes its directory. */
void pg_destroy(struct pg **self_p);

/* Stops at once, dropping all connections (SIGINT: "fast"; SIGQUIT: without a checkpoint); starts
 * again. */
void pg_stop(struct pg *self, int signo);
void pg_start(struct pg *self);

/* Leaves one empty segment of the write-ahead log of a cluster that was stopped cleanly. */
void pg_trim(const char *data_dir);

/* Stops it and starts it on the next timeline, as if it were a promoted standby. */
void pg_next_timeline(struct pg *self);

/* Runs statements over a connection of its own, blocking; the first value of the last result as a
 * number. */
long pg_exec(const struct pg *self, const char *sql);

/* Makes a schema. Extensions move there: schema files look for them in their own schema. */
void pg_make_schema(const struct pg *self, const char *name);

#endif
