/*
 * test_broken_requests.c - requests that are not HTTP, or stop half way: each gets one answer, in
 * JSON, with an id.
 */
#include <CUnit/CUnit.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define POST_HEAD \
    "POST /auth/refresh-token HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
/* One that waits for authd. */
#define WAITING POST_HEAD "Content-Length: 21\r\n\r\n{\"refresh_token\":\"x\"}"
#define GOOD "GET /partner/health-check HTTP/1.1\r\nHost: a\r\n\r\n"

enum { KEEP_ALIVE_S = 4, ANSWER_SIZE = 16384 };

static struct suite *suite;

/* One answer with this status, of the gateway's own making; shows it otherwise. */
static void check_answer(const char *label, const char *answer, int status)
{
    const char *body = strstr(answer, "\r\n\r\n");
    json_t *json = body ? json_loads(body + 4, 0, NULL) : NULL;
    bool good = strlen(answer) > 12 && strtol(answer + 9, NULL, 10) == status &&
                unit_occurrences(answer, "HTTP/1.1 ") == 1 && strstr(answer, "X-Request-Id: ") &&
                strstr(answer, "Content-Type: application/json") && !strstr(answer, "<html") &&
                strstr(answer, "Connection: close") && strstr(answer, "Date: ") &&
                json_integer_value(json_object_get(json, "statusCode")) == status;

    UNIT_CHECK(good, "%s: want %d, got %.600s", label, status, answer);
    json_decref(json);
}

static void each_broken_request_gets_one_answer(void)
{
    static const struct {
        const char *label, *bytes;
        int want;
    } rows[] = {
        {"no Host", "GET /partner/health-check HTTP/1.1\r\n\r\n", 400},
        {"two Hosts", "GET /partner/health-check HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
        {"no number", POST_HEAD "Content-Length: abc\r\n\r\n{}", 400},
        {"negative", POST_HEAD "Content-Length: -1\r\n\r\n", 400},
        {"plus", POST_HEAD "Content-Length: +2\r\n\r\n{}", 400},
        {"overflow", POST_HEAD "Content-Length: 99999999999999999999999\r\n\r\n{}", 413},
        {"no request", "GARBAGE\r\n\r\n", 400},
        {"bad chunk", POST_HEAD "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", 400},
        {"unfinished body", POST_HEAD "Content-Length: 100\r\n\r\n{\"refresh", 408},
        {"unfinished chunk", POST_HEAD "Transfer-Encoding: chunked\r\n\r\n20\r\n{\"ref", 408},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *answer = http_raw(suite_url(suite), rows[i].bytes, strlen(rows[i].bytes), true, 3000);

        check_answer(rows[i].label, answer, rows[i].want);
        free(answer);
    }
}

static void oversized_requests_get_their_status(void)
{
    static const struct {
        const char *begin, *end;
        int want;
    } rows[] = {
        {"GET /", " HTTP/1.1\r\nHost: a\r\n\r\n", 414},
        {"GET /partner/health-check HTTP/1.1\r\nHost: a\r\nX-Long: ", "\r\n\r\n", 431},
    };
    static const size_t sizes[] = {17 * 1024, 40 * 1024, 200 * 1024};

    for (size_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(sizes); i++) {
        size_t row = i % ARRAY_SIZE(rows), size = sizes[i / ARRAY_SIZE(rows)];
        size_t begin = strlen(rows[row].begin), end = strlen(rows[row].end);
        char *bytes = malloc(begin + size + end);

        memcpy(bytes, rows[row].begin, begin);
        memset(bytes + begin, 'a', size);
        memcpy(bytes + begin + size, rows[row].end, end);
        char *answer = http_raw(suite_url(suite), bytes, begin + size + end, true, 3000);
        check_answer(rows[row].begin, answer, rows[row].want);
        free(answer);
        free(bytes);
    }
}

/* A good request before a bad one is answered first, by itself. */
static void a_good_request_before_is_answered(void)
{
    static const char bytes[] =
        GOOD "POST /auth/refresh-token HTTP/1.1\r\nContent-Length: x\r\n\r\n";
    char *answer = http_raw(suite_url(suite), bytes, sizeof(bytes) - 1, true, 3000);
    const char *second = strstr(answer + 1, "HTTP/1.1 ");

    CU_ASSERT_EQUAL(strncmp(answer, "HTTP/1.1 200", 12), 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(second);
    check_answer("second", second, 400);
    free(answer);
}

/* ---- connections by hand ---- */

static int dial(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    const char *port = strrchr(suite_url(suite), ':') + 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_port = htons((uint16_t)strtol(port, NULL, 10));
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    CU_ASSERT_EQUAL(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    CU_ASSERT_EQUAL(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* What comes until the other end closes, or so many ms have passed. */
static void hear(int fd, int timeout_ms, char answer[static ANSWER_SIZE])
{
    int64_t until_ms = clock_mono_ms() + timeout_ms;
    size_t size = 0;
    ssize_t got = 1;

    while (got != 0 && clock_mono_ms() < until_ms && size < ANSWER_SIZE - 1) {
        got = recv(fd, answer + size, ANSWER_SIZE - 1 - size, MSG_DONTWAIT);
        if (got > 0)
            size += (size_t)got;
        else if (got < 0)
            usleep(10000);
    }
    answer[size] = '\0';
}

/* The socket of a request that waits is left alone: what comes meanwhile, and the end, must not be
 * lost. */
static void requests_sent_meanwhile_are_answered_next(void)
{
    for (unsigned i = 0; i < 40; i++) {
        char answer[ANSWER_SIZE];
        int64_t start_ms = clock_mono_ms();
        int fd = dial();

        say(fd, WAITING);
        usleep(i / 2 * 100);
        say(fd, i % 2 == 0 ? GOOD WAITING : WAITING);
        shutdown(fd, SHUT_WR);
        hear(fd, 10000, answer);
        UNIT_CHECK(unit_occurrences(answer, "HTTP/1.1 401") == 2 &&
                       unit_occurrences(answer, "HTTP/1.1 200") == (i % 2 == 0 ? 1 : 0),
                   "round %u: %s", i, answer);
        UNIT_CHECK(clock_mono_ms() - start_ms < (KEEP_ALIVE_S - 1) * 1000, "round %u: %lld ms", i,
                   (long long)(clock_mono_ms() - start_ms));
        close(fd);
    }
}

static void a_body_that_stalls_is_not_waited_for(void)
{
    char answer[ANSWER_SIZE];
    int64_t start_ms = clock_mono_ms();
    int fd = dial();

    say(fd, POST_HEAD "Content-Length: 100000\r\n\r\n{\"refresh_token\":\"");
    hear(fd, 12000, answer);
    check_answer("stalled", answer, 408);
    UNIT_CHECK(clock_mono_ms() - start_ms >= 5000 && clock_mono_ms() - start_ms < 9000, "%lld ms",
               (long long)(clock_mono_ms() - start_ms));
    close(fd);
}

/* A byte now and then is no progress; two kilobytes a second are. */
static void a_slow_body_is_waited_for(void)
{
    char answer[ANSWER_SIZE], piece[1025] = "";
    int slow = dial(), drip = dial();
    bool open = true;

    memset(piece, 'a', sizeof(piece) - 1);
    say(slow, POST_HEAD "Content-Length: 16386\r\n\r\n\"");
    say(drip, POST_HEAD "Content-Length: 16386\r\n\r\n\"");
    for (int i = 0; i < 16; i++) {
        usleep(500000);
        say(slow, piece);
        open = open && send(drip, "a", 1, MSG_NOSIGNAL) == 1;
    }
    say(slow, "\"");
    hear(slow, 3000, answer);
    /* All of it was read: it is no object. */
    UNIT_CHECK(strncmp(answer, "HTTP/1.1 400 ", 13) == 0, "%.300s", answer);
    hear(drip, 3000, answer);
    check_answer("drip", answer, 408);
    close(slow);
    close(drip);
}

static void an_idle_connection_is_kept_for_its_time(void)
{
    char answer[ANSWER_SIZE];
    int64_t start_ms;
    int fd = dial();

    for (int i = 0; i < 2; i++) {
        usleep((KEEP_ALIVE_S - 2) * 1000000);
        say(fd, GOOD);
        hear(fd, 300, answer);
        CU_ASSERT_EQUAL(strncmp(answer, "HTTP/1.1 200", 12), 0);
    }
    start_ms = clock_mono_ms();
    hear(fd, 10000, answer);
    CU_ASSERT_STRING_EQUAL(answer, "");
    UNIT_CHECK(clock_mono_ms() - start_ms > (KEEP_ALIVE_S - 2) * 1000 &&
                   clock_mono_ms() - start_ms < (KEEP_ALIVE_S + 2) * 1000,
               "%lld ms", (long long)(clock_mono_ms() - start_ms));
    close(fd);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(each_broken_request_gets_one_answer),     CASE(oversized_requests_get_their_status),
    CASE(a_good_request_before_is_answered),       CASE(requests_sent_meanwhile_are_answered_next),
    CASE(a_body_that_stalls_is_not_waited_for),    CASE(a_slow_body_is_waited_for),
    CASE(an_idle_connection_is_kept_for_its_time), CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.set = "gateway.keep_alive_timeout=4s"});
    return unit_run("broken requests", cases, ARRAY_SIZE(cases));
}
