/* image_process.c - docd's side of the process that decodes images; see image_process.h. */
#include "docd/image/image_process.h"

#include <czmq.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/runtime/confine.h"
#include "common/runtime/fiber.h"

enum {
    GRACE_MS = 1500,   /* after a job's deadline, before the process is killed */
    REST_MS = 30000,   /* an idle decoder ends after this time */
    ORDERS_MAX = 1000, /* images, then a decoder is replaced */
    AGAIN_MS = 1000,   /* pause after a failed start */
    PROCESSES = 8 * IMAGE_PROCESS_JOBS_MAX,
    FILE_MAX = 512 * 1024 * 1024, /* bytes of a result: 100 megapixels, hardly compressed */
    MEMORY_BASE = 256 * 1024 * 1024,
    MEMORY_SHARE = 2,
};

struct decoder {
    LIST_ENTRY(decoder) entry;
    int socket;
    struct uuid project;
    bool idle;
    int orders;
    int64_t rested_ms;
};

struct life {
    LIST_ENTRY(life) entry;
    struct image_process *owner;
    struct confined confined;
    int hire;
    bool answered;
};

struct image_process {
    struct loop *loop;
    struct confine *confine;
    int program; /* descriptor of this program */
    int64_t memory;
    enum confine_means means;
    bool tried;           /* `means` worked at the start */
    bool known;           /* `means` worked for an image */
    struct life *current; /* the run that takes orders; NULL: none */
    LIST_HEAD(, life) lives;
    LIST_HEAD(, decoder) resting; /* newest first */
    size_t resting_count, resting_max;
    struct loop_timer *dismissal;
    int64_t not_before_ms;
};

static const enum confine_means means_in_order[] = {CONFINE_KERNEL, CONFINE_BUBBLEWRAP,
                                                    CONFINE_BUBBLEWRAP_BARE};

/* Chooses the first means that works in a trial; a timeout counts as working. If none works, each
 * image tries the first again. */
static void choose_means(struct image_process *self)
{
    for (size_t i = 0; i < ARRAY_SIZE(means_in_order); i++) {
        struct error err;

        error_init(&err, NULL);
        if (confine_try(self->confine, means_in_order[i], &err) == 0 || err.code == ERR_DEADLINE) {
            self->means = means_in_order[i];
            self->tried = true;
            return;
        }
    }
}

struct image_process *image_process_new(struct loop *loop, size_t resting_max, int64_t memory)
{
    struct image_process *self = memory_new(sizeof(*self));

    self->loop = loop;
    self->memory = memory;
    self->means = means_in_order[0];
    self->confine = confine_new();
    choose_means(self);
    self->program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    LIST_INIT(&self->lives);
    LIST_INIT(&self->resting);
    self->resting_max = resting_max;
    return self;
}

const char *image_process_choice(const struct image_process *self)
{
    return self->tried || self->known ? confine_means_names[self->means] : NULL;
}

/* ---- runs of the process ---- */

static void life_end(struct life *life, bool killed)
{
    struct image_process *self = life->owner;

    int status;

    loop_unwatch(self->loop, life->confined.pidfd);
    status = confine_reap(self->confine, &life->confined);
    if (!killed)
        log_detail(LOG_WARNING, "image", "the process that decodes images has ended",
                   "status %d, confined by %s", status, confine_means_names[self->means]);
    file_close_descriptor(&life->hire);
    LIST_REMOVE(life, entry);
    if (self->current == life)
        self->current = NULL;
    free(life);
}

static void try_next_means(struct image_process *self)
{
    for (size_t i = 0; i + 1 < ARRAY_SIZE(means_in_order); i++) {
        if (means_in_order[i] == self->means) {
            self->means = means_in_order[i + 1];
            return;
        }
    }
    self->means = means_in_order[0];
}

static void on_end(void *arg, short revents UNUSED)
{
    struct life *life = arg;
    struct image_process *self = life->owner;

    if (!life->answered) {
        self->not_before_ms = clock_mono_ms() + AGAIN_MS;
        if (!self->known)
            try_next_means(self);
    }
    life_end(life, false);
}

static int begin(struct image_process *self, int socket, struct confined *ret, struct error *err)
{
    static const char *const argv[] = {"atrium-docd", "--decode-images", NULL};
#ifdef __SANITIZE_ADDRESS__
    const int errors = STDERR_FILENO;
#else
    const int errors = -1;
#endif
    const struct confine_program program = {
        .fd = self->program, .argv = argv, .in = socket, .out = -1, .err = errors};
    const struct confine_rules rules = {
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer's shadow memory counts */
        .memory = MEMORY_BASE + MEMORY_SHARE * self->memory,
#endif
        .processes = PROCESSES,
        .file_size = FILE_MAX,
    };

    for (size_t i = 0; i < ARRAY_SIZE(means_in_order); i++) {
        if (confine_start(self->confine, self->means, &rules, &program, ret, err) == 0)
            return 0;
        if (self->known)
            return -1;
        try_next_means(self);
    }
    return -1;
}

static int unusable(struct error *err, const char *detail)
{
    char why[sizeof(err->detail)];

    snprintf(why, sizeof(why), "%s", detail);
    error_clear(err);
    error_retry(err, ERR_UNAVAILABLE, 1, "Images can't be resized right now. Please try again.");
    return error_detail(err, "%s", why);
}

static int life_begin(struct image_process *self, struct error *err)
{
    CLEANUP(file_close_descriptor) int ours = -1;
    CLEANUP(file_close_descriptor) int theirs = -1;
    struct life *life;
    int ends[2];

    if (clock_mono_ms() < self->not_before_ms)
        return unusable(err, "the process that decodes images does not start");
    self->not_before_ms = clock_mono_ms() + AGAIN_MS; /* cleared when it starts */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return unusable(err, strerror(errno));
    ours = ends[0];
    theirs = ends[1];
    life = memory_new(sizeof(*life));
    if (begin(self, theirs, &life->confined, err) < 0) {
        free(life);
        return unusable(err, err->detail[0] ? err->detail : err->message);
    }
    self->not_before_ms = 0;
    life->owner = self;
    life->hire = ours;
    ours = -1;
    LIST_INSERT_HEAD(&self->lives, life, entry);
    loop_watch(self->loop, life->confined.pidfd, ZMQ_POLLIN, on_end, life);
    self->current = life;
    return 0;
}

/* ---- decoders ---- */

static void decoder_end(struct decoder *decoder)
{
    close(decoder->socket);
    free(decoder);
}

static void dismiss(struct image_process *self, struct decoder *decoder)
{
    LIST_REMOVE(decoder, entry);
    self->resting_count--;
    decoder_end(decoder);
}

/* Returns an idle decoder of this project and lane; ends others to make room. */
static struct decoder *find(struct image_process *self, struct uuid project, bool idle)
{
    struct decoder *each;

    LIST_FOREACH(each, &self->resting, entry)
    {
        if (each->idle != idle || !uuid_equal(&each->project, &project))
            continue;
        LIST_REMOVE(each, entry);
        self->resting_count--;
        return each;
    }
    return NULL;
}

static struct decoder *last_resting(const struct image_process *self)
{
    struct decoder *each, *last = NULL;

    LIST_FOREACH(each, &self->resting, entry) last = each;
    return last;
}

static void on_dismissal(void *arg)
{
    struct image_process *self = arg;
    int64_t now_ms = clock_mono_ms();
    struct decoder *last;

    self->dismissal = NULL;
    while ((last = last_resting(self)) && last->rested_ms + REST_MS <= now_ms)
        dismiss(self, last);
    if (last)
        self->dismissal = loop_at(self->loop, last->rested_ms + REST_MS, on_dismissal, self);
}

static void rest(struct image_process *self, struct decoder *decoder)
{
    if (decoder->orders >= ORDERS_MAX) {
        decoder_end(decoder);
        return;
    }
    while (self->resting_count >= self->resting_max)
        dismiss(self, last_resting(self));
    decoder->rested_ms = clock_mono_ms();
    LIST_INSERT_HEAD(&self->resting, decoder, entry);
    self->resting_count++;
    if (!self->dismissal)
        self->dismissal = loop_at(self->loop, decoder->rested_ms + REST_MS, on_dismissal, self);
}

void image_process_destroy(struct image_process **self_p)
{
    struct image_process *self = *self_p;
    struct life *life;

    if (!self)
        return;
    loop_cancel(self->loop, &self->dismissal);
    while (self->resting_count > 0)
        dismiss(self, LIST_FIRST(&self->resting));
    while ((life = LIST_FIRST(&self->lives))) {
        confine_kill(&life->confined);
        life_end(life, true);
    }
    confine_destroy(&self->confine);
    file_close_descriptor(&self->program);
    free(self);
    *self_p = NULL;
}

/* ---- messages ---- */

static int send_files(int socket, const void *text, size_t size, const int *files, size_t count)
{
    char room[CMSG_SPACE(2 * sizeof(*files))] __attribute__((aligned(8)));
    struct iovec place = {(void *)(uintptr_t)text, size};
    struct msghdr message = {.msg_iov = &place,
                             .msg_iovlen = 1,
                             .msg_control = room,
                             .msg_controllen = CMSG_SPACE(count * sizeof(*files))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    memset(room, 0, sizeof(room));
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(*files));
    memcpy(CMSG_DATA(header), files, count * sizeof(*files));
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -1 : 0;
}

static int hire(struct image_process *self, struct uuid project, bool idle, struct decoder **ret,
                struct error *err)
{
    CLEANUP(file_close_descriptor) int theirs = -1;
    struct image_hire text;
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return unusable(err, strerror(errno));
    theirs = ends[1];
    *ret = memory_new(sizeof(**ret));
    **ret = (struct decoder){.socket = ends[0], .project = project, .idle = idle};
    memset(&text, 0, sizeof(text));
    text.idle = idle;
    for (int i = 0; i < 2; i++) {
        if (!self->current && life_begin(self, err) < 0)
            break;
        if (send_files(self->current->hire, &text, sizeof(text), &theirs, 1) == 0)
            return 0;
        (void)unusable(err, strerror(errno));
        self->current = NULL; /* takes no more orders; its pidfd reports the end later */
    }
    decoder_end(*ret);
    return -1;
}

/* Starts a new decoder if the idle one has died. */
static int hand_over(struct image_process *self, struct uuid project, bool idle,
                     const struct image_job *job, struct decoder **ret, struct error *err)
{
    const int files[] = {job->from, job->to};
    struct image_order order;

    memset(&order, 0, sizeof(order));
    order.size = job->size;
    order.deadline_mono_ms = job->deadline_mono_ms;
    order.memory = job->memory;
    order.pixels = job->pixels;
    order.png = job->png;
    while ((*ret = find(self, project, idle))) {
        if (send_files((*ret)->socket, &order, sizeof(order), files, ARRAY_SIZE(files)) == 0)
            return 0;
        decoder_end(*ret);
    }
    if (hire(self, project, idle, ret, err) < 0)
        return -1;
    if (send_files((*ret)->socket, &order, sizeof(order), files, ARRAY_SIZE(files)) == 0)
        return 0;
    decoder_end(*ret);
    return unusable(err, "a decoder does not start");
}

/* ---- a job ---- */

struct call {
    struct loop *loop;
    struct fiber *fiber;
    int socket;
    struct image_report report;
    bool reported, over;
};

static void on_report(void *arg, short revents UNUSED)
{
    struct call *call = arg;
    ssize_t size = recv(call->socket, &call->report, sizeof(call->report), MSG_DONTWAIT);

    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    call->reported = size == (ssize_t)sizeof(call->report);
    call->over = true;
    loop_unwatch(call->loop, call->socket);
    fiber_wake(call->fiber);
}

/* The process has read untrusted bytes, so its report is validated. */
static int take_report(struct image_job *job, const struct image_report *report, struct error *err)
{
    if (report->status < 0 || report->status > IMAGE_NO_LIBRARY || report->type < 0 ||
        report->type > 2 || report->bytes < 0 || report->bytes > FILE_MAX || report->memory < 0 ||
        report->pixels < 0 || report->pixels > INT32_MAX * (int64_t)INT32_MAX)
        return unusable(err, "a decoder talks nonsense");
    job->status = (enum image_status)report->status;
    job->error_number = report->error_number;
    job->decoded = report->decoded != 0;
    job->memory = report->memory;
    job->pixels = report->pixels;
    job->made = (struct image_made){image_types[report->type], report->width, report->height,
                                    report->bytes};
    return 0;
}

static int await(struct image_process *self, struct call *call, const struct life *life,
                 struct image_job *job, struct error *err)
{
    enum fiber_wake wake = FIBER_WOKEN;

    while (!call->over && wake == FIBER_WOKEN)
        wake = fiber_park(self->loop, job->deadline_mono_ms + GRACE_MS);
    if (!call->over)
        loop_unwatch(self->loop, call->socket);
    if (wake == FIBER_CANCELLED && !call->over)
        return fiber_wake_error(FIBER_CANCELLED, err);
    if (!call->over && life && self->current == life) {
        confine_kill(&life->confined); /* a decoder that does not end takes all others with it */
        self->current = NULL;
    }
    if (call->reported)
        return take_report(job, &call->report, err);
    if (clock_mono_ms() < job->deadline_mono_ms)
        return unusable(err, "the decoder died");
    job->status = IMAGE_LATE;
    return 0;
}

int image_process_run(struct image_process *self, struct uuid project, struct image_job *job,
                      bool idle, struct error *err)
{
    struct call call = {.loop = self->loop, .fiber = fiber_self(self->loop)};
    struct decoder *decoder;
    int result;

    if (hand_over(self, project, idle, job, &decoder, err) < 0)
        return -1;
    call.socket = decoder->socket;
    loop_watch(self->loop, call.socket, ZMQ_POLLIN, on_report, &call);
    result = await(self, &call, self->current, job, err);
    if (call.reported && self->current)
        self->known = self->current->answered = true;
    decoder->orders++;
    if (result == 0 && call.reported)
        rest(self, decoder);
    else
        decoder_end(decoder);
    return result;
}
