/*
 * host_suite.h - a suite on three hosts, with a database on a fourth:
 *
 *     a  10.77.0.1  settingsd, maild, a gateway
 *     b  10.77.0.2  authd, a gateway
 *     c  10.77.0.3  authd, docd
 *     d  10.77.0.4  PostgreSQL
 *
 * The hosts are network namespaces (hosts.h). The test is on host a by default.
 */
#ifndef ATRIUM_TESTS_SUPPORT_HOST_SUITE_H
#define ATRIUM_TESTS_SUPPORT_HOST_SUITE_H

#include "common/base/arena.h"
#include "tests/support/hosts.h"
#include "tests/support/http.h"
#include "tests/support/pg.h"
#include "tests/support/program.h"
#include "tests/support/unit.h"

enum {
    HOST_A,
    HOST_B,
    HOST_C,
    HOST_D,
    HOST_COUNT,
    HOST_STRANGER = 'x' - 'a', /* an attacker on host c, with their own files */
};

enum {
    HOST_DAEMONS = 7,
    HOST_BACK_MS = 15000, /* maximum time from reconnecting a host to full recovery */
};

#define HOST_URL "http://127.0.0.1:8080"
#define HOST_PASSWORD "unmistakable-password-3141"

struct host_suite_daemon {
    const char *name;
    int host;
    const char *listen;
};
extern const struct host_suite_daemon host_suite_daemons[HOST_DAEMONS];

struct host_suite {
    struct hosts *hosts;
    struct unit_dir dir;
    struct pg *pg;
    struct program *running[HOST_DAEMONS];
    struct arena *texts;
};

/* host_suite_make() makes the hosts, or returns false where that is not possible. */
bool host_suite_make(struct host_suite *self);
void host_suite_destroy(struct host_suite *self);

/* host_suite_start() is a program's first case: it makes configurations, keys and the database,
 * starts the daemons, and ends the program on failure. host_suite_stop() is the last case: SIGTERM
 * for each daemon. */
void host_suite_start(struct host_suite *self);
void host_suite_stop(struct host_suite *self);

/* host_suite_config() returns the path of a host's configuration, host_suite_write_config() writes
 * it with that file of hosts. */
const char *host_suite_config(struct host_suite *self, int host);
void host_suite_write_config(struct host_suite *self, int host, const char *bus_hosts);

/* Runs atriumctl on a host with input on stdin. */
struct program *host_suite_ctl(struct host_suite *self, int host, const char *input,
                               const char *const *words);
#define HOST_CTL(self, host, input, ...) \
    host_suite_ctl((self), (host), (input), (const char *const[]){__VA_ARGS__, NULL})

long host_suite_count(struct host_suite *self, const char *sql);

/* host_suite_place() returns a daemon's index ("authd.b1"); host_suite_log_has() searches its
 * log. */
size_t host_suite_place(const char *name);
bool host_suite_log_has(struct host_suite *self, size_t i, const char *text);

bool host_suite_is_up(struct host_suite *self, int timeout_ms);

/* Makes the tenant "hosts", whose patients can do everything. */
void host_suite_make_project(struct host_suite *self);

struct http_answer *host_suite_me(const char *token);

/* Post from a new address and consume the body. host_suite_post_soon() retries while the response
 * is 503, because the daemons' reconnection cannot be observed from here. */
struct http_answer *host_suite_post(const char *path, const char *bearer, json_t *body);
struct http_answer *host_suite_post_soon(const char *path, json_t *body);

/* Register a patient with HOST_PASSWORD, by either function above. */
struct http_answer *host_suite_register(const char *email);
struct http_answer *host_suite_register_soon(const char *email);

#endif
