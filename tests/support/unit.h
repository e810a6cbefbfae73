/*
 * unit.h - the harness of the unit tests: a table and one call.
 *
 *     static const struct unit_case cases[] = {CASE(test_it_reads_what_it_wrote)};
 *
 *     int main(void)
 *     {
 *         return unit_run("codec", cases, ARRAY_SIZE(cases));
 *     }
 *
 * The case's name is its function's: "it reads what it wrote". `test_codec -k PATTERN` runs cases
 * whose name contains the pattern ("what*wrote"; a space matches an underscore).
 *
 * A case fails if the program logs a warning or worse that unit_expect_log() did not declare.
 * CUnit's _FATAL assertions longjmp and must not be used on a fiber: use UNIT_REQUIRE.
 */
#ifndef ATRIUM_TESTS_SUPPORT_UNIT_H
#define ATRIUM_TESTS_SUPPORT_UNIT_H

#include <CUnit/CUnit.h>

#include "common/runtime/loop.h"
#include "common/service/seal_keys.h"

struct unit_case {
    const char *name;
    void (*fn)(void);
    bool always;
};

#define CASE(fn_)               \
    {                           \
        .name = #fn_, .fn = fn_ \
    }
/* A case that starts or ends what others need; -k always runs it. */
#define CASE_ALWAYS(fn_)                        \
    {                                           \
        .name = #fn_, .fn = fn_, .always = true \
    }

/* Runs the cases with CUnit's basic interface, prints its summary, and returns main's exit code: 0
 * if nothing failed. */
int unit_run(const char *suite, const struct unit_case *cases, size_t count);

/* Prints "left out: REASON", which tests/run.sh counts as skipped, after which the case must
 * return. At most once per case. */
void unit_leave_out(const char *format, ...) PRINTF_LIKE(1, 2);

/* An optional file that a case needs, installed by `make <target>`, or by a system package with
 * target NULL. */
struct unit_need {
    const char *path, *target;
};

/* True when all are installed (path NULL ends them). Otherwise leaves the case out, or fails it if
 * the environment has `required` ("ATRIUM_REQUIRE_ALL"; NULL: never required). */
bool unit_has(const struct unit_need *needs, const char *required);

/* Excludes the rest of the case, or outside a case of the program, from test_coverage's counts,
 * because other machines may lack what it needs. unit_has() calls this. */
void unit_optional(void);

/* unit_leave_out() for a whole program. Returns main's exit code. */
int unit_leave_out_suite(const char *suite, const char *reason);

/* Asserts with a formatted text, for loops over a table: UNIT_CHECK(got == row->want, "%s",
 * row->label) */
#define UNIT_CHECK(condition, ...) \
    unit_check((condition), #condition, __FILE__, __LINE__, __VA_ARGS__)

/* Asserts, and on failure returns from the (void) function; safe on a fiber. */
#define UNIT_REQUIRE(condition, ...)             \
    do {                                         \
        if (!UNIT_CHECK(condition, __VA_ARGS__)) \
            return;                              \
    } while (0)

bool unit_check(bool holds, const char *condition, const char *file, int line, const char *format,
                ...) PRINTF_LIKE(5, 6);

/* Allows the running case up to `lines` warnings or worse; UNIT_ANY_LOG: any number. */
enum { UNIT_ANY_LOG = 1000000 };
void unit_expect_log(uint64_t lines);

/* Runs fn(loop, arg) on a fiber of a new loop until it returns, then cancels its remaining fibers
 * and waits for them. fn must have removed its watches and timers. After two minutes (valgrind
 * needs most of one) the case fails, and every park of its fibers returns FIBER_CANCELLED. */
void unit_on_fiber(void (*fn)(struct loop *loop, void *arg), void *arg);

/* Sort `count` (> 0) values, and return a percentile or the median. */
double unit_percentile(double *values, size_t count, size_t percent);
double unit_median(double *values, size_t count);

/* KiB to add to memory limits under AddressSanitizer, which keeps freed memory. */
#ifdef __SANITIZE_ADDRESS__
enum { UNIT_KEPT_KIB = 1024 * 1024 };
#else
enum { UNIT_KEPT_KIB = 0 };
#endif

void unit_sleep_ms(int64_t ms);

size_t unit_occurrences(const char *text, const char *piece);

/* Reads a file of the tree, at most 1 MiB, or fails the test (caller frees). */
char *unit_read_file(const char *path);

/* A new empty directory with a path short enough for sockets. */
struct unit_dir {
    char path[64];
};
struct unit_dir unit_dir_make(void);
void unit_dir_remove(struct unit_dir *dir);

/* Writes a text file of mode 0600 into the directory. Returns its path in a static buffer. */
const char *unit_dir_write(const struct unit_dir *dir, const char *name, const char *text);

/* Reads a file of the directory, at most 8 KiB, "" for none, into a static buffer. */
const char *unit_dir_read(const struct unit_dir *dir, const char *name);

/* Returns a TCP port of 127.0.0.1 that was free a moment ago, different each call, and never used
 * by outgoing connections. */
int unit_free_port(void);

/* Listens on a free TCP port of 127.0.0.1, or ends the program. */
int unit_listen(int backlog, int *ret_port);

struct seal_keys unit_seal_keys(uint8_t byte);

#endif
