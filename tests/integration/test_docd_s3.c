/*
 * test_docd_s3.c - possible responses of an S3 server: all kinds of XML, truncated, late, too large
 * or foreign responses, from a server on a thread. See tests/http/test_s3_faults.c for a real
 * server.
 */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "docd/store/s3.h"
#include "docd/store/s3_xml.h"
#include "docd/store/store.h"
#include "tests/support/unit.h"

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"

/* ---- XML ---- */

struct heard {
    char text[400];
    size_t length, longest;
};

static void hear(void *arg, const char *path, const char *text)
{
    struct heard *self = arg;

    self->longest = MAX(self->longest, strlen(text));
    self->length += (size_t)snprintf(self->text + self->length, sizeof(self->text) - self->length,
                                     "%s=%s;", path, text);
    if (self->length >= sizeof(self->text))
        self->length = sizeof(self->text) - 1;
}

static int hear_all(const char *xml, size_t size, struct heard *ret)
{
    *ret = (struct heard){.length = 0};
    return s3_xml_read(xml, size, "R", hear, ret);
}

static void test_xml_is_read_or_refused(void)
{
    static const char utf_16[] = "\xff\xfe<\0R\0>\0x\0<\0/\0R\0>\0", nul[] = "<R>a\0b</R>";
    static const struct {
        const char *label, *xml;
        size_t size;      /* 0: strlen(text) */
        const char *want; /* NULL: refused */
    } rows[] = {
        {"elements", XML "<R><A>1</A><B><C>2</C><C>3</C></B></R>", 0, "R/A=1;R/B/C=2;R/B/C=3;"},
        {"a name space", "<R xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><A>1</A></R>", 0,
         "R/A=1;"},
        {"nothing in it", "<R/>", 0, "R=;"},
        {"an empty element", "<R><A/></R>", 0, "R/A=;"},
        {"text beside elements", "<R>x<A>1</A>y</R>", 0, "R/A=1;"},
        {"characters in disguise", "<R><A>&quot;&#97;&#x62;&amp;&lt;</A></R>", 0, "R/A=\"ab&<;"},
        {"bare characters", "<R><A><![CDATA[<b>]]></A></R>", 0, "R/A=<b>;"},
        {"UTF-16", utf_16, sizeof(utf_16) - 1, "R=x;"},
        {"a comment, an instruction", "<!-- x --><R><?x y?><A>1</A></R>", 0, "R/A=1;"},
        {"eight deep", "<R><a><a><a><a><a><a><a>x</a></a></a></a></a></a></a></R>", 0,
         "R/a/a/a/a/a/a/a=x;"},
        {"nine deep", "<R><a><a><a><a><a><a><a><a>x</a></a></a></a></a></a></a></a></R>", 0, NULL},
        {"nothing", "", 0, NULL},
        {"blanks", " \n", 0, NULL},
        {"another root", XML "<html><R><A>1</A></R></html>", 0, NULL},
        {"the beginning of another root", "<Rr><A>1</A></Rr>", 0, NULL},
        {"two roots", "<R><A>1</A></R><R/>", 0, NULL},
        {"no XML", "Service Unavailable", 0, NULL},
        {"JSON", "{\"R\": 1}", 0, NULL},
        {"other ends", "<R><A>1</B></R>", 0, NULL},
        {"an entity that nobody knows", "<R><A>&x;</A></R>", 0, NULL},
        {"a bomb",
         "<!DOCTYPE R [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">"
         "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]><R><A>&c;</A></R>",
         0, NULL},
        {"a file", "<!DOCTYPE R [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><R><A>&f;</A></R>", 0,
         NULL},
        {"a document type elsewhere", "<!DOCTYPE R SYSTEM \"http://127.0.0.1/x.dtd\"><R/>", 0,
         NULL},
        {"U+0000", nul, sizeof(nul) - 1, NULL},
        {"U+0000 in disguise", "<R><A>&#0;</A></R>", 0, NULL},
        {"no UTF-8", "<R><A>\xff\xfe</A></R>", 0, NULL},
        {"an encoding that nobody knows", "<?xml version=\"1.0\" encoding=\"x-moon\"?><R/>", 0,
         NULL},
    };
    struct heard heard;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        size_t size = rows[i].size > 0 ? rows[i].size : strlen(rows[i].xml);
        int result = hear_all(rows[i].xml, size, &heard);

        UNIT_CHECK(rows[i].want ? result == 0 && strcmp(heard.text, rows[i].want) == 0
                                : result == -1,
                   "%s: %d %s", rows[i].label, result, heard.text);
    }
}

static void test_xml_that_is_cut_is_refused(void)
{
    static const char xml[] = XML "<R xmlns=\"x\"><A>1 &amp; 2</A><B><C>2</C><!-- - --></B></R>";
    struct heard heard;

    CU_ASSERT_EQUAL(hear_all(xml, sizeof(xml) - 1, &heard), 0);
    for (size_t size = 0; size < sizeof(xml) - 1; size++) {
        char *cut = malloc(size + 1); /* exact allocation, for AddressSanitizer */

        memcpy(cut, xml, size);
        UNIT_CHECK(hear_all(cut, size, &heard) == -1, "%.*s", (int)size, xml);
        free(cut);
    }
}

/* Puts `count` copies of a text between two others. */
static char *repeat(const char *before, const char *text, size_t count, const char *after,
                    size_t *ret_size)
{
    char *bytes = NULL;
    FILE *stream = open_memstream(&bytes, ret_size);

    fputs(before, stream);
    for (size_t i = 0; i < count; i++)
        fputs(text, stream);
    fputs(after, stream);
    fclose(stream);
    return bytes;
}

static void test_large_xml_takes_no_more_than_its_place(void)
{
    enum { MANY = 200000 };
    static const struct {
        const char *label, *before, *text, *after;
        int result;
        size_t longest;
    } rows[] = {
        {"text", "<R><A>", "0123456789", "</A></R>", 0, 1099},
        {"disguised text", "<R><A>", "&amp;&#97;", "</A></R>", 0, 1099},
        {"elements", "<R>", "<A>1</A>", "</R>", 0, 1},
        {"a name", "<R><A", "AAAAAAAAAA", "/></R>", -1, 0},
        {"an attribute", "<R a=\"", "0123456789", "\"/>", 0, 0},
        {"depth", "<R>", "<A>", "", -1, 0},
        {"a comment", "<R><!--", "0123456789", "--></R>", 0, 0},
    };
    struct heard heard;
    size_t size;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *xml = repeat(rows[i].before, rows[i].text, MANY, rows[i].after, &size);
        int result = hear_all(xml, size, &heard);

        UNIT_CHECK(result == rows[i].result && heard.longest == rows[i].longest, "%s: %d, %zu",
                   rows[i].label, result, heard.longest);
        free(xml);
    }
}

static void test_the_text_of_a_path(void)
{
    static const struct {
        const char *path, *xml, *want;
    } rows[] = {
        {"Error/Code", "<Error><Code>NoSuchKey</Code><Code>2</Code></Error>", "NoSuchKey"},
        {"Error/Code", "<Error><Detail><Code>1</Code></Detail><Code>2</Code></Error>", "2"},
        {"Error/Code", "<Error><Message>x</Message></Error>", NULL},
        {"Error/Code", "<Errors><Code>x</Code></Errors>", NULL},
        {"Error/Code", "<Error><Code>NoSuchKey</Code>", NULL},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *text = s3_xml_text(arena, rows[i].xml, strlen(rows[i].xml), rows[i].path);

        UNIT_CHECK(rows[i].want ? text && strcmp(text, rows[i].want) == 0 : !text, "%s: %s",
                   rows[i].xml, text ? text : "none");
    }
}

/* ---- options ---- */

static void test_options_that_make_sense(void)
{
    static const char long_bucket[] =
        "0123456789012345678901234567890123456789012345678901234567890123";
    static const struct {
        const char *want, *url, *bucket, *key, *region; /* want NULL: valid */
    } rows[] = {
        {NULL, "https://s3.eu-central-1.amazonaws.com", "documents", "AKIA", "eu-central-1"},
        {NULL, "http://127.0.0.1:9000/", "a.b-c.9", "minio", "us-east-1"},
        {NULL, "https://[::1]:9000", "abc", "k", "r"},
        {"s3_url", NULL, "documents", "k", "r"},
        {"s3_url", "", "documents", "k", "r"},
        {"s3_url", "s3.example.org", "documents", "k", "r"},
        {"s3_url", "ftp://s3.example.org", "documents", "k", "r"},
        {"s3_url", "https://s3.example.org/documents", "documents", "k", "r"},
        {"s3_url", "https://s3.example.org?x=1", "documents", "k", "r"},
        {"s3_url", "https://s3.example.org#x", "documents", "k", "r"},
        {"s3_url", "https://user:word@s3.example.org", "documents", "k", "r"},
        {"s3_bucket", "https://x.org", NULL, "k", "r"},
        {"s3_bucket", "https://x.org", "ab", "k", "r"},
        {"s3_bucket", "https://x.org", long_bucket, "k", "r"},
        {"s3_bucket", "https://x.org", "Documents", "k", "r"},
        {"s3_bucket", "https://x.org", "a/b", "k", "r"},
        {"s3_bucket", "https://x.org", ".abc", "k", "r"},
        {"s3_bucket", "https://x.org", "abc-", "k", "r"},
        {"s3_key", "https://x.org", "documents", NULL, "r"},
        {"s3_key", "https://x.org", "documents", "a/b", "r"},
        {"s3_key", "https://x.org", "documents", "a b", "r"},
        {"s3_region", "https://x.org", "documents", "k", ""},
        {"s3_region", "https://x.org", "documents", "k", "a/b"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct s3_options options = {.url = rows[i].url,
                                     .bucket = rows[i].bucket,
                                     .signer = {rows[i].key, "secret", rows[i].region}};
        struct error err;

        error_init(&err, NULL);
        int result = s3_check(&options, &err);
        UNIT_CHECK(rows[i].want ? result == -1 && strstr(err.message, rows[i].want) == err.message
                                : result == 0,
                   "row %zu: %s", i, err.message);
    }
}

/* ---- the server ---- */

enum { ANSWERS_MAX = 16, REQUESTS_MAX = 32, REQUEST_SIZE = 4096 };

/* One whole HTTP response per connection; the last one repeats. */
static const char NO_ANSWER[] = "none"; /* until the client disconnects */
struct server {
    int socket, port;
    pthread_t thread;
    const char *answers[ANSWERS_MAX];
    size_t answer_count;
    atomic_size_t count;
    char requests[REQUESTS_MAX][REQUEST_SIZE]; /* as received */
};

static void read_request(int client, char *ret)
{
    size_t length = 0;
    const char *body;

    do {
        ssize_t count = read(client, ret + length, REQUEST_SIZE - 1 - length);

        if (count <= 0)
            break;
        length += (size_t)count;
        ret[length] = '\0';
        body = strstr(ret, "\r\n\r\n");
    } while (!body ||
             (strncmp(ret, "POST", 4) == 0 && strstr(ret, "<Complete") && !strstr(body, "</Comp")));
}

static void write_answer(int client, const char *answer)
{
    for (size_t left = strlen(answer); left > 0;) {
        ssize_t count = send(client, answer, left, MSG_NOSIGNAL);

        if (count <= 0)
            return;
        answer += count;
        left -= (size_t)count;
    }
}

static void *server_main(void *arg)
{
    struct server *self = arg;

    for (int client; (client = accept4(self->socket, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        size_t number = self->count;
        const char *answer = self->answers[MIN(number, self->answer_count - 1)];

        read_request(client, self->requests[MIN(number, (size_t)REQUESTS_MAX - 1)]);
        self->count++;
        if (answer == NO_ANSWER)
            poll(&(struct pollfd){client, POLLRDHUP, 0}, 1, 20000);
        else
            write_answer(client, answer);
        close(client);
    }
    return NULL;
}

static void server_start(struct server *self)
{
    self->socket = unit_listen(16, &self->port);
    CU_ASSERT(pthread_create(&self->thread, NULL, server_main, self) == 0);
}

static void server_stop(struct server *self)
{
    shutdown(self->socket, SHUT_RDWR);
    pthread_join(self->thread, NULL);
    close(self->socket);
}

struct fixture {
    struct server server;
    struct s3_options options;
    struct s3 *s3;
    struct store *store;
    struct request req;
    struct error err;
};

static struct fixture *setup(struct loop *loop)
{
    struct fixture *self = calloc(1, sizeof(*self));
    struct store_s3_options store = {.part_size = 5 << 20, .dir = "/tmp"};

    self->req = (struct request){.arena = arena_new(), .deadline_mono_ms = clock_mono_ms() + 60000};
    error_init(&self->err, self->req.arena);
    server_start(&self->server);
    self->options = (struct s3_options){.url = arena_printf(self->req.arena, "http://127.0.0.1:%d",
                                                            self->server.port),
                                        .bucket = "documents",
                                        .signer = {"key", "secret", "us-east-1"}};
    self->s3 = s3_new(loop, &self->options);
    store.s3 = self->options;
    self->store = store_s3_new(loop, &store);
    return self;
}

static void teardown(struct fixture *self)
{
    s3_destroy(&self->s3);
    store_destroy(&self->store);
    server_stop(&self->server);
    arena_destroy(&self->req.arena);
    free(self);
}

/* Sets the server's responses; NULL ends the list. */
static void tell(struct fixture *self, const char *const *answers)
{
    self->server.answer_count = 0;
    while (answers[self->server.answer_count]) {
        self->server.answers[self->server.answer_count] = answers[self->server.answer_count];
        self->server.answer_count++;
    }
    self->server.count = 0;
    error_clear(&self->err);
}

/* ---- answers ---- */

#define HEAD(status) "HTTP/1.1 " status "\r\nConnection: close\r\n"
#define BODY(status, text) HEAD(status) "\r\n" text
#define ERROR_XML(code) XML "<Error><Code>" code "</Code><Message>x</Message></Error>"

struct answer_row {
    const char *label, *answers[3];
    size_t room; /* > 0: space for the bytes */
    bool once;
    int status;       /* 0: an error */
    const char *text; /* a 4xx's error code, otherwise its text or a part of the detail */
    size_t requests;
};

static void check_answer(struct fixture *f, const struct answer_row *row)
{
    char bytes[64];
    struct s3_call call = {.method = "GET",
                           .key = "a",
                           .once = row->once,
                           .try_ms = 300,
                           .target = row->room > 0 ? bytes : NULL,
                           .room = row->room};
    struct s3_answer answer = {0};
    const char *text;

    tell(f, row->answers);
    int result = s3_call(f->s3, &f->req, &call, &answer, &f->err);
    text = result < 0             ? f->err.detail
           : answer.status >= 400 ? answer.code
           : row->room > 0        ? arena_strndup(f->req.arena, bytes, answer.size)
                                  : answer.text;
    UNIT_CHECK(row->status == 0 ? result < 0 : result == 0 && answer.status == row->status,
               "%s: %d %d", row->label, result, answer.status);
    UNIT_CHECK(result == 0 || (f->err.code == ERR_UNAVAILABLE && f->err.retry_after_s > 0),
               "%s: %d", row->label, f->err.code);
    UNIT_CHECK(result < 0 ? strstr(text, row->text) != NULL : strcmp(text, row->text) == 0,
               "%s: %s", row->label, text);
    UNIT_CHECK(f->server.count == row->requests, "%s: %zu requests", row->label, f->server.count);
}

static void answers(struct loop *loop, void *arg UNUSED)
{
    static const struct answer_row rows[] = {
        {"text", {BODY("200 OK", "ok")}, 0, false, 200, "ok", 1},
        {"nothing", {BODY("204 No Content", "")}, 0, false, 204, "", 1},
        {"in chunks",
         {BODY("200 OK\r\nTransfer-Encoding: chunked", "1\r\no\r\n1\r\nk\r\n0\r\n\r\n")},
         0,
         false,
         200,
         "ok",
         1},
        {"bytes", {BODY("206 Partial Content", "12345")}, 5, false, 206, "12345", 1},
        {"more bytes than asked for", {BODY("200 OK", "12345678")}, 5, false, 200, "12345", 1},
        {"fewer", {BODY("206 Partial Content", "123")}, 5, false, 206, "123", 1},
        {"none of them",
         {BODY("404 Not Found", ERROR_XML("NoSuchKey"))},
         5,
         false,
         404,
         "NoSuchKey",
         1},
        {"a key that is not there",
         {BODY("404 Not Found", ERROR_XML("NoSuchKey"))},
         0,
         false,
         404,
         "NoSuchKey",
         1},
        {"why, in no words", {BODY("404 Not Found", "")}, 0, false, 404, "", 1},
        {"why, cut",
         {BODY("404 Not Found", "<Error><Code>NoSuchKey</Code>")},
         0,
         false,
         404,
         "",
         1},
        {"why, of something else",
         {BODY("404 Not Found", "<html><Code>NoSuchBucket</Code></html>")},
         0,
         false,
         404,
         "",
         1},
        {"why, a bomb",
         {BODY("404 Not Found",
               "<!DOCTYPE Error [<!ENTITY a \"x\">]><Error><Code>&a;</Code></Error>")},
         0,
         false,
         404,
         "",
         1},
        {"a condition",
         {BODY("412 Precondition Failed", ERROR_XML("PreconditionFailed"))},
         0,
         false,
         412,
         "PreconditionFailed",
         1},
        {"something it cannot do",
         {BODY("501 Not Implemented", ERROR_XML("NotImplemented"))},
         0,
         false,
         501,
         "NotImplemented",
         1},
        {"a bucket that is not there",
         {BODY("404 Not Found", ERROR_XML("NoSuchBucket"))},
         0,
         false,
         0,
         "404 NoSuchBucket",
         2},
        {"a wrong signature",
         {BODY("403 Forbidden", ERROR_XML("SignatureDoesNotMatch"))},
         0,
         false,
         0,
         "403 SignatureDoesNotMatch",
         2},
        {"who are you", {BODY("401 Unauthorized", "")}, 0, false, 0, "401", 2},
        {"elsewhere",
         {BODY("301 Moved Permanently\r\nLocation: http://127.0.0.1:1/", "")},
         0,
         false,
         0,
         "301",
         2},
        {"too many", {BODY("429 Too Many Requests", "")}, 0, false, 0, "429", 2},
        {"a failure",
         {BODY("500 Internal Server Error", ERROR_XML("InternalError"))},
         0,
         false,
         0,
         "500 InternalError",
         2},
        {"a failure that is over",
         {BODY("503 Slow Down", ERROR_XML("SlowDown")), BODY("200 OK", "ok")},
         0,
         false,
         200,
         "ok",
         2},
        {"a failure of what is done once",
         {BODY("503 Slow Down", ERROR_XML("SlowDown")), BODY("200 OK", "ok")},
         0,
         true,
         0,
         "503 SlowDown",
         1},
        {"cut", {BODY("200 OK\r\nContent-Length: 10", "12345")}, 0, false, 0, "GET: ", 2},
        {"cut bytes", {BODY("200 OK\r\nContent-Length: 10", "12345")}, 10, false, 0, "GET: ", 2},
        {"a cut chunk",
         {BODY("200 OK\r\nTransfer-Encoding: chunked", "9\r\nok")},
         0,
         false,
         0,
         "GET: ",
         2},
        {"cut, then whole",
         {BODY("200 OK\r\nContent-Length: 10", "12345"), BODY("200 OK", "67890")},
         10,
         false,
         200,
         "67890",
         2},
        {"nothing at all", {""}, 0, false, 0, "GET: ", 2},
        {"no HTTP", {"220 mail.example.org ESMTP\r\n"}, 0, false, 0, "GET: ", 2},
        {"silence", {NO_ANSWER}, 0, false, 0, "no answer in time", 2},
        {"silence, then an answer", {NO_ANSWER, BODY("200 OK", "ok")}, 0, false, 200, "ok", 2},
    };
    struct fixture *f = setup(loop);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_answer(f, &rows[i]);
    teardown(f);
}

static void large_answers(struct loop *loop, void *arg UNUSED)
{
    enum { MANY = 220000 };
    static const char long_code[] = "404 Not Found";
    struct fixture *f = setup(loop);
    size_t size;
    char *text = repeat(HEAD("200 OK") "\r\n", "0123456789", MANY, "", &size);
    char *headers = repeat(HEAD("200 OK"), "X: 0123456789\r\n", MANY, "\r\n", &size);
    char *code = repeat(HEAD("404 Not Found") "\r\n<Error><Code>", "0123456789", 1000,
                        "</Code></Error>", &size);
    struct s3_call call = {.method = "GET", .key = "a", .try_ms = 5000};
    struct s3_answer answer;

    check_answer(f, &(struct answer_row){"text", {text}, 0, false, 0, "too large an answer", 2});
    check_answer(f, &(struct answer_row){"headers", {headers}, 0, false, 0, "GET: ", 2});
    tell(f, (const char *[]){code, NULL});
    UNIT_CHECK(s3_call(f->s3, &f->req, &call, &answer, &f->err) == 0 && answer.status == 404 &&
                   strlen(answer.code) == 1099,
               "%s: %s", long_code, f->err.detail);
    free(text);
    free(headers);
    free(code);
    teardown(f);
}

/* A caller that has less time left than an attempt takes gets its response in time. */
static void no_try_is_longer_than_its_callers_time(struct loop *loop, void *arg UNUSED)
{
    struct fixture *f = setup(loop);
    struct s3_call call = {.method = "GET", .key = "a"};
    struct s3_answer answer;
    int64_t began = clock_mono_ms();

    tell(f, (const char *[]){NO_ANSWER, NULL});
    f->req.deadline_mono_ms = began + 700;
    CU_ASSERT_EQUAL(s3_call(f->s3, &f->req, &call, &answer, &f->err), -1);
    CU_ASSERT_EQUAL(f->err.code, ERR_UNAVAILABLE);
    UNIT_CHECK(clock_mono_ms() - began < 700, "%lld ms", (long long)(clock_mono_ms() - began));
    CU_ASSERT_EQUAL(f->server.count, 1);
    teardown(f);
}

/* ---- lists of arrived forms ---- */

#define PROJECT "0b7f8c4e-5d3a-4f5b-9d61-1f6a3d2c4b5a"
#define FORM "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
#define KEY(name) "<Contents><Key>" name "</Key><Size>1</Size></Contents>"
#define ENDS(truncated) "<IsTruncated>" truncated "</IsTruncated>"
#define LIST(inside) BODY("200 OK", XML "<ListBucketResult>" inside "</ListBucketResult>")

static void a_list_is_one_whole_or_a_failure(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *label, *answer;
        int count;        /* forms in it; -1: not a list */
        const char *next; /* the next page, or NULL */
    } rows[] = {
        {"two",
         LIST(ENDS("false") KEY("incoming/" PROJECT "/" FORM) KEY("incoming/" FORM "/" FORM)), 2,
         NULL},
        {"none", LIST(ENDS("false")), 0, NULL},
        {"a part", LIST(ENDS("true") KEY("incoming/" PROJECT "/" FORM)), 1,
         "incoming/" PROJECT "/" FORM},
        {"a part that ends with another's", LIST(KEY("incoming/x&amp;y") ENDS("true")), 0,
         "incoming/x&y"},
        {"a part of nothing", LIST(ENDS("true")), -1, NULL},
        {"nothing in it", LIST(""), -1, NULL},
        {"nothing", BODY("200 OK", ""), -1, NULL},
        {"no XML", BODY("200 OK", "It works!"), -1, NULL},
        {"cut where nobody sees it",
         BODY("200 OK", "<ListBucketResult>" ENDS("false") KEY("incoming/" PROJECT "/" FORM)), -1,
         NULL},
        {"a page of somebody's", BODY("200 OK", "<html><body>Soon back</body></html>"), -1, NULL},
        {"a list of something else",
         BODY("200 OK", "<ListAllMyBucketsResult>" ENDS("false") "</ListAllMyBucketsResult>"), -1,
         NULL},
        {"a failure that came late", BODY("200 OK", ERROR_XML("InternalError")), -1, NULL},
    };
    struct fixture *f = setup(loop);
    struct store_key found[4];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *cursor = NULL;
        size_t count = 0;

        tell(f, (const char *[]){rows[i].answer, NULL});
        int result = f->store->functions->direct_uploads(f->store, &f->req, &cursor, found,
                                                         ARRAY_SIZE(found), &count, &f->err);
        UNIT_CHECK(rows[i].count < 0 ? result < 0 && f->err.code == ERR_UNAVAILABLE
                                     : result == 0 && count == (size_t)rows[i].count,
                   "%s: %d, %zu, %s", rows[i].label, result, count, f->err.detail);
        UNIT_CHECK(result < 0 ||
                       (cursor ? rows[i].next && strcmp(cursor, rows[i].next) == 0 : !rows[i].next),
                   "%s: %s", rows[i].label, cursor ? cursor : "-");
    }
    CU_ASSERT_STRING_EQUAL(found[0].project.text, PROJECT);
    teardown(f);
}

/* ---- adopting ---- */

#define FACTS(etag, size) HEAD("200 OK\r\nETag: \"" etag "\"\r\nContent-Length: " size) "\r\n"
#define FACTS_AT(etag, size, modified, date)                                         \
    HEAD("200 OK\r\nETag: \"" etag "\"\r\nLast-Modified: Wed, 01 Jul 2026 " modified \
         " GMT\r\nDate: Wed, 01 Jul 2026 " date " GMT\r\nContent-Length: " size)     \
    "\r\n"
#define COPIED BODY("200 OK", XML "<CopyObjectResult><ETag>\"b\"</ETag></CopyObjectResult>")
#define PART BODY("200 OK", XML "<CopyPartResult><ETag>&quot;p&quot;</ETag></CopyPartResult>")
#define BEGUN                                                                    \
    BODY("200 OK", XML "<InitiateMultipartUploadResult><UploadId>u 1</UploadId>" \
                       "</InitiateMultipartUploadResult>")
#define COMPLETED                                                            \
    BODY("200 OK", XML "<CompleteMultipartUploadResult><ETag>\"a-2\"</ETag>" \
                       "</CompleteMultipartUploadResult>")
#define GONE BODY("204 No Content", "")
#define THREE BODY("206 Partial Content", "abc")
#define LARGE "12000000"

/* All other parts of the responses are right for a file of three bytes, or for three parts. */
static void what_is_copied_is_one_file_or_a_failure(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *label, *answers[12];
        enum error_code code;      /* ERR_NONE: an object */
        const char *detail, *last; /* parts of the log and of the last request */
        size_t requests;
    } rows[] = {
        {"well", {FACTS("a", "3"), COPIED, FACTS("a", "3"), THREE}, ERR_NONE, "", "GET /d", 4},
        {"nothing came", {HEAD("404 Not Found") "\r\n"}, ERR_NOT_FOUND, "", "HEAD /d", 1},
        {"no tag",
         {HEAD("200 OK\r\nContent-Length: 3") "\r\n"},
         ERR_UNAVAILABLE,
         "HEAD: 200",
         "HEAD /d",
         1},
        {"no length",
         {HEAD("200 OK\r\nETag: \"a\"") "\r\n"},
         ERR_UNAVAILABLE,
         "HEAD: 200",
         "HEAD /d",
         1},
        {"forgotten meanwhile",
         {FACTS("a", "3"), BODY("404 Not Found", ERROR_XML("NoSuchKey"))},
         ERR_NOT_FOUND,
         "",
         "PUT /d",
         2},
        {"changed meanwhile",
         {FACTS("a", "3"), BODY("412 Precondition Failed", ERROR_XML("PreconditionFailed"))},
         ERR_UNAVAILABLE,
         "changed while it was copied",
         "PUT /d",
         2},
        {"a failure at the end of a copy",
         {FACTS("a", "3"), BODY("200 OK", ERROR_XML("InternalError"))},
         ERR_UNAVAILABLE,
         "PUT: InternalError",
         "PUT /d",
         2},
        {"a copy of something else",
         {FACTS("a", "3"), PART},
         ERR_UNAVAILABLE,
         "neither a result nor an error",
         "PUT /d",
         2},
        {"a copy that says nothing",
         {FACTS("a", "3"), BODY("200 OK", "")},
         ERR_UNAVAILABLE,
         "neither a result nor an error",
         "PUT /d",
         2},
        {"parts",
         {FACTS("a", LARGE), BEGUN, PART, PART, PART, FACTS("a", LARGE), COMPLETED,
          FACTS("a-3", LARGE), THREE},
         ERR_NONE,
         "",
         "GET /d",
         9},
        {"a copy that is not there",
         {FACTS("a", "3"), COPIED, HEAD("404 Not Found") "\r\n"},
         ERR_UNCERTAIN,
         "HEAD: 404",
         "HEAD /d",
         3},
        {"parts that nobody begins",
         {FACTS("a", LARGE), BODY("200 OK", "<x/>")},
         ERR_UNAVAILABLE,
         "POST: 200",
         "POST /d",
         2},
        {"parts of two files",
         {FACTS("a", LARGE), BEGUN, PART, PART, PART, FACTS("b", LARGE), GONE},
         ERR_UNAVAILABLE,
         "changed while it was copied",
         "DELETE /d",
         7},
        {"parts of two files, told by their size",
         {FACTS("a", LARGE), BEGUN, PART, PART, PART, FACTS("a", "11000000"), GONE},
         ERR_UNAVAILABLE,
         "changed while it was copied",
         "DELETE /d",
         7},
        {"parts of two files, of which the first came again",
         {FACTS_AT("a", LARGE, "10:00:00", "10:00:05"), BEGUN, PART, PART, PART,
          FACTS_AT("a", LARGE, "10:00:06", "10:00:07"), GONE},
         ERR_UNAVAILABLE,
         "changed while it was copied",
         "DELETE /d",
         7},
        {"parts of a file that came in this second",
         {FACTS_AT("a", LARGE, "10:00:00", "10:00:00"), BEGUN, PART, PART, PART,
          FACTS_AT("a", LARGE, "10:00:00", "10:00:02"), COMPLETED, FACTS("a-3", LARGE), THREE},
         ERR_NONE,
         "",
         "GET /d",
         9},
        {"parts of one that is gone",
         {FACTS("a", LARGE), BEGUN, PART, PART, PART, HEAD("404 Not Found") "\r\n", GONE},
         ERR_NOT_FOUND,
         "",
         "DELETE /d",
         7},
        {"parts that are no file in the end",
         {FACTS("a", LARGE), BEGUN, PART, PART, PART, FACTS("a", LARGE),
          BODY("200 OK", ERROR_XML("InternalError")), GONE},
         ERR_UNAVAILABLE,
         "POST: InternalError",
         "DELETE /d",
         8},
    };
    struct fixture *f = setup(loop);
    struct store_key form = {{PROJECT}, {FORM}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct stored stored = {0};
        int64_t begin_ms = clock_mono_ms();

        tell(f, rows[i].answers);
        int result = f->store->functions->adopt(f->store, &f->req, form, form, &stored, &f->err);
        UNIT_CHECK((result == 0) == (rows[i].code == ERR_NONE) && f->err.code == rows[i].code &&
                       strstr(f->err.detail, rows[i].detail),
                   "%s: %d %d %s", rows[i].label, result, f->err.code, f->err.detail);
        UNIT_CHECK(clock_mono_ms() - begin_ms >=
                       (strstr(rows[i].label, "in this second") ? 1000 : 0),
                   "%s", rows[i].label);
        UNIT_CHECK(f->server.count == rows[i].requests, "%s: %zu requests", rows[i].label,
                   f->server.count);
        UNIT_CHECK(result < 0 || memcmp(stored.head.bytes, "abc", 3) == 0, "%s", rows[i].label);
        UNIT_CHECK(strncmp(f->server.requests[f->server.count - 1], rows[i].last,
                           strlen(rows[i].last)) == 0,
                   "%s: %.40s", rows[i].label, f->server.requests[f->server.count - 1]);
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(f->server.requests[7], "uploadId=u%201"));
    CU_ASSERT_PTR_NOT_NULL(strstr(f->server.requests[2], "bytes=0-5242879"));
    for (size_t i = 2; i <= 4; i++)
        CU_ASSERT_PTR_NOT_NULL(strstr(f->server.requests[i], "x-amz-copy-source-if-match: \"a\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(f->server.requests[4], "bytes=10485760-11999999"));
    teardown(f);
}

/* A copy whose first attempt timed out can still appear, whatever the second one finds. */
static void a_copy_that_was_given_up_on_may_come_yet(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *label, *answers[4];
    } rows[] = {
        {"forgotten meanwhile",
         {FACTS("a", "3"), NO_ANSWER, BODY("404 Not Found", ERROR_XML("NoSuchKey"))}},
        {"changed meanwhile",
         {FACTS("a", "3"), NO_ANSWER,
          BODY("412 Precondition Failed", ERROR_XML("PreconditionFailed"))}},
    };
    struct fixture *f = setup(loop);
    struct store_key form = {{PROJECT}, {FORM}};
    struct stored stored;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        tell(f, rows[i].answers);
        int result = f->store->functions->adopt(f->store, &f->req, form, form, &stored, &f->err);
        UNIT_CHECK(result < 0 && f->err.code == ERR_UNCERTAIN, "%s: %d %d", rows[i].label, result,
                   f->err.code);
        UNIT_CHECK(f->server.count == 3, "%s: %zu requests", rows[i].label, f->server.count);
    }
    teardown(f);
}

#define ON_FIBER(name)             \
    static void test_##name(void)  \
    {                              \
        unit_on_fiber(name, NULL); \
    }
ON_FIBER(answers)
ON_FIBER(large_answers)
ON_FIBER(no_try_is_longer_than_its_callers_time)
ON_FIBER(a_list_is_one_whole_or_a_failure)
ON_FIBER(what_is_copied_is_one_file_or_a_failure)
ON_FIBER(a_copy_that_was_given_up_on_may_come_yet)

static const struct unit_case cases[] = {
    CASE(test_xml_is_read_or_refused),
    CASE(test_xml_that_is_cut_is_refused),
    CASE(test_large_xml_takes_no_more_than_its_place),
    CASE(test_the_text_of_a_path),
    CASE(test_options_that_make_sense),
    CASE(test_answers),
    CASE(test_large_answers),
    CASE(test_no_try_is_longer_than_its_callers_time),
    CASE(test_a_list_is_one_whole_or_a_failure),
    CASE(test_what_is_copied_is_one_file_or_a_failure),
    CASE(test_a_copy_that_was_given_up_on_may_come_yet),
};

int main(void)
{
    return unit_run("docd s3", cases, ARRAY_SIZE(cases));
}
