/*
 * test_connections.c - one client takes all connections that it can get, and all bodies: others
 * notice nothing.
 *
 * Clients differ by their address: the attacker's is 127.66.0.1, all others' 127.0.0.1.
 */
#include <CUnit/CUnit.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum {
    MANY = 4096, /* what a gateway has by default */
    BODIES = 700,
    BODY = 190000, /* bytes of each: more than the pool has for all */
    TRIES = 300,
    NOISE_MS = 20, /* of a loaded machine */
};

static struct suite *suite;
static char *access_token;

static int dial(const char *source)
{
    struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET};
    const char *port = strrchr(suite_url(suite), ':') + 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

    inet_pton(AF_INET, source, &from.sin_addr);
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    to.sin_port = htons((uint16_t)strtol(port, NULL, 10));
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
    CU_ASSERT_EQUAL(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
    CU_ASSERT_EQUAL(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static struct http_answer *ask(int i)
{
    if (i % 2)
        return http_get(suite_url(suite), "/auth/me", access_token);
    return http_post(suite_url(suite), "/auth/refresh-token", NULL,
                     json_pack("{s:s}", "refresh_token", "none"));
}

/* The 99th percentile in ms of requests with and without a body, on fresh connections, of which
 * none fails. */
static double p99_ms(void)
{
    double times[TRIES];

    for (int i = 0; i < TRIES; i++) {
        HTTP_ANSWER answer = ask(i);

        CHECK_STATUS(answer, i % 2 ? 200 : 401);
        times[i] = answer->seconds * 1000;
    }
    return unit_percentile(times, TRIES, 99);
}

static void check_unharmed(const char *attack, double before_ms)
{
    double during_ms = p99_ms();

    fprintf(stderr, "%s: p99 %.1f ms before, %.1f ms during\n", attack, before_ms, during_ms);
    UNIT_CHECK(during_ms <= 2 * before_ms + NOISE_MS, "%s: p99 %.1f ms before, %.1f ms during",
               attack, before_ms, during_ms);
}

static void close_all(int *sockets, int count)
{
    for (int i = 0; i < count; i++)
        close(sockets[i]);
    free(sockets);
}

/* Half of them send nothing, half a piece of a header. */
static void connections_of_one_client(void)
{
    static const char piece[] = "GET /partner/health-check HTTP/1.1\r\nHo";
    double before_ms = p99_ms();
    int *sockets = calloc(MANY, sizeof(*sockets));

    for (int i = 0; i < MANY; i++) {
        sockets[i] = dial("127.66.0.1");
        if (i % 2)
            CU_ASSERT_TRUE(send(sockets[i], piece, sizeof(piece) - 1, MSG_NOSIGNAL) > 0);
    }
    check_unharmed("idle connections of one client", before_ms);
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(metrics->body, "atrium_gateway_connections_evicted_total"));
    close_all(sockets, MANY);
}

/* No client has too many of them, all together have too many. */
static void connections_of_many_clients(void)
{
    double before_ms = p99_ms();
    int *sockets = calloc(MANY, sizeof(*sockets));

    for (int i = 0; i < MANY; i++) {
        char source[32];

        snprintf(source, sizeof(source), "127.67.%d.1", i / 128);
        sockets[i] = dial(source);
    }
    check_unharmed("idle connections of many clients", before_ms);
    close_all(sockets, MANY);
}

/* Sends what the kernel's buffers take of a body. The gateway may read none of it, so the rest
 * is not waited for. */
static void begin_body(int fd)
{
    static const char head[] = "POST /auth/refresh-token HTTP/1.1\r\nHost: a\r\nContent-Type: "
                               "application/json\r\nContent-Length: 1000000\r\n\r\n\"";
    static char bytes[BODY];

    memset(bytes, 'a', sizeof(bytes));
    (void)!send(fd, head, sizeof(head) - 1, MSG_NOSIGNAL);
    (void)!send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void bodies_of_one_client(void)
{
    double before_ms = p99_ms();
    int *sockets = calloc(BODIES, sizeof(*sockets));

    for (int i = 0; i < BODIES; i++) {
        sockets[i] = dial("127.66.0.1");
        begin_body(sockets[i]);
    }
    check_unharmed("stalled bodies of one client", before_ms);
    close_all(sockets, BODIES);
}

/* A client that is busy keeps what it does; its idle connections go. */
static void a_client_at_its_limit_goes_on(void)
{
    enum { OWN = 300 };
    int *sockets = calloc(OWN, sizeof(*sockets));

    for (int i = 0; i < OWN; i++)
        sockets[i] = dial("127.0.0.1");
    for (int i = 0; i < 20; i++) {
        HTTP_ANSWER answer = http_get(suite_url(suite), "/auth/me", access_token);
        CHECK_STATUS(answer, 200);
    }
    close_all(sockets, OWN);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(connections_of_one_client),
    CASE(connections_of_many_clients),
    CASE(bodies_of_one_client),
    CASE(a_client_at_its_limit_goes_on),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    struct rlimit files;

    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    suite = suite_start(NULL);
    PERSON patient = person_register(suite, NULL);
    access_token = patient->access;
    return unit_run("connections", cases, ARRAY_SIZE(cases));
}
