/*
 * test_descriptors.c - daemons with few file descriptors: many connections and uploads get a
 * response or 503, no daemon dies, and everything recovers.
 */
#include <CUnit/CUnit.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/document.h"
#include "tests/support/processes.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    FILES = 160,       /* a daemon's limit */
    CONNECTIONS = 300, /* more than a gateway can open */
    UPLOADS = 10,
    SIZE = 64 * 1024,
    WAIT_MS = 20000,
};

static const char *const daemons[] = {"gateway", "authd", "settingsd", "docd", "maild", "botd"};

static struct suite *suite;
static pid_t pids[ARRAY_SIZE(daemons)];

static void limit_files(pid_t pid, rlim_t count)
{
    const struct rlimit limit = {count, FILES};

    UNIT_CHECK(prlimit(pid, RLIMIT_NOFILE, &limit, NULL) == 0, "%d", (int)pid);
}

static size_t count_files(pid_t pid)
{
    char path[64];
    DIR *directory;
    size_t count = 0;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    directory = opendir(path);
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count > 2 ? count - 2 : 0;
}

static void remember_pids(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        pids[i] = suite_pid(suite, daemons[i], "1");
}

static void check_pids(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        UNIT_CHECK(suite_pid(suite, daemons[i], "1") == pids[i], "%s was started again",
                   daemons[i]);
}

/* Limits the daemons by limiting atriumctl, whose limits a restarted daemon inherits. */
static void daemons_may_open_few_files(void)
{
    limit_files(suite_supervisor(suite), FILES);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        pid_t pid = suite_pid(suite, daemons[i], "1");

        suite_signal(suite, daemons[i], "1", SIGKILL);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, daemons[i], "1", pid));
    }
    remember_pids();
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        UNIT_CHECK(count_files(pids[i]) < FILES / 2, "%s: %zu", daemons[i], count_files(pids[i]));
}

static int dial(int source)
{
    struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET};
    const char *port = strrchr(suite_url(suite), ':') + 1;
    static const char begin[] =
        "POST /auth/refresh-token HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n"
        "Content-Type: application/json\r\n\r\n{";
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    from.sin_addr.s_addr = htonl(0x7f420001U + (uint32_t)source);
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    to.sin_port = htons((uint16_t)strtol(port, NULL, 10));
    (void)bind(fd, (struct sockaddr *)&from, sizeof(from));
    (void)connect(fd, (struct sockaddr *)&to, sizeof(to));
    (void)send(fd, begin, sizeof(begin) - 1, MSG_NOSIGNAL);
    return fd;
}

/* Retries, because the listener's queue still has the flood's connections. */
static bool is_served_again(void)
{
    int64_t until = clock_mono_ms() + WAIT_MS;
    int status = 0;

    while (status != 200 && clock_mono_ms() < until) {
        HTTP_ANSWER answer = http_get(suite_url(suite), "/openapi.json", NULL);

        status = answer->status;
    }
    return status == 200;
}

static void connections_stop_below_the_limit(void)
{
    int fds[CONNECTIONS];
    size_t most = 0;

    for (int i = 0; i < CONNECTIONS; i++)
        fds[i] = dial(i % 16);
    for (int i = 0; i < 20; i++) {
        most = MAX(most, count_files(pids[0]));
        usleep(50000);
    }
    UNIT_CHECK(most < FILES - 8, "the gateway has %zu of %d open", most, FILES);
    /* A restarted neighbor must find descriptors free for its connection. */
    suite_signal(suite, "maild", "1", SIGKILL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "maild", "1", pids[4]));
    pids[4] = suite_pid(suite, "maild", "1");
    for (int i = 0; i < CONNECTIONS; i++)
        close(fds[i]);
    CU_ASSERT_TRUE(is_served_again());
    check_pids();
}

static int upload(const char *access)
{
    static unsigned seed;
    char *bytes = test_bytes(SIZE, ++seed);
    HTTP_ANSWER made = document_make(suite, access, "a.bin", "application/octet-stream");
    HTTP_ANSWER done = NULL;
    int status = made->status;

    if (status == 200 || status == 201) {
        done = document_upload(suite, made, bytes, SIZE);
        status = done->status;
    }
    free(bytes);
    return status;
}

static void without_descriptors_the_answer_is_503(void)
{
    PERSON patient = person_register(suite, NULL);
    size_t refused = 0;
    int64_t until = clock_mono_ms() + WAIT_MS;
    int first = upload(patient->access), last = 0;

    UNIT_CHECK(first == 204 || first == 200, "%d", first);
    limit_files(pids[3], process_lowest_descriptor(pids[3]));
    for (int i = 0; i < UPLOADS; i++) {
        int status = upload(patient->access);

        refused += status == 503;
        UNIT_CHECK(status == 503 || (status >= 200 && status <= 299), "upload %d: %d", i, status);
    }
    CU_ASSERT_TRUE(refused > 0);
    check_pids();
    limit_files(pids[3], FILES);
    while (last != first && clock_mono_ms() < until)
        last = upload(patient->access);
    CU_ASSERT_EQUAL(last, first);
    check_pids();
}

static void doctor_and_metrics_count_them(void)
{
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor");
    HTTP_ANSWER metrics = http_get(suite_admin_url(suite), "/metrics", NULL);

    CU_ASSERT_PTR_NOT_NULL(strstr(doctor->out, " of 160 are open"));
    CU_ASSERT_PTR_NOT_NULL(strstr(metrics->body, "atrium_descriptors_max{"));
    CU_ASSERT_PTR_NOT_NULL(strstr(metrics->body, "} 160\n"));
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(daemons_may_open_few_files),       CASE(doctor_and_metrics_count_them),
    CASE(connections_stop_below_the_limit), CASE(without_descriptors_the_answer_is_503),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){0});
    return unit_run("descriptors", cases, ARRAY_SIZE(cases));
}
