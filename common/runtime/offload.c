/*
 * offload.c - a bounded pool of threads, see offload.h.
 *
 * A job is on its waiting fiber's stack. The mutex guards both lists and all jobs' states. A thread
 * moves its job to the done list and writes to the eventfd, and the loop wakes the fiber.
 */
#include "common/runtime/offload.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/runtime/fiber.h"

enum { NICE_STEP = 5, RETRY_AFTER_S = 1 };

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_DONE, JOB_COLLECTED };

struct job {
    void (*work)(void *arg);
    void *arg;
    struct fiber *fiber;
    enum job_state state;
    struct job *next;
};

struct job_list {
    struct job *head;
    struct job **tail; /* undefined while empty */
};

struct offload {
    struct loop *loop;
    int event_fd;
    size_t thread_max, thread_count, queue_max;
    int nice_step;
    pthread_t *threads;
    pthread_mutex_t mutex;
    pthread_cond_t work_there, job_done;
    struct job_list waiting, done;
    atomic_size_t waiting_count, running_count;
    bool stopping;
};

static void list_append(struct job_list *list, struct job *job)
{
    if (!list->head)
        list->tail = &list->head;
    job->next = NULL;
    *list->tail = job;
    list->tail = &job->next;
}

static void list_remove(struct job_list *list, const struct job *job)
{
    struct job **link = &list->head;

    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    if (!*link)
        list->tail = link;
}

/* Runs the first job, without the mutex during the work. */
static void run_first(struct offload *self)
{
    struct job *job = self->waiting.head;
    bool poke;

    list_remove(&self->waiting, job);
    job->state = JOB_RUNNING;
    self->waiting_count--;
    self->running_count++;
    pthread_mutex_unlock(&self->mutex);
    job->work(job->arg);
    pthread_mutex_lock(&self->mutex);
    self->running_count--;
    job->state = JOB_DONE;
    poke = !self->done.head; /* otherwise the loop was notified and has not run yet */
    list_append(&self->done, job);
    pthread_cond_broadcast(&self->job_done);
    if (poke)
        (void)eventfd_write(self->event_fd, 1);
}

static void *thread_main(void *arg)
{
    struct offload *self = arg;
    id_t thread = (id_t)gettid();

    pthread_setname_np(pthread_self(), "offload");
    /* Linux has a nice value per thread. */
    (void)setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + self->nice_step);
    pthread_mutex_lock(&self->mutex);
    while (!self->stopping)
        if (!self->waiting.head)
            pthread_cond_wait(&self->work_there, &self->mutex);
        else
            run_first(self);
    pthread_mutex_unlock(&self->mutex);
    return NULL;
}

/* Starts as many threads as possible. If there is no memory for a stack, the next job retries. */
static void start_threads(struct offload *self)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while (self->thread_count < self->thread_max &&
           pthread_create(&self->threads[self->thread_count], NULL, thread_main, self) == 0)
        self->thread_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void collect_done(void *arg, short revents UNUSED)
{
    struct offload *self = arg;
    eventfd_t ignored;

    (void)eventfd_read(self->event_fd, &ignored);
    pthread_mutex_lock(&self->mutex);
    while (self->done.head) {
        struct job *job = self->done.head;

        list_remove(&self->done, job);
        job->state = JOB_COLLECTED;
        fiber_wake(job->fiber);
    }
    pthread_mutex_unlock(&self->mutex);
}

struct offload *offload_new(struct loop *loop, size_t threads, size_t queue_max)
{
    struct offload *self = memory_new(sizeof(*self));
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    self->loop = loop;
    self->thread_max = threads > 0 ? threads : (size_t)MAX(cores, 1L);
    self->queue_max = queue_max;
    self->nice_step = NICE_STEP;
    self->threads = memory_array(self->thread_max, sizeof(*self->threads));
    self->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (self->event_fd < 0)
        log_die("offload", "out of descriptors");
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->work_there, NULL);
    pthread_cond_init(&self->job_done, NULL);
    loop_watch(loop, self->event_fd, ZMQ_POLLIN, collect_done, self);
    return self;
}

void offload_set_nice(struct offload *self, int step)
{
    assert(self->thread_count == 0);
    self->nice_step = step;
}

void offload_destroy(struct offload **self_p)
{
    struct offload *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    pthread_mutex_lock(&self->mutex);
    assert(!self->waiting.head && self->running_count == 0);
    self->stopping = true;
    pthread_cond_broadcast(&self->work_there);
    pthread_mutex_unlock(&self->mutex);
    for (size_t i = 0; i < self->thread_count; i++)
        pthread_join(self->threads[i], NULL);
    loop_unwatch(self->loop, self->event_fd);
    close(self->event_fd);
    pthread_cond_destroy(&self->job_done);
    pthread_cond_destroy(&self->work_there);
    pthread_mutex_destroy(&self->mutex);
    free(self->threads);
    free(self);
}

/* Requires the mutex. True if the job ended or its fiber gave up. */
static bool settle(struct offload *self, struct job *job, enum fiber_wake wake)
{
    if (job->state == JOB_WAITING && wake != FIBER_WOKEN) {
        list_remove(&self->waiting, job);
        self->waiting_count--;
        return true;
    }
    /* During a shutdown, parking does not wait. But the job is on this stack, so block the loop
     * until the job ends. */
    while (job->state == JOB_RUNNING && wake == FIBER_CANCELLED)
        pthread_cond_wait(&self->job_done, &self->mutex);
    if (job->state == JOB_DONE)
        list_remove(&self->done, job);
    return job->state == JOB_DONE || job->state == JOB_COLLECTED;
}

static int enqueue(struct offload *self, struct job *job, struct error *err)
{
    if (self->thread_count < self->thread_max)
        start_threads(self);
    pthread_mutex_lock(&self->mutex);
    if (self->thread_count == 0 || self->waiting_count >= self->queue_max) {
        pthread_mutex_unlock(&self->mutex);
        return error_retry(err, ERR_OVERLOADED, RETRY_AFTER_S,
                           "The service is busy. Try again in a moment.");
    }
    list_append(&self->waiting, job);
    self->waiting_count++;
    pthread_cond_signal(&self->work_there);
    pthread_mutex_unlock(&self->mutex);
    return 0;
}

int offload_run(struct offload *self, void (*work)(void *arg), void *arg, int64_t deadline_mono_ms,
                struct error *err)
{
    struct job job = {.work = work, .arg = arg, .fiber = fiber_self(self->loop)};
    enum fiber_wake wake;
    bool over;

    if (enqueue(self, &job, err) < 0)
        return -1;
    do {
        wake = fiber_park(self->loop, deadline_mono_ms);
        pthread_mutex_lock(&self->mutex);
        over = settle(self, &job, wake);
        pthread_mutex_unlock(&self->mutex);
        deadline_mono_ms = INT64_MAX; /* a running job cannot be stopped */
    } while (!over);
    if (job.state != JOB_WAITING)
        return 0;
    if (wake == FIBER_CANCELLED)
        return fiber_wake_error(FIBER_CANCELLED, err);
    return error_set(err, ERR_DEADLINE, "The service took too long to respond. Please try again.");
}

size_t offload_waiting(const struct offload *self)
{
    return atomic_load(&self->waiting_count);
}

size_t offload_running(const struct offload *self)
{
    return atomic_load(&self->running_count);
}
