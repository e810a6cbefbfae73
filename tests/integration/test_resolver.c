/*
 * test_resolver.c - host names whose name server responds, stops and returns: no fiber waits beyond
 * its deadline, and the loop never waits.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/runtime/fiber.h"
#include "common/runtime/resolver.h"
#include "tests/support/silent_dns.h"
#include "tests/support/unit.h"

enum { FIBERS = 20, PROMPT_MS = 2000 /* a blocking lookup takes at least 5,000 */ };

static struct silent_dns *dns;

struct caller {
    struct loop *loop;
    struct resolver *resolver;
    const char *host;
    int64_t timeout_ms, took_ms;
    int result;
    enum error_code code;
    struct resolver_addresses addresses;
    size_t *left;
};

static void resolve(struct caller *self)
{
    int64_t begin_ms = clock_mono_ms();
    struct error err;

    error_init(&err, NULL);
    self->result = resolver_resolve(self->resolver, self->host, begin_ms + self->timeout_ms,
                                    &self->addresses, &err);
    self->code = err.code;
    self->took_ms = clock_mono_ms() - begin_ms;
}

static void caller_fiber(void *arg)
{
    struct caller *self = arg;

    resolve(self);
    --*self->left;
}

static struct caller call(struct loop *loop, struct resolver *resolver, const char *host,
                          int64_t timeout_ms)
{
    struct caller self = {
        .loop = loop, .resolver = resolver, .host = host, .timeout_ms = timeout_ms};

    resolve(&self);
    return self;
}

static int64_t run_all(struct loop *loop, struct caller *callers, size_t count)
{
    int64_t longest_ms = 0, before_ms;
    size_t left = count;
    struct error err;

    error_init(&err, NULL);
    for (size_t i = 0; i < count; i++) {
        callers[i].left = &left;
        CU_ASSERT(fiber_start(loop, caller_fiber, &callers[i], &err) == 0);
    }
    while (left > 0) {
        before_ms = clock_mono_ms();
        CU_ASSERT(fiber_sleep_until(loop, before_ms + 5, &err) == 0);
        longest_ms = MAX(longest_ms, clock_mono_ms() - before_ms - 5);
    }
    return longest_ms;
}

static size_t thread_count(void)
{
    DIR *dir = opendir("/proc/self/task");
    const struct dirent *each;
    size_t count = 0;

    while ((each = readdir(dir))) {
        char path[300], name[32] = "";
        FILE *file;

        snprintf(path, sizeof(path), "/proc/self/task/%s/comm", each->d_name);
        file = fopen(path, "re");
        if (!file)
            continue;
        count += fgets(name, sizeof(name), file) && strcmp(name, "resolver\n") == 0;
        fclose(file);
    }
    closedir(dir);
    return count;
}

static void test_numeric_addresses_and_localhost_need_no_lookup(void)
{
    static const struct {
        const char *host;
        bool name, local;
    } rows[] = {
        {"s3.example", true, false},
        {"localhost", true, true},
        {"LOCALHOST", true, true},
        {"a.localhost", true, true},
        {"notlocalhost", true, false},
        {"localhost.example", true, false},
        {"192.0.2.7", false, false},
        {"[2001:db8::1]", false, false},
        {"2001:db8::1", false, false},
        {"192.0.2.7.example", true, false},
        {"1", true, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        UNIT_CHECK(resolver_is_name(rows[i].host) == rows[i].name, "%s", rows[i].host);
        UNIT_CHECK(resolver_is_localhost(rows[i].host) == rows[i].local, "%s", rows[i].host);
    }
}

static void one_query(struct loop *loop, void *arg UNUSED)
{
    struct resolver *resolver = resolver_new(loop);
    struct caller callers[FIBERS], absent;
    struct address want;
    size_t before = silent_dns_asked(dns);

    CU_ASSERT(address_parse("127.0.0.1", &want) == 0);
    for (size_t i = 0; i < FIBERS; i++)
        callers[i] = (struct caller){.loop = loop,
                                     .resolver = resolver,
                                     .host = i % 2 ? "one.example" : "ONE.example",
                                     .timeout_ms = 10000};
    run_all(loop, callers, FIBERS);
    for (size_t i = 0; i < FIBERS; i++)
        UNIT_CHECK(callers[i].result == 0 && callers[i].addresses.count == 1 &&
                       memcmp(&callers[i].addresses.items[0], &want, sizeof(want)) == 0,
                   "fiber %zu: %d", i, callers[i].code);
    CU_ASSERT_EQUAL(silent_dns_asked(dns) - before, 1);
    CU_ASSERT_EQUAL(call(loop, resolver, "one.example", 10000).result, 0);
    CU_ASSERT_EQUAL(silent_dns_asked(dns) - before, 1);

    absent = call(loop, resolver, "no.absent.example", 10000);
    CU_ASSERT(absent.result == -1 && absent.code == ERR_UNAVAILABLE);
    before = silent_dns_asked(dns);
    absent = call(loop, resolver, "no.absent.example", 10000);
    CU_ASSERT(absent.result == -1 && absent.took_ms < PROMPT_MS);
    CU_ASSERT_EQUAL(silent_dns_asked(dns), before);
    resolver_destroy(&resolver);
}

static void test_a_name_is_asked_for_once(void)
{
    unit_on_fiber(one_query, NULL);
}

/* More concurrent names than threads, and more than are cached. */
static void silence(struct loop *loop, void *arg UNUSED)
{
    static struct caller callers[RESOLVER_NAMES_MAX + FIBERS];
    static char hosts[ARRAY_SIZE(callers)][32];
    struct resolver *resolver = resolver_new(loop);
    size_t late = 0, refused = 0;
    int64_t longest_ms, begin_ms;

    silent_dns_set(dns, true);
    for (size_t i = 0; i < ARRAY_SIZE(callers); i++) {
        snprintf(hosts[i], sizeof(hosts[i]), "silent%zu.example", i);
        callers[i] = (struct caller){
            .loop = loop, .resolver = resolver, .host = hosts[i], .timeout_ms = 500};
    }
    longest_ms = run_all(loop, callers, ARRAY_SIZE(callers));
    UNIT_CHECK(longest_ms < PROMPT_MS, "the loop stood for %lld ms", (long long)longest_ms);
    for (size_t i = 0; i < ARRAY_SIZE(callers); i++) {
        late += callers[i].code == ERR_DEADLINE && callers[i].took_ms >= 500;
        refused += callers[i].code == ERR_OVERLOADED && callers[i].took_ms < PROMPT_MS;
    }
    CU_ASSERT_EQUAL(late, RESOLVER_NAMES_MAX);
    CU_ASSERT_EQUAL(refused, FIBERS);
    CU_ASSERT_EQUAL(thread_count(), RESOLVER_THREADS_MAX);

    begin_ms = clock_mono_ms();
    resolver_destroy(&resolver);
    CU_ASSERT(clock_mono_ms() - begin_ms < PROMPT_MS);
    silent_dns_set(dns, false);
}

static void test_silence_holds_no_loop_and_its_threads_and_names_are_bounded(void)
{
    unit_on_fiber(silence, NULL);
}

/* glibc repeats its query after five seconds. */
static void recovery(struct loop *loop, void *arg UNUSED)
{
    struct resolver *resolver = resolver_new(loop);
    struct caller caller;

    silent_dns_set(dns, true);
    caller = call(loop, resolver, "back.example", 200);
    CU_ASSERT(caller.result == -1 && caller.code == ERR_DEADLINE);
    silent_dns_set(dns, false);
    caller = call(loop, resolver, "other.example", 2000);
    CU_ASSERT(caller.result == 0);
    caller = call(loop, resolver, "back.example", 8000);
    UNIT_CHECK(caller.result == 0, "after %lld ms: %d", (long long)caller.took_ms, caller.code);
    resolver_destroy(&resolver);
}

static void test_a_name_server_that_is_back(void)
{
    unit_on_fiber(recovery, NULL);
}

/* A stale answer is used until its limit, or until the name is gone. */
static void stale(struct loop *loop, void *arg UNUSED)
{
    struct resolver *resolver = resolver_new(loop);
    struct caller caller;

    CU_ASSERT_EQUAL(call(loop, resolver, "old.example", 10000).result, 0);
    silent_dns_set(dns, true);
    resolver_set_times(resolver, 0, RESOLVER_STALE_MS);
    caller = call(loop, resolver, "old.example", 10000);
    CU_ASSERT(caller.result == 0 && caller.took_ms >= RESOLVER_STALE_WAIT_MS - 10 &&
              caller.took_ms < 5000);
    caller = call(loop, resolver, "old.example", 10000);
    CU_ASSERT(caller.result == 0 && caller.took_ms < RESOLVER_STALE_WAIT_MS);
    resolver_set_times(resolver, 0, 1);
    caller = call(loop, resolver, "old.example", 100);
    CU_ASSERT(caller.result == -1 && caller.code == ERR_DEADLINE);
    silent_dns_set(dns, false);
    resolver_destroy(&resolver);
}

static void test_an_old_answer_while_no_name_server_answers(void)
{
    unit_on_fiber(stale, NULL);
}

/* When the loop stops, a fiber waits for a name, and so does a caller that is not a fiber. */
static void stopping(struct loop *loop, void *arg UNUSED)
{
    struct resolver *resolver = resolver_new(loop);
    struct resolver_addresses addresses;
    enum resolver_state state;
    struct caller caller;
    struct error err;

    error_init(&err, NULL);
    do {
        state = resolver_poll(resolver, "poll.example", clock_mono_ms() + 1000, &addresses, &err);
        CU_ASSERT(fiber_sleep_until(loop, clock_mono_ms() + 5, &err) == 0);
    } while (state == RESOLVER_PENDING);
    CU_ASSERT(state == RESOLVER_FOUND && addresses.count == 1);

    silent_dns_set(dns, true);
    fiber_cancel_all(loop);
    caller = call(loop, resolver, "stop.example", 10000);
    CU_ASSERT(caller.result == -1 && caller.code == ERR_UNAVAILABLE && caller.took_ms < PROMPT_MS);
    silent_dns_set(dns, false);
    resolver_destroy(&resolver);
}

static void test_a_stop_and_a_caller_without_a_fiber(void)
{
    unit_on_fiber(stopping, NULL);
}

static const struct unit_case cases[] = {
    CASE(test_numeric_addresses_and_localhost_need_no_lookup),
    CASE(test_a_name_is_asked_for_once),
    CASE(test_silence_holds_no_loop_and_its_threads_and_names_are_bounded),
    CASE(test_a_name_server_that_is_back),
    CASE(test_an_old_answer_while_no_name_server_answers),
    CASE(test_a_stop_and_a_caller_without_a_fiber),
};

int main(void)
{
    const char *reason;
    int rc;

    dns = silent_dns_start(&reason);
    if (!dns)
        return unit_leave_out_suite("resolver", reason);
    rc = unit_run("resolver", cases, ARRAY_SIZE(cases));
    silent_dns_stop(&dns);
    return rc;
}
