/*
 * fiber.c - see fiber.h.
 *
 * The trampoline at a stack's bottom runs one function after another, so starting a fiber costs
 * only a switch. Boost.Context saves the registers that calls preserve; swapcontext() also saves
 * the signal mask, with two system calls.
 */
#include "common/runtime/fiber.h"

#include <assert.h>
#include <sys/mman.h>

#include "common/base/log.h"
#include "common/runtime/loop_private.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#elif __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#endif
#endif
#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#endif
#ifdef WITH_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(start, end) 0
#define VALGRIND_STACK_DEREGISTER(id) ((void)(id))
#endif

enum { GUARD_SIZE = 4096, POOL_MAX = 256, FIBERS_MAX_DEFAULT = 4096 };

/* Result of a switch (boost/context/detail/fcontext.hpp). A context is valid for one switch. */
struct fiber_transfer {
    void *from, *data;
};

extern struct fiber_transfer jump_fcontext(void *to, void *data);
extern void *make_fcontext(void *stack_end, size_t size, void (*fn)(struct fiber_transfer));

enum fiber_run_state { FIBER_READY, FIBER_RUNNING, FIBER_PARKED, FIBER_ENDED };

struct fiber {
    struct loop *loop;
    void (*fn)(void *arg);
    void *arg, *local;
    enum fiber_run_state state;
    enum fiber_wake wake; /* the current park's result */
    bool started, woken_early;
    struct fiber *next;               /* in the ready list or pool */
    struct fiber *previous, *sibling; /* among live fibers */
    struct loop_timer deadline;
    void *context;
    uint8_t *stack; /* start of the stack, above its guard page */
    unsigned stack_id;
    void *sanitizer; /* ThreadSanitizer's handle */
};

struct fiber_waiter {
    struct fiber *fiber;
    struct fiber_waiter *next;
    bool woken;
};

/* ---- stacks and switches ---- */

/* Switches, and informs AddressSanitizer and ThreadSanitizer. */
static void switch_to_fiber(struct fiber *fiber)
{
#ifdef WITH_ASAN
    void *fake_stack;

    __sanitizer_start_switch_fiber(&fake_stack, fiber->stack, FIBER_STACK_SIZE);
#endif
#ifdef WITH_TSAN
    fiber->loop->fibers.loop_sanitizer = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber->sanitizer, 0);
#endif
    fiber->context = jump_fcontext(fiber->context, fiber).from;
#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(fake_stack, NULL, NULL);
#endif
}

static void switch_to_loop(struct fiber *fiber)
{
    struct fiber_state *fibers = &fiber->loop->fibers;
#ifdef WITH_ASAN
    void *fake_stack;

    __sanitizer_start_switch_fiber(&fake_stack, fibers->loop_stack, fibers->loop_stack_size);
#endif
#ifdef WITH_TSAN
    __tsan_switch_to_fiber(fibers->loop_sanitizer, 0);
#endif
    fibers->context = jump_fcontext(fibers->context, NULL).from;
#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(fake_stack, &fibers->loop_stack, &fibers->loop_stack_size);
#endif
}

static void trampoline(struct fiber_transfer first)
{
    struct fiber *fiber = first.data;

#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(NULL, &fiber->loop->fibers.loop_stack,
                                    &fiber->loop->fibers.loop_stack_size);
#endif
    fiber->loop->fibers.context = first.from;
    for (;;) {
        fiber->fn(fiber->arg);
        fiber->state = FIBER_ENDED;
        switch_to_loop(fiber);
    }
}

static void make_ready(struct fiber *fiber)
{
    struct fiber_list *ready = &fiber->loop->fibers.ready;

    fiber->state = FIBER_READY;
    fiber->next = NULL;
    *ready->tail = fiber;
    ready->tail = &fiber->next;
}

static void deadline_passed(void *arg)
{
    struct fiber *fiber = arg;

    fiber->wake = FIBER_TIMEOUT;
    make_ready(fiber);
}

static struct fiber *fiber_new(struct loop *loop)
{
    struct fiber *self = calloc(1, sizeof(*self));
    uint8_t *mapping = mmap(NULL, GUARD_SIZE + FIBER_STACK_SIZE, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);

    if (!self || mapping == MAP_FAILED ||
        mprotect(mapping + GUARD_SIZE, FIBER_STACK_SIZE, PROT_READ | PROT_WRITE) < 0)
        log_die("fiber", "out of memory");
    self->loop = loop;
    self->stack = mapping + GUARD_SIZE;
    self->stack_id = VALGRIND_STACK_REGISTER(self->stack, self->stack + FIBER_STACK_SIZE);
    self->deadline.fn = deadline_passed;
    self->deadline.arg = self;
    self->context = make_fcontext(self->stack + FIBER_STACK_SIZE, FIBER_STACK_SIZE, trampoline);
#ifdef WITH_ASAN
    /* an earlier stack at this address ended within the trampoline, whose frame stays marked */
    __asan_unpoison_memory_region(self->stack, FIBER_STACK_SIZE);
#endif
#ifdef WITH_TSAN
    self->sanitizer = __tsan_create_fiber(0);
#endif
    return self;
}

static void fiber_free(struct fiber *self)
{
#ifdef WITH_TSAN
    __tsan_destroy_fiber(self->sanitizer);
#endif
    VALGRIND_STACK_DEREGISTER(self->stack_id);
    munmap(self->stack - GUARD_SIZE, GUARD_SIZE + FIBER_STACK_SIZE);
    free(self);
}

/* ---- the fibers of a loop ---- */

void fiber_state_init(struct fiber_state *self)
{
    self->ready.tail = &self->ready.head;
    self->max = FIBERS_MAX_DEFAULT;
}

void fiber_state_free(struct fiber_state *self)
{
    while (self->idle) {
        struct fiber *fiber = self->idle;

        self->idle = fiber->next;
        fiber_free(fiber);
    }
}

static void retire(struct fiber_state *self, struct fiber *fiber)
{
    if (fiber->previous)
        fiber->previous->sibling = fiber->sibling;
    else
        self->all = fiber->sibling;
    if (fiber->sibling)
        fiber->sibling->previous = fiber->previous;
    self->count--;
    if (self->idle_count == POOL_MAX) {
        fiber_free(fiber);
        return;
    }
    fiber->next = self->idle;
    self->idle = fiber;
    self->idle_count++;
}

void fiber_run_ready(struct loop *loop, size_t max)
{
    struct fiber_state *self = &loop->fibers;

    for (; max > 0 && self->ready.head; max--) {
        struct fiber *fiber = self->ready.head;

        self->ready.head = fiber->next;
        if (!self->ready.head)
            self->ready.tail = &self->ready.head;
        fiber->state = FIBER_RUNNING;
        fiber->started = true;
        self->running = fiber;
        switch_to_fiber(fiber);
        self->running = NULL;
        if (fiber->state == FIBER_ENDED)
            retire(self, fiber);
    }
}

int fiber_start(struct loop *loop, void (*fn)(void *arg), void *arg, struct error *err)
{
    struct fiber_state *self = &loop->fibers;
    struct fiber *fiber = self->idle;

    if (self->count >= self->max)
        return error_retry(err, ERR_OVERLOADED, 1, "Too many requests are being served.");
    if (fiber) {
        self->idle = fiber->next;
        self->idle_count--;
    } else {
        fiber = fiber_new(loop);
    }
    fiber->fn = fn;
    fiber->arg = arg;
    fiber->local = NULL;
    fiber->started = fiber->woken_early = false;
    fiber->previous = NULL;
    fiber->sibling = self->all;
    if (self->all)
        self->all->previous = fiber;
    self->all = fiber;
    self->count++;
    make_ready(fiber);
    return 0;
}

struct fiber *fiber_self(const struct loop *loop)
{
    return loop->fibers.running;
}

void *fiber_local(const struct loop *loop)
{
    return !loop->fibers.running ? NULL : loop->fibers.running->local;
}

void fiber_set_local(struct loop *loop, void *local)
{
    assert(loop->fibers.running != NULL);
    loop->fibers.running->local = local;
}

enum fiber_wake fiber_park(struct loop *loop, int64_t deadline_mono_ms)
{
    struct fiber *fiber = loop->fibers.running;

    assert(fiber != NULL);
    if (fiber->woken_early) {
        fiber->woken_early = false;
        return FIBER_WOKEN;
    }
    if (loop->fibers.cancelled) {
        /* Wakes a fiber that waits for its children, so that it sees them end. */
        fiber->wake = FIBER_CANCELLED;
        make_ready(fiber);
    } else {
        fiber->state = FIBER_PARKED;
        loop_timer_arm(loop, &fiber->deadline, deadline_mono_ms);
    }
    switch_to_loop(fiber);
    return fiber->wake;
}

enum fiber_wake fiber_park_until(struct loop *loop, const bool *flag, int64_t deadline_mono_ms)
{
    enum fiber_wake wake = FIBER_WOKEN;

    while (!*flag && wake == FIBER_WOKEN)
        wake = fiber_park(loop, deadline_mono_ms);
    return *flag ? FIBER_WOKEN : wake;
}

bool fiber_take_wake(struct loop *loop)
{
    struct fiber *fiber = loop->fibers.running;
    bool taken = fiber->woken_early;

    fiber->woken_early = false;
    return taken;
}

int fiber_wake_error(enum fiber_wake wake, struct error *err)
{
    switch (wake) {
    case FIBER_WOKEN:
        break;
    case FIBER_TIMEOUT:
        return error_set(err, ERR_DEADLINE,
                         "The service took too long to respond. Please try again.");
    case FIBER_CANCELLED:
        return error_retry(err, ERR_UNAVAILABLE, 1, "The service is stopping.");
    }
    return 0;
}

void fiber_wake(struct fiber *fiber)
{
    if (fiber->state == FIBER_PARKED) {
        loop_timer_disarm(fiber->loop, &fiber->deadline);
        fiber->wake = FIBER_WOKEN;
        make_ready(fiber);
    } else if (fiber->state == FIBER_READY && fiber->started) {
        /* A wake in this turn counts even if the deadline passed too. */
        fiber->wake = FIBER_WOKEN;
    } else {
        fiber->woken_early = true;
    }
}

int fiber_sleep_until(struct loop *loop, int64_t mono_ms, struct error *err)
{
    enum fiber_wake wake;

    do {
        wake = fiber_park(loop, mono_ms);
    } while (wake == FIBER_WOKEN);
    return wake == FIBER_CANCELLED ? fiber_wake_error(wake, err) : 0;
}

void fiber_cancel_all(struct loop *loop)
{
    loop->fibers.cancelled = true;
    for (struct fiber *fiber = loop->fibers.all; fiber; fiber = fiber->sibling)
        if (fiber->state == FIBER_PARKED) {
            loop_timer_disarm(loop, &fiber->deadline);
            fiber->wake = FIBER_CANCELLED;
            make_ready(fiber);
        }
}

void fiber_cancel_end(struct loop *loop)
{
    loop->fibers.cancelled = false;
}

void fiber_set_max(struct loop *loop, size_t max)
{
    loop->fibers.max = max;
}

size_t fiber_count(const struct loop *loop)
{
    return loop->fibers.count;
}

/* ---- queues of fibers ---- */

static void queue_append(struct fiber_queue *queue, struct fiber_waiter *waiter)
{
    if (!queue->head)
        queue->tail = &queue->head;
    *queue->tail = waiter;
    queue->tail = &waiter->next;
    queue->length++;
}

static void queue_remove(struct fiber_queue *queue, struct fiber_waiter *waiter)
{
    struct fiber_waiter **link = &queue->head;

    while (*link != waiter)
        link = &(*link)->next;
    *link = waiter->next;
    if (!*link)
        queue->tail = link;
    queue->length--;
}

enum fiber_wake fiber_queue_wait(struct loop *loop, struct fiber_queue *queue,
                                 int64_t deadline_mono_ms)
{
    struct fiber_waiter waiter = {.fiber = fiber_self(loop)};
    enum fiber_wake wake;

    queue_append(queue, &waiter);
    wake = fiber_park_until(loop, &waiter.woken, deadline_mono_ms);
    if (wake != FIBER_WOKEN)
        queue_remove(queue, &waiter);
    return wake;
}

bool fiber_queue_wake_one(struct fiber_queue *queue)
{
    struct fiber_waiter *waiter = queue->head;

    if (!waiter)
        return false;
    queue_remove(queue, waiter);
    waiter->woken = true;
    fiber_wake(waiter->fiber);
    return true;
}

void fiber_queue_wake_all(struct fiber_queue *queue)
{
    while (fiber_queue_wake_one(queue))
        ;
}
