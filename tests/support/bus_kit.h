/*
 * bus_kit.h - a service for tests of the bus, and its client.
 *
 * The service "settingsd" runs in child processes of this program with "--bus-kit", so main() must
 * call kit_server_main() first. Operations are counted in a shared mapped file.
 */
#ifndef ATRIUM_TESTS_SUPPORT_BUS_KIT_H
#define ATRIUM_TESTS_SUPPORT_BUS_KIT_H

#include <stdatomic.h>
#include <sys/types.h>

#include "common/bus/bus.h"
#include "tests/support/unit.h"

struct kit_in {
    const char *text;
    int64_t number;
};
FIELD_DECLARE(kit_in);

struct kit_out {
    const char *text, *service, *trace, *address, *agent;
    int64_t number, pid;
};
FIELD_DECLARE(kit_out);

/* A CurveZMQ key: as bytes, the secret as 64 hex digits for a file, and the public key in Z85. */
struct kit_key {
    uint8_t secret[BUS_KEY_SIZE], public[BUS_KEY_SIZE];
    char digits[2 * BUS_KEY_SIZE + 1], text[BUS_KEY_TEXT_SIZE];
};
struct kit_key kit_key_new(void);

/* Operations of the service: name, effect, class, callers.
 *
 *   echo         returns its input                        read        gateway and ctl
 *   refuse       fails as `text` says                     read        gateway
 *   work, read   count, sleep `number` ms                 -, read     gateway
 *   sick, sick_write  fail with UNAVAILABLE in the process `number`, and count there   read, -
 *                     gateway
 *   large        returns `number` bytes                   read        gateway
 *   user ...     check access                             read        gateway and ctl
 *   operator     -                                        read        ctl
 *   tell         announces "change" and waits at most `number` ms for all callers; returns 1 if all
 *                acked, plus 2 if gateway.1 did
 *   traced       returns the traceparent of the served call, "" if there is none, and its
 *                tracestate as `address`    read    gateway; the instance KIT_OLD records no
 *                spans, like an older version
 *   dropped      returns the frames dropped so far, or with `text` the sum of that counter    read
 *                gateway */
extern const struct bus_method kit_echo, kit_refuse, kit_work, kit_read, kit_sick, kit_sick_write,
    kit_large, kit_user, kit_logout, kit_practitioner, kit_admin, kit_operator, kit_tell,
    kit_dropped, kit_traced, kit_unknown;

enum { KIT_OLD = 6 };
enum { KIT_DRAIN_MS = 3000 /* a server's limit for its drain */ };

struct kit_counts {
    atomic_long executed;
};

/* Returns in a process that is not a server. Otherwise serves until SIGTERM and exits. */
void kit_server_main(int argc, char **argv);

/* A directory with counters and its servers. Servers also listen on TCP if the directory has
 * "hosts" and "settingsd.<instance>.key". */
struct kit {
    struct unit_dir dir;
    struct arena *arena;
    struct bus_hosts *hosts;
    struct kit_counts *counts;
    pid_t servers[8];
    struct loop *loop;
    struct clock *clock;
    struct metrics *metrics;
    struct spans *spans;
    struct bus_options options;
    struct bus *bus;
};

/* Opens the client's bus as `service`.1 without waiting for servers. Call on a fiber. */
void kit_open(struct kit *self, struct loop *loop, const char *service, size_t peer_max);
/* The same in two steps, to add files to the directory first. A client with a `name` ("gateway.a1")
 * is on another host: it uses no sockets, only the directory's `hosts`, with <name>.key as its
 * key. */
void kit_prepare(struct kit *self, struct loop *loop);
void kit_open_far(struct kit *self, const char *name, const char *hosts);
/* kit_leave() ends only the client; another can be opened. */
void kit_leave(struct kit *self);
void kit_close(struct kit *self);

/* kit_start() starts settingsd.<instance>. kit_wait() parks until the client sees exactly this many
 * peers, or returns false after 5 s. */
void kit_start(struct kit *self, int instance, const char *serve_max);
bool kit_wait(struct kit *self, size_t peers);
/* kit_end() sends the signal, waits, and returns the exit code, or -signal. */
int kit_end(struct kit *self, int instance, int signo);
void kit_sleep(struct kit *self, int64_t ms);

/* A call with new memory. The text is valid until the next call. */
struct kit_result {
    int result;
    struct error err;
    struct kit_out out;
    struct arena *arena;
    int64_t took_ms;
};
void kit_call(struct kit *self, struct kit_result *ret, const struct bus_method *method,
              const struct caller *caller, const char *text, int64_t number, int64_t timeout_ms);
void kit_result_free(struct kit_result *self);

struct kit_flock {
    struct kit *kit;
    const struct bus_method *method;
    int64_t number, timeout_ms;
    int running;
    int ok, unavailable, overloaded, deadline, other;
    int64_t slowest_ms; /* slowest failed call */
    bool *stop;         /* each fiber repeats until *stop; NULL: once */
};
void kit_flock_start(struct kit_flock *self, int calls);
void kit_flock_wait(struct kit_flock *self);

#endif
