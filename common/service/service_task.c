/* service_task.c - a daemon's own requests and repeating tasks. */
#include "common/base/uuid.h"
#include "common/service/service_private.h"

enum { TIMEOUT_MIN_MS = 1000, TEST_PERIOD_MAX_MS = 500 };

struct task {
    struct service *service;
    const char *name;
    int64_t period_ms;
    uint64_t *failures;
    int (*fn)(void *daemon, const struct request *req, struct error *err);
    enum error_code last; /* last result */
};

struct request *service_request_new(struct service *self, int64_t timeout_ms)
{
    struct arena *arena = arena_new();
    struct request *req = arena_alloc(arena, sizeof(*req));
    struct uuid trace = uuid_random();

    *req = (struct request){
        .arena = arena,
        .service = self->definition->name,
        .trace = arena_strdup(arena, trace.text),
        .address = "",
        .userAgent = "",
        .now_ms = clock_now_ms(self->clock),
        .deadline_mono_ms = clock_mono_ms() + timeout_ms,
    };
    return req;
}

void service_request_destroy(struct request **self_p)
{
    struct arena *arena;

    if (!*self_p)
        return;
    arena = (*self_p)->arena; /* holds the request itself */
    arena_destroy(&arena);
    *self_p = NULL;
}

/* Logs only changes of the outcome: a failure that repeats every second must not fill the log. */
static void log_outcome(struct task *task, const struct request *req, const struct error *err)
{
    const struct error_kind *kind = error_kind(err->code);

    if (err->code != task->last && err->code != ERR_NONE)
        log_event(kind->level, "task", "a run failed", "task", task->name, "trace", req->trace,
                  "error", kind->wire, "message", err->message, "detail",
                  err->detail[0] != '\0' ? err->detail : NULL, "sqlstate",
                  err->sqlstate[0] != '\0' ? err->sqlstate : NULL, NULL);
    else if (err->code != task->last)
        log_event(LOG_NOTICE, "task", "runs again", "task", task->name, NULL);
    task->last = err->code;
}

static void run_once(struct task *task)
{
    CLEANUP(service_request_destroy)
    struct request *req =
        service_request_new(task->service, MAX(task->period_ms, (int64_t)TIMEOUT_MIN_MS));
    struct error err;

    error_init(&err, req->arena);
    if (task->fn(task->service, req, &err) == 0)
        error_clear(&err);
    /* A stopping service makes tasks fail. */
    if (task->service->stopping)
        return;
    *task->failures += err.code != ERR_NONE;
    log_outcome(task, req, &err);
}

static void task_fiber(void *arg)
{
    struct task *task = arg;
    struct service *self = task->service;
    enum fiber_wake wake = FIBER_TIMEOUT;

    while (wake == FIBER_TIMEOUT && !self->stopping) {
        int64_t next_ms = clock_mono_ms() + task->period_ms;

        run_once(task);
        if (!self->stopping)
            wake = fiber_queue_wait(self->loop, &self->task_pause, next_ms);
    }
    if (--self->tasks == 0)
        fiber_queue_wake_all(&self->task_end);
}

void service_every_real(struct service *self, const char *name, int64_t period_ms,
                        int (*fn)(void *daemon, const struct request *req, struct error *err))
{
    struct task *task = arena_alloc(self->arena, sizeof(*task));
    struct error err;

    *task = (struct task){.service = self, .name = name, .period_ms = period_ms, .fn = fn};
    task->failures = metrics_counter(self->metrics, "atrium_task_failures_total",
                                     arena_printf(self->arena, "task=\"%s\"", name),
                                     "Runs of periodic tasks that failed.");
    error_init(&err, NULL);
    if (fiber_start(self->loop, task_fiber, task, &err) < 0)
        log_die("task", "no fiber is left at start");
    self->tasks++;
}

void service_every(struct service *self, const char *name, int64_t period_ms,
                   int (*fn)(void *daemon, const struct request *req, struct error *err))
{
    bool test = clock_is_test(self->clock);

    service_every_real(self, name, test ? MIN(period_ms, (int64_t)TEST_PERIOD_MAX_MS) : period_ms,
                       fn);
}

void service_tasks_stop(struct service *self)
{
    fiber_queue_wake_all(&self->task_pause);
    /* Each run has a deadline; after a cancellation this lets fibers end. */
    while (self->tasks > 0)
        (void)!fiber_queue_wait(self->loop, &self->task_end, INT64_MAX);
}
