/*
 * test_fetch_rebinding.c - DNS rebinding. The program has a network namespace with a public
 * address, and is its only name server, so each test chooses what libcurl resolves.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/service/fetch.h"
#include "tests/support/unit.h"

#define PUBLIC "198.41.0.4"
#define INNER "127.0.0.1"
enum { DNS_PORT = 53, HTTP_PORT = 8080, ADDRESSES_MAX = 2 };

static bool bring_up(const char *name, const char *address)
{
    struct ifreq request = {0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool done = true;

    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
    if (address) {
        struct sockaddr_in to = {.sin_family = AF_INET};

        inet_pton(AF_INET, address, &to.sin_addr);
        memcpy(&request.ifr_addr, &to, sizeof(to));
        done = ioctl(fd, SIOCSIFADDR, &request) == 0;
    }
    request.ifr_flags = IFF_UP;
    done = done && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    close(fd);
    return done;
}

/* Moves the program into its namespace, in which names are resolved only at 127.0.0.1. */
static bool move_away(void)
{
    char path[] = "/tmp/atrium-resolv-XXXXXX";
    int flags = CLONE_NEWNET | CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER), fd;
    bool done;

    if (unshare(flags) < 0)
        return false;
    fd = mkstemp(path);
    done = fd >= 0 && dprintf(fd, "nameserver " INNER "\noptions attempts:1\n") > 0 &&
           fchmod(fd, 0644) == 0 && mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount(path, "/etc/resolv.conf", "none", MS_BIND, NULL) == 0;
    close(fd);
    unlink(path);
    return done && bring_up("lo", NULL) && bring_up("lo:1", PUBLIC);
}

/* Responses to the next queries for an A record; the last one repeats. */
struct answer {
    const char *addresses[ADDRESSES_MAX];
};
struct server {
    int dns, http[2]; /* queries; requests at PUBLIC and INNER */
    pthread_t thread;
    const struct answer *answers;
    size_t answer_count, queries;
    size_t connections[2];
    bool stop;
};

static int listen_at(int type, const char *address, int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0), one = 1;

    inet_pton(AF_INET, address, &to.sin_addr);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    if (type == SOCK_STREAM)
        CU_ASSERT_EQUAL_FATAL(listen(fd, 8), 0);
    return fd;
}

/* RFC 1035: responds with TTL 0; other types have no records. */
static size_t answer_query(struct server *self, uint8_t *bytes, size_t size)
{
    static const uint8_t record[] = {0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4};
    size_t end = 12, count = 0;

    while (end < size && bytes[end])
        end += bytes[end] + 1u;
    end += 5;
    if (end <= size && bytes[end - 3] == 1) {
        const struct answer *answer =
            &self->answers[self->queries < self->answer_count ? self->queries
                                                              : self->answer_count - 1];

        for (self->queries++; count < ADDRESSES_MAX && answer->addresses[count]; count++) {
            uint8_t *at = bytes + end + count * (sizeof(record) + 4);

            memcpy(at, record, sizeof(record));
            inet_pton(AF_INET, answer->addresses[count], at + sizeof(record));
        }
    }
    bytes[2] = 0x84;
    bytes[3] = 0;
    memset(bytes + 6, 0, 6);
    bytes[7] = (uint8_t)count;
    return end + count * (sizeof(record) + 4);
}

static void *server_main(void *arg)
{
    static const char text[] =
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
    struct server *self = arg;

    while (!__atomic_load_n(&self->stop, __ATOMIC_RELAXED)) {
        struct pollfd ready[] = {
            {self->dns, POLLIN, 0}, {self->http[0], POLLIN, 0}, {self->http[1], POLLIN, 0}};
        uint8_t bytes[1024];
        struct sockaddr_in from;
        socklen_t from_size = sizeof(from);

        poll(ready, ARRAY_SIZE(ready), 50);
        if (ready[0].revents) {
            ssize_t size = recvfrom(self->dns, bytes, 512, 0, (struct sockaddr *)&from, &from_size);

            if (size > 12)
                (void)!sendto(self->dns, bytes, answer_query(self, bytes, (size_t)size), 0,
                              (struct sockaddr *)&from, from_size);
        }
        for (size_t i = 0; i < 2; i++) {
            int client =
                ready[1 + i].revents ? accept4(self->http[i], NULL, NULL, SOCK_CLOEXEC) : -1;

            if (client < 0)
                continue;
            self->connections[i]++;
            if (read(client, bytes, sizeof(bytes)) > 0)
                (void)!write(client, text, sizeof(text) - 1);
            close(client);
        }
    }
    return NULL;
}

static void server_start(struct server *self, const struct answer *answers, size_t count)
{
    *self = (struct server){.dns = listen_at(SOCK_DGRAM, INNER, DNS_PORT),
                            .http = {listen_at(SOCK_STREAM, PUBLIC, HTTP_PORT),
                                     listen_at(SOCK_STREAM, INNER, HTTP_PORT)},
                            .answers = answers,
                            .answer_count = count};
    CU_ASSERT_EQUAL_FATAL(pthread_create(&self->thread, NULL, server_main, self), 0);
}

static void server_stop(struct server *self)
{
    __atomic_store_n(&self->stop, true, __ATOMIC_RELAXED);
    pthread_join(self->thread, NULL);
    close(self->dns);
    close(self->http[0]);
    close(self->http[1]);
}

struct client {
    struct loop *loop;
    struct curl_loop *curl;
    enum error_code code; /* ERR_NONE: a response */
};

static void client_fiber(void *arg)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct client *self = arg;
    struct network_rules rules;
    struct fetch_answer answer;
    struct error err;
    const struct fetch what = {.url = "http://bot.partner.example:8080/",
                               .body = "{}",
                               .networks = &rules,
                               .plain = true,
                               .answer_max = 1024,
                               .deadline_mono_ms = clock_mono_ms() + 10000};

    error_init(&err, arena);
    CU_ASSERT(network_rules_read("x", NULL, arena, &rules, &err) == 0);
    self->code = fetch_perform(self->curl, arena, &what, &answer, &err) == 0 ? ERR_NONE : err.code;
    loop_stop(self->loop);
}

/* Calls the bot from a botd without cached names or connections. */
static enum error_code call(void)
{
    struct client client = {.loop = loop_new()};
    struct error err;

    error_init(&err, NULL);
    client.curl = curl_loop_new(client.loop);
    CU_ASSERT_FATAL(fiber_start(client.loop, client_fiber, &client, &err) == 0);
    CU_ASSERT_EQUAL(loop_run(client.loop), 0);
    curl_loop_destroy(&client.curl);
    loop_destroy(&client.loop);
    return client.code;
}

static void test_a_name_that_changes(void)
{
    static const struct answer answers[] = {{{PUBLIC}}, {{INNER}}, {{PUBLIC}}, {{"0.0.0.0"}}};
    static const enum error_code want[] = {ERR_NONE, ERR_FORBIDDEN, ERR_NONE, ERR_FORBIDDEN};
    struct server server;

    server_start(&server, answers, ARRAY_SIZE(answers));
    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        enum error_code code = call();

        UNIT_CHECK(code == want[i], "call %zu: %s", i, error_kind(code)->wire);
    }
    server_stop(&server);
    CU_ASSERT_EQUAL(server.queries, ARRAY_SIZE(answers)); /* each call had a lookup */
    CU_ASSERT_EQUAL(server.connections[0], 2);
    CU_ASSERT_EQUAL(server.connections[1], 0);
}

/* If nothing listens at a name's public address, its inner address is not tried. */
static void test_a_name_with_two_addresses(void)
{
    static const struct answer answers[] = {{{"198.41.0.99", INNER}}, {{INNER, "198.41.0.99"}}};
    struct server server;

    server_start(&server, answers, ARRAY_SIZE(answers));
    for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
        enum error_code code = call();

        UNIT_CHECK(code != ERR_NONE, "call %zu was answered", i);
    }
    server_stop(&server);
    CU_ASSERT_EQUAL(server.connections[0], 0);
    CU_ASSERT_EQUAL(server.connections[1], 0);
}

static const struct unit_case cases[] = {
    CASE(test_a_name_that_changes),
    CASE(test_a_name_with_two_addresses),
};

int main(void)
{
    if (!move_away())
        return unit_leave_out_suite("fetch rebinding", "the kernel makes no network namespace");
    return unit_run("fetch rebinding", cases, ARRAY_SIZE(cases));
}
