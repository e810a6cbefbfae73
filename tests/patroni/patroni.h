/*
 * patroni.h - two PostgreSQL nodes under Patroni, with etcd, as configured in deploy/, on free
 * ports of 127.0.0.1 in a temporary directory. A node is Patroni with its server and all their
 * processes. They run as server_user.h's user and end when the test dies.
 */
#ifndef ATRIUM_TESTS_PATRONI_PATRONI_H
#define ATRIUM_TESTS_PATRONI_PATRONI_H

#include <libpq-fe.h>

#include "common/base/base.h"

enum { PATRONI_NODES = 2 };

struct patroni;

/* Starts etcd and both nodes and waits for a leader with a synchronous standby, or ends the test
 * program. */
struct patroni *patroni_new(void);
void patroni_destroy(struct patroni **self_p);

/* Returns the directory with ca.crt and server.pem. */
const char *patroni_dir(const struct patroni *self);

/* Returns libpq's keywords for both nodes, without user and database, including a file with the
 * roles' passwords. */
const char *patroni_database(const struct patroni *self);

/* Makes Atrium's database as docs/operations.md says, with the roles' passwords. */
void patroni_make_database(struct patroni *self);

/* Connects to the leader as superuser. */
PGconn *patroni_connect(const struct patroni *self, const char *database);

/* Returns Patroni's configured ttl in seconds. */
int patroni_ttl(const struct patroni *self);

/* Returns the leading node, or -1. */
int patroni_leader(const struct patroni *self);

/* Waits for a leader with a synchronous standby. Returns false at the time limit. */
bool patroni_wait_synchronous(const struct patroni *self, int timeout_ms);

/* Kills Patroni, server and their processes with SIGKILL, like a power failure; patroni_start()
 * restarts it. */
void patroni_kill(struct patroni *self, int node);
void patroni_boot(struct patroni *self, int node);

/* Runs `patronictl switchover` to the other node. Returns false if it is refused. */
bool patroni_switch_over(struct patroni *self);

#endif
