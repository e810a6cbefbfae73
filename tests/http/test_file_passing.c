/*
 * test_file_passing.c - files whose descriptors docd passes to the gateway: same responses as over
 * the bus, and no descriptor leaks, whatever is interrupted.
 */
#include <CUnit/CUnit.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/domain/content.h"
#include "docd/store/page_cache.h"
#include "tests/support/document.h"
#include "tests/support/processes.h"
#include "tests/support/unit.h"

enum {
    SIZE = 300000,
    LARGE = 8 * 1024 * 1024, /* more than a connection's socket buffers */
    WAIT_MS = 30000,
    LATE_MS = 20000, /* before the timeout of a stalled client (30 s) */
};

static struct suite *suite;
static struct person *patient;

static long files_sent(void)
{
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);
    const char *line = strstr(metrics->body ? metrics->body : "", "\natrium_gateway_files_total{");

    line = line ? strchr(line, ' ') : NULL;
    return line ? strtol(line, NULL, 10) : -1;
}

static size_t count_files(const char *daemon)
{
    char path[64];
    DIR *directory;
    size_t count = 0;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)suite_pid(suite, daemon, "1"));
    directory = opendir(path);
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

static size_t count_stored(const char *daemon)
{
    char path[300], target[512];
    DIR *directory;
    size_t count = 0;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)suite_pid(suite, daemon, "1"));
    directory = opendir(path);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        ssize_t size = readlinkat(dirfd(directory), entry->d_name, target, sizeof(target) - 1);

        target[MAX(size, (ssize_t)0)] = '\0';
        count += strstr(target, "/storage/") != NULL;
    }
    if (directory)
        closedir(directory);
    return count;
}

static bool none_stay_open(void)
{
    int64_t until = clock_mono_ms() + WAIT_MS;

    while (count_stored("gateway") > 0 && clock_mono_ms() < until)
        usleep(20000);
    /* only the gateway is checked: docd keeps just the directory open */
    return count_stored("gateway") == 0;
}

static char *put(const char *bytes, size_t size)
{
    return document_put(suite, patient->access, "a.bin", "application/octet-stream", bytes, size);
}

/* Reads the file until docd has passed it, because the gateway looks for a new docd each second. */
static bool is_passed(const char *id, const char *bytes, size_t size)
{
    int64_t until = clock_mono_ms() + WAIT_MS;
    long before = files_sent(), after = before;

    while (after <= before && clock_mono_ms() < until) {
        HTTP_ANSWER read = document_get(suite, patient->access, id);

        if (read->status == 200)
            CHECK_BYTES(read, bytes, size);
        usleep(20000);
        after = files_sent();
        before = MIN(before, MAX(after, 0L)); /* a restarted gateway's counter starts at zero */
    }
    return after > before;
}

static int dial(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    const char *port = strrchr(suite_url(suite), ':') + 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), room = 16384;

    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    to.sin_port = htons((uint16_t)strtol(port, NULL, 10));
    UNIT_CHECK(connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0, "%s", port);
    return fd;
}

static void ask(int fd, const char *id)
{
    char head[1500];
    int size = snprintf(head, sizeof(head),
                        "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n",
                        document_path(id), patient->access);

    UNIT_CHECK(send(fd, head, (size_t)size, MSG_NOSIGNAL) == size, "%s", id);
}

static int ask_slowly(const char *id)
{
    int fd = dial();

    ask(fd, id);
    return fd;
}

static size_t read_on(int fd, size_t size)
{
    static char bytes[65536];
    int64_t until = clock_mono_ms() + LATE_MS;
    size_t done = 0;

    while (done < size && clock_mono_ms() < until) {
        struct pollfd poll_fd = {fd, POLLIN, 0};
        ssize_t got = poll(&poll_fd, 1, 100) > 0 ? recv(fd, bytes, sizeof(bytes), 0) : 1;

        if (got <= 0)
            return done;
        if (poll_fd.revents)
            done += (size_t)got;
    }
    UNIT_CHECK(done >= size, "it hangs after %zu bytes", done);
    return done;
}

static bool begins(void)
{
    int64_t until = clock_mono_ms() + WAIT_MS;

    while (count_stored("gateway") == 0 && clock_mono_ms() < until)
        usleep(10000);
    return count_stored("gateway") == 1;
}

static void a_large_file_is_handed_over(void)
{
    /* Largest first: until the gateway is connected to docd, files come over the bus, and one of
     * that size is not cached. */
    static const size_t sizes[] = {PAGE_CACHE_MAX, 1048576, SIZE, 65537, 65536};

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        char *bytes = test_bytes(sizes[i], (unsigned)i), *id = put(bytes, sizes[i]);

        UNIT_CHECK(is_passed(id, bytes, sizes[i]), "%zu bytes were not", sizes[i]);
        free(id);
        free(bytes);
    }
    CU_ASSERT_TRUE(none_stay_open());
}

/* TCP_CORK delays each partial segment by 200 ms. Each file is read once, because repeated ones are
 * cached. */
static void a_file_is_not_held_back(void)
{
    enum { HELD_BACK_MS = 200, FILES = 10 };
    char *bytes = test_bytes(SIZE, 5);
    int64_t fastest = INT64_MAX;
    long before = files_sent();

    for (int i = 0; i < FILES; i++) {
        char *id = put(bytes, SIZE);
        int64_t since = clock_mono_ms();
        HTTP_ANSWER read = document_get(suite, patient->access, id);

        CHECK_BYTES(read, bytes, SIZE);
        fastest = MIN(fastest, clock_mono_ms() - since);
        free(id);
    }
    CU_ASSERT_EQUAL(files_sent() - before, FILES);
    UNIT_CHECK(fastest < HELD_BACK_MS, "%lld ms", (long long)fastest);
    free(bytes);
}

static void small_and_huge_files_go_over_the_bus(void)
{
    static const size_t sizes[] = {0, 1, 10240, PAGE_CACHE_MAX + 1};

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        char *bytes = test_bytes(sizes[i], (unsigned)i), *id = put(bytes, sizes[i]);
        long before = files_sent();
        HTTP_ANSWER read = document_get(suite, patient->access, id);

        CHECK_BYTES(read, bytes, sizes[i]);
        CU_ASSERT_EQUAL(files_sent(), before);
        free(id);
        free(bytes);
    }
}

static void parts_and_conditions(void)
{
    char *bytes = test_bytes(SIZE, 7), *id = put(bytes, SIZE), line[200];

    CU_ASSERT_TRUE(is_passed(id, bytes, SIZE));
    HTTP_ANSWER part =
        document_get_with(suite, patient->access, id, NULL, "Range: bytes=1000-250999");
    CHECK_STATUS(part, 206);
    CU_ASSERT_EQUAL(part->size, 250000);
    CU_ASSERT_EQUAL(memcmp(part->body, bytes + 1000, 250000), 0);
    HTTP_ANSWER end = document_get_with(suite, patient->access, id, NULL, "Range: bytes=-5");
    CHECK_STATUS(end, 206);
    CU_ASSERT_EQUAL(end->size, 5);
    CU_ASSERT_EQUAL(memcmp(end->body, bytes + SIZE - 5, 5), 0);
    HTTP_ANSWER beyond =
        document_get_with(suite, patient->access, id, NULL, "Range: bytes=300000-");
    CHECK_STATUS(beyond, 416);
    HTTP_ANSWER head = document_get_with(suite, patient->access, id, "HEAD", NULL);
    CHECK_STATUS(head, 200);
    CU_ASSERT_EQUAL(head->size, 0);
    char *length = http_header(head, "Content-Length"), *etag = http_header(head, "ETag");
    CU_ASSERT_STRING_EQUAL(length, "300000");
    snprintf(line, sizeof(line), "If-None-Match: %s", etag);
    HTTP_ANSWER same = document_get_with(suite, patient->access, id, NULL, line);
    CHECK_STATUS(same, 304);
    CU_ASSERT_EQUAL(same->size, 0);
    HTTP_ANSWER since = document_get_with(suite, patient->access, id, NULL,
                                          "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT");
    CU_ASSERT_TRUE(since->status == 304 || since->status == 200);
    CU_ASSERT_TRUE(none_stay_open());
    free(length);
    free(etag);
    free(id);
    free(bytes);
}

static void docd_still_authorizes_each_request(void)
{
    char *bytes = test_bytes(SIZE, 8), *id = put(bytes, SIZE);
    PERSON other = person_register(suite, NULL);

    CU_ASSERT_TRUE(is_passed(id, bytes, SIZE));
    HTTP_ANSWER hidden = document_get(suite, other->access, id);
    CHECK_ERROR(hidden, 404, "Document not found.");
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);
    CHECK_STATUS(gone, 200);
    HTTP_ANSWER after = document_get(suite, patient->access, id);
    CHECK_ERROR(after, 404, "Document not found.");
    free(id);
    free(bytes);
}

static void deleted_or_left_while_it_is_sent(void)
{
    char *bytes = test_bytes(LARGE, 9), *id = put(bytes, LARGE);
    int slow, leaves;

    CU_ASSERT_TRUE(is_passed(id, bytes, LARGE));
    CU_ASSERT_TRUE(none_stay_open());
    slow = ask_slowly(id);
    CU_ASSERT_TRUE(begins());
    leaves = ask_slowly(id);
    CU_ASSERT_TRUE(read_on(leaves, 1000) >= 1000);
    close(leaves);
    HTTP_ANSWER gone = http_delete(suite_url(suite), document_path(id), patient->access);
    CHECK_STATUS(gone, 200);
    CU_ASSERT_TRUE(read_on(slow, LARGE) >= LARGE);
    close(slow);
    CU_ASSERT_TRUE(none_stay_open());
    free(id);
    free(bytes);
}

static void a_file_that_becomes_shorter_ends_the_answer(void)
{
    char *bytes = test_bytes(LARGE, 10), *id = put(bytes, LARGE);
    TEXT path = document_file(suite, id);
    int slow;

    CU_ASSERT_TRUE(is_passed(id, bytes, LARGE));
    CU_ASSERT_TRUE(none_stay_open());
    slow = ask_slowly(id);
    CU_ASSERT_TRUE(begins());
    UNIT_CHECK(truncate(path, 100) == 0, "%s", path);
    UNIT_CHECK(read_on(slow, (size_t)LARGE * 2) < LARGE, "all of it came");
    close(slow);
    CU_ASSERT_TRUE(none_stay_open());
    free(id);
    free(bytes);
}

static bool is_on_tmpfs(const char *path)
{
    struct statfs system;

    return statfs(path, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

/* docd reads a file that is not in the page cache, because the gateway's loop must not wait for a
 * disk. */
static void files_outside_the_page_cache_go_over_the_bus(void)
{
    char *bytes = test_bytes(SIZE, 11), *id = put(bytes, SIZE);
    TEXT path = document_file(suite, id);
    long before;
    int file;

    CU_ASSERT_TRUE(is_passed(id, bytes, SIZE));
    file = open(path, O_RDONLY | O_CLOEXEC);
    UNIT_CHECK(file >= 0 && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0, "%s", path);
    before = files_sent();
    HTTP_ANSWER read = document_get(suite, patient->access, id);
    CHECK_BYTES(read, bytes, SIZE);
    if (!is_on_tmpfs(path))
        CU_ASSERT_EQUAL(files_sent(), before);
    close(file);
    free(id);
    free(bytes);
}

static void another_process_gets_nothing(void)
{
    char *bytes = test_bytes(SIZE, 12), *id = put(bytes, SIZE), got[64];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int wrong = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0),
        silent = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    struct stat status = {0};
    size_t before = count_files("docd");

    snprintf(address.sun_path, sizeof(address.sun_path), "%s/docd/files.1",
             suite_text(suite, "busDir"));
    UNIT_CHECK(stat(address.sun_path, &status) == 0, "%s", address.sun_path);
    CU_ASSERT_EQUAL(status.st_mode & 0007, 0);
    CU_ASSERT_EQUAL(connect(wrong, (struct sockaddr *)&address, sizeof(address)), 0);
    CU_ASSERT_EQUAL(connect(silent, (struct sockaddr *)&address, sizeof(address)), 0);
    CU_ASSERT_EQUAL(send(wrong, "0123456789abcdef0123456789abcdef", CONTENT_RECEIVER_SIZE, 0),
                    CONTENT_RECEIVER_SIZE);
    CU_ASSERT_TRUE(is_passed(id, bytes, SIZE));
    CU_ASSERT_TRUE(recv(wrong, got, sizeof(got), MSG_DONTWAIT) < 0);
    CU_ASSERT_TRUE(recv(silent, got, sizeof(got), MSG_DONTWAIT) < 0);
    /* docd closes the connection on an invalid id. */
    CU_ASSERT_EQUAL(send(silent, "x", 1, 0), 1);
    CU_ASSERT_EQUAL(recv(silent, got, sizeof(got), 0), 0);
    close(wrong);
    close(silent);
    for (int i = 0; i < 500 && count_files("docd") > before; i++)
        usleep(20000);
    CU_ASSERT_TRUE(count_files("docd") <= before);
    free(id);
    free(bytes);
}

static void kill_and_wait(const char *daemon)
{
    pid_t pid = suite_pid(suite, daemon, "1");

    suite_signal(suite, daemon, "1", SIGKILL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, daemon, "1", pid));
}

static void docd_or_the_gateway_dies(void)
{
    char *bytes = test_bytes(LARGE, 13), *id = put(bytes, LARGE);
    int slow;

    CU_ASSERT_TRUE(is_passed(id, bytes, LARGE));
    CU_ASSERT_TRUE(none_stay_open());
    slow = ask_slowly(id);
    CU_ASSERT_TRUE(begins());
    kill_and_wait("docd");
    CU_ASSERT_TRUE(read_on(slow, LARGE) >= LARGE);
    close(slow);
    CU_ASSERT_TRUE(is_passed(id, bytes, LARGE));
    kill_and_wait("gateway");
    CU_ASSERT_TRUE(is_passed(id, bytes, LARGE));
    CU_ASSERT_TRUE(none_stay_open());
    free(id);
    free(bytes);
}

static void a_gateway_without_descriptors(void)
{
    char *bytes = test_bytes(SIZE, 14), *id = put(bytes, SIZE);
    pid_t pid = suite_pid(suite, "gateway", "1");
    struct rlimit limit, few;
    int connection;
    long before;

    CU_ASSERT_TRUE(is_passed(id, bytes, SIZE));
    CU_ASSERT_TRUE(none_stay_open());
    before = files_sent();
    connection = ask_slowly(id);
    CU_ASSERT_TRUE(read_on(connection, SIZE) >= SIZE);
    CU_ASSERT_TRUE(none_stay_open());
    prlimit(pid, RLIMIT_NOFILE, NULL, &limit);
    few = (struct rlimit){process_lowest_descriptor(pid), limit.rlim_max};
    prlimit(pid, RLIMIT_NOFILE, &few, NULL);
    ask(connection, id);
    CU_ASSERT_TRUE(read_on(connection, SIZE) >= SIZE);
    prlimit(pid, RLIMIT_NOFILE, &limit, NULL);
    close(connection);
    CU_ASSERT_EQUAL(files_sent(), before + 1);
    CU_ASSERT_TRUE(is_passed(id, bytes, SIZE));
    free(id);
    free(bytes);
}

static void file_passing_can_be_turned_off(void)
{
    char *bytes = test_bytes(SIZE, 15), *id = put(bytes, SIZE);

    suite_reconfigure(suite, "docd.pass_files=false");
    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER read = document_get(suite, patient->access, id);
        CHECK_BYTES(read, bytes, SIZE);
    }
    CU_ASSERT_EQUAL(files_sent(), 0);
    free(id);
    free(bytes);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_large_file_is_handed_over),
    CASE(a_file_is_not_held_back),
    CASE(small_and_huge_files_go_over_the_bus),
    CASE(parts_and_conditions),
    CASE(docd_still_authorizes_each_request),
    CASE(deleted_or_left_while_it_is_sent),
    CASE(a_file_that_becomes_shorter_ends_the_answer),
    CASE(files_outside_the_page_cache_go_over_the_bus),
    CASE(another_process_gets_nothing),
    CASE(docd_or_the_gateway_dies),
    CASE(a_gateway_without_descriptors),
    CASE(file_passing_can_be_turned_off),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){0});
    patient = person_register(suite, NULL);
    return unit_run("file passing", cases, ARRAY_SIZE(cases));
}
