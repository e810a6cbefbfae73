/* variant.c - see variant.h. */
#include "docd/image/variant.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/memory.h"
#include "common/runtime/fiber_sem.h"
#include "common/runtime/flight.h"
#include "docd/image/variant_files.h"
#include "docd/image_api.h"

enum {
    LOOK_AGAIN_MS = 15, /* polling interval, while another process makes the variant */
    ETAG_HASH = 32,
};

struct variants {
    struct loop *loop;
    struct offload *pool;
    struct image_pool *images;
    struct store *store;
    int dir;
    char version[9]; /* hash of image_version() */
    struct flight making;
    struct fiber_sem slots;   /* fibers that make a variant */
    int64_t bytes_max, bytes; /* limit; bytes on disk, as far as known */
    int64_t image_bytes;
    bool sweeping, changed; /* changed: since the last sweep */
    int folder;             /* cursor of variants_objects() */
    struct uuid after;
    uint64_t *hits, *made, *shared, *decodes;
};

struct wanted {
    struct store_key key;
    struct image_size size;
    char name[VARIANT_NAME_SIZE];
};

/* ---- names ---- */

static void wanted_name(const struct variants *self, struct wanted *wanted)
{
    snprintf(wanted->name, sizeof(wanted->name), "%s-%dx%d-%s-%s", wanted->key.object.text,
             wanted->size.width, wanted->size.height, image_fit_names[wanted->size.fit],
             self->version);
}

/* Contains the version, because gateways cache files by handle. */
static const char *handle_of(const struct variants *self, struct arena *arena,
                             const struct wanted *wanted)
{
    return arena_printf(arena, "%s/%s/%dx%d/%s/%s", wanted->key.project.text,
                        wanted->key.object.text, wanted->size.width, wanted->size.height,
                        image_fit_names[wanted->size.fit], self->version);
}

static int fit_parse(const char *text, enum image_fit *ret)
{
    for (int i = 0; i < IMAGE_FIT_COUNT; i++) {
        if (strcmp(text, image_fit_names[i]) == 0) {
            *ret = (enum image_fit)i;
            return 0;
        }
    }
    return -1;
}

/* Rejects handles of another version, which name other bytes. */
static int handle_parse(const struct variants *self, const char *handle, struct wanted *ret)
{
    char project[37], object[37], fit[16], version[sizeof(self->version)];
    struct image_size *size = &ret->size;

    *ret = (struct wanted){0};
    if (sscanf(handle, "%36[^/]/%36[^/]/%4dx%4d/%15[^/]/%8s", project, object, &size->width,
               &size->height, fit, version) != 6 ||
        strcmp(version, self->version) != 0 || uuid_parse(project, &ret->key.project) < 0 ||
        uuid_parse(object, &ret->key.object) < 0 || fit_parse(fit, &size->fit) < 0 ||
        size->width < 0 || size->width > IMAGE_SIDE_MAX || size->height < 0 ||
        size->height > IMAGE_SIDE_MAX || size->width + size->height == 0)
        return -1;
    wanted_name(self, ret);
    return 0;
}

bool variant_is_handle(const char *handle)
{
    const char *slash = strchr(handle, '/');

    return slash && strchr(slash + 1, '/');
}

const char *variant_etag(struct arena *arena, const char *etag, const struct image_size *size)
{
    const char *text = arena_printf(arena, "%s %dx%d %s %s", etag, size->width, size->height,
                                    image_fit_names[size->fit], image_version());
    uint8_t hash[ETAG_HASH];
    char hex[2 * ETAG_HASH + 1];

    crypto_generichash(hash, sizeof(hash), (const uint8_t *)text, strlen(text), NULL, 0);
    sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
    return arena_printf(arena, "\"%s\"", hex);
}

/* ---- the disk ---- */

static int disk_error(struct error *err, int number)
{
    error_retry(err, ERR_UNAVAILABLE, 5,
                "The image can't be stored right now. Please try again later.");
    return error_detail(err, "%s", strerror(number));
}

static int run(struct variants *self, const struct request *req, void (*work)(void *job),
               struct variant_job *job, struct error *err)
{
    job->dir = self->dir;
    return offload_run(self->pool, work, job, req->deadline_mono_ms, err);
}

/* Returns a file's size on disk, at least a block. */
static int64_t bytes_of(const struct variant_head *head)
{
    return (head->size + (int64_t)sizeof(*head) + 4095) / 4096 * 4096;
}

static int sweep(struct variants *self, const struct request *req, const char *keep,
                 struct error *err)
{
    struct variant_job job = {.bytes_max = self->bytes_max, .keep = keep};

    if (self->sweeping)
        return 0;
    self->sweeping = true;
    self->changed = false;
    int result = run(self, req, variant_files_sweep, &job, err);
    self->sweeping = false;
    if (result == 0)
        self->bytes = job.bytes;
    return result;
}

/* Runs for each new variant; a failed sweep is repeated later. */
static void make_room(struct variants *self, const struct request *req, const char *keep)
{
    struct error ignored;

    error_init(&ignored, NULL);
    if (self->bytes > self->bytes_max)
        (void)sweep(self, req, keep, &ignored);
}

int variants_sweep(struct variants *self, const struct request *req, struct error *err)
{
    return self->changed ? sweep(self, req, NULL, err) : 0;
}

int variants_remove(struct variants *self, const struct request *req, struct uuid object,
                    struct error *err)
{
    struct variant_job job = {.object = object};

    if (run(self, req, variant_files_remove, &job, err) < 0)
        return -1;
    return job.error == 0 ? 0 : disk_error(err, job.error);
}

int variants_objects(struct variants *self, const struct request *req, struct uuid *ret,
                     size_t room, size_t *ret_count, struct error *err)
{
    struct variant_job job = {.folder = self->folder,
                              .page = {.after = self->after.text, .items = ret, .room = room}};

    if (run(self, req, variant_files_objects, &job, err) < 0)
        return -1;
    if (job.error != 0)
        return disk_error(err, job.error);
    *ret_count = job.page.count;
    if (job.page.more) {
        self->after = ret[room - 1];
    } else {
        self->after = (struct uuid){""};
        self->folder = (self->folder + 1) % VARIANT_FOLDERS;
    }
    return 0;
}

/* ---- making ---- */

/* Locks the new file. *ret_there: another process has made it meanwhile. */
static int begin(struct variants *self, const struct request *req, struct variant_job *job,
                 bool *ret_there, struct error *err)
{
    do {
        if (run(self, req, variant_files_begin, job, err) < 0)
            return -1;
        *ret_there = job->error == EEXIST;
        if (job->error == 0 || *ret_there)
            return 0;
        if (job->error != EAGAIN)
            return disk_error(err, job->error);
    } while (clock_mono_ms() < req->deadline_mono_ms &&
             fiber_sleep_until(self->loop, clock_mono_ms() + LOOK_AGAIN_MS, err) == 0);
    return err->code != ERR_NONE
               ? -1
               : error_set(err, ERR_DEADLINE,
                           "The service took too long to respond. Please try again.");
}

static int fill(struct variants *self, const struct request *req, const struct wanted *wanted,
                struct image_turn *turn, struct variant_job *job, struct error *err)
{
    CLEANUP(file_close_descriptor) int source = -1;
    struct image_made made;
    int result;

    if (self->store->functions->open(self->store, req, wanted->key, &source, err) < 0)
        return -1;
    result = image_make(self->images, turn, wanted->key.project, req->deadline_mono_ms, source,
                        job->file, &wanted->size, &made, err);
    *self->decodes = image_decodes(self->images);
    if (result < 0)
        return -1;
    job->head.size = made.bytes;
    snprintf(job->head.type, sizeof(job->head.type), "%s", made.contentType);
    if (run(self, req, variant_files_finish, job, err) < 0)
        return -1;
    return job->error == 0 ? 0 : disk_error(err, job->error);
}

/* Drops the new variant if the object's bytes are gone. They are removed before the object's
 * variants, so a variant finished in between would stay. */
static int check_source(struct variants *self, const struct request *req,
                        const struct wanted *wanted, struct variant_job *job, struct error *err)
{
    struct error ignored;
    uint8_t byte;
    size_t size;

    if (self->store->functions->read(self->store, req, wanted->key, 0, &byte, 1, &size, err) == 0)
        return 0;
    error_init(&ignored, NULL);
    (void)run(self, req, variant_files_drop, job, &ignored);
    return -1;
}

/* *ret_there as in begin(); otherwise job->file is the new variant. */
static int make(struct variants *self, const struct request *req, const struct wanted *wanted,
                struct image_turn *turn, struct variant_job *job, bool *ret_there,
                struct error *err)
{
    struct error ignored;

    if (begin(self, req, job, ret_there, err) < 0)
        return -1;
    if (*ret_there)
        return 0;
    if (fill(self, req, wanted, turn, job, err) < 0) {
        error_init(&ignored, NULL);
        (void)run(self, req, variant_files_abort, job, &ignored);
        return -1;
    }
    ++*self->made;
    self->changed = true;
    self->bytes += bytes_of(&job->head);
    return check_source(self, req, wanted, job, err);
}

/* ---- equal requests ---- */

/* Makes the variant for all waiters; *ret_there as in begin(). */
static int make_for_all(struct variants *self, const struct request *req,
                        const struct wanted *wanted, struct image_turn *turn,
                        struct variant_job *job, bool *ret_there, struct error *err)
{
    struct flight_call making;
    int result;

    /* Before a file is opened: rejects what the pool cannot take. */
    if (fiber_sem_acquire(&self->slots, 1, 0, err) < 0)
        return -1;
    flight_lead(&self->making, wanted->name, &making);
    result = make(self, req, wanted, turn, job, ret_there, err);
    fiber_sem_release(&self->slots, 1);
    /* A validation error applies to all waiters; otherwise the next one tries. */
    if (result < 0 && err->code == ERR_VALIDATION)
        flight_end(&making, -1, err);
    else
        flight_end(&making, 0, NULL);
    return result;
}

/* ---- getting ---- */

static int read_kept(struct variants *self, const struct request *req, struct variant_job *job,
                     struct error *err)
{
    job->dir = self->dir;
    job->error = 0;
    if (variant_files_read_cached(job))
        return 0;
    if (run(self, req, variant_files_read, job, err) < 0)
        return -1;
    return job->error == 0 || job->error == ENOENT ? 0 : disk_error(err, job->error);
}

static int get(struct variants *self, const struct request *req, const struct wanted *wanted,
               struct variant_job *job, struct error *err)
{
    CLEANUP(image_turn_leave) struct image_turn turn = {0};
    size_t room = job->count;
    struct flight_call *making;
    bool there = true, first = true, parked;

    job->name = wanted->name;
    job->file = -1;
    while (clock_mono_ms() < req->deadline_mono_ms) {
        job->count = room;
        if (read_kept(self, req, job, err) < 0)
            return -1;
        if (job->error == 0) {
            *self->hits += first;
            return 0;
        }
        first = false;
        making = flight_find(&self->making, wanted->name);
        if (making) {
            ++*self->shared;
            if (flight_wait(making, req->deadline_mono_ms, err) < 0)
                return -1;
            continue;
        }
        if (!turn.scheduler) {
            if (image_enter(self->images, req, &turn, &parked, err) < 0)
                return -1;
            if (parked) /* another request may have made it */
                continue;
        }
        if (make_for_all(self, req, wanted, &turn, job, &there, err) < 0)
            return -1;
        if (!there)
            break;
    }
    if (there)
        return error_set(err, ERR_DEADLINE,
                         "The service took too long to respond. Please try again.");
    /* Reads the open file: if the cache is full, a sweep may have removed its name. */
    job->count = room;
    if (run(self, req, variant_files_read, job, err) < 0)
        return -1;
    if (job->error != 0)
        return disk_error(err, job->error);
    make_room(self, req, wanted->name);
    return 0;
}

int variant_get(struct variants *self, const struct request *req, struct store_key key,
                int64_t bytes, const struct image_size *size, struct variant *ret,
                struct error *err)
{
    struct wanted wanted = {.key = key, .size = *size};
    struct variant_job job = {.target = arena_alloc_raw(req->arena, CONTENT_INLINE_MAX),
                              .count = CONTENT_INLINE_MAX};

    if (bytes > self->image_bytes)
        return error_problem(err, image_size_path(size), "needs a file of at most %lld bytes",
                             (long long)self->image_bytes);
    wanted_name(self, &wanted);
    int result = get(self, req, &wanted, &job, err);
    file_close_descriptor(&job.file);
    if (result < 0)
        return -1;
    *ret = (struct variant){.contentType = arena_strdup(req->arena, job.head.type),
                            .size = job.head.size,
                            .handle = handle_of(self, req->arena, &wanted)};
    if (job.head.size <= CONTENT_INLINE_MAX)
        ret->bytes = (struct field_bytes){job.target, job.count};
    return 0;
}

int variant_read(struct variants *self, const struct request *req, const char *handle,
                 int64_t offset, void *bytes, size_t size, size_t *ret_size, struct error *err)
{
    struct variant_job job = {.target = bytes, .count = size, .offset = offset};
    struct wanted wanted;

    if (handle_parse(self, handle, &wanted) < 0)
        return error_set(err, ERR_BAD_REQUEST, "File not found.");
    int result = get(self, req, &wanted, &job, err);
    file_close_descriptor(&job.file);
    *ret_size = job.count;
    return result;
}

/* ---- start and end ---- */

static void open_counters(struct variants *self, struct metrics *m)
{
    static const char name[] = "atrium_doc_variants_total", help[] = "Requests for resized images.";

    self->hits = metrics_counter(m, name, "result=\"kept\"", help);
    self->made = metrics_counter(m, name, "result=\"made\"", help);
    self->shared = metrics_counter(m, name, "result=\"waited\"", help);
    self->decodes =
        metrics_counter(m, "atrium_doc_image_decodes_total", "", "Images that were decoded.");
}

static int64_t read_bytes(void *self)
{
    return ((struct variants *)self)->bytes;
}

static int64_t read_unusable(void *self)
{
    return !image_usable(((struct variants *)self)->images);
}

static int64_t read_waiting(void *self)
{
    return (int64_t)image_waiting(((struct variants *)self)->images);
}

struct variants *variants_new(struct loop *loop, struct metrics *metrics, struct offload *pool,
                              struct store *store, const struct variants_options *options,
                              struct error *err)
{
    struct variants *self = memory_new(sizeof(*self));
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint8_t hash[crypto_generichash_BYTES_MIN];

    *self = (struct variants){.loop = loop,
                              .pool = pool,
                              .store = store,
                              .dir = variant_files_open(options->dir),
                              .bytes_max = options->bytes_max,
                              .image_bytes = options->image_bytes,
                              .changed = true};
    if (self->dir < 0) {
        (void)error_set(err, ERR_INTERNAL, "%s: %s", options->dir, strerror(errno));
        free(self);
        return NULL;
    }
    self->images =
        image_pool_new(loop, options->image_threads, options->image_queue, options->image_memory);
    fiber_sem_init(&self->slots, loop,
                   options->image_queue + (options->image_threads > 0 ? options->image_threads
                                                                      : (size_t)MAX(cores, 1L)),
                   0);
    crypto_generichash(hash, sizeof(hash), (const uint8_t *)image_version(),
                       strlen(image_version()), NULL, 0);
    sodium_bin2hex(self->version, sizeof(self->version), hash, 4);
    flight_init(&self->making, loop);
    open_counters(self, metrics);
    metrics_gauge(metrics, "atrium_doc_variant_bytes", "Disk space used by resized images.",
                  read_bytes, self);
    metrics_gauge(metrics, "atrium_doc_image_waiting", "Images that wait to be decoded.",
                  read_waiting, self);
    metrics_gauge(metrics, "atrium_doc_images_unusable",
                  "1 if libvips did not start, so no image is resized.", read_unusable, self);
    return self;
}

const char *variants_means(const struct variants *self)
{
    return image_means(self->images);
}

void variants_destroy(struct variants **self_p)
{
    struct variants *self = *self_p;

    if (!self)
        return;
    image_pool_destroy(&self->images);
    file_close_descriptor(&self->dir);
    free(self);
    *self_p = NULL;
}

/* ---- images that are not objects ---- */

static int memory_file(const struct field_bytes *bytes, int *ret, struct error *err)
{
    size_t size = bytes ? bytes->size : 0;

    *ret = memfd_create("image", MFD_CLOEXEC);
    if (*ret < 0 || (size > 0 && pwrite(*ret, bytes->bytes, size, 0) != (ssize_t)size))
        return disk_error(err, errno);
    return 0;
}

int variant_make_png(struct variants *self, const struct request *req, struct uuid project,
                     const struct field_bytes *from, const struct image_size *size, size_t room,
                     struct field_bytes *ret, struct error *err)
{
    CLEANUP(file_close_descriptor) int source = -1;
    CLEANUP(file_close_descriptor) int target = -1;
    CLEANUP(image_turn_leave) struct image_turn turn = {.scheduler = NULL};
    struct image_made made;
    bool parked = false;
    uint8_t *bytes;
    int result;

    if (memory_file(from, &source, err) < 0 || memory_file(NULL, &target, err) < 0 ||
        image_enter(self->images, req, &turn, &parked, err) < 0)
        return -1;
    result = image_make_png(self->images, &turn, project, req->deadline_mono_ms, source, target,
                            size, &made, err);
    *self->decodes = image_decodes(self->images);
    if (result < 0)
        return -1;
    bytes = arena_alloc_raw(req->arena, (size_t)made.bytes);
    if ((size_t)made.bytes > room || pread(target, bytes, (size_t)made.bytes, 0) != made.bytes)
        return error_set(err, ERR_INTERNAL, "Internal server error");
    *ret = (struct field_bytes){bytes, (size_t)made.bytes};
    return 0;
}
