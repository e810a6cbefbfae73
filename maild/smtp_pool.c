/*
 * smtp_pool.c - see smtp_pool.h. The mutex protects the lists and every job. A job belongs to its
 * fiber and its thread; the last one frees it. A thread wakes a fiber through `news` and the
 * eventfd.
 */
#include "maild/smtp_pool.h"

#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "common/base/memory.h"

enum {
    IDLE_MS = 5000,  /* keeps an unused connection */
    LOOK_MS = 1000,  /* between a fiber's checks */
    GRACE_MS = 1500, /* to notice a deadline; libcurl checks once a second */
};

enum job_state {
    JOB_WAITING, /* in `waiting` */
    JOB_RUNNING,
    JOB_ASKING,  /* waiting for the gate's answer */
    JOB_GRANTED, /* the server may now have the text */
    JOB_DENIED,
    JOB_DONE,
};

struct job {
    struct job *next_waiting, *next_news;
    struct smtp_pool *pool;
    struct fiber *fiber;
    enum job_state state;
    bool in_news, abandoned; /* abandoned: the fiber has left */
    bool check;              /* runs smtp_session_check() */
    int64_t deadline_mono_ms;
    struct mail mail; /* the job owns its texts */
    struct smtp_result result;
};

struct smtp_pool {
    struct loop *loop;
    const struct smtp_server *server; /* under the mutex */
    int event_fd;
    pthread_t *threads;
    size_t thread_max, thread_count, idle_count, ended_count;
    size_t waiting_count;
    pthread_mutex_t mutex;
    pthread_cond_t work_there, answered, thread_ended;
    struct job *waiting, **waiting_end, *news;
    enum smtp_pool_cancel cancel;
    bool stopping;
};

static void lock(struct smtp_pool *self)
{
    pthread_mutex_lock(&self->mutex);
}

static void unlock(struct smtp_pool *self)
{
    pthread_mutex_unlock(&self->mutex);
}

/* ---- jobs ---- */

static void free_text(const char *text)
{
    free((char *)(uintptr_t)text);
}

static struct job *job_new(struct smtp_pool *pool, const struct mail *mail,
                           int64_t deadline_mono_ms)
{
    struct job *self = memory_new(sizeof(*self));

    self->pool = pool;
    self->fiber = fiber_self(pool->loop);
    self->deadline_mono_ms = deadline_mono_ms;
    self->check = !mail;
    if (mail) {
        self->mail = *mail;
        self->mail.from = memory_text(mail->from);
        self->mail.to = memory_text(mail->to);
        self->mail.text = memory_text(mail->text);
    }
    return self;
}

/* Frees a job and erases its text, which may contain a one-time link. */
static void job_free(struct job *self)
{
    if (self->mail.text)
        secret_wipe_text(self->mail.text);
    free_text(self->mail.from);
    free_text(self->mail.to);
    free_text(self->mail.text);
    free(self);
}

/* Needs the mutex. */
static void put_waiting(struct smtp_pool *self, struct job *job)
{
    *self->waiting_end = job;
    self->waiting_end = &job->next_waiting;
    self->waiting_count++;
    pthread_cond_signal(&self->work_there);
}

static void take_waiting(struct smtp_pool *self, const struct job *job)
{
    struct job **link = &self->waiting;

    while (*link != job)
        link = &(*link)->next_waiting;
    *link = job->next_waiting;
    if (!*link)
        self->waiting_end = link;
    self->waiting_count--;
}

static void put_news(struct smtp_pool *self, struct job *job)
{
    if (job->in_news || job->abandoned)
        return;
    job->in_news = true;
    job->next_news = self->news;
    self->news = job;
    (void)eventfd_write(self->event_fd, 1);
}

static void take_news(struct smtp_pool *self, struct job *job)
{
    struct job **link = &self->news;

    if (!job->in_news)
        return;
    while (*link != job)
        link = &(*link)->next_news;
    *link = job->next_news;
    job->in_news = false;
}

/* ---- on a thread ---- */

static bool on_is_cancelled(void *arg)
{
    struct job *job = arg;
    struct smtp_pool *pool = job->pool;
    bool cancelled;

    lock(pool);
    cancelled = job->abandoned || pool->stopping || pool->cancel == SMTP_POOL_CANCEL_ALL ||
                (pool->cancel == SMTP_POOL_CANCEL_EARLY && job->state != JOB_GRANTED);
    unlock(pool);
    return cancelled;
}

static bool on_hand_over(void *arg)
{
    struct job *job = arg;
    struct smtp_pool *pool = job->pool;
    bool granted;

    lock(pool);
    job->state = JOB_ASKING;
    put_news(pool, job);
    while (job->state == JOB_ASKING && !job->abandoned)
        pthread_cond_wait(&pool->answered, &pool->mutex);
    granted = job->state == JOB_GRANTED && !job->abandoned;
    unlock(pool);
    return granted;
}

/* Needs the mutex; releases it while working. */
static void run_first(struct smtp_pool *self, struct smtp_session *session)
{
    struct job *job = self->waiting;
    const struct smtp_hooks hooks = {on_hand_over, on_is_cancelled, job};
    CLEANUP(smtp_server_unref) const struct smtp_server *server = smtp_server_ref(self->server);
    struct smtp_result result;
    bool last;

    take_waiting(self, job);
    job->state = JOB_RUNNING;
    unlock(self);
    if (job->check)
        smtp_session_check(server, job->deadline_mono_ms, &hooks, &result);
    else
        smtp_session_send(session, server, &job->mail, job->deadline_mono_ms, &hooks, &result);
    lock(self);
    job->result = result;
    job->state = JOB_DONE;
    put_news(self, job);
    last = job->abandoned;
    if (last)
        job_free(job);
    unlock(self);
    smtp_session_rest(session, false);
    lock(self);
}

/* Needs the mutex. Closes an idle connection. */
static void wait_for_work(struct smtp_pool *self, struct smtp_session *session)
{
    struct timespec until;
    int code = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += IDLE_MS / 1000;
    self->idle_count++;
    while (!self->waiting && !self->stopping && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&self->work_there, &self->mutex, &until);
    self->idle_count--;
    if (self->waiting || self->stopping)
        return;
    unlock(self);
    smtp_session_rest(session, true);
    lock(self);
    self->idle_count++;
    while (!self->waiting && !self->stopping)
        pthread_cond_wait(&self->work_there, &self->mutex);
    self->idle_count--;
}

static void *thread_main(void *arg)
{
    struct smtp_pool *self = arg;
    struct smtp_session *session = smtp_session_new();

    pthread_setname_np(pthread_self(), "smtp");
    lock(self);
    while (!self->stopping) {
        if (self->waiting)
            run_first(self, session);
        else
            wait_for_work(self, session);
    }
    unlock(self);
    smtp_session_destroy(&session);
    lock(self);
    self->ended_count++;
    pthread_cond_broadcast(&self->thread_ended);
    unlock(self);
    return NULL;
}

/* Needs the mutex. Starts a thread if more jobs wait than threads are idle. */
static void start_thread(struct smtp_pool *self)
{
    sigset_t all, before;

    if (self->idle_count >= self->waiting_count || self->thread_count == self->thread_max)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (pthread_create(&self->threads[self->thread_count], NULL, thread_main, self) == 0)
        self->thread_count++;
    else if (self->thread_count == 0)
        log_die("mail", "cannot start a thread");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- on the loop ---- */

static void on_news(void *arg, short revents UNUSED)
{
    struct smtp_pool *self = arg;
    eventfd_t ignored;

    (void)eventfd_read(self->event_fd, &ignored);
    lock(self);
    while (self->news) {
        struct job *job = self->news;

        take_news(self, job);
        fiber_wake(job->fiber);
    }
    unlock(self);
}

/* Asks without the mutex: the gate parks. */
static void answer(struct smtp_pool *self, struct job *job, const struct transport_gate *gate)
{
    bool granted;

    assert(gate); /* jobs without a gate never ask */

    unlock(self);
    granted = gate->open(gate->arg);
    lock(self);
    job->state = granted ? JOB_GRANTED : JOB_DENIED;
    pthread_cond_broadcast(&self->answered);
}

/* Needs the mutex. The fiber leaves its job; the outcome is unknown. */
static void abandon(struct smtp_pool *self, struct job *job, struct smtp_result *ret)
{
    *ret = (struct smtp_result){.outcome = job->state == JOB_GRANTED ? TRANSPORT_UNKNOWN
                                                                     : TRANSPORT_UNREACHED};
    snprintf(ret->reason, sizeof(ret->reason), "smtp: no answer in time");
    take_news(self, job);
    job->abandoned = true;
    pthread_cond_broadcast(&self->answered);
    if (job->state != JOB_WAITING)
        return;
    take_waiting(self, job);
    job_free(job);
}

static void run(struct smtp_pool *self, struct job *job, const struct transport_gate *gate,
                struct smtp_result *ret)
{
    int64_t until = job->deadline_mono_ms + GRACE_MS;
    enum fiber_wake wake = FIBER_WOKEN;

    lock(self);
    put_waiting(self, job);
    start_thread(self);
    while (job->state != JOB_DONE && wake != FIBER_CANCELLED && clock_mono_ms() < until &&
           self->cancel != SMTP_POOL_CANCEL_ALL) {
        unlock(self);
        wake = fiber_park(self->loop, MIN(until, clock_mono_ms() + LOOK_MS));
        lock(self);
        if (job->state == JOB_ASKING && wake != FIBER_CANCELLED)
            answer(self, job, gate);
    }
    if (job->state == JOB_DONE) {
        *ret = job->result;
        take_news(self, job);
        job_free(job);
    } else {
        abandon(self, job, ret);
    }
    unlock(self);
}

void smtp_pool_send(struct smtp_pool *self, const struct mail *mail, int64_t deadline_mono_ms,
                    const struct transport_gate *gate, struct smtp_result *ret)
{
    run(self, job_new(self, mail, deadline_mono_ms), gate, ret);
}

void smtp_pool_check(struct smtp_pool *self, int64_t deadline_mono_ms, struct smtp_result *ret)
{
    run(self, job_new(self, NULL, deadline_mono_ms - GRACE_MS), NULL, ret);
}

void smtp_pool_use(struct smtp_pool *self, const struct smtp_server *server)
{
    const struct smtp_server *former;

    lock(self);
    former = self->server;
    self->server = smtp_server_ref(server);
    unlock(self);
    smtp_server_unref(&former);
}

void smtp_pool_cancel(struct smtp_pool *self, enum smtp_pool_cancel which)
{
    lock(self);
    self->cancel = which;
    unlock(self);
}

/* ---- the pool ---- */

struct smtp_pool *smtp_pool_new(struct loop *loop, const struct smtp_server *server, size_t mails)
{
    struct smtp_pool *self = calloc(1, sizeof(*self));
    pthread_condattr_t monotonic;

    if (!self || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        log_die("mail", "cannot start libcurl");
    self->loop = loop;
    self->server = smtp_server_ref(server);
    self->thread_max = mails + 1;
    self->threads = calloc(self->thread_max, sizeof(*self->threads));
    self->waiting_end = &self->waiting;
    self->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (!self->threads || self->event_fd < 0)
        log_die("mail", "out of memory or descriptors");
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->work_there, &monotonic);
    pthread_cond_init(&self->answered, NULL);
    pthread_cond_init(&self->thread_ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    loop_watch(loop, self->event_fd, ZMQ_POLLIN, on_news, self);
    return self;
}

/* Needs the mutex. */
static bool wait_for_threads(struct smtp_pool *self, int64_t wait_ms)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += wait_ms / 1000;
    while (self->ended_count < self->thread_count)
        if (pthread_cond_timedwait(&self->thread_ended, &self->mutex, &until) == ETIMEDOUT)
            break;
    return self->ended_count == self->thread_count;
}

bool smtp_pool_destroy(struct smtp_pool **self_p, int64_t wait_ms)
{
    struct smtp_pool *self = TAKE_PTR(*self_p);
    bool ended;

    if (!self)
        return true;
    loop_unwatch(self->loop, self->event_fd);
    lock(self);
    self->stopping = true;
    pthread_cond_broadcast(&self->work_there);
    pthread_cond_broadcast(&self->answered);
    ended = wait_for_threads(self, wait_ms);
    unlock(self);
    if (!ended)
        return false;
    for (size_t i = 0; i < self->thread_count; i++)
        pthread_join(self->threads[i], NULL);
    close(self->event_fd);
    pthread_cond_destroy(&self->work_there);
    pthread_cond_destroy(&self->answered);
    pthread_cond_destroy(&self->thread_ended);
    pthread_mutex_destroy(&self->mutex);
    smtp_server_unref(&self->server);
    free(self->threads);
    free(self);
    curl_global_cleanup();
    return true;
}
