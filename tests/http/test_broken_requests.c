/*
 * test_broken_requests.c - malformed or truncated HTTP: each request gets one JSON response with an
 * id.
 */
#include <CUnit/CUnit.h>
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
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
#define WAITING POST_HEAD "Content-Length: 21\r\n\r\n{\"refresh_token\":\"x\"}"
#define GOOD "GET /partner/health-check HTTP/1.1\r\nHost: a\r\n\r\n"

enum { KEEP_ALIVE_S = 4, ANSWER_SIZE = 16384 };

static struct suite *suite;

/* Checks that the gateway itself sent one response with this status, and prints it otherwise. */
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

#define BYTES(text) text, sizeof(text) - 1
#define GET_HEAD "GET /partner/health-check HTTP/1.1\r\nHost: a\r\n"
#define CHUNKED POST_HEAD "Transfer-Encoding: chunked\r\n\r\n"
#define WHOLE_CHUNKS "2\r\n{}\r\n0\r\n\r\n"
#define NUL \
    "\0"    \
    ""
#define SPACES_16 "                "

struct byte_row {
    const char *label, *bytes;
    size_t size;
};

/* Each gets 400 and a closed connection before anything more is sent (RFC 9110, sections 5.1, 5.5
 * and 9.1; RFC 9112, sections 2.2, 3, 5.1, 5.2, 6.1, 6.3 and 7.1). */
static const struct byte_row malformed[] = {
    {"NUL in the target", BYTES("GET /auth/me" NUL "/x HTTP/1.1\r\nHost: a\r\n\r\n")},
    {"NUL in the method", BYTES("G" NUL "T /auth/me HTTP/1.1\r\nHost: a\r\n\r\n")},
    {"NUL in the version", BYTES("GET /auth/me HTTP/1.1" NUL "\r\nHost: a\r\n\r\n")},
    {"NUL in a value", BYTES(GET_HEAD "Authorization: Bearer T" NUL "junk\r\n\r\n")},
    {"NUL at a value's end", BYTES(GET_HEAD "X-A: b" NUL "\r\n\r\n")},
    {"NUL in a name", BYTES(GET_HEAD "X-A" NUL ": b\r\n\r\n")},
    {"NUL in Content-Length", BYTES(POST_HEAD "Content-Length: 2" NUL "99\r\n\r\n{}")},
    {"NUL before the request", BYTES(NUL "GET / HTTP/1.1\r\nHost: a\r\n\r\n")},
    {"bare CR in a value", BYTES(GET_HEAD "X-A: b\rX-B: c\r\n\r\n")},
    {"bare CR in the target", BYTES("GET /a\rb HTTP/1.1\r\nHost: a\r\n\r\n")},
    {"bare CR as a line's end", BYTES("GET / HTTP/1.1\rHost: a\r\r")},
    {"bare CR in a name", BYTES(GET_HEAD "X-A\rB: c\r\n\r\n")},
    {"two CR", BYTES(GET_HEAD "X-A: b\r\r\n\r\n")},
    {"bare LF as a line's end", BYTES("GET / HTTP/1.1\nHost: a\r\n\r\n")},
    {"bare LF in a value", BYTES(GET_HEAD "X-A: b\nX-B: c\r\n\r\n")},
    {"bare LF as the end", BYTES(GET_HEAD "X-A: b\r\n\n")},
    {"ESC in a value", BYTES(GET_HEAD "X-A: \x1b[1m\r\n\r\n")},
    {"DEL in a value", BYTES(GET_HEAD "X-A: \x7f\r\n\r\n")},
    {"ESC in the target", BYTES("GET /\x1b HTTP/1.1\r\nHost: a\r\n\r\n")},
    {"HTAB in the target", BYTES("GET /\t HTTP/1.1\r\nHost: a\r\n\r\n")},
    {"empty name", BYTES(GET_HEAD ": b\r\n\r\n")},
    {"a line without colon", BYTES(GET_HEAD "X-A\r\n\r\n")},
    {"space before the colon", BYTES(GET_HEAD "X-A : b\r\n\r\n")},
    {"space in a name", BYTES(GET_HEAD "X A: b\r\n\r\n")},
    {"quote in a name", BYTES(GET_HEAD "\"X\": b\r\n\r\n")},
    {"slash in a name", BYTES(GET_HEAD "X/A: b\r\n\r\n")},
    {"UTF-8 in a name", BYTES(GET_HEAD "X-\xc3\xa4: b\r\n\r\n")},
    {"folded line", BYTES(GET_HEAD "X-A: b\r\n c\r\n\r\n")},
    {"space before the first name", BYTES("GET / HTTP/1.1\r\n Host: a\r\n\r\n")},
    {"empty method", BYTES(" /auth/me HTTP/1.1\r\nHost: a\r\n\r\n")},
    {"method in brackets", BYTES("(GET) /auth/me HTTP/1.1\r\nHost: a\r\n\r\n")},
    {"method with a slash", BYTES("GE/T /auth/me HTTP/1.1\r\nHost: a\r\n\r\n")},
    {"HTAB behind the method", BYTES("GET\t/auth/me HTTP/1.1\r\nHost: a\r\n\r\n")},
    {"two spaces", BYTES("GET  /auth/me HTTP/1.1\r\nHost: a\r\n\r\n")},
    {"space in the target", BYTES("GET /auth/me x HTTP/1.1\r\nHost: a\r\n\r\n")},
    {"space behind the version", BYTES("GET /auth/me HTTP/1.1 \r\nHost: a\r\n\r\n")},
    {"no version", BYTES("GET /auth/me\r\nHost: a\r\n\r\n")},
    {"other protocol", BYTES("GET /auth/me HTTQ/1.1\r\nHost: a\r\n\r\n")},
    {"strange version", BYTES("GET /auth/me HTTP/1.x\r\nHost: a\r\n\r\n")},
    {"cow before chunked",
     BYTES(POST_HEAD "Transfer-Encoding: cow\r\nTransfer-Encoding: chunked\r\n\r\n" WHOLE_CHUNKS)},
    {"cow, chunked", BYTES(POST_HEAD "Transfer-Encoding: cow, chunked\r\n\r\n" WHOLE_CHUNKS)},
    {"cow", BYTES(POST_HEAD "Transfer-Encoding: cow\r\n\r\n" WHOLE_CHUNKS)},
    {"identity", BYTES(POST_HEAD "Transfer-Encoding: identity\r\n\r\n")},
    {"no coding", BYTES(POST_HEAD "Transfer-Encoding:\r\n\r\n" WHOLE_CHUNKS)},
    {"half a coding", BYTES(POST_HEAD "Transfer-Encoding: chunk\r\n\r\n" WHOLE_CHUNKS)},
    {"chunked twice", BYTES(POST_HEAD "Transfer-Encoding: chunked\r\nTransfer-Encoding: "
                                      "chunked\r\n\r\n" WHOLE_CHUNKS)},
    {"chunked and a length",
     BYTES(POST_HEAD "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n" WHOLE_CHUNKS)},
    {"chunked in HTTP/1.0", BYTES("POST /auth/refresh-token HTTP/1.0\r\nHost: "
                                  "a\r\nTransfer-Encoding: chunked\r\n\r\n" WHOLE_CHUNKS)},
    {"two lengths", BYTES(POST_HEAD "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}")},
    {"list of lengths", BYTES(POST_HEAD "Content-Length: 2, 2\r\n\r\n{}")},
    {"no length", BYTES(POST_HEAD "Content-Length:\r\n\r\n")},
    {"length with a gap", BYTES(POST_HEAD "Content-Length: 2 2\r\n\r\n{}")},
    {"length in hex", BYTES(POST_HEAD "Content-Length: 0x2\r\n\r\n{}")},
    {"bare LF behind a size", BYTES(CHUNKED "2\n{}\r\n0\r\n\r\n")},
    {"bare CR behind a size", BYTES(CHUNKED "2\r{}\r\n0\r\n\r\n")},
    {"bare LF behind a chunk", BYTES(CHUNKED "2\r\n{}\n0\r\n\r\n")},
    {"nothing behind a chunk", BYTES(CHUNKED "2\r\n{}0\r\n\r\n")},
    {"bare LF at the end", BYTES(CHUNKED "2\r\n{}\r\n0\r\n\n")},
    {"bare LF behind the last size", BYTES(CHUNKED "2\r\n{}\r\n0\n\r\n")},
    {"NUL behind a size", BYTES(CHUNKED "2" NUL "\r\n{}\r\n0\r\n\r\n")},
    {"NUL in an extension", BYTES(CHUNKED "2;a=" NUL "\r\n{}\r\n0\r\n\r\n")},
    {"bare LF in an extension", BYTES(CHUNKED "2;a\n\r\n{}\r\n0\r\n\r\n")},
    {"bare CR in an extension", BYTES(CHUNKED "2;a\rb\r\n{}\r\n0\r\n\r\n")},
    {"size with a sign", BYTES(CHUNKED "+2\r\n{}\r\n0\r\n\r\n")},
    {"size with 0x", BYTES(CHUNKED "0x2\r\n{}\r\n0\r\n\r\n")},
    {"space before a size", BYTES(CHUNKED " 2\r\n{}\r\n0\r\n\r\n")},
    {"space behind a size", BYTES(CHUNKED "2 \r\n{}\r\n0\r\n\r\n")},
    {"no size", BYTES(CHUNKED "\r\n{}\r\n0\r\n\r\n")},
    {"NUL in a trailer", BYTES(CHUNKED "2\r\n{}\r\n0\r\nX-A: b" NUL "\r\n\r\n")},
    {"bare CR in a trailer", BYTES(CHUNKED "2\r\n{}\r\n0\r\nX-A: b\rc\r\n\r\n")},
    {"trailer without name", BYTES(CHUNKED "2\r\n{}\r\n0\r\n: b\r\n\r\n")},
};

/* The gateway accepts these bytes; the token (401) or the body (422) is what fails. */
static const struct {
    struct byte_row row;
    const char *want;
} well_formed[] = {
    {{"empty lines before", BYTES("\r\n\r\n" GOOD)}, "HTTP/1.1 200 "},
    {{"no space behind the colon", BYTES(GET_HEAD "X-Request-Id:abcdefgh\r\n\r\n")},
     "X-Request-Id: abcdefgh\r\n"},
    {{"white space around a value", BYTES(GET_HEAD "X-Request-Id: \t abcdefgh \t \r\n\r\n")},
     "X-Request-Id: abcdefgh\r\n"},
    {{"a lot of it", BYTES(GET_HEAD "X-Request-Id: abcdefgh" SPACES_16 SPACES_16 SPACES_16 SPACES_16
                               SPACES_16 SPACES_16 "\r\n\r\n")},
     "X-Request-Id: abcdefgh\r\n"},
    {{"inside a value", BYTES(GET_HEAD "X-A: b \t c\r\n\r\n")}, "HTTP/1.1 200 "},
    {{"empty value", BYTES(GET_HEAD "X-A:\r\nX-B:  \r\n\r\n")}, "HTTP/1.1 200 "},
    {{"UTF-8 in a value", BYTES(GET_HEAD "X-A: \xc3\xa4\r\n\r\n")}, "HTTP/1.1 200 "},
    {{"every sign of a name", BYTES(GET_HEAD "!#$%&'*+-.^_`|~9: b\r\n\r\n")}, "HTTP/1.1 200 "},
    {{"white space behind a length", BYTES(POST_HEAD "Content-Length: 2 \t\r\n\r\n{}")},
     "HTTP/1.1 422 "},
    {{"white space behind chunked",
      BYTES(POST_HEAD "Transfer-Encoding: chunked \r\n\r\n" WHOLE_CHUNKS)},
     "HTTP/1.1 422 "},
    {{"capitals", BYTES(POST_HEAD "TRANSFER-encoding: Chunked\r\n\r\n" WHOLE_CHUNKS)},
     "HTTP/1.1 422 "},
    {{"zeros before a size", BYTES(CHUNKED "0002\r\n{}\r\n000\r\n\r\n")}, "HTTP/1.1 422 "},
    {{"pieces", BYTES(CHUNKED "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n")}, "HTTP/1.1 422 "},
    {{"extension", BYTES(CHUNKED "2;a=b;c=\"d e\"\r\n{}\r\n0;e\r\n\r\n")}, "HTTP/1.1 422 "},
    {{"extension behind a space", BYTES(CHUNKED "2 ; a = b\r\n{}\r\n0\r\n\r\n")}, "HTTP/1.1 422 "},
    {{"trailers", BYTES(CHUNKED "2\r\n{}\r\n0\r\nX-A: b \r\nX-B: c\r\n\r\n")}, "HTTP/1.1 422 "},
};

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

static void say_bytes(int fd, const struct byte_row *row, bool apart)
{
    struct pollfd answered = {.fd = fd, .events = POLLIN};
    int on = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (!apart)
        (void)!send(fd, row->bytes, row->size, MSG_NOSIGNAL);
    for (size_t i = 0; apart && i < row->size && poll(&answered, 1, 0) == 0; i++) {
        (void)!send(fd, row->bytes + i, 1, MSG_NOSIGNAL);
        usleep(100);
    }
}

/* The client keeps its side open, so that the connection ends only because of the bytes. */
static void malformed_bytes_end_the_connection_at_once(void)
{
    for (size_t i = 0; i < 2 * ARRAY_SIZE(malformed); i++) {
        const struct byte_row *row = &malformed[i / 2];
        int64_t start_ms = clock_mono_ms();
        char answer[ANSWER_SIZE];
        int fd = dial();

        say_bytes(fd, row, i % 2 == 1);
        hear(fd, 3000, answer);
        check_answer(row->label, answer, 400);
        UNIT_CHECK(clock_mono_ms() - start_ms < 1000, "%s, %s: %lld ms", row->label,
                   i % 2 == 1 ? "byte by byte" : "whole", (long long)(clock_mono_ms() - start_ms));
        close(fd);
    }
}

static void well_formed_bytes_are_read(void)
{
    for (size_t i = 0; i < 2 * ARRAY_SIZE(well_formed); i++) {
        const struct byte_row *row = &well_formed[i / 2].row;
        char answer[ANSWER_SIZE];
        int fd = dial();

        say_bytes(fd, row, i % 2 == 1);
        shutdown(fd, SHUT_WR);
        hear(fd, 3000, answer);
        UNIT_CHECK(strstr(answer, well_formed[i / 2].want), "%s, %s: want %s, got %.600s",
                   row->label, i % 2 == 1 ? "byte by byte" : "whole", well_formed[i / 2].want,
                   answer);
        close(fd);
    }
}

/* White space around a value is stripped and the request served without waiting, wherever the
 * gateway's buffers end. */
static void white_space_fits_into_no_buffer(void)
{
    enum { SPACES = 300, PAD_MAX = 15000, STEP = 193 };
    static const char end[] = "\r\nX-Request-Id: abcdefgh  \r\n\r\n";
    char *bytes = malloc(sizeof(GET_HEAD) + 64 + SPACES + PAD_MAX + sizeof(end));

    for (size_t pad = 0; pad < PAD_MAX; pad += STEP) {
        char *at = stpcpy(bytes, GET_HEAD "Connection: close\r\nX-A: b");
        int64_t start_ms = clock_mono_ms();
        char *answer;

        memset(at, 'c', pad);
        memset(at + pad, ' ', SPACES);
        memcpy(at + pad + SPACES, end, sizeof(end) - 1);
        answer = http_raw(suite_url(suite), bytes,
                          (size_t)(at - bytes) + pad + SPACES + sizeof(end) - 1, true, 3000);
        UNIT_CHECK((strncmp(answer, "HTTP/1.1 200", 12) == 0 &&
                    strstr(answer, "X-Request-Id: abcdefgh\r\n")) ||
                       (strncmp(answer, "HTTP/1.1 431", 12) == 0 && pad > PAD_MAX / 2),
                   "%zu: %.300s", pad, answer);
        UNIT_CHECK(clock_mono_ms() - start_ms < 1000, "%zu: %lld ms", pad,
                   (long long)(clock_mono_ms() - start_ms));
        free(answer);
    }
    free(bytes);
}

static void requests_before_malformed_bytes_are_answered(void)
{
    static const struct {
        const char *bytes;
        size_t size, good, bad;
    } rows[] = {
        {BYTES(GOOD GOOD GOOD "GET /a\x01 HTTP/1.1\r\n\r\n"), 3, 1},
        {BYTES(GOOD WAITING GOOD "\x16\x03\x01"), 2, 1},
        {BYTES(WAITING CHUNKED "2\r\n{}\n"), 0, 1},
        {BYTES(GET_HEAD "Connection: close\r\n\r\n\x01"), 1, 0},
    };

    for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
        const struct byte_row row = {"", rows[i / 2].bytes, rows[i / 2].size};
        int64_t start_ms = clock_mono_ms();
        char answer[ANSWER_SIZE];
        int fd = dial();

        (void)!send(fd, row.bytes, row.size - i % 2, MSG_NOSIGNAL);
        if (i % 2 == 1) {
            usleep(20000);
            (void)!send(fd, row.bytes + row.size - 1, 1, MSG_NOSIGNAL);
        }
        hear(fd, 3000, answer);
        UNIT_CHECK(unit_occurrences(answer, "HTTP/1.1 200 ") == rows[i / 2].good &&
                       unit_occurrences(answer, "HTTP/1.1 400 ") == rows[i / 2].bad &&
                       clock_mono_ms() - start_ms < 1000,
                   "row %zu, %lld ms: %s", i, (long long)(clock_mono_ms() - start_ms), answer);
        close(fd);
    }
}

/* The gateway does not read the socket while a request is processed. Bytes that arrive meanwhile,
 * and the end of the stream, must not be lost. */
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

/* A connection with a byte now and then is closed as idle; two kilobytes a second are enough. */
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
    /* The body was read completely: it is not an object. */
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
    CASE(each_broken_request_gets_one_answer),
    CASE(oversized_requests_get_their_status),
    CASE(a_good_request_before_is_answered),
    CASE(malformed_bytes_end_the_connection_at_once),
    CASE(well_formed_bytes_are_read),
    CASE(white_space_fits_into_no_buffer),
    CASE(requests_before_malformed_bytes_are_answered),
    CASE(requests_sent_meanwhile_are_answered_next),
    CASE(a_body_that_stalls_is_not_waited_for),
    CASE(a_slow_body_is_waited_for),
    CASE(an_idle_connection_is_kept_for_its_time),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.set = "gateway.keep_alive_timeout=4s"});
    return unit_run("broken requests", cases, ARRAY_SIZE(cases));
}
