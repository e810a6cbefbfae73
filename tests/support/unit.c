/*
 * unit.c - see unit.h.
 */
#include "tests/support/unit.h"

#include <CUnit/Basic.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/runtime/fiber.h"

enum { FIBER_DEADLINE_MS = 120000, UNWIND_DEADLINE_MS = 5000, TITLE_SIZE = 160 };

/* Below the ports of outgoing connections (net.ipv4.ip_local_port_range). */
enum { PORT_FIRST = 20000, PORT_COUNT = 12000 };

/* The running case's allowed log lines; static, because CUnit's callbacks have no argument. */
static uint64_t log_before, log_expected;

struct fiber_run {
    struct loop *loop;
    void (*fn)(struct loop *loop, void *arg);
    void *arg;
    struct loop_timer *deadline;
    bool returned;
};

/* Read by http.c. */
static const char optional_mark[] = "ATRIUM_COVERAGE_OPTIONAL";
static bool program_is_optional;

static void case_begin(void)
{
    if (!program_is_optional)
        unsetenv(optional_mark);
    log_before = log_count(LOG_WARNING);
    log_expected = 0;
}

static void case_end(void)
{
    uint64_t lines = log_count(LOG_WARNING) - log_before;

    UNIT_CHECK(lines <= log_expected, "%llu undeclared warnings in the log",
               (unsigned long long)lines);
}

/* The argument of -k; NULL: all cases. */
static const char *wanted;

/* Test programs' main() has no arguments, but glibc passes them to constructors. */
__attribute__((constructor)) static void read_arguments(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "-k") == 0)
        wanted = argv[2];
}

/* Turns test_reads_what_it_wrote into "reads what it wrote". */
static void case_title(const struct unit_case *self, char *ret, size_t size)
{
    const char *name = self->name + (strncmp(self->name, "test_", 5) == 0 ? 5 : 0);

    snprintf(ret, size, "%s", name);
    for (char *c = ret; *c; c++)
        *c = *c == '_' ? ' ' : *c;
}

static bool is_wanted(const struct unit_case *self, const char *title)
{
    char pattern[TITLE_SIZE];

    if (!wanted || self->always)
        return true;
    snprintf(pattern, sizeof(pattern), "*%s*", wanted);
    for (char *c = pattern; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return fnmatch(pattern, title, FNM_CASEFOLD) == 0;
}

int unit_run(const char *suite, const struct unit_case *cases, size_t count)
{
    CU_pSuite registered;
    unsigned failures, added = 0, matched = 0;
    char title[TITLE_SIZE];

    if (CU_initialize_registry() != CUE_SUCCESS)
        return EXIT_FAILURE;
    registered = CU_add_suite_with_setup_and_teardown(suite, NULL, NULL, case_begin, case_end);
    for (size_t i = 0; i < count; i++) {
        case_title(&cases[i], title, sizeof(title));
        if (!is_wanted(&cases[i], title))
            continue;
        if (!registered || !CU_add_test(registered, title, cases[i].fn)) {
            fprintf(stderr, "%s: case '%s' cannot be registered: %s\n", suite, title,
                    CU_get_error_msg());
            return EXIT_FAILURE;
        }
        added++;
        matched += !cases[i].always;
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    failures = CU_get_number_of_failure_records() + (CU_get_number_of_tests_run() != added);
    if (wanted && matched == 0) { /* reported only after the cases that stop what main() started */
        fprintf(stderr, "%s: no case has '%s' in its name\n", suite, wanted);
        failures++;
    }
    CU_cleanup_registry();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

void unit_leave_out(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    printf("left out: ");
    vprintf(format, args);
    printf(" ...");
    va_end(args);
}

void unit_optional(void)
{
    if (!CU_get_current_test())
        program_is_optional = true;
    setenv(optional_mark, "1", 1);
}

bool unit_has(const struct unit_need *needs, const char *required)
{
    while (needs->path && access(needs->path, R_OK) == 0)
        needs++;
    if (!needs->path) {
        unit_optional();
        return true;
    }
    unit_leave_out("%s is not there%s%s%s", needs->path, needs->target ? " (make " : "",
                   needs->target ? needs->target : "", needs->target ? ")" : "");
    CU_ASSERT_PTR_NULL(required ? getenv(required) : NULL);
    return false;
}

/* Static, because CUnit's callbacks have no argument. */
static const char *suite_reason;

static void all_of_it(void)
{
    unit_leave_out("%s", suite_reason);
}

int unit_leave_out_suite(const char *suite, const char *reason)
{
    static const struct unit_case none[] = {CASE(all_of_it)};

    suite_reason = reason;
    return unit_run(suite, none, ARRAY_SIZE(none));
}

bool unit_check(bool holds, const char *condition, const char *file, int line, const char *format,
                ...)
{
    char text[512];
    int length = snprintf(text, sizeof(text), "%s: ", condition);
    va_list args;

    if (length > (int)sizeof(text) / 2)
        length = (int)sizeof(text) / 2;
    va_start(args, format);
    vsnprintf(text + length, sizeof(text) - (size_t)length, format, args);
    va_end(args);
    return CU_assertImplementation(holds, (unsigned)line, text, file, "", CU_FALSE);
}

void unit_expect_log(uint64_t lines)
{
    log_expected = lines;
}

static void run_on_fiber(void *arg)
{
    struct fiber_run *run = arg;

    run->fn(run->loop, run->arg);
    loop_cancel(run->loop, &run->deadline);
    run->returned = true;
    fiber_cancel_all(run->loop);
}

static void stop_when_unwound(void *arg)
{
    struct fiber_run *run = arg;

    if (run->returned && fiber_count(run->loop) == 0)
        loop_stop(run->loop);
}

static void unwind_overdue(void *arg UNUSED)
{
    log_die("unit", "a fiber does not return after it was cancelled");
}

static void fiber_overdue(void *arg)
{
    struct fiber_run *run = arg;

    CU_FAIL("the fiber did not return within two minutes");
    run->deadline = loop_at(run->loop, clock_mono_ms() + UNWIND_DEADLINE_MS, unwind_overdue, run);
    fiber_cancel_all(run->loop);
}

void unit_on_fiber(void (*fn)(struct loop *loop, void *arg), void *arg)
{
    struct fiber_run run = {.loop = loop_new(), .fn = fn, .arg = arg};
    struct error err;

    error_init(&err, NULL);
    loop_each_turn(run.loop, stop_when_unwound, &run);
    run.deadline = loop_at(run.loop, clock_mono_ms() + FIBER_DEADLINE_MS, fiber_overdue, &run);
    if (fiber_start(run.loop, run_on_fiber, &run, &err) < 0) {
        CU_FAIL("fiber_start");
        loop_cancel(run.loop, &run.deadline);
    } else {
        CU_ASSERT(loop_run(run.loop) == 0);
    }
    loop_destroy(&run.loop);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double unit_percentile(double *values, size_t count, size_t percent)
{
    qsort(values, count, sizeof(values[0]), by_size);
    return values[count * percent / 100];
}

double unit_median(double *values, size_t count)
{
    return unit_percentile(values, count, 50);
}

void unit_sleep_ms(int64_t ms)
{
    usleep((useconds_t)ms * 1000);
}

size_t unit_occurrences(const char *text, const char *piece)
{
    size_t count = 0;

    for (const char *at = strstr(text, piece); at; at = strstr(at + 1, piece))
        count++;
    return count;
}

char *unit_read_file(const char *path)
{
    enum { SIZE = 1 << 20 };
    char *text = calloc(1, SIZE);
    FILE *file = fopen(path, "r");

    UNIT_CHECK(file && fread(text, 1, SIZE - 1, file) > 0, "%s", path);
    if (file)
        fclose(file);
    return text;
}

struct unit_dir unit_dir_make(void)
{
    struct unit_dir dir = {"/tmp/atrium-unit-XXXXXX"};

    if (!mkdtemp(dir.path))
        log_die("unit", "mkdtemp failed");
    return dir;
}

static int remove_entry(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
    (void)stat, (void)type, (void)walk;
    return remove(path);
}

void unit_dir_remove(struct unit_dir *dir)
{
    bool removed =
        dir->path[0] == '\0' || nftw(dir->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0;

    if (CU_get_current_test()) /* outside a case: a directory that all cases shared */
        CU_ASSERT(removed);
    dir->path[0] = '\0';
}

const char *unit_dir_write(const struct unit_dir *dir, const char *name, const char *text)
{
    static char path[512];
    size_t length = strlen(text);
    int fd;

    snprintf(path, sizeof(path), "%s/%s", dir->path, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text, length) != (ssize_t)length || close(fd) < 0)
        log_die("unit", "a test file cannot be written");
    return path;
}

const char *unit_dir_read(const struct unit_dir *dir, const char *name)
{
    static char text[8192];
    char path[512];
    size_t size = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", dir->path, name);
    file = fopen(path, "re");
    if (file) {
        size = fread(text, 1, sizeof(text) - 1, file);
        fclose(file);
    }
    text[size] = '\0';
    return text;
}

static bool port_is_free(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_free = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0;

    if (fd < 0)
        log_die("unit", "no socket");
    close(fd);
    return is_free;
}

int unit_free_port(void)
{
    static uint32_t next;

    if (next == 0)
        next = randombytes_uniform(PORT_COUNT);
    for (int i = 0; i < PORT_COUNT; i++) {
        int port = PORT_FIRST + (int)(next++ % PORT_COUNT);

        if (port_is_free(port))
            return port;
    }
    log_die("unit", "no free port");
}

int unit_listen(int backlog, int *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, backlog) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        log_die("unit", "no socket that listens");
    *ret_port = ntohs(address.sin_port);
    return fd;
}

struct seal_keys unit_seal_keys(uint8_t byte)
{
    struct secret key = {.length = SEAL_KEY_SIZE};
    struct seal_keys keys = {.in_file = 1};

    memset(key.bytes, byte, SEAL_KEY_SIZE);
    seal_keys_add(&keys, &key, 0);
    return keys;
}
