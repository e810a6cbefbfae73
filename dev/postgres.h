/*
 * postgres.h - the PostgreSQL cluster inside a development suite: one directory, one private
 * socket, no TCP.
 *
 * Anyone who may enter the socket's directory (0700) is trusted with every role; the roles keep the
 * daemons apart as in an installation, they do not keep the developer out.
 * With `dev --database` the suite uses a server that runs already; then only postgres_use(),
 * postgres_provision() and postgres_conninfo() are called.
 */
#ifndef ATRIUM_DEV_POSTGRES_H
#define ATRIUM_DEV_POSTGRES_H

#include "common/base/arena.h"
#include "common/base/error.h"
#include "dev/supervise.h"

struct postgres {
    const char *data_dir;   /* of the cluster */
    const char *socket_dir; /* short */
    const char *log;
    const char *bin_dir;     /* found by postgres_prepare() */
    const char *server;      /* libpq's words for it, without user and database */
    const char *conninfo;    /* of the superuser, complete */
    struct server_user user; /* whose cluster it is */
};

/* Finds the programs, makes the cluster if needed, waits for the end of a leftover server.
 * Parks. */
int postgres_prepare(struct postgres *self, struct supervisor *supervisor, struct arena *arena,
                     struct error *err) MUST_USE;

/* Uses the server of this connection string ("host=10.0.0.1,10.0.0.2 sslmode=verify-full"). */
void postgres_use(struct postgres *self, struct arena *arena, const char *server);

/* Starts the server as a supervised child. */
struct child *postgres_start(struct postgres *self, struct supervisor *supervisor,
                             struct arena *arena, struct error *err);

/* Tries to make the database, roles and schemas. Blocks for some seconds: for offload_run().
 * ERR_UNAVAILABLE: not up yet. */
int postgres_provision(const struct postgres *self, struct error *err) MUST_USE;

/* Connection string of a daemon's own role; NULL: it has no database. */
const char *postgres_conninfo(const struct postgres *self, struct arena *arena, const char *daemon);

#endif
