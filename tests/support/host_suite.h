/*
 * host_suite.h - a suite on three hosts and a database on a fourth:
 *
 *     a  10.77.0.1  settingsd, maild, a gateway
 *     b  10.77.0.2  authd, a gateway
 *     c  10.77.0.3  authd, docd
 *     d  10.77.0.4  PostgreSQL
 *
 * The hosts are network namespaces (hosts.h). The test is on a, but while it says otherwise.
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
    HOST_STRANGER = 'x' - 'a', /* who is on c too, with files of his own */
};

enum {
    HOST_DAEMONS = 7,
    HOST_BACK_MS = 15000, /* from the line's return to everything's */
};

#define HOST_URL "http://127.0.0.1:8080" /* on each host that has a gateway */
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
    struct program *running[HOST_DAEMONS]; /* as in the table */
    struct arena *texts;                   /* of the test */
};

/* The hosts; false where there can be none. Its end, with all that is left. */
bool host_suite_make(struct host_suite *self);
void host_suite_destroy(struct host_suite *self);

/* The first case of a program: configurations, keys, the database, every daemon; ends the program
 * when they do not come up. The last one: each daemon ends by SIGTERM. */
void host_suite_start(struct host_suite *self);
void host_suite_stop(struct host_suite *self);

/* The configuration of a host, and to write it with that list of hosts. */
const char *host_suite_config(struct host_suite *self, int host);
void host_suite_write_config(struct host_suite *self, int host, const char *bus_hosts);

/* atriumctl on a host, with input on stdin. */
struct program *host_suite_ctl(struct host_suite *self, int host, const char *input,
                               const char *const *words);
#define HOST_CTL(self, host, input, ...) \
    host_suite_ctl((self), (host), (input), (const char *const[]){__VA_ARGS__, NULL})

/* A number of the database. */
long host_suite_count(struct host_suite *self, const char *sql);

/* The place of a daemon in the table ("authd.b1"); whether its log has that text. */
size_t host_suite_place(const char *name);
bool host_suite_log_has(struct host_suite *self, size_t i, const char *text);

/* True when every instance answers the operator on a, wherever it is, and reaches its database. */
bool host_suite_is_up(struct host_suite *self, int timeout_ms);

/* The tenant "hosts", whose patients may do all. */
void host_suite_make_project(struct host_suite *self);

/* ---- asking the gateway of the host that the thread is on ---- */

struct http_answer *host_suite_me(const char *token);

/* From a fresh address; the body is consumed. The second: once more while the answer is 503, as
 * the daemons have to find each other again first, which is not seen from here. */
struct http_answer *host_suite_post(const char *path, const char *bearer, json_t *body);
struct http_answer *host_suite_post_soon(const char *path, json_t *body);

/* A patient registers by HOST_PASSWORD, in both ways. */
struct http_answer *host_suite_register(const char *email);
struct http_answer *host_suite_register_soon(const char *email);

#endif
