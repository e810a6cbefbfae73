/*
 * store_local.c - objects as files; see store.h.
 *
 *     DIR/incoming/<id>   being written
 *     DIR/<xx>/<id>       complete: xx are the first two digits of the id
 *
 * A file is synced before its rename, and its folder after, so a readable file is complete even
 * after a power cut. Everything except cached reads runs on a pool, because the file system can
 * stall.
 */
#include "docd/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/descriptors.h"
#include "common/base/file.h"
#include "common/base/memory.h"
#include "common/domain/uri.h"
#include "common/runtime/offload.h"
#include "docd/store/id_page.h"
#include "docd/store/page_cache.h"
#include "docd/store/post_policy.h"

enum {
    IO_THREADS = 16, /* many syncs share one flush of the disk */
    IO_QUEUE_MAX = 2048,
    FOLDERS = 256,
    PATH_SIZE = 64,
    WRITE_BACK = 8 * 1024 * 1024,
    HASH_SIZE = crypto_generichash_BYTES,
    HASH_BLOCK = 64 * 1024,
    FORM_LONGEST_MS = HOURS(2), /* forms are valid for an hour */
};

struct store_local {
    struct store store; /* must be first */
    struct offload *pool;
    int dir;
    struct store_local_options options;
    char secrets[SEAL_KEYS_MAX][2 * SEAL_KEY_SIZE + 1];
    struct sigv4_signer signers[SEAL_KEYS_MAX]; /* one per seal key */
};

struct job {
    int (*work)(struct job *job);
    const struct store_local *self;
    struct uuid object;
    int64_t offset, size;
    const uint8_t *source;
    uint8_t *target;
    size_t count; /* in: size; out: bytes read */
    char *etag;
    const char *hash; /* expected hash */
    int64_t have;
    int file;
    int error; /* errno */
};

enum { ETAG_SIZE = 2 * HASH_SIZE + 3 };

static void path_incoming(const struct job *job, char path[static PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "incoming/%s", job->object.text);
}

static void path_complete(const struct job *job, char path[static PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%.2s/%s", job->object.text, job->object.text);
}

static int open_complete(const struct job *job)
{
    char path[PATH_SIZE];

    path_complete(job, path);
    return openat(job->self->dir, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

static void do_work(void *arg)
{
    struct job *job = arg;

    job->error = job->work(job) < 0 ? errno : 0;
}

static int run(struct store_local *self, const struct request *req, int (*work)(struct job *job),
               struct job *job, const char *what, struct error *err)
{
    job->self = self;
    job->work = work;
    if (offload_run(self->pool, do_work, job, req->deadline_mono_ms, err) < 0)
        return -1;
    if (job->error == 0)
        return 0;
    if (job->error == ENOENT)
        return error_set(err, ERR_NOT_FOUND, "File not found.");
    (void)error_set(err,
                    job->error == ENOSPC || job->error == EDQUOT || job->error == EFBIG ||
                            descriptors_exhausted(job->error)
                        ? ERR_UNAVAILABLE
                        : ERR_INTERNAL,
                    "The file can't be stored right now. Please try again later.");
    return error_detail(err, "%s %s: %s", what, job->object.text, strerror(job->error));
}

/* ---- on the pool ---- */

static int sync_folder_of(const struct job *job)
{
    return file_sync_folder(job->self->dir,
                            (char[]){job->object.text[0], job->object.text[1], '\0'});
}

static int open_incoming(const struct job *job, int flags)
{
    char path[PATH_SIZE];

    path_incoming(job, path);
    return openat(job->self->dir, path, O_CLOEXEC | O_NOFOLLOW | flags, 0600);
}

static int begin_file(struct job *job)
{
    CLEANUP(file_close_descriptor) int file = open_incoming(job, O_WRONLY | O_CREAT);

    return file < 0 ? -1 : 0;
}

static int write_file(struct job *job)
{
    CLEANUP(file_close_descriptor) int file = open_incoming(job, O_WRONLY);
    int64_t end = job->offset + (int64_t)job->count;

    if (file < 0 || file_write_all(file, job->source, job->count, job->offset) < 0)
        return -1;
    /* Starts to write to disk early, so that the final sync is short. */
    if (end / WRITE_BACK > job->offset / WRITE_BACK)
        (void)sync_file_range(file, end / WRITE_BACK * WRITE_BACK - WRITE_BACK, WRITE_BACK,
                              SYNC_FILE_RANGE_WRITE);
    return 0;
}

/* Hashes the file once it is complete, because writes came in any order. */
static int hash_file(int file, struct job *job)
{
    crypto_generichash_state state;
    uint8_t hash[HASH_SIZE], block[HASH_BLOCK];
    int64_t done = 0;
    ssize_t count;

    crypto_generichash_init(&state, NULL, 0, sizeof(hash));
    while ((count = pread(file, block, sizeof(block), done)) != 0) {
        if (count < 0)
            return -1;
        if (done == 0) {
            job->count = MIN((size_t)count, job->count);
            memcpy(job->target, block, job->count);
        }
        crypto_generichash_update(&state, block, (size_t)count);
        done += count;
    }
    crypto_generichash_final(&state, hash, sizeof(hash));
    job->etag[0] = '"';
    sodium_bin2hex(job->etag + 1, ETAG_SIZE - 1, hash, sizeof(hash));
    strcat(job->etag, "\"");
    if (done == job->size)
        return 0;
    errno = EBADMSG;
    return -1;
}

static int finish_file(struct job *job)
{
    char from[PATH_SIZE], to[PATH_SIZE];

    path_incoming(job, from);
    path_complete(job, to);
    CLEANUP(file_close_descriptor) int file = open_incoming(job, O_RDWR);
    if (file < 0 && errno == ENOENT) { /* an earlier request finished it; the response was lost */
        file = open_complete(job);
        return file < 0 || hash_file(file, job) < 0 ? -1 : sync_folder_of(job);
    }
    if (file < 0 || hash_file(file, job) < 0 || fsync(file) < 0)
        return -1;
    if (renameat(job->self->dir, from, job->self->dir, to) < 0)
        return -1;
    return sync_folder_of(job);
}

/* ---- files of other installations ---- */

/* Locks a file that several requests write and that must not change after the hash. -1, ENOENT: it
 * was finished or removed. */
static int lock_incoming(const struct job *job, const char *path, int flags)
{
    struct stat mine, there;
    int file = open_incoming(job, O_RDWR | flags);

    if (file < 0)
        return -1;
    while (flock(file, LOCK_EX) < 0) {
        if (errno != EINTR) {
            close(file);
            return -1;
        }
    }
    if (fstat(file, &mine) == 0 &&
        fstatat(job->self->dir, path, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
        mine.st_ino == there.st_ino && mine.st_dev == there.st_dev)
        return file;
    close(file);
    errno = ENOENT;
    return -1;
}

static int append_file(struct job *job)
{
    char incoming[PATH_SIZE], complete[PATH_SIZE];
    struct stat status;

    path_incoming(job, incoming);
    path_complete(job, complete);
    CLEANUP(file_close_descriptor)
    int file = lock_incoming(job, incoming, job->offset == 0 ? O_CREAT : 0);
    if (file < 0 && errno != ENOENT)
        return -1;
    if (faccessat(job->self->dir, complete, F_OK, 0) == 0) {
        job->have = job->size;
        return file < 0 ? 0 : unlinkat(job->self->dir, incoming, 0);
    }
    if (file < 0)
        return 0;
    if (fstat(file, &status) < 0)
        return -1;
    job->have = status.st_size;
    if (job->offset > job->have)
        return 0;
    if (file_write_all(file, job->source, job->count, job->offset) < 0)
        return -1;
    job->have = MAX(job->have, job->offset + (int64_t)job->count);
    return 0;
}

static bool has_hash(const struct job *job)
{
    return strncmp(job->etag + 1, job->hash, strlen(job->hash)) == 0;
}

static int keep_file(struct job *job)
{
    char incoming[PATH_SIZE], complete[PATH_SIZE];

    path_incoming(job, incoming);
    path_complete(job, complete);
    CLEANUP(file_close_descriptor) int file = lock_incoming(job, incoming, 0);
    if (file < 0)
        return -1;
    if (hash_file(file, job) < 0 || !has_hash(job)) {
        (void)unlinkat(job->self->dir, incoming, 0);
        errno = EBADMSG;
        return -1;
    }
    if (fsync(file) < 0 || renameat(job->self->dir, incoming, job->self->dir, complete) < 0)
        return -1;
    return sync_folder_of(job);
}

/* Checks a file that was finished already: without being recorded, or by another transfer. */
static int keep_again(struct job *job)
{
    CLEANUP(file_close_descriptor) int file = open_complete(job);

    if (file < 0 || hash_file(file, job) < 0)
        return -1;
    if (has_hash(job))
        return sync_folder_of(job);
    errno = EBADMSG;
    return -1;
}

static int keep(struct job *job)
{
    return keep_file(job) < 0 && (errno != ENOENT || keep_again(job) < 0) ? -1 : 0;
}

static int read_file(struct job *job)
{
    CLEANUP(file_close_descriptor) int file = open_complete(job);
    ssize_t count = file < 0 ? -1 : file_read_all(file, job->target, job->count, job->offset);

    job->count = (size_t)MAX(count, 0);
    return count < 0 ? -1 : 0;
}

static int open_file(struct job *job)
{
    job->file = open_complete(job);
    return job->file < 0 ? -1 : 0;
}

static int check_file(struct job *job)
{
    CLEANUP(file_close_descriptor) int file = open_complete(job);
    struct stat status;

    if (file < 0 || fstat(file, &status) < 0)
        return -1;
    job->size = status.st_size;
    return job->etag ? hash_file(file, job) : 0;
}

struct listing {
    struct job job; /* must be first */
    const char *folder;
    struct id_page page;
};

static int list_files(struct job *job)
{
    struct listing *self = (struct listing *)job;
    int folder = openat(self->job.self->dir, self->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error;
    DIR *dir = folder < 0 ? NULL : fdopendir(folder);
    const struct dirent *entry;
    struct uuid id;

    if (!dir) {
        file_close_descriptor(&folder);
        return -1;
    }
    while ((errno = 0, entry = readdir(dir))) {
        if (uuid_parse(entry->d_name, &id) == 0)
            id_page_add(&self->page, id);
    }
    error = errno;
    closedir(dir);
    errno = error;
    return error ? -1 : 0;
}

/* Ignores missing files. */
static int unlink_error(int dir, const char *path)
{
    return unlinkat(dir, path, 0) < 0 && errno != ENOENT ? errno : 0;
}

/* Continues after a failure; reports the first. */
static int remove_file(struct job *job)
{
    char incoming[PATH_SIZE], complete[PATH_SIZE];
    int errors[3];

    path_incoming(job, incoming);
    path_complete(job, complete);
    errors[0] = unlink_error(job->self->dir, incoming);
    errors[1] = unlink_error(job->self->dir, complete);
    errors[2] = sync_folder_of(job) < 0 ? errno : 0;
    errno = errors[0] ? errors[0] : errors[1] ? errors[1] : errors[2];
    return errno ? -1 : 0;
}

/* ---- the store's functions ---- */

static struct store_local *local(struct store *store)
{
    return (struct store_local *)store;
}

/* Ignores a host that a URL cannot contain. */
static const char *base_url(const struct store_local *self, const struct request *req,
                            const char *host, const char *scheme)
{
    bool secure = scheme && strcmp(scheme, "https") == 0;
    const char *url;

    if (self->options.public_url)
        return self->options.public_url;
    url = arena_printf(req->arena, "http%s://%s", secure ? "s" : "", host ? host : "");
    return uri_is_origin(url) ? url : NULL;
}

static int local_form(struct store *store, const struct request *req, const struct store_form *form,
                      struct store_form_made *ret, struct error *err)
{
    const struct store_local *self = local(store);
    const char *base = base_url(self, req, form->host, form->scheme);
    struct post_policy policy = {
        .bucket = self->options.bucket,
        .key = arena_printf(req->arena, "%s/%s", form->key.project.text, form->key.object.text),
        .content_type = form->content_type,
        .size_max = form->size_max,
        .expires_ms = form->expires_ms,
    };

    if (!base)
        return error_set(err, ERR_BAD_REQUEST, "The request names no host.");
    ret->url = arena_printf(req->arena, "%s/storage/%s", base, self->options.bucket);
    ret->fields = post_policy_sign(&self->signers[0], &policy, req->now_ms, req->arena);
    return 0;
}

static int local_accept(struct store *store, const struct request *req, const char *bucket,
                        const struct form *form, struct store_form *ret, struct error *err)
{
    const struct store_local *self = local(store);
    size_t keys = seal_keys_hashing(self->options.seal, req->now_ms, FORM_LONGEST_MS);
    struct post_policy policy;
    int result = -1;

    for (size_t i = 0; i < keys && result < 0; i++) {
        error_clear(err);
        result = post_policy_check(&self->signers[i], &form->fields, bucket, req->now_ms,
                                   req->arena, &policy, err);
    }
    if (result < 0)
        return -1;
    *ret = (struct store_form){.content_type = policy.content_type,
                               .size_max = policy.size_max,
                               .expires_ms = policy.expires_ms};
    if (store_key_read(policy.key, &ret->key) < 0)
        return error_set(err, ERR_INTERNAL, "A form that was signed here names no object.");
    return 0;
}

static int local_begin(struct store *store, const struct request *req, struct store_key key,
                       struct error *err)
{
    struct job job = {.object = key.object};

    return run(local(store), req, begin_file, &job, "begin", err);
}

static int local_write(struct store *store, const struct request *req, struct store_key key,
                       int64_t offset, struct field_bytes bytes, struct error *err)
{
    struct job job = {
        .object = key.object, .offset = offset, .source = bytes.bytes, .count = bytes.size};

    return run(local(store), req, write_file, &job, "write", err);
}

/* Works as keep() if `hash` is set, otherwise as finish(). */
static int finish_object(struct store *store, const struct request *req, struct store_key key,
                         int64_t size, const char *hash, struct stored *ret, struct error *err)
{
    struct job job = {.object = key.object,
                      .size = size,
                      .hash = hash,
                      .target = arena_alloc(req->arena, STORE_HEAD_MAX),
                      .count = STORE_HEAD_MAX,
                      .etag = arena_alloc(req->arena, ETAG_SIZE)};

    if (run(local(store), req, hash ? keep : finish_file, &job, hash ? "keep" : "finish", err) < 0)
        return job.error == EBADMSG ? error_set(err, ERR_BAD_REQUEST, "The file did not arrive %s.",
                                                hash ? "as it was sent" : "as a whole")
                                    : -1;
    *ret = (struct stored){size, job.etag, {job.target, size > 0 ? job.count : 0}};
    return 0;
}

static int local_finish(struct store *store, const struct request *req, struct store_key key,
                        int64_t size, struct stored *ret, struct error *err)
{
    return finish_object(store, req, key, size, NULL, ret, err);
}

static int local_append(struct store *store, const struct request *req, struct store_key key,
                        int64_t offset, struct field_bytes bytes, int64_t size, int64_t *ret_have,
                        struct error *err)
{
    struct job job = {.object = key.object,
                      .offset = offset,
                      .size = size,
                      .source = bytes.bytes,
                      .count = bytes.size};

    if (run(local(store), req, append_file, &job, "append", err) < 0)
        return -1;
    *ret_have = job.have;
    return 0;
}

/* Reads bytes that are cached in memory; -1 if they are not. */
static ssize_t read_cached(const struct store_local *self, const struct job *job)
{
    struct iovec place = {job->target, job->count};
    char path[PATH_SIZE];

    path_complete(job, path);
    CLEANUP(file_close_descriptor) int file = page_cache_open(self->dir, path);
    return file < 0 ? -1 : page_cache_read(file, &place, 1, job->offset);
}

static int stat_cached(const struct store_local *self, const struct job *job, struct stat *ret)
{
    char path[PATH_SIZE];

    path_complete(job, path);
    CLEANUP(file_close_descriptor) int file = page_cache_open(self->dir, path);
    return file < 0 ? -1 : fstat(file, ret);
}

static int local_read(struct store *store, const struct request *req, struct store_key key,
                      int64_t offset, void *bytes, size_t size, size_t *ret_size, struct error *err)
{
    struct job job = {.object = key.object, .offset = offset, .target = bytes, .count = size};
    ssize_t cached = read_cached(local(store), &job);

    if (cached == (ssize_t)size) {
        *ret_size = size;
        return 0;
    }
    if (run(local(store), req, read_file, &job, "read", err) < 0)
        return -1;
    *ret_size = job.count;
    return 0;
}

static int local_open(struct store *store, const struct request *req, struct store_key key,
                      int *ret_file, struct error *err)
{
    struct job job = {.object = key.object};

    if (run(local(store), req, open_file, &job, "open", err) < 0)
        return -1;
    *ret_file = job.file;
    return 0;
}

static int local_open_cached(struct store *store, struct store_key key, int64_t size)
{
    struct job job = {.object = key.object};
    struct stat status;
    char path[PATH_SIZE];
    int file;

    path_complete(&job, path);
    file = page_cache_open(local(store)->dir, path);
    if (file < 0)
        return -1;
    if (fstat(file, &status) == 0 && status.st_size == size && page_cache_has(file, (size_t)size))
        return file;
    close(file);
    return -1;
}

static int local_check(struct store *store, const struct request *req, struct store_key key,
                       bool hash, int64_t *ret_size, const char **ret_etag, struct error *err)
{
    uint8_t head[1];
    struct stat status;
    struct job job = {.object = key.object,
                      .target = head,
                      .count = sizeof(head),
                      .etag = hash ? arena_alloc(req->arena, ETAG_SIZE) : NULL};

    if (!hash && stat_cached(local(store), &job, &status) == 0) {
        *ret_size = status.st_size;
        *ret_etag = NULL;
        return 0;
    }
    if (run(local(store), req, check_file, &job, "check", err) < 0)
        return -1;
    *ret_size = job.size;
    *ret_etag = job.etag;
    return 0;
}

/* Returns a folder's name, "incoming" last; the cursor is "<folder>/<id>". */
static const char *folder_name(const struct request *req, int number)
{
    return number < FOLDERS ? arena_printf(req->arena, "%02x", (unsigned)number) : "incoming";
}

static int local_objects(struct store *store, const struct request *req, const char **cursor,
                         struct store_key *ret, size_t room, size_t *ret_count, struct error *err)
{
    const char *slash = *cursor ? strchr(*cursor, '/') : NULL;
    int number = slash ? (int)strtol(*cursor, NULL, 16) : 0;
    struct listing listing = {
        .page = {.after = slash ? slash + 1 : "",
                 .items = arena_calloc(req->arena, room, sizeof(*listing.page.items)),
                 .room = room}};

    if (slash && strncmp(*cursor, "incoming/", strlen("incoming/")) == 0)
        number = FOLDERS;
    if ((*cursor && !slash) || number < 0 || number > FOLDERS)
        return error_set(err, ERR_BAD_REQUEST, "The cursor is not in this store.");
    listing.folder = folder_name(req, number);
    if (run(local(store), req, list_files, &listing.job, "list", err) < 0)
        return -1;
    *ret_count = listing.page.count;
    for (size_t i = 0; i < listing.page.count; i++)
        ret[i] = (struct store_key){.object = listing.page.items[i]};
    *cursor = NULL;
    if (listing.page.more)
        *cursor = arena_printf(req->arena, "%s/%s", listing.folder, ret[room - 1].object.text);
    else if (number < FOLDERS)
        *cursor = arena_printf(req->arena, "%s/", folder_name(req, number + 1));
    return 0;
}

static int local_remove(struct store *store, const struct request *req, struct store_key key,
                        struct error *err)
{
    struct job job = {.object = key.object};

    return run(local(store), req, remove_file, &job, "remove", err);
}

static void local_destroy(struct store *store)
{
    struct store_local *self = local(store);

    offload_destroy(&self->pool);
    file_close_descriptor(&self->dir);
    sodium_memzero(self->secrets, sizeof(self->secrets));
    free(self);
}

static const struct store_functions functions = {
    .form = local_form,
    .accept = local_accept,
    .begin = local_begin,
    .write = local_write,
    .finish = local_finish,
    .append = local_append,
    .keep = finish_object,
    .read = local_read,
    .open = local_open,
    .open_cached = local_open_cached,
    .check = local_check,
    .objects = local_objects,
    .remove = local_remove,
    .destroy = local_destroy,
};

/* ---- start ---- */

/* Creates the folder ff last: it shows that all exist. */
static int make_folders(int dir)
{
    char name[16];

    if (faccessat(dir, "ff", F_OK, 0) == 0)
        return 0;
    if (mkdirat(dir, "incoming", 0700) < 0 && errno != EEXIST)
        return -1;
    for (int i = 0; i < FOLDERS; i++) {
        snprintf(name, sizeof(name), "%02x", (unsigned)i);
        if (mkdirat(dir, name, 0700) < 0 && errno != EEXIST)
            return -1;
    }
    return fsync(dir);
}

static void make_signers(struct store_local *self)
{
    const struct seal_keys *keys = self->options.seal;
    uint8_t key[SEAL_KEY_SIZE];

    for (size_t i = 0; i < keys->count; i++) {
        secret_derive(&keys->items[i].secret, "upload form", key);
        sodium_bin2hex(self->secrets[i], sizeof(self->secrets[i]), key, sizeof(key));
        self->signers[i] = (struct sigv4_signer){"atrium", self->secrets[i], "local"};
    }
    sodium_memzero(key, sizeof(key));
}

struct store *store_local_new(struct loop *loop, const struct store_local_options *options,
                              struct error *err)
{
    struct store_local *self = memory_new(sizeof(*self));

    self->store.functions = &functions;
    self->pool = offload_new(loop, IO_THREADS, IO_QUEUE_MAX);
    self->options = *options;
    make_signers(self);
    if (mkdir(options->dir, 0700) < 0 && errno != EEXIST)
        self->dir = -1;
    else
        self->dir = open(options->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (self->dir >= 0 && make_folders(self->dir) == 0)
        return &self->store;
    (void)error_set(err, ERR_INTERNAL, "%s: %s", options->dir, strerror(errno));
    local_destroy(&self->store);
    return NULL;
}
