/*
 * image.c - the pool that makes images: who may run, who waits, what is said to the client.
 */
#include "docd/image.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/fiber.h"
#include "common/log.h"
#include "common/offload.h"
#include "docd/image_vips.h"

enum { JOB_BYTES = 64 * 1024 * 1024 }; /* of each job that runs, without asking */

struct image_pool {
    struct loop *loop;
    struct offload *offload;
    pthread_mutex_t starting;
    enum { NOT_STARTED, STARTED, NOT_USABLE } vips; /* costs a megabyte: with the first image */
    bool told;                                      /* that it is not usable, in the log */
    size_t queue_max;
    int64_t memory, memory_free;
    struct fiber_queue memory_queue;
    uint64_t decodes;
};

struct image_pool *image_pool_new(struct loop *loop, size_t threads, size_t queue_max,
                                  int64_t memory)
{
    struct image_pool *self = calloc(1, sizeof *self);

    if (self == NULL)
        log_die("image", "out of memory");
    image_vips_prepare();
    (void)pthread_mutex_init(&self->starting, NULL);
    self->loop = loop;
    self->offload = offload_new(loop, threads, queue_max);
    self->queue_max = queue_max;
    self->memory = self->memory_free = memory;
    return self;
}

void image_pool_destroy(struct image_pool **self_p)
{
    struct image_pool *self = *self_p;

    if (self == NULL)
        return;
    offload_destroy(&self->offload);
    (void)pthread_mutex_destroy(&self->starting);
    free(self);
    *self_p = NULL;
}

/* ---- memory ---- */

/* Bytes taken from the pool's; CLEANUP gives them back. */
struct loan {
    struct image_pool *pool;
    int64_t bytes;
};

static void loan_return(struct loan *loan)
{
    if (loan->bytes == 0)
        return;
    loan->pool->memory_free += loan->bytes;
    loan->bytes = 0;
    fiber_queue_wake_all(&loan->pool->memory_queue);
}

/* Waits for so many bytes, or for all that there are. */
static int loan_take(struct loan *loan, int64_t bytes, int64_t deadline_mono_ms, struct error *err)
{
    struct image_pool *pool = loan->pool;

    loan_return(loan);
    bytes = MIN(bytes, pool->memory);
    while (pool->memory_free < bytes) {
        if (pool->memory_queue.length >= pool->queue_max)
            return error_retry(err, ERR_OVERLOADED, 1,
                               "The service is busy. Try again in a moment.");
        switch (fiber_queue_wait(pool->loop, &pool->memory_queue, deadline_mono_ms)) {
        case FIBER_WOKEN:
            break;
        case FIBER_TIMEOUT:
            return error_set(err, ERR_DEADLINE, "The service took too long to answer.");
        case FIBER_CANCELLED:
            return error_retry(err, ERR_UNAVAILABLE, 1, "The service is stopping.");
        }
    }
    pool->memory_free -= bytes;
    loan->bytes = bytes;
    return 0;
}

/* ---- a job ---- */

const char *image_size_path(const struct image_size *size)
{
    return size->width > 0 ? "width" : "height";
}

static int judge(const struct image_job *job, struct error *err)
{
    const char *path = image_size_path(&job->size);

    switch (job->verdict) {
    case IMAGE_MADE:
        return 0;
    case IMAGE_NO_IMAGE:
        return error_problem(err, path, "needs a JPEG, PNG, WebP, GIF, HEIF or AVIF image");
    case IMAGE_DAMAGED:
        return error_problem(err, path, "needs an image that is not damaged");
    case IMAGE_TOO_LARGE:
        return error_problem(err, path, "needs an image of at most %d megapixels",
                             IMAGE_PIXELS_MAX / 1000000);
    case IMAGE_TOO_LARGE_RESULT:
        return error_problem(err, path, "would make too large an image of this one");
    case IMAGE_LATE:
        return error_set(err, ERR_DEADLINE, "The service took too long to answer.");
    case IMAGE_NOT_WRITTEN:
        error_retry(err, ERR_UNAVAILABLE, 5, "The image could not be stored. Try again later.");
        return error_detail(err, "%s", strerror(job->error_number));
    case IMAGE_NO_LIBRARY: /* until this instance is started anew; another one may do better */
        return error_retry(err, ERR_UNAVAILABLE, 60, "Images cannot be resized now.");
    case IMAGE_NEEDS_MEMORY:
        break;
    }
    return error_set(err, ERR_INTERNAL, "Internal server error");
}

struct run {
    struct image_pool *pool;
    struct image_job *job;
};

static bool vips_is_usable(struct image_pool *self)
{
    bool usable;

    (void)pthread_mutex_lock(&self->starting);
    if (self->vips == NOT_STARTED)
        self->vips = image_vips_start() ? STARTED : NOT_USABLE;
    usable = self->vips == STARTED;
    (void)pthread_mutex_unlock(&self->starting);
    return usable;
}

/* On a thread of the pool. */
static void run_work(void *arg)
{
    const struct run *run = arg;

    if (vips_is_usable(run->pool))
        image_vips_run(run->job);
    else
        run->job->verdict = IMAGE_NO_LIBRARY;
}

static int run(struct image_pool *self, struct image_job *job, struct error *err)
{
    if (offload_run(self->offload, run_work, &(struct run){self, job}, job->deadline_mono_ms, err) <
        0)
        return -1;
    if (job->verdict == IMAGE_NO_LIBRARY && !self->told) {
        self->told = true;
        log_event(LOG_ERR, "image", "libvips does not start: no image is resized", NULL);
    }
    return 0;
}

int image_make(struct image_pool *self, int64_t deadline_mono_ms, int from, int to,
               const struct image_size *size, struct image_made *ret, struct error *err)
{
    CLEANUP(loan_return) struct loan loan = {.pool = self};
    struct image_job job = {.from = from,
                            .to = to,
                            .size = *size,
                            .deadline_mono_ms = deadline_mono_ms,
                            .memory = JOB_BYTES};

    if (run(self, &job, err) < 0)
        return -1;
    /* What it needs shows in two looks at most: at the size of the file, and at its header. */
    while (job.verdict == IMAGE_NEEDS_MEMORY) {
        int64_t needed = job.memory;

        if (loan_take(&loan, needed, deadline_mono_ms, err) < 0)
            return -1;
        job.memory = needed;
        if (run(self, &job, err) < 0)
            return -1;
    }
    self->decodes += job.decoded;
    if (judge(&job, err) < 0)
        return -1;
    *ret = job.made;
    return 0;
}

uint64_t image_decodes(const struct image_pool *self)
{
    return self->decodes;
}

bool image_usable(const struct image_pool *self)
{
    return !self->told;
}

size_t image_waiting(const struct image_pool *self)
{
    return offload_waiting(self->offload) + self->memory_queue.length;
}
