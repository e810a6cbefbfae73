/*
 * kept.c - see kept.h.  Used by download.c.
 */
#include "gateway/transfer/kept.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "common/base/cache.h"
#include "common/base/log.h"
#include "common/domain/content.h"

struct kept {
    TAILQ_ENTRY(kept) entry;
    struct kept_files *files;
    struct cache_key key;
    char handle[CONTENT_HANDLE_MAX + 1];
    uint8_t *bytes; /* NULL: the file was seen once */
    size_t size, holders;
    uint64_t noted_at; /* of files->noted */
    int64_t used_mono_ms;
    bool forgotten; /* it goes with its last holder */
};

struct kept_files {
    struct cache *targets;
    TAILQ_HEAD(kept_list, kept) used; /* the latest first */
    size_t size;                      /* bytes of all, the forgotten ones too */
    uint64_t noted;                   /* bytes that came from the daemon, ever */
};

static struct cache_key key_of(const struct kept_files *self, const struct target *target)
{
    return cache_key_of(self->targets, (const char *const[]){target->path, target->query}, 2);
}

static void free_unless_held(struct kept *self)
{
    if (!self->forgotten || self->holders > 0)
        return;
    self->files->size -= self->bytes ? self->size : 0;
    free(self->bytes);
    free(self);
}

static void on_drop(void *value)
{
    struct kept *self = value;

    TAILQ_REMOVE(&self->files->used, self, entry);
    self->forgotten = true;
    free_unless_held(self);
}

struct kept_files *kept_files_new(void)
{
    struct kept_files *self = calloc(1, sizeof(*self));

    if (!self)
        log_die("kept", "out of memory");
    self->targets = cache_new(KEPT_TARGETS_MAX, on_drop);
    TAILQ_INIT(&self->used);
    return self;
}

void kept_files_destroy(struct kept_files **self_p)
{
    if (!*self_p)
        return;
    cache_destroy(&(*self_p)->targets);
    free(*self_p);
    *self_p = NULL;
}

size_t kept_files_size(const struct kept_files *self)
{
    return self->size;
}

static void mark_used(struct kept *self, int64_t now_mono_ms)
{
    self->used_mono_ms = now_mono_ms;
    TAILQ_REMOVE(&self->files->used, self, entry);
    TAILQ_INSERT_HEAD(&self->files->used, self, entry);
}

struct kept *kept_find(struct kept_files *self, const struct target *target, int64_t now_mono_ms)
{
    struct cache_key key = key_of(self, target);
    struct kept *found = cache_get(self->targets, &key);

    if (!found || !found->bytes)
        return NULL;
    mark_used(found, now_mono_ms);
    found->holders++;
    return found;
}

const char *kept_handle(const struct kept *self)
{
    return self->handle;
}

size_t kept_size(const struct kept *self)
{
    return self->size;
}

const uint8_t *kept_bytes(const struct kept *self)
{
    return self->bytes;
}

void kept_release(struct kept **self_p)
{
    if (!*self_p)
        return;
    (*self_p)->holders--;
    free_unless_held(*self_p);
    *self_p = NULL;
}

/* False: what is being sent leaves too little. */
static bool make_room(struct kept_files *self, size_t size)
{
    struct kept *last = TAILQ_LAST(&self->used, kept_list), *before;

    for (; last && self->size + size > KEPT_SIZE_MAX; last = before) {
        before = TAILQ_PREV(last, kept_list, entry);
        if (last->bytes && last->holders == 0)
            cache_remove(self->targets, &last->key);
    }
    return self->size + size <= KEPT_SIZE_MAX;
}

static void take_bytes(struct kept *self, const struct MHD_IoVec *places, size_t count)
{
    size_t taken = 0;

    if (!make_room(self->files, self->size))
        return;
    self->bytes = malloc(self->size);
    if (!self->bytes)
        log_die("kept", "out of memory");
    for (size_t i = 0; i < count; taken += places[i++].iov_len)
        memcpy(self->bytes + taken, places[i].iov_base, places[i].iov_len);
    self->files->size += self->size;
}

static void see(struct kept_files *self, const struct cache_key *key, const char *handle,
                size_t size, int64_t now_mono_ms)
{
    struct kept *kept = calloc(1, sizeof(*kept));

    if (!kept)
        log_die("kept", "out of memory");
    *kept = (struct kept){.files = self,
                          .key = *key,
                          .size = size,
                          .noted_at = self->noted,
                          .used_mono_ms = now_mono_ms};
    memcpy(kept->handle, handle, strlen(handle) + 1);
    TAILQ_INSERT_HEAD(&self->used, kept, entry);
    cache_put(self->targets, key, kept);
}

/* Whether so little else came since the last time that the file would still be here. Else it would
 * be copied, and gone before it is asked for again: so with files in turn that do not fit all. */
static bool is_soon_again(struct kept *self)
{
    uint64_t between = self->files->noted - self->noted_at;

    self->noted_at = self->files->noted;
    return between <= KEPT_SIZE_MAX;
}

void kept_note(struct kept_files *self, const struct target *target, const char *handle,
               const struct MHD_IoVec *places, size_t count, int64_t now_mono_ms)
{
    struct cache_key key = key_of(self, target);
    struct kept *known = cache_get(self->targets, &key);
    size_t size = 0;

    for (size_t i = 0; i < count; i++)
        size += places[i].iov_len;
    if (size == 0 || size > KEPT_FILE_MAX || strlen(handle) > CONTENT_HANDLE_MAX)
        return;
    self->noted += size;
    if (!known || strcmp(known->handle, handle) != 0 || known->size != size) {
        see(self, &key, handle, size, now_mono_ms);
        return;
    }
    mark_used(known, now_mono_ms);
    if (is_soon_again(known) && !known->bytes)
        take_bytes(known, places, count);
}

void kept_files_sweep(struct kept_files *self, int64_t now_mono_ms)
{
    struct kept *last;

    while ((last = TAILQ_LAST(&self->used, kept_list)) &&
           now_mono_ms - last->used_mono_ms >= KEPT_MS)
        cache_remove(self->targets, &last->key);
}
