/*
 * test_dev_suite.c - directories, ports, files and children of `atriumctl dev`.
 */
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "ctl/files.h"
#include "dev/ports.h"
#include "dev/suite_dir.h"
#include "dev/supervise.h"
#include "tests/support/unit.h"

static void sockets_lie_at_a_short_path(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    char deep[300];
    const char *a, *b;

    memset(deep, 'd', sizeof(deep));
    deep[0] = '/';
    deep[299] = '\0';
    a = suite_dir_sockets(arena, deep);
    deep[298] = 'e';
    b = suite_dir_sockets(arena, deep);
    CU_ASSERT_TRUE(strlen(a) < 40);
    CU_ASSERT_STRING_NOT_EQUAL(a, b);
    deep[298] = 'd';
    CU_ASSERT_STRING_EQUAL(a, suite_dir_sockets(arena, deep));
}

static void one_suite_in_a_directory(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct suite_dir first, second;
    struct stat status;
    struct error err;

    error_init(&err, arena);
    CU_ASSERT_EQUAL_FATAL(suite_dir_open(&first, dir.path, arena, &err), 0);
    CU_ASSERT_EQUAL(stat(first.socket_dir, &status), 0);
    CU_ASSERT_EQUAL(status.st_mode & 07777, 0700);
    CU_ASSERT_TRUE(suite_dir_open(&second, dir.path, arena, &err) < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "already"));
    suite_dir_close(&first);
    CU_ASSERT_TRUE(stat(first.socket_dir, &status) < 0);
    CU_ASSERT_EQUAL(suite_dir_open(&second, dir.path, arena, &err), 0);
    suite_dir_close(&second);
}

/* Other users' directories in /tmp are refused; a killed suite's is emptied and reused. */
static void foreign_socket_directories_are_refused(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = suite_dir_sockets(arena, dir.path);
    struct suite_dir suite;
    struct error err;

    error_init(&err, arena);
    CU_ASSERT_EQUAL_FATAL(symlink(dir.path, path), 0);
    CU_ASSERT_TRUE(suite_dir_open(&suite, dir.path, arena, &err) < 0);
    unlink(path);
    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0777), 0);
    CU_ASSERT_EQUAL(chmod(path, 0777), 0);
    CU_ASSERT_TRUE(suite_dir_open(&suite, dir.path, arena, &err) < 0);
    CU_ASSERT_EQUAL(chmod(path, 0700), 0);
    CU_ASSERT_EQUAL(mkdir(arena_printf(arena, "%s/bus", path), 0700), 0);
    CU_ASSERT_EQUAL(suite_dir_open(&suite, dir.path, arena, &err), 0);
    CU_ASSERT_TRUE(access(arena_printf(arena, "%s/bus", path), F_OK) < 0);
    suite_dir_close(&suite);
}

static void a_failed_start_leaves_the_next_ones_sockets(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = arena_printf(arena, "%s/var", dir.path);
    struct suite_dir failed, next;
    struct stat status;
    struct error err;

    error_init(&err, arena);
    CU_ASSERT_EQUAL_FATAL(suite_dir_open(&failed, path, arena, &err), 0);
    suite_dir_discard(&failed, true);
    CU_ASSERT_TRUE(stat(failed.socket_dir, &status) < 0);
    CU_ASSERT_EQUAL_FATAL(suite_dir_open(&next, path, arena, &err), 0);
    suite_dir_close(&failed);
    CU_ASSERT_EQUAL(stat(next.socket_dir, &status), 0);
    suite_dir_close(&next);
}

/* A user who can write to the directory could replace its programs, keys and cluster. */
static void directories_of_others_are_refused(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = arena_printf(arena, "%s/var", dir.path);
    struct suite_dir suite;
    struct error err;

    error_init(&err, arena);
    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
    CU_ASSERT_EQUAL(chmod(path, 0777), 0);
    CU_ASSERT_TRUE(suite_dir_open(&suite, path, arena, &err) < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "write"));
    CU_ASSERT_EQUAL(chmod(path, 01777), 0);
    CU_ASSERT_TRUE(suite_dir_open(&suite, path, arena, &err) < 0);
    CU_ASSERT_TRUE(access(arena_printf(arena, "%s/lock", path), F_OK) < 0);
    CU_ASSERT_EQUAL(chmod(path, 0775), 0); /* as with umask 002, for the user's own group */
    CU_ASSERT_EQUAL(suite_dir_open(&suite, path, arena, &err), 0);
    suite_dir_close(&suite);
    if (getuid() != 0) /* only root can give a directory away */
        return;
    CU_ASSERT_EQUAL(chown(path, 65534, 65534), 0);
    CU_ASSERT_TRUE(suite_dir_open(&suite, path, arena, &err) < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "another user"));
}

static void names_that_are_no_text_are_refused(void)
{
    static const char *const names[] = {"a\"b", "a\nb", "a\377b"};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct suite_dir suite;
    struct error err;

    error_init(&err, arena);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *path = arena_printf(arena, "%s/%s", dir.path, names[i]);

        UNIT_CHECK(suite_dir_open(&suite, path, arena, &err) < 0, "row %zu", i);
        UNIT_CHECK(access(path, F_OK) < 0, "row %zu was made", i);
    }
}

static void keys_are_made_once(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct suite_dir suite = {.path = dir.path};
    struct stat status;
    struct error err;
    const char *path, *key;

    error_init(&err, arena);
    CU_ASSERT_EQUAL(suite_dir_make_directory(&suite, arena, "keys", &err), 0);
    path = suite_dir_key(&suite, arena, "authd", &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    key = files_read(arena, path, &err);
    CU_ASSERT_EQUAL(stat(path, &status), 0);
    CU_ASSERT_EQUAL(status.st_mode & 07777, 0600);
    CU_ASSERT_EQUAL(strspn(key, "0123456789abcdef"), 64);
    CU_ASSERT_PTR_NOT_NULL_FATAL(suite_dir_key(&suite, arena, "authd", &err));
    CU_ASSERT_STRING_EQUAL(files_read(arena, path, &err), key);
    path = suite_dir_key(&suite, arena, "maild", &err);
    CU_ASSERT_STRING_NOT_EQUAL(files_read(arena, path, &err), key);
}

static void files_are_replaced_whole(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *path = arena_printf(arena, "%s/file", dir.path);
    char texts[2][20001];
    struct error err;
    pid_t writer;
    int status;

    error_init(&err, arena);
    for (int i = 0; i < 2; i++) {
        memset(texts[i], 'a' + i, 20000);
        texts[i][20000] = '\0';
    }
    CU_ASSERT_EQUAL_FATAL(files_replace(path, 0600, texts[0], &err), 0);
    writer = fork();
    if (writer == 0) {
        for (int i = 0; i < 1000; i++) {
            if (files_replace(path, 0600, texts[i % 2], &err) < 0)
                _exit(1);
        }
        _exit(0);
    }
    while (waitpid(writer, &status, WNOHANG) == 0) {
        CLEANUP(arena_destroy) struct arena *scratch = arena_new();
        const char *text = files_read(scratch, path, &err);

        CU_ASSERT_PTR_NOT_NULL_FATAL(text);
        if (strcmp(text, texts[0]) != 0 && strcmp(text, texts[1]) != 0)
            CU_FAIL("a part of a file");
    }
    CU_ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void only_gateways_share_a_port(void)
{
    struct error err;
    int sockets[3], others[1], port = 0, taken;

    error_init(&err, NULL);
    CU_ASSERT_EQUAL_FATAL(ports_listen(&port, sockets, 3, &err), 0);
    CU_ASSERT_TRUE(port > 0);
    for (int i = 0; i < 3; i++) {
        struct sockaddr_in address;
        socklen_t size = sizeof(address);

        CU_ASSERT_EQUAL(getsockname(sockets[i], (struct sockaddr *)&address, &size), 0);
        CU_ASSERT_EQUAL(ntohs(address.sin_port), port);
        CU_ASSERT_EQUAL(ntohl(address.sin_addr.s_addr), INADDR_LOOPBACK);
    }
    taken = port;
    CU_ASSERT_TRUE(ports_listen(&taken, others, 1, &err) < 0);
    for (int i = 0; i < 3; i++)
        close(sockets[i]);
    CU_ASSERT_EQUAL(ports_listen(&taken, others, 1, &err), 0);
    close(others[0]);
}

static void a_single_gateway_shares_its_port_with_none(void)
{
    struct sockaddr_in address;
    socklen_t size = sizeof(address);
    struct error err;
    int own[1], port = 0, one = 1, other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    error_init(&err, NULL);
    CU_ASSERT_EQUAL_FATAL(ports_listen(&port, own, 1, &err), 0);
    CU_ASSERT_EQUAL(getsockname(own[0], (struct sockaddr *)&address, &size), 0);
    CU_ASSERT_EQUAL(setsockopt(other, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one)), 0);
    CU_ASSERT_TRUE(bind(other, (struct sockaddr *)&address, size) < 0);
    close(other);
    close(own[0]);
}

/* The pages are at http://localhost, which browsers first try at ::1. */
static void a_port_that_is_taken_at_ipv6_is_taken(void)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    socklen_t size = sizeof(address);
    int own[1], one = 1, port, other = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct error err;

    error_init(&err, NULL);
    if (other < 0 || bind(other, (struct sockaddr *)&address, size) < 0) {
        puts("no IPv6 here: left out");
        return;
    }
    setsockopt(other, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
    CU_ASSERT_EQUAL(listen(other, 1), 0);
    CU_ASSERT_EQUAL(getsockname(other, (struct sockaddr *)&address, &size), 0);
    port = ntohs(address.sin6_port);
    CU_ASSERT_TRUE(ports_listen(&port, own, 1, &err) < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "::1"));
    close(other);
    CU_ASSERT_EQUAL_FATAL(ports_listen(&port, own, 1, &err), 0);
    close(own[0]);
}

struct watched {
    struct supervisor *supervisor;
    int changes;
};

static void count_change(void *arg)
{
    ((struct watched *)arg)->changes++;
}

static struct child_options shell(const char *script, const char *log)
{
    return (struct child_options){.name = "sh",
                                  .instance = "1",
                                  .argv = {"/bin/sh", "-c", script},
                                  .log = log,
                                  .death_signal = SIGKILL};
}

static void stop(struct watched *watched)
{
    supervisor_retire(watched->supervisor);
    supervisor_end(watched->supervisor, NULL, SIGTERM, clock_mono_ms() + 5000);
    supervisor_destroy(&watched->supervisor);
}

static void revive(struct loop *loop, void *arg UNUSED)
{
    struct watched watched = {supervisor_new(loop, count_change, &watched), 0};
    struct child_options options = shell("exec sleep 60", "/dev/null");
    struct error err;
    struct child *child;

    error_init(&err, NULL);
    child = supervisor_start(watched.supervisor, &options, &err);
    UNIT_REQUIRE(child, "%s", err.message);
    for (int i = 0; i < 3; i++) {
        pid_t before = child_pid(child);
        int64_t killed = clock_mono_ms();

        UNIT_REQUIRE(before > 0, "up");
        kill(before, SIGKILL);
        while ((child_pid(child) == before || child_pid(child) == 0) &&
               clock_mono_ms() < killed + 5000)
            UNIT_REQUIRE(supervisor_pause(watched.supervisor, 5, &err) == 0, "loop");
        UNIT_CHECK(clock_mono_ms() - killed < 1000, "back after %d ms",
                   (int)(clock_mono_ms() - killed));
    }
    UNIT_CHECK(watched.changes == 6, "%d changes: down and up, three times", watched.changes);
    stop(&watched);
}

static void dead_daemons_restart_within_a_second(void)
{
    unit_on_fiber(revive, NULL);
}

static void pass_sockets(struct loop *loop, void *arg)
{
    const char *log = arg;
    struct watched watched = {supervisor_new(loop, count_change, &watched), 0};
    struct child_options options = shell(
        "test $LISTEN_PID = $$ && echo $LISTEN_FDS $LISTEN_FDNAMES $(readlink /proc/self/fd/3 "
        "/proc/self/fd/4 | cut -c1-6) $PGUSER; exit 7",
        log);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct error err;
    int port = 0, status = 0;
    const char *text;

    error_init(&err, arena);
    setenv("PGUSER", "astray", 1);
    UNIT_REQUIRE(ports_listen(&port, options.sockets, 2, &err) == 0, "%s", err.message);
    options.socket_count = 2;
    options.socket_names = "public:admin";
    UNIT_CHECK(supervisor_run(watched.supervisor, &options, 5000, &status, &err) == 0, "%s",
               err.message);
    UNIT_CHECK(status == 7, "status %d", status);
    text = files_read(arena, log, &err);
    UNIT_CHECK(text && strcmp(text, "2 public:admin socket socket\n") == 0, "%s", text);
    close(options.sockets[0]);
    close(options.sockets[1]);
    stop(&watched);
}

static void sockets_are_passed_the_environment_is_clean(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char log[128];

    snprintf(log, sizeof(log), "%s/log", dir.path);
    unit_on_fiber(pass_sockets, log);
}

static void supervise_for_ever(struct loop *loop, void *arg)
{
    struct watched watched = {supervisor_new(loop, count_change, &watched), 0};
    struct child_options options = shell("exec sleep 60", "/dev/null");
    struct error err;
    struct child *child;
    pid_t pid;

    error_init(&err, NULL);
    child = supervisor_start(watched.supervisor, &options, &err);
    pid = child ? child_pid(child) : 0;
    if (write(*(int *)arg, &pid, sizeof(pid)) != sizeof(pid))
        _exit(1);
    for (;;)
        pause();
}

static void nothing_outlives_a_killed_supervisor(void)
{
    int64_t deadline;
    int ends[2];
    pid_t supervisor, child = 0;

    CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
    /* This process becomes the orphan's parent and can wait for it. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    supervisor = fork();
    if (supervisor == 0)
        unit_on_fiber(supervise_for_ever, &ends[1]);
    CU_ASSERT_EQUAL(read(ends[0], &child, sizeof(child)), sizeof(child));
    CU_ASSERT_TRUE_FATAL(child > 0);
    CU_ASSERT_EQUAL(kill(child, 0), 0);
    kill(supervisor, SIGKILL);
    waitpid(supervisor, NULL, 0);
    deadline = clock_mono_ms() + 5000;
    while (waitpid(child, NULL, WNOHANG) != child) {
        if (clock_mono_ms() < deadline) {
            usleep(1000);
            continue;
        }
        CU_FAIL("the child lives on");
        kill(child, SIGKILL);
    }
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(sockets_lie_at_a_short_path),
        CASE(one_suite_in_a_directory),
        CASE(foreign_socket_directories_are_refused),
        CASE(a_failed_start_leaves_the_next_ones_sockets),
        CASE(directories_of_others_are_refused),
        CASE(names_that_are_no_text_are_refused),
        CASE(keys_are_made_once),
        CASE(files_are_replaced_whole),
        CASE(only_gateways_share_a_port),
        CASE(a_single_gateway_shares_its_port_with_none),
        CASE(a_port_that_is_taken_at_ipv6_is_taken),
        CASE(dead_daemons_restart_within_a_second),
        CASE(sockets_are_passed_the_environment_is_clean),
        CASE(nothing_outlives_a_killed_supervisor),
    };

    return unit_run("ctl suite", cases, ARRAY_SIZE(cases));
}
