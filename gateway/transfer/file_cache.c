/* file_cache.c - see file_cache.h. */
#include "gateway/transfer/file_cache.h"

#include <sys/queue.h>

#include "common/base/cache.h"
#include "common/base/memory.h"
#include "common/domain/content.h"

struct cached_file {
    TAILQ_ENTRY(cached_file) entry;
    struct file_cache *files;
    struct cache_key key;
    char handle[CONTENT_HANDLE_MAX + 1];
    uint8_t *bytes; /* NULL: noted once, not copied */
    size_t size, references;
    uint64_t noted_at; /* value of files->noted when this file was noted */
    int64_t used_mono_ms;
    bool evicted; /* freed with the last reference */
};

struct file_cache {
    struct cache *targets;
    TAILQ_HEAD(cached_file_list, cached_file) used;
    /* Includes evicted files being sent. */
    size_t size;
    uint64_t noted; /* bytes received from daemons, ever */
};

static struct cache_key key_of(const struct file_cache *self, const struct target *target)
{
    return cache_key_of(self->targets, (const char *const[]){target->path, target->query}, 2);
}

static void free_unless_referenced(struct cached_file *self)
{
    if (!self->evicted || self->references > 0)
        return;
    self->files->size -= self->bytes ? self->size : 0;
    free(self->bytes);
    free(self);
}

static void on_drop(void *value)
{
    struct cached_file *self = value;

    TAILQ_REMOVE(&self->files->used, self, entry);
    self->evicted = true;
    free_unless_referenced(self);
}

struct file_cache *file_cache_new(void)
{
    struct file_cache *self = memory_new(sizeof(*self));

    self->targets = cache_new(FILE_CACHE_TARGETS_MAX, on_drop);
    TAILQ_INIT(&self->used);
    return self;
}

void file_cache_destroy(struct file_cache **self_p)
{
    if (!*self_p)
        return;
    cache_destroy(&(*self_p)->targets);
    free(*self_p);
    *self_p = NULL;
}

size_t file_cache_size(const struct file_cache *self)
{
    return self->size;
}

static void mark_used(struct cached_file *self, int64_t now_mono_ms)
{
    self->used_mono_ms = now_mono_ms;
    TAILQ_REMOVE(&self->files->used, self, entry);
    TAILQ_INSERT_HEAD(&self->files->used, self, entry);
}

struct cached_file *file_cache_find(struct file_cache *self, const struct target *target,
                                    int64_t now_mono_ms)
{
    struct cache_key key = key_of(self, target);
    struct cached_file *found = cache_get(self->targets, &key);

    if (!found || !found->bytes)
        return NULL;
    mark_used(found, now_mono_ms);
    found->references++;
    return found;
}

const char *cached_file_handle(const struct cached_file *self)
{
    return self->handle;
}

size_t cached_file_size(const struct cached_file *self)
{
    return self->size;
}

const uint8_t *cached_file_bytes(const struct cached_file *self)
{
    return self->bytes;
}

void cached_file_release(struct cached_file **self_p)
{
    if (!*self_p)
        return;
    (*self_p)->references--;
    free_unless_referenced(*self_p);
    *self_p = NULL;
}

/* Fails if files being sent leave too little space. */
static bool evict_for(struct file_cache *self, size_t size)
{
    struct cached_file *last = TAILQ_LAST(&self->used, cached_file_list), *before;

    for (; last && self->size + size > FILE_CACHE_SIZE_MAX; last = before) {
        before = TAILQ_PREV(last, cached_file_list, entry);
        if (last->bytes && last->references == 0)
            cache_remove(self->targets, &last->key);
    }
    return self->size + size <= FILE_CACHE_SIZE_MAX;
}

static void copy_bytes(struct cached_file *self, const struct MHD_IoVec *places, size_t count)
{
    size_t taken = 0;

    if (!evict_for(self->files, self->size))
        return;
    self->bytes = memory_raw(self->size);
    for (size_t i = 0; i < count; taken += places[i++].iov_len)
        memcpy(self->bytes + taken, places[i].iov_base, places[i].iov_len);
    self->files->size += self->size;
}

static void entry_add(struct file_cache *self, const struct cache_key *key, const char *handle,
                      size_t size, int64_t now_mono_ms)
{
    struct cached_file *file = memory_new(sizeof(*file));

    *file = (struct cached_file){.files = self,
                                 .key = *key,
                                 .size = size,
                                 .noted_at = self->noted,
                                 .used_mono_ms = now_mono_ms};
    memcpy(file->handle, handle, strlen(handle) + 1);
    TAILQ_INSERT_HEAD(&self->used, file, entry);
    cache_put(self->targets, key, file);
}

/* True if a copy made at the previous request would still be cached. */
static bool is_soon_again(struct cached_file *self)
{
    uint64_t between = self->files->noted - self->noted_at;

    self->noted_at = self->files->noted;
    return between <= FILE_CACHE_SIZE_MAX;
}

void file_cache_note(struct file_cache *self, const struct target *target, const char *handle,
                     const struct MHD_IoVec *places, size_t count, int64_t now_mono_ms)
{
    struct cache_key key = key_of(self, target);
    struct cached_file *known = cache_get(self->targets, &key);
    size_t size = 0;

    for (size_t i = 0; i < count; i++)
        size += places[i].iov_len;
    if (size == 0 || size > FILE_CACHE_FILE_MAX || strlen(handle) > CONTENT_HANDLE_MAX)
        return;
    self->noted += size;
    if (!known || strcmp(known->handle, handle) != 0 || known->size != size) {
        entry_add(self, &key, handle, size, now_mono_ms);
        return;
    }
    mark_used(known, now_mono_ms);
    if (is_soon_again(known) && !known->bytes)
        copy_bytes(known, places, count);
}

void file_cache_sweep(struct file_cache *self, int64_t now_mono_ms)
{
    struct cached_file *last;

    while ((last = TAILQ_LAST(&self->used, cached_file_list)) &&
           now_mono_ms - last->used_mono_ms >= FILE_CACHE_IDLE_MS)
        cache_remove(self->targets, &last->key);
}
