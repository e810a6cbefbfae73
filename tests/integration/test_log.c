/*
 * test_log.c - the format of log lines on stderr, and of journal entries.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "tests/support/unit.h"

/* Between begin and end, stderr goes into a file of this directory. */
static struct unit_dir dir;
static int stderr_before;

static void capture_begin(void)
{
    const char *path;
    int fd;

    dir = unit_dir_make();
    path = unit_dir_write(&dir, "log", "");
    fd = open(path, O_WRONLY | O_CLOEXEC);
    stderr_before = dup(STDERR_FILENO);
    dup2(fd, STDERR_FILENO);
    close(fd);
}

static void capture_end(char *text, size_t size)
{
    char path[128];
    ssize_t length;
    int fd;

    dup2(stderr_before, STDERR_FILENO);
    close(stderr_before);
    snprintf(path, sizeof(path), "%s/log", dir.path);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    length = read(fd, text, size - 1);
    text[length > 0 ? length : 0] = '\0';
    close(fd);
    unit_dir_remove(&dir);
}

static void test_lines(void)
{
    static const struct {
        const char *label, *key, *value, *want;
    } rows[] = {
        {"plain", "peer", "authd.1", " peer=authd.1\n"},
        {"quoted", "what", "a b", " what=\"a b\"\n"},
        {"quote and backslash", "what", "a\"b\\", " what=\"a\\\"b\\\\\"\n"},
        {"empty", "what", "", " what=\"\"\n"},
        {"line break cannot forge a line", "what", "x\n<3>forged", " what=x<3>forged\n"},
        {"nor within quotes", "what", "x y\n<3>forged", " what=\"x y<3>forged\"\n"},
        {"escape sequence", "what", "\033[31mred", " what=[31mred\n"},
        {"UTF-8 stays", "what", "ä", " what=ä\n"},
        {"no value, no pair", "what", NULL, " msg=\"m\"\n"},
    };
    char text[4096];

    log_open("atrium-test", "7", LOG_INFO);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char want[256];

        snprintf(want, sizeof(want), "<6>program=atrium-test instance=7 topic=unit msg=\"m\"%s",
                 rows[i].value ? rows[i].want : "\n");
        capture_begin();
        log_event(LOG_INFO, "unit", "m", rows[i].key, rows[i].value, NULL);
        capture_end(text, sizeof(text));
        UNIT_CHECK(strcmp(text, want) == 0, "%s: %s", rows[i].label, text);
    }
}

static void test_a_long_line_is_cut(void)
{
    char text[8192], value[6000];

    memset(value, 'x', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    capture_begin();
    log_event(LOG_INFO, "unit", "m", "what", value, NULL);
    capture_end(text, sizeof(text));
    CU_ASSERT(strlen(text) == 2048 && text[2047] == '\n');
}

static void test_levels_and_the_count(void)
{
    uint64_t warnings = log_count(LOG_WARNING), all = log_count(LOG_DEBUG);
    char text[4096];

    unit_expect_log(1);
    log_set_level(LOG_NOTICE);
    capture_begin();
    log_event(LOG_INFO, "unit", "not this", NULL);
    log_detail(LOG_WARNING, "unit", "but this", "n=%d", 5);
    capture_end(text, sizeof(text));
    log_set_level(LOG_INFO);
    CU_ASSERT(!strstr(text, "not this"));
    CU_ASSERT(strstr(text, "<4>") == text && strstr(text, "detail=\"n=5\""));
    CU_ASSERT(log_count(LOG_WARNING) == warnings + 1 && log_count(LOG_DEBUG) == all + 1);
}

/* Returns the fields' event in the format json (caller frees). */
static json_t *json_of(const struct log_field *fields, size_t count)
{
    char text[8192];
    json_error_t error;
    json_t *object;
    size_t length;

    log_set_format(LOG_FORMAT_JSON);
    capture_begin();
    log_fields(LOG_INFO, "unit", "m", fields, count);
    capture_end(text, sizeof(text));
    log_set_format(LOG_FORMAT_TEXT);
    length = strlen(text);
    UNIT_CHECK(length > 0 && strchr(text, '\n') == text + length - 1, "not one line: %s", text);
    UNIT_CHECK(length <= 3073, "%zu bytes", length);
    object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    UNIT_CHECK(object != NULL, "%s: %s", error.text, text);
    return object;
}

static const char *member(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "(none)";
}

static void test_json(void)
{
    const struct log_field fields[] = {LOG_TEXT("trace", "r-1"), LOG_TEXT("peer", "a \"b\""),
                                       LOG_TEXT("absent", NULL), LOG_NUMBER("ms", -7)};
    json_t *object;
    int64_t ms = 0;

    log_open("atrium-test", "7", LOG_INFO);
    object = json_of(fields, ARRAY_SIZE(fields));
    CU_ASSERT(clock_parse_iso(member(object, "ts"), &ms) == 0 && clock_real_ms() - ms < 60000);
    CU_ASSERT_STRING_EQUAL(member(object, "level"), "info");
    CU_ASSERT_STRING_EQUAL(member(object, "service"), "test");
    CU_ASSERT_STRING_EQUAL(member(object, "instance"), "7");
    CU_ASSERT_STRING_EQUAL(member(object, "topic"), "unit");
    CU_ASSERT_STRING_EQUAL(member(object, "msg"), "m");
    CU_ASSERT_STRING_EQUAL(member(object, "request_id"), "r-1");
    CU_ASSERT_STRING_EQUAL(member(object, "peer"), "a \"b\"");
    CU_ASSERT(json_integer_value(json_object_get(object, "ms")) == -7);
    CU_ASSERT(json_object_size(object) == 9);
    json_decref(object);
}

static void context(void *arg, struct log_context *ret)
{
    ret->request_id = arg;
    strcpy(ret->trace_id, "0123456789abcdef0123456789abcdef");
    strcpy(ret->span_id, "0123456789abcdef");
}

static void test_json_names_the_running_work(void)
{
    char id[] = "r-2";
    json_t *object;

    log_set_context(context, id);
    object = json_of(NULL, 0);
    CU_ASSERT_STRING_EQUAL(member(object, "request_id"), "r-2");
    CU_ASSERT_STRING_EQUAL(member(object, "trace_id"), "0123456789abcdef0123456789abcdef");
    CU_ASSERT_STRING_EQUAL(member(object, "span_id"), "0123456789abcdef");
    json_decref(object);
    object = json_of(&LOG_TEXT("trace", "r-3"), 1); /* the line's own id comes first */
    CU_ASSERT_STRING_EQUAL(member(object, "request_id"), "r-3");
    json_decref(object);
    log_set_context(NULL, NULL);
}

static void test_json_escapes_all_bytes(void)
{
    static const struct {
        const char *label, *text, *want;
    } rows[] = {
        {"line break", "x\ny", "x\ny"},
        {"control characters", "\x01\x1b\x7f", "\x01\x1b\x7f"},
        {"two, three and four bytes", "ä€😀", "ä€😀"},
        {"lone continuation", "a\x80z", "a\xef\xbf\xbdz"},
        {"a sequence that is cut", "a\xe2\x82", "a\xef\xbf\xbd\xef\xbf\xbd"},
        {"not the shortest form", "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"a surrogate", "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"beyond Unicode", "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"no byte of UTF-8", "\xff", "\xef\xbf\xbd"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        json_t *object = json_of(&LOG_TEXT("what", rows[i].text), 1);

        UNIT_CHECK(strcmp(member(object, "what"), rows[i].want) == 0, "%s: %s", rows[i].label,
                   member(object, "what"));
        json_decref(object);
    }
}

/* Any bytes, of any length around the limit, make one valid object on one line. */
static void test_json_is_valid_whatever_comes(void)
{
    unsigned state = 1;
    char text[4096];

    for (int turn = 0; turn < 400; turn++) {
        size_t length = (size_t)turn * 9 + 40;
        bool plain = turn % 2;

        for (size_t i = 0; i < length; i++)
            text[i] = plain ? 'x' : (char)(1 + rand_r(&state) % 255);
        text[length] = '\0';
        json_decref(json_of((struct log_field[]){LOG_TEXT("what", text), LOG_NUMBER("n", turn),
                                                 LOG_TEXT("trace", text)},
                            3));
    }
}

static void test_a_long_json_line_is_cut_and_valid(void)
{
    char value[6000];
    json_t *object;

    memset(value, '\n', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    object = json_of((struct log_field[]){LOG_TEXT("what", value), LOG_NUMBER("after", 1)}, 2);
    CU_ASSERT(json_is_true(json_object_get(object, "truncated")));
    CU_ASSERT(strlen(member(object, "what")) > 300);
    json_decref(object);
    object = json_of(&LOG_NUMBER("n", 1), 1);
    CU_ASSERT(!json_object_get(object, "truncated"));
    json_decref(object);
}

/* Listens as the journal in a separate mount namespace. */
static int journal_listen(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/run/systemd/journal/socket"};
    int fd;

    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("none", "/run", "tmpfs", 0, NULL) < 0 || mkdir("/run/systemd", 0755) < 0 ||
        mkdir("/run/systemd/journal", 0755) < 0)
        return -1;
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? -1 : fd;
}

static bool entry_has(const char *entry, size_t size, const char *field)
{
    return memmem(entry, size, field, strlen(field)) != NULL;
}

enum { JOURNAL_WORKS = 0, JOURNAL_WRONG = 1, JOURNAL_UNKNOWN = 2 };

/* Runs in its own process, for the namespace. */
static int journal_child(void)
{
    static const char *const wanted[] = {
        "PRIORITY=4\n",
        "SYSLOG_IDENTIFIER=atrium-test\n",
        "MESSAGE=program=atrium-test instance=7 topic=unit msg=\"m\" trace=r-1 peer=\"a b\" ms=5\n",
        "ATRIUM_TOPIC=unit\n",
        "ATRIUM_MSG=m\n",
        "ATRIUM_INSTANCE=7\n",
        "ATRIUM_REQUEST_ID=r-1\n",
        "ATRIUM_TRACE_ID=0123456789abcdef0123456789abcdef\n",
        "ATRIUM_PEER=a b\n",
        "ATRIUM_MS=5\n",
    };
    const struct log_field fields[] = {LOG_TEXT("trace", "r-1"), LOG_TEXT("peer", "a b"),
                                       LOG_NUMBER("ms", 5)};
    char entry[8192], id[] = "r-2";
    ssize_t size;
    int fd = journal_listen(), result = JOURNAL_WORKS;

    if (fd < 0)
        return JOURNAL_UNKNOWN;
    log_set_context(context, id);
    log_set_format(LOG_FORMAT_JOURNAL);
    log_fields(LOG_WARNING, "unit", "m", fields, ARRAY_SIZE(fields));
    size = recv(fd, entry, sizeof(entry), 0);
    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
        if (size <= 0 || !entry_has(entry, (size_t)size, wanted[i])) {
            printf("missing: %s\n", wanted[i]);
            result = JOURNAL_WRONG;
        }
    if (size > 0 && entry_has(entry, (size_t)size, "r-2"))
        result = JOURNAL_WRONG;
    return result;
}

static void test_entries_of_the_journal_have_fields(void)
{
    int status = 0;
    pid_t pid;

    log_open("atrium-test", "7", LOG_INFO);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        int result = journal_child();

        fflush(stdout);
        _exit(result);
    }
    CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == JOURNAL_UNKNOWN)
        unit_leave_out("no mount namespace can be made here");
    else
        CU_ASSERT_EQUAL(status, 0);
}

/* $JOURNAL_STREAM can be inherited by a process whose stderr goes elsewhere. */
static void test_auto_takes_the_journal_where_stderr_is_it(void)
{
    char text[4096], stream[64];
    struct stat st;
    int64_t ms = 0;

    capture_begin();
    CU_ASSERT_FATAL(fstat(STDERR_FILENO, &st) == 0);
    snprintf(stream, sizeof(stream), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    setenv("JOURNAL_STREAM", stream, 1);
    log_set_format(LOG_FORMAT_AUTO);
    CU_ASSERT(log_format() == LOG_FORMAT_JOURNAL);
    setenv("JOURNAL_STREAM", "1:2", 1);
    log_set_format(LOG_FORMAT_AUTO);
    CU_ASSERT(log_format() == LOG_FORMAT_TEXT);
    unsetenv("JOURNAL_STREAM");
    log_set_format(LOG_FORMAT_AUTO);
    CU_ASSERT(log_format() == LOG_FORMAT_TEXT);
    log_event(LOG_INFO, "unit", "m", NULL);
    log_set_format(LOG_FORMAT_TEXT);
    log_event(LOG_INFO, "unit", "m", NULL);
    capture_end(text, sizeof(text));
    /* Without a journal, lines have their own time. */
    CU_ASSERT(strncmp(text, "<6>ts=20", 8) == 0);
    text[strlen("<6>ts=") + 24] = '\0';
    CU_ASSERT(clock_parse_iso(text + strlen("<6>ts="), &ms) == 0 && clock_real_ms() - ms < 60000);
    CU_ASSERT_PTR_NOT_NULL(strstr(text + strlen(text) + 1, "\n<6>program="));
}

static const struct unit_case cases[] = {
    CASE(test_lines),
    CASE(test_a_long_line_is_cut),
    CASE(test_levels_and_the_count),
    CASE(test_json),
    CASE(test_json_names_the_running_work),
    CASE(test_json_escapes_all_bytes),
    CASE(test_json_is_valid_whatever_comes),
    CASE(test_a_long_json_line_is_cut_and_valid),
    CASE(test_entries_of_the_journal_have_fields),
    CASE(test_auto_takes_the_journal_where_stderr_is_it),
};

int main(void)
{
    return unit_run("log", cases, ARRAY_SIZE(cases));
}
