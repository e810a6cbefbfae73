/*
 * patroni.h - a PostgreSQL of two nodes under Patroni, with an etcd, by the recipes in deploy/: on
 * free ports of 127.0.0.1, in a temporary directory.  For test_patroni.c.
 *
 * A node is Patroni, the server that it started and all processes of that.  They run as the user
 * that a server may run as (server_user.h), and end when the test program dies.
 */
#ifndef ATRIUM_TESTS_PATRONI_PATRONI_H
#define ATRIUM_TESTS_PATRONI_PATRONI_H

#include <libpq-fe.h>

#include "common/base/base.h"

enum { PATRONI_NODES = 2 };

struct patroni;

/* Starts etcd and both nodes, and waits until one leads and the other is its synchronous standby.
 * Ends the test program with a message when that cannot be done. */
struct patroni *patroni_new(void);
void patroni_destroy(struct patroni **self_p);

/* The directory with ca.crt and server.pem. */
const char *patroni_dir(const struct patroni *self);

/* libpq's words for both nodes, without user and database. The passwords of postgres and the
 * daemons' roles are in the file that they name. */
const char *patroni_database(const struct patroni *self);

/* Makes the database of Atrium as docs/operations.md says, and gives the roles their passwords. */
void patroni_make_database(struct patroni *self);

/* A connection of the superuser to the leader. */
PGconn *patroni_connect(const struct patroni *self, const char *database);

/* In seconds, from Patroni's configuration. */
int patroni_ttl(const struct patroni *self);

/* The number of the leading node; -1 when none leads. */
int patroni_leader(const struct patroni *self);

/* Waits until one node leads and the other is its synchronous standby; false after the time
 * limit. */
bool patroni_wait_synchronous(const struct patroni *self, int timeout_ms);

/* SIGKILL to Patroni, the server and its processes, as if the host had lost its power; starts it
 * again. */
void patroni_kill(struct patroni *self, int node);
void patroni_boot(struct patroni *self, int node);

/* `patronictl switchover` to the other node; false when it was refused. */
bool patroni_switch_over(struct patroni *self);

#endif
