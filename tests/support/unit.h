/*
 * unit.h - what every unit test program shares: a suite is a table and one call.
 *
 *     static const struct unit_case cases[] = {CASE(test_it_reads_what_it_wrote)};
 *
 *     int main(void)
 *     {
 *         return unit_run("codec", cases, ARRAY_SIZE(cases));
 *     }
 *
 * The name of a case is its function's: "it reads what it wrote" here. `test_codec -k PATTERN` runs
 * those cases whose name has the pattern in it ("what*wrote", a blank is as good as an underscore).
 *
 * A case fails when the program logs a warning (or worse) that the case has not declared by
 * unit_expect_log(). CUnit's _FATAL assertions leave by longjmp and must not be used on a fiber:
 * use UNIT_REQUIRE there.
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
/* One that starts or ends what the others need: -k does not leave it out. */
#define CASE_ALWAYS(fn_)                        \
    {                                           \
        .name = #fn_, .fn = fn_, .always = true \
    }

/* Runs the cases with CUnit's basic interface, prints its summary, and returns main's exit code: 0
 * when nothing failed. */
int unit_run(const char *suite, const struct unit_case *cases, size_t count);

/* The running case cannot be run here: prints "left out: REASON", which tests/run.sh counts as
 * skipped; the case then returns. To be called at most once in a case. */
void unit_leave_out(const char *format, ...) PRINTF_LIKE(1, 2);

/* What a case needs that is not part of the build: a file that is there once `make <target>` has
 * installed it (target NULL: a package of the system). */
struct unit_need {
    const char *path, *target;
};

/* Whether all of these (until path is NULL) are there. If not, leaves the running case out; and
 * fails it when the environment has `required` ("ATRIUM_REQUIRE_ALL"; NULL: it never must be
 * there), as it has for what is to land. */
bool unit_has(const struct unit_need *needs, const char *required);

/* What the running case does from here on, or the whole program when none runs, needs something
 * that other machines lack: test_coverage does not count its calls. unit_has() says so itself. */
void unit_optional(void);

/* unit_leave_out() for a whole program: a suite of one case that is left out. Returns main's exit
 * code. */
int unit_leave_out_suite(const char *suite, const char *reason);

/* Asserts with a text of one's own, for loops over a table: UNIT_CHECK(got == row->want, "%s",
 * row->label) */
#define UNIT_CHECK(condition, ...) \
    unit_check((condition), #condition, __FILE__, __LINE__, __VA_ARGS__)

/* The same, and leaves the (void) function when it does not hold; safe on a fiber. */
#define UNIT_REQUIRE(condition, ...)             \
    do {                                         \
        if (!UNIT_CHECK(condition, __VA_ARGS__)) \
            return;                              \
    } while (0)

bool unit_check(bool holds, const char *condition, const char *file, int line, const char *format,
                ...) PRINTF_LIKE(5, 6);

/* The running case may log up to `lines` warnings or worse; UNIT_ANY_LOG for any number. */
enum { UNIT_ANY_LOG = 1000000 };
void unit_expect_log(uint64_t lines);

/* Runs fn(loop, arg) on a fiber of a fresh loop until it returns, then cancels and waits for the
 * fibers it left behind. fn must have removed its watches and timers. After two minutes (valgrind
 * needs most of one) the case fails and every park of its fibers returns FIBER_CANCELLED. */
void unit_on_fiber(void (*fn)(struct loop *loop, void *arg), void *arg);

/* Below which so many percent of `count` (> 0) values are, and the middle one. They are sorted
 * then. */
double unit_percentile(double *values, size_t count, size_t percent);
double unit_median(double *values, size_t count);

/* KiB by which a bound of a process's memory is wider under AddressSanitizer, which keeps what was
 * freed. */
#ifdef __SANITIZE_ADDRESS__
enum { UNIT_KEPT_KIB = 1024 * 1024 };
#else
enum { UNIT_KEPT_KIB = 0 };
#endif

/* Blocks the thread. */
void unit_sleep_ms(int64_t ms);

/* How often the piece, which is not empty, stands in the text. */
size_t unit_occurrences(const char *text, const char *piece);

/* A file of the tree as text, at most 1 MiB; the caller frees it. Fails the test where there is
 * none. */
char *unit_read_file(const char *path);

/* A new empty directory, short enough for sockets in it, and its removal with all that it holds. */
struct unit_dir {
    char path[64];
};
struct unit_dir unit_dir_make(void);
void unit_dir_remove(struct unit_dir *dir);

/* Writes a text file of mode 0600 in the directory and returns its path (static, until the next
 * call). */
const char *unit_dir_write(const struct unit_dir *dir, const char *name, const char *text);

/* The content of a file of the directory, at most 8 KiB; "" when there is none. Static, until the
 * next call. */
const char *unit_dir_read(const struct unit_dir *dir, const char *name);

/* A TCP port of 127.0.0.1 that was free a moment ago, another one with each call, and none that an
 * outgoing connection can get meanwhile. */
int unit_free_port(void);

/* A socket that listens on a free TCP port of 127.0.0.1; ends the program when there is none. */
int unit_listen(int backlog, int *ret_port);

/* A seal key whose bytes are all `byte`. */
struct seal_keys unit_seal_keys(uint8_t byte);

#endif
