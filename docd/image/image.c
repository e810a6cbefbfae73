/*
 * image.c - admits images, reserves memory and reports outcomes. A process decodes
 * (image_process.h).
 */
#include "docd/image/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/runtime/fiber_sem.h"
#include "docd/image/image_process.h"

enum {
    JOB_BYTES = 64 * 1024 * 1024, /* a job that needs no more reserves no memory */
    SLOW_JOBS = 4,                /* the slow lane has this many more decoders than the fast lane */
    SHARE = 4,                    /* a client gets 1/SHARE of the queue */
};

struct image_pool {
    struct loop *loop;
    struct image_process *process;
    struct image_scheduler *scheduler;
    bool told;               /* the log says already that libvips does not start */
    struct fiber_sem memory; /* bytes */
    uint64_t decodes;
};

struct image_pool *image_pool_new(struct loop *loop, size_t threads, size_t queue_max,
                                  int64_t memory)
{
    struct image_pool *self = memory_new(sizeof(*self));
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    /* One more than cores: a decoder waits for the loop between images. */
    size_t fast = threads > 0 ? threads : (size_t)MAX(cores, 1L) + 1;

    fast = MIN(fast, (size_t)(IMAGE_PROCESS_JOBS_MAX - SLOW_JOBS) / 2);
    self->loop = loop;
    self->process = image_process_new(loop, fast, memory);
    self->scheduler = image_scheduler_new(loop, fast, fast + SLOW_JOBS, queue_max,
                                          MAX(queue_max / SHARE, (size_t)IMAGE_CLIENT_DECODES));
    fiber_sem_init(&self->memory, loop, (size_t)memory, queue_max);
    return self;
}

void image_pool_destroy(struct image_pool **self_p)
{
    struct image_pool *self = *self_p;

    if (!self)
        return;
    image_process_destroy(&self->process);
    image_scheduler_destroy(&self->scheduler);
    free(self);
    *self_p = NULL;
}

int image_enter(struct image_pool *self, const struct request *req, struct image_turn *ret,
                bool *ret_parked, struct error *err)
{
    return image_turn_enter(self->scheduler, req, ret, ret_parked, err);
}

/* A part of the pool's memory; CLEANUP returns it. */
struct memory_reservation {
    struct image_pool *pool;
    size_t bytes;
};

static void reservation_release(struct memory_reservation *reservation)
{
    fiber_sem_release(&reservation->pool->memory, reservation->bytes);
    reservation->bytes = 0;
}

static int reservation_enlarge(struct memory_reservation *reservation, int64_t bytes,
                               int64_t deadline_mono_ms, struct error *err)
{
    struct fiber_sem *memory = &reservation->pool->memory;
    size_t wanted = MIN((size_t)bytes, memory->max);

    reservation_release(reservation);
    if (fiber_sem_acquire(memory, wanted, deadline_mono_ms, err) < 0)
        return -1;
    reservation->bytes = wanted;
    return 0;
}

const char *image_size_path(const struct image_size *size)
{
    return size->width > 0 ? "width" : "height";
}

static int judge(const struct image_job *job, struct error *err)
{
    const char *path = image_size_path(&job->size);

    switch (job->status) {
    case IMAGE_MADE:
        return 0;
    case IMAGE_NO_IMAGE:
        return error_problem(err, path, "needs a JPEG, PNG, WebP, GIF, HEIF or AVIF image");
    case IMAGE_DAMAGED:
        return error_problem(err, path, "needs an undamaged image");
    case IMAGE_TOO_LARGE:
        return error_problem(err, path, "needs an image of at most %d megapixels",
                             IMAGE_PIXELS_MAX / 1000000);
    case IMAGE_TOO_LARGE_RESULT:
        return error_problem(err, path, "would make the resized image too large");
    case IMAGE_LATE:
        return error_set(err, ERR_DEADLINE,
                         "The service took too long to respond. Please try again.");
    case IMAGE_NOT_WRITTEN:
        error_retry(err, ERR_UNAVAILABLE, 5, "The image could not be stored. Try again later.");
        return error_detail(err, "%s", strerror(job->error_number));
    case IMAGE_NO_LIBRARY: /* libvips does not start before a restart; another instance may work */
        return error_retry(err, ERR_UNAVAILABLE, 60,
                           "Images can't be resized right now. Please try again later.");
    case IMAGE_NEEDS_MORE:
        break;
    }
    return error_set(err, ERR_INTERNAL, "Internal server error");
}

static bool is_written(int to, off_t start, int64_t bytes)
{
    struct stat status;

    return fstat(to, &status) == 0 &&
           (!S_ISREG(status.st_mode) || lseek(to, 0, SEEK_CUR) - start == bytes);
}

static int run(struct image_pool *self, struct image_turn *turn, struct uuid project,
               struct image_job *job, struct error *err)
{
    if (image_turn_begin(turn, job->deadline_mono_ms, err) < 0 ||
        image_process_run(self->process, project, job, turn->large, err) < 0)
        return -1;
    image_turn_end(turn);
    if (job->status == IMAGE_NO_LIBRARY && !self->told) {
        self->told = true;
        log_event(LOG_ERR, "image", "libvips does not start: no image can be resized", NULL);
    }
    return 0;
}

/* Retries at most twice, because the file's size, and then its header, may show that the image
 * needs more memory. */
static int run_as_needed(struct image_pool *self, struct image_turn *turn, struct uuid project,
                         struct image_job *job, struct memory_reservation *reservation,
                         struct error *err)
{
    int64_t pixels = job->pixels;

    if (run(self, turn, project, job, err) < 0)
        return -1;
    while (job->status == IMAGE_NEEDS_MORE) {
        int64_t needed = job->memory;

        if (job->pixels > pixels && !turn->large) {
            image_turn_enlarge(turn, job->pixels);
            pixels = IMAGE_PIXELS_MAX;
        }
        if (needed > JOB_BYTES &&
            reservation_enlarge(reservation, needed, job->deadline_mono_ms, err) < 0)
            return -1;
        job->memory = needed;
        job->pixels = pixels;
        if (run(self, turn, project, job, err) < 0)
            return -1;
    }
    if (job->decoded && !turn->large)
        image_turn_charge(turn, job->pixels);
    return 0;
}

static int make(struct image_pool *self, struct image_turn *turn, struct uuid project,
                int64_t deadline_mono_ms, struct image_job *job, struct image_made *ret,
                struct error *err)
{
    CLEANUP(reservation_release) struct memory_reservation reservation = {.pool = self};
    off_t start = lseek(job->to, 0, SEEK_CUR);
    int result;

    job->deadline_mono_ms = image_turn_until(turn, deadline_mono_ms);
    job->memory = JOB_BYTES;
    job->pixels = image_turn_pixels(turn);
    result = run_as_needed(self, turn, project, job, &reservation, err);
    image_turn_end(turn);
    if (result < 0)
        return -1;
    self->decodes += job->decoded;
    if (job->status == IMAGE_LATE && turn->large && image_turn_over(turn))
        return image_turn_throttled(err);
    if (judge(job, err) < 0)
        return -1;
    if (!is_written(job->to, start, job->made.bytes))
        return error_set(err, ERR_INTERNAL, "Internal server error");
    *ret = job->made;
    return 0;
}

int image_make(struct image_pool *self, struct image_turn *turn, struct uuid project,
               int64_t deadline_mono_ms, int from, int to, const struct image_size *size,
               struct image_made *ret, struct error *err)
{
    struct image_job job = {.from = from, .to = to, .size = *size};

    return make(self, turn, project, deadline_mono_ms, &job, ret, err);
}

int image_make_png(struct image_pool *self, struct image_turn *turn, struct uuid project,
                   int64_t deadline_mono_ms, int from, int to, const struct image_size *size,
                   struct image_made *ret, struct error *err)
{
    struct image_job job = {.from = from, .to = to, .size = *size, .png = true};

    return make(self, turn, project, deadline_mono_ms, &job, ret, err);
}

uint64_t image_decodes(const struct image_pool *self)
{
    return self->decodes;
}

const char *image_means(const struct image_pool *self)
{
    return image_process_choice(self->process);
}

bool image_usable(const struct image_pool *self)
{
    return !self->told;
}

size_t image_waiting(const struct image_pool *self)
{
    return image_scheduler_waiting(self->scheduler) + self->memory.waiting;
}
