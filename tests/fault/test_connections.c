/*
 * test_connections.c - one client takes all the connections and bodies that it can, and others
 * notice nothing. The attacker's addresses begin with 127.66, all others are 127.0.0.1.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum {
    MANY = 4096,
    OF_CLIENT = 256,
    BODIES = 700,
    BODY = 190000,       /* bytes of each body: together more than the pool has */
    LARGE_BODY = 600000, /* takes a mebibyte */
    OF_SIXTEENTH = 7,    /* such bodies of one client: a growing one counts twice */
    OF_HALF = 9,         /* clients with that many: then no other has space */
    TRIES = 300,
    NOISE_MS = 20, /* allowance for a loaded machine */
};

#define PROXY "127.66.0.3"

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

/* Returns the 99th percentile in ms of requests with and without a body on new connections, none of
 * which fails. */
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

/* Half of them send nothing, half a part of a header. */
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

/* Sends the first bytes of a body that does not continue. */
static void begin_body(int fd, size_t size, int flags)
{
    static const char head[] = "POST /auth/refresh-token HTTP/1.1\r\nHost: a\r\nContent-Type: "
                               "application/json\r\nContent-Length: 1000000\r\n\r\n\"";
    static char bytes[LARGE_BODY];

    memset(bytes, 'a', sizeof(bytes));
    (void)!send(fd, head, sizeof(head) - 1, MSG_NOSIGNAL);
    (void)!send(fd, bytes, size, MSG_NOSIGNAL | flags);
}

static void bodies_of_one_client(void)
{
    double before_ms = p99_ms();
    int *sockets = calloc(BODIES, sizeof(*sockets));

    for (int i = 0; i < BODIES; i++) {
        sockets[i] = dial("127.66.0.1");
        begin_body(sockets[i], BODY, MSG_DONTWAIT);
    }
    check_unharmed("stalled bodies of one client", before_ms);
    close_all(sockets, BODIES);
}

static bool is_closed(int fd)
{
    char byte;
    ssize_t got = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    return got == 0 || (got < 0 && errno != EAGAIN);
}

/* Counts the connections closed within five seconds, or until `want` are closed; 0: waits the full
 * time. */
static int count_closed(const int *sockets, int count, int want)
{
    int closed = 0;

    for (int tries = 0; tries < 50; tries++) {
        closed = 0;
        for (int i = 0; i < count; i++)
            closed += is_closed(sockets[i]);
        if (closed == want && want > 0)
            break;
        usleep(100 * 1000);
    }
    return closed;
}

static void the_longest_idle_make_room_for_a_clients_new(void)
{
    enum { OVER = 20 };
    int *sockets = calloc(OF_CLIENT + OVER, sizeof(*sockets));

    for (int i = 0; i < OF_CLIENT; i++)
        sockets[i] = dial("127.66.0.2");
    CU_ASSERT_EQUAL(count_closed(sockets, OF_CLIENT, 0), 0);
    for (int i = OF_CLIENT; i < OF_CLIENT + OVER; i++)
        sockets[i] = dial("127.66.0.2");
    CU_ASSERT_EQUAL(count_closed(sockets, OF_CLIENT + OVER, OVER), OVER);
    CU_ASSERT_EQUAL(count_closed(sockets, OVER, OVER), OVER); /* the closed ones were the oldest */
    close_all(sockets, OF_CLIENT + OVER);
}

static void a_trusted_proxy_has_as_many_as_it_wants(void)
{
    enum { OWN = 2 * OF_CLIENT };
    int *sockets = calloc(OWN, sizeof(*sockets));

    for (int i = 0; i < OWN; i++)
        sockets[i] = dial(PROXY);
    CU_ASSERT_EQUAL(count_closed(sockets, OWN, 0), 0);
    close_all(sockets, OWN);
}

static int status_of(const char *source, bool known)
{
    static char padding[LARGE_BODY];
    struct http_request request = {.method = "POST",
                                   .path = known ? "/document" : "/auth/refresh-token",
                                   .bearer = known ? access_token : NULL,
                                   .source = source,
                                   .body = known ? json_pack("{s:s, s:s}", "fileName", "a",
                                                             "contentType", "a/b")
                                                 : json_pack("{s:s}", "refresh_token", "none")};

    memset(padding, 'a', sizeof(padding));
    json_object_set_new(request.body, "padding", json_stringn(padding, sizeof(padding)));
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);
    return answer->status;
}

/* Retries a request without a token until it gets that status, because the gateway may still have
 * to read earlier data or closes. */
static bool comes_to(const char *source, int status)
{
    for (int tries = 0; tries < 100; tries++) {
        if (status_of(source, false) == status)
            return true;
        usleep(20 * 1000);
    }
    return false;
}

static void hold_bodies(const char *source, int *sockets, int count)
{
    for (int i = 0; i < count; i++) {
        sockets[i] = dial(source);
        begin_body(sockets[i], LARGE_BODY, 0);
    }
}

static void unknown_bodies_of_a_client_share_a_sixteenth(void)
{
    int *sockets = calloc(OF_SIXTEENTH, sizeof(*sockets));

    hold_bodies("127.66.0.4", sockets, OF_SIXTEENTH - 1);
    CU_ASSERT_EQUAL(status_of("127.66.0.4", false), 401);
    hold_bodies("127.66.0.4", sockets + OF_SIXTEENTH - 1, 1);
    CU_ASSERT_TRUE(comes_to("127.66.0.4", 503));
    CU_ASSERT_EQUAL(status_of("127.66.0.4", true), 200);
    CU_ASSERT_EQUAL(status_of("127.0.0.1", false), 401);
    close_all(sockets, OF_SIXTEENTH);
    CU_ASSERT_TRUE(comes_to("127.66.0.4", 401));
}

static void unknown_bodies_of_all_share_half(void)
{
    int *sockets = calloc(OF_HALF * OF_SIXTEENTH, sizeof(*sockets));

    for (int i = 0; i < OF_HALF; i++) {
        char source[32];

        if (i == OF_HALF - 1)
            CU_ASSERT_EQUAL(status_of("127.0.0.1", false), 401);
        snprintf(source, sizeof(source), "127.66.1.%d", i + 1);
        hold_bodies(source, sockets + i * OF_SIXTEENTH, OF_SIXTEENTH);
    }
    CU_ASSERT_TRUE(comes_to("127.0.0.1", 503));
    CU_ASSERT_EQUAL(status_of("127.0.0.1", true), 200);
    close_all(sockets, OF_HALF * OF_SIXTEENTH);
    CU_ASSERT_TRUE(comes_to("127.0.0.1", 401));
}

/* Its active connections stay; its idle ones are closed. */
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
    CASE(the_longest_idle_make_room_for_a_clients_new),
    CASE(a_trusted_proxy_has_as_many_as_it_wants),
    CASE(unknown_bodies_of_a_client_share_a_sixteenth),
    CASE(unknown_bodies_of_all_share_half),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    struct rlimit files;

    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    suite = suite_start(&(struct suite_options){.set = "gateway.trusted_proxies=" PROXY});
    PERSON patient = person_register(suite, NULL);
    access_token = patient->access;
    return unit_run("connections", cases, ARRAY_SIZE(cases));
}
