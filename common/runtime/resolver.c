/* resolver.c - see resolver.h. A thread owns its lookup until it is in `done`, then the loop
 * does. */
#include "common/runtime/resolver.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/runtime/fiber.h"

enum { STACK_BYTES = 1 << 20 };

struct exchange;

struct lookup {
    struct lookup *next;
    struct exchange *exchange;
    int result; /* result of getaddrinfo() */
    struct resolver_addresses addresses;
    char host[RESOLVER_NAME_MAX + 1];
};

struct exchange {
    pthread_mutex_t mutex;
    size_t holders; /* resolver and its threads; the last frees it */
    int event_fd;   /* -1: resolver destroyed */
    struct lookup *done;
};

enum entry_state { ENTRY_IDLE, ENTRY_QUEUED, ENTRY_RUNNING };

struct entry {
    TAILQ_ENTRY(entry) link; /* among all entries, least recently used first */
    TAILQ_ENTRY(entry) turn; /* in the queue, while QUEUED */
    enum entry_state state;
    int64_t asked_ms;        /* start of the current lookup */
    int64_t wanted_until_ms; /* last waiter's deadline */
    int64_t found_ms;        /* 0: no answer */
    int64_t failed_until_ms;
    int failure; /* result of getaddrinfo() */
    struct resolver_addresses addresses;
    struct fiber_queue waiters;
    struct loop_timer *stale_timer;
    struct resolver *owner;
    char host[RESOLVER_NAME_MAX + 1];
};
TAILQ_HEAD(entries, entry);

struct resolver {
    struct loop *loop;
    struct exchange *exchange;
    struct entries all, queue;
    size_t count, running;
    int64_t fresh_ms, stale_ms;
    bool failing; /* no name server answered the last lookup */
};

/* ---- on a thread ---- */

static void exchange_release(struct exchange *self)
{
    bool last = --self->holders == 0;

    pthread_mutex_unlock(&self->mutex);
    if (!last)
        return;
    pthread_mutex_destroy(&self->mutex);
    free(self);
}

static void look_up(struct lookup *self)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *info = NULL;

    self->result = getaddrinfo(self->host, NULL, &hints, &info);
    for (const struct addrinfo *each = info; each; each = each->ai_next)
        if (self->addresses.count < RESOLVER_ADDRESSES_MAX &&
            (each->ai_family == AF_INET || each->ai_family == AF_INET6))
            address_from_socket(each->ai_addr, &self->addresses.items[self->addresses.count++]);
    if (info)
        freeaddrinfo(info);
    if (self->result == 0 && self->addresses.count == 0)
        self->result = EAI_NONAME;
}

static void *thread_main(void *arg)
{
    struct lookup *lookup = arg;
    struct exchange *exchange = lookup->exchange;

    pthread_setname_np(pthread_self(), "resolver");
    look_up(lookup);
    pthread_mutex_lock(&exchange->mutex);
    if (exchange->event_fd >= 0) {
        lookup->next = exchange->done;
        exchange->done = lookup;
        (void)eventfd_write(exchange->event_fd, 1);
    } else {
        free(lookup);
    }
    exchange_release(exchange);
    return NULL;
}

static bool start_thread(struct lookup *lookup)
{
    sigset_t all, before;
    pthread_attr_t attr;
    pthread_t thread;
    bool started;

    sigfillset(&all);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    started = pthread_create(&thread, &attr, thread_main, lookup) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return started;
}

/* ---- entries ---- */

static bool is_definite(int result)
{
    return result == 0 || result == EAI_NONAME || result == EAI_NODATA || result == EAI_FAIL;
}

static void note_result(struct resolver *self, int result)
{
    bool failing = !is_definite(result);

    if (failing != self->failing) {
        if (failing)
            log_detail(LOG_WARNING, "resolver", "host names cannot be resolved", "%s",
                       gai_strerror(result));
        else
            log_event(LOG_NOTICE, "resolver", "host names are resolved again", NULL);
    }
    self->failing = failing;
}

static void entry_finish(struct entry *entry, int result,
                         const struct resolver_addresses *addresses)
{
    struct resolver *self = entry->owner;
    int64_t now_ms = clock_mono_ms();

    loop_cancel(self->loop, &entry->stale_timer);
    entry->state = ENTRY_IDLE;
    entry->failure = result;
    if (result == 0) {
        entry->addresses = *addresses;
        entry->found_ms = now_ms;
    } else {
        entry->failed_until_ms = now_ms + RESOLVER_FAILED_MS;
        if (is_definite(result)) /* an earlier answer is no longer valid */
            entry->found_ms = 0;
    }
    note_result(self, result);
    fiber_queue_wake_all(&entry->waiters);
}

static void entry_run(struct entry *entry)
{
    struct resolver *self = entry->owner;
    struct lookup *lookup = memory_new(sizeof(*lookup));

    lookup->exchange = self->exchange;
    memcpy(lookup->host, entry->host, sizeof(lookup->host));
    pthread_mutex_lock(&self->exchange->mutex);
    self->exchange->holders++;
    pthread_mutex_unlock(&self->exchange->mutex);
    entry->state = ENTRY_RUNNING;
    self->running++;
    if (start_thread(lookup))
        return;
    free(lookup);
    pthread_mutex_lock(&self->exchange->mutex);
    exchange_release(self->exchange);
    self->running--;
    entry_finish(entry, EAI_AGAIN, NULL);
}

static void on_stale(void *arg)
{
    struct entry *entry = arg;

    entry->stale_timer = NULL;
    fiber_queue_wake_all(&entry->waiters);
}

static void entry_start(struct entry *entry, int64_t now_ms)
{
    struct resolver *self = entry->owner;

    entry->asked_ms = now_ms;
    if (entry->found_ms > 0)
        entry->stale_timer = loop_at(self->loop, now_ms + RESOLVER_STALE_WAIT_MS, on_stale, entry);
    if (self->running < RESOLVER_THREADS_MAX) {
        entry_run(entry);
        return;
    }
    entry->state = ENTRY_QUEUED;
    TAILQ_INSERT_TAIL(&self->queue, entry, turn);
}

/* Starts queued lookups, and drops those without a waiting fiber. */
static void run_queued(struct resolver *self)
{
    struct entry *entry;

    while (self->running < RESOLVER_THREADS_MAX && (entry = TAILQ_FIRST(&self->queue))) {
        TAILQ_REMOVE(&self->queue, entry, turn);
        entry->state = ENTRY_IDLE;
        if (entry->wanted_until_ms > clock_mono_ms())
            entry_run(entry);
        else
            loop_cancel(self->loop, &entry->stale_timer);
    }
}

static struct entry *entry_find(const struct resolver *self, const char *host)
{
    struct entry *entry;

    TAILQ_FOREACH(entry, &self->all, link)
    if (strcasecmp(entry->host, host) == 0)
        return entry;
    return NULL;
}

static void entry_free(struct entry *entry)
{
    struct resolver *self = entry->owner;

    assert(entry->waiters.length == 0);
    loop_cancel(self->loop, &entry->stale_timer);
    TAILQ_REMOVE(&self->all, entry, link);
    self->count--;
    free(entry);
}

static bool make_room(struct resolver *self)
{
    struct entry *entry;

    if (self->count < RESOLVER_NAMES_MAX)
        return true;
    TAILQ_FOREACH(entry, &self->all, link)
    {
        if (entry->state == ENTRY_IDLE && entry->waiters.length == 0) {
            entry_free(entry);
            return true;
        }
    }
    return false;
}

/* Returns a name's entry, marked as used, or NULL if there is no space. */
static struct entry *entry_of(struct resolver *self, const char *host)
{
    struct entry *entry = entry_find(self, host);

    if (entry) {
        TAILQ_REMOVE(&self->all, entry, link);
    } else {
        if (!make_room(self))
            return NULL;
        entry = memory_new(sizeof(*entry));
        entry->owner = self;
        memcpy(entry->host, host, strlen(host));
        self->count++;
    }
    TAILQ_INSERT_TAIL(&self->all, entry, link);
    return entry;
}

/* ---- results ---- */

static void take_done(struct resolver *self, const struct lookup *done)
{
    struct entry *entry = entry_find(self, done->host);

    assert(entry && entry->state == ENTRY_RUNNING);
    self->running--;
    entry_finish(entry, done->result, &done->addresses);
}

static void on_event(void *arg, short revents UNUSED)
{
    struct resolver *self = arg;
    struct lookup *done;
    eventfd_t ignored;

    (void)eventfd_read(self->exchange->event_fd, &ignored);
    pthread_mutex_lock(&self->exchange->mutex);
    done = self->exchange->done;
    self->exchange->done = NULL;
    pthread_mutex_unlock(&self->exchange->mutex);
    while (done) {
        struct lookup *next = done->next;

        take_done(self, done);
        free(done);
        done = next;
    }
    run_queued(self);
}

/* ---- the interface ---- */

struct resolver *resolver_new(struct loop *loop)
{
    struct resolver *self = memory_new(sizeof(*self));

    self->exchange = memory_new(sizeof(*self->exchange));
    self->loop = loop;
    self->fresh_ms = RESOLVER_FRESH_MS;
    self->stale_ms = RESOLVER_STALE_MS;
    TAILQ_INIT(&self->all);
    TAILQ_INIT(&self->queue);
    pthread_mutex_init(&self->exchange->mutex, NULL);
    self->exchange->holders = 1;
    self->exchange->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (self->exchange->event_fd < 0)
        log_die("resolver", "out of descriptors");
    loop_watch(loop, self->exchange->event_fd, ZMQ_POLLIN, on_event, self);
    return self;
}

void resolver_destroy(struct resolver **self_p)
{
    struct resolver *self = TAKE_PTR(*self_p);
    struct lookup *done, *next;
    struct entry *entry;

    if (!self)
        return;
    loop_unwatch(self->loop, self->exchange->event_fd);
    while ((entry = TAILQ_FIRST(&self->all)))
        entry_free(entry);
    pthread_mutex_lock(&self->exchange->mutex);
    close(self->exchange->event_fd);
    self->exchange->event_fd = -1;
    for (done = self->exchange->done; done; done = next) {
        next = done->next;
        free(done);
    }
    self->exchange->done = NULL;
    exchange_release(self->exchange);
    free(self);
}

void resolver_set_times(struct resolver *self, int64_t fresh_ms, int64_t stale_ms)
{
    self->fresh_ms = fresh_ms;
    self->stale_ms = stale_ms;
}

bool resolver_is_name(const char *host)
{
    uint8_t bytes[sizeof(struct in6_addr)];

    return *host != '[' && !strchr(host, ':') && inet_pton(AF_INET, host, bytes) != 1;
}

bool resolver_is_localhost(const char *host)
{
    static const char local[] = "localhost";
    size_t length = strlen(host), own = sizeof(local) - 1;

    return length >= own && strcasecmp(host + length - own, local) == 0 &&
           (length == own || host[length - own - 1] == '.');
}

static void loopback_addresses(struct resolver_addresses *ret)
{
    *ret = (struct resolver_addresses){.count = 2};
    if (address_parse("127.0.0.1", &ret->items[0]) < 0 || address_parse("::1", &ret->items[1]) < 0)
        log_die("resolver", "the loopback addresses cannot be parsed");
}

static enum resolver_state refused(const struct entry *entry, struct error *err)
{
    (void)error_retry(err, ERR_UNAVAILABLE, 1, "The host name can't be resolved.");
    (void)error_detail(err, "%s: %s", entry->host, gai_strerror(entry->failure));
    return RESOLVER_FAILED;
}

static enum resolver_state poll_entry(struct entry *entry, struct resolver_addresses *ret,
                                      struct error *err)
{
    const struct resolver *self = entry->owner;
    int64_t now_ms = clock_mono_ms(), age_ms;

    age_ms = entry->found_ms > 0 ? now_ms - entry->found_ms : INT64_MAX;
    if (age_ms >= self->fresh_ms && entry->state == ENTRY_IDLE && now_ms >= entry->failed_until_ms)
        entry_start(entry, now_ms);
    if (age_ms < self->fresh_ms ||
        (age_ms < self->stale_ms &&
         (entry->state == ENTRY_IDLE || now_ms - entry->asked_ms >= RESOLVER_STALE_WAIT_MS))) {
        *ret = entry->addresses;
        return RESOLVER_FOUND;
    }
    return entry->state == ENTRY_IDLE ? refused(entry, err) : RESOLVER_PENDING;
}

static struct entry *ask(struct resolver *self, const char *host, int64_t wanted_until_ms,
                         struct error *err)
{
    struct entry *entry;

    if (!*host || strlen(host) > RESOLVER_NAME_MAX) {
        error_set(err, ERR_UNAVAILABLE, "The host name can't be resolved.");
        error_detail(err, "a name has 1 to %d bytes", RESOLVER_NAME_MAX);
        return NULL;
    }
    entry = entry_of(self, host);
    if (entry)
        entry->wanted_until_ms = MAX(entry->wanted_until_ms, wanted_until_ms);
    else
        error_retry(err, ERR_OVERLOADED, 1,
                    "Too many host names are being resolved. Please try again.");
    return entry;
}

enum resolver_state resolver_poll(struct resolver *self, const char *host, int64_t wanted_until_ms,
                                  struct resolver_addresses *ret, struct error *err)
{
    struct entry *entry;

    if (resolver_is_localhost(host)) {
        loopback_addresses(ret);
        return RESOLVER_FOUND;
    }
    entry = ask(self, host, wanted_until_ms, err);
    return entry ? poll_entry(entry, ret, err) : RESOLVER_FAILED;
}

int resolver_resolve(struct resolver *self, const char *host, int64_t deadline_mono_ms,
                     struct resolver_addresses *ret, struct error *err)
{
    for (;;) {
        /* Look up the entry each time: another name can have evicted it. */
        enum resolver_state state = resolver_poll(self, host, deadline_mono_ms, ret, err);

        if (state != RESOLVER_PENDING)
            return state == RESOLVER_FOUND ? 0 : -1;
        switch (fiber_queue_wait(self->loop, &entry_find(self, host)->waiters, deadline_mono_ms)) {
        case FIBER_WOKEN:
            break;
        case FIBER_TIMEOUT:
            error_set(err, ERR_DEADLINE, "The service took too long to respond. Please try again.");
            return error_detail(err, "%s: no name server has answered", host);
        case FIBER_CANCELLED:
            return fiber_wake_error(FIBER_CANCELLED, err);
        }
    }
}
