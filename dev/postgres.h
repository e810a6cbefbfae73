/*
 * postgres.h - a development suite's PostgreSQL cluster: one directory, a private socket, no TCP.
 * Access to the socket's directory (0700) gives every role. With `dev --database`, only
 * postgres_use(), postgres_provision() and postgres_conninfo() are called.
 */
#ifndef ATRIUM_DEV_POSTGRES_H
#define ATRIUM_DEV_POSTGRES_H

#include "common/base/arena.h"
#include "common/base/error.h"
#include "dev/supervise.h"

struct postgres {
    const char *data_dir;
    const char *socket_dir;
    const char *log;
    const char *bin_dir;
    const char *server;   /* without user and database */
    const char *conninfo; /* for the superuser */
    struct server_user user;
};

/* Makes the cluster if needed, and waits for a leftover server to end. Parks. */
int postgres_prepare(struct postgres *self, struct supervisor *supervisor, struct arena *arena,
                     struct error *err) MUST_USE;

/* Uses an existing server ("host=10.0.0.1,10.0.0.2 sslmode=verify-full"). */
void postgres_use(struct postgres *self, struct arena *arena, const char *server);

struct child *postgres_start(struct postgres *self, struct supervisor *supervisor,
                             struct arena *arena, struct error *err);

/* Makes database, roles and schemas. Blocks: use offload_run(). ERR_UNAVAILABLE: not up yet. */
int postgres_provision(const struct postgres *self, struct error *err) MUST_USE;

/* Returns the connection string of a daemon's role; NULL: no database. */
const char *postgres_conninfo(const struct postgres *self, struct arena *arena, const char *daemon);

#endif
