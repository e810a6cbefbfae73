/* list_cache.c - see list_cache.h. Drops the least recently used lists. */
#include "docd/document/list_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "common/base/cache.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/domain/reference.h"
#include "docd/document_api.h"

enum {
    ENTRIES_MAX = 8192, /* more than fill LIST_CACHE_BYTES */
    PAGE_TEXT_MAX = 48,
};

struct kept_list {
    TAILQ_ENTRY(kept_list) entry;
    struct list_cache *owner;
    struct cache_key key;
    int64_t version;
    size_t size;
    struct documents list;
};

struct list_cache {
    struct cache *cache;
    TAILQ_HEAD(used_head, kept_list) used; /* newest first */
    size_t bytes, bytes_max;
};

static void drop(void *value)
{
    struct kept_list *self = value;

    TAILQ_REMOVE(&self->owner->used, self, entry);
    self->owner->bytes -= self->size;
    free(self);
}

struct list_cache *list_cache_new(size_t bytes_max)
{
    struct list_cache *self = memory_new(sizeof(*self));

    TAILQ_INIT(&self->used);
    self->cache = cache_new(ENTRIES_MAX, drop);
    self->bytes_max = bytes_max;
    return self;
}

void list_cache_destroy(struct list_cache **self_p)
{
    if (*self_p) {
        cache_destroy(&(*self_p)->cache);
        free(*self_p);
        *self_p = NULL;
    }
}

static struct cache_key key_of(const struct list_cache *self, const struct list_key *key)
{
    const char *texts[3 + DOCUMENT_SORT_MAX] = {key->project.text, key->author.text};
    char page[PAGE_TEXT_MAX];
    size_t count = 3;

    snprintf(page, sizeof(page), "%" PRId64 " %" PRId64, key->count, key->offset);
    texts[2] = page;
    for (size_t i = 0; i < DOCUMENT_SORT_MAX && key->sort->keys[i]; i++)
        texts[count++] = key->sort->keys[i];
    return cache_key_of(self->cache, texts, count);
}

bool list_cache_has(struct list_cache *self, const struct list_key *key)
{
    struct cache_key hashed = key_of(self, key);

    return cache_get(self->cache, &hashed) != NULL;
}

const struct documents *list_cache_get(struct list_cache *self, const struct list_key *key,
                                       int64_t version)
{
    struct cache_key hashed = key_of(self, key);
    struct kept_list *kept = cache_get(self->cache, &hashed);

    if (!kept || kept->version != version)
        return NULL;
    TAILQ_REMOVE(&self->used, kept, entry);
    TAILQ_INSERT_HEAD(&self->used, kept, entry);
    return &kept->list;
}

static void measure(const char *text, size_t *size)
{
    if (text)
        *size += strlen(text) + 1;
}

static size_t size_of(const struct documents *list)
{
    const struct document *documents = list->resources.items;
    size_t size = sizeof(struct kept_list) +
                  list->resources.count * (sizeof(struct document) + sizeof(struct reference));

    for (size_t i = 0; i < list->resources.count; i++) {
        measure(documents[i].author->reference, &size);
        measure(documents[i].author->display, &size);
        measure(documents[i].fileName, &size);
        measure(documents[i].contentType, &size);
        measure(documents[i].publicToken, &size);
    }
    return size;
}

static const char *copy_text(char **at, const char *text)
{
    char *ret = *at;

    if (!text)
        return NULL;
    *at = stpcpy(ret, text) + 1;
    return ret;
}

static void copy_list(struct kept_list *kept, const struct documents *list)
{
    const struct document *from = list->resources.items;
    size_t count = list->resources.count;
    struct document *to = (struct document *)(kept + 1);
    struct reference *authors = (struct reference *)(to + count);
    char *text = (char *)(authors + count);

    for (size_t i = 0; i < count; i++) {
        authors[i] = (struct reference){copy_text(&text, from[i].author->reference),
                                        copy_text(&text, from[i].author->display)};
        to[i] = (struct document){.id = from[i].id,
                                  .lastUpdated = from[i].lastUpdated,
                                  .author = &authors[i],
                                  .fileName = copy_text(&text, from[i].fileName),
                                  .contentType = copy_text(&text, from[i].contentType),
                                  .size = from[i].size,
                                  .publicToken = copy_text(&text, from[i].publicToken)};
    }
    kept->list = (struct documents){list->total, {to, count}};
}

void list_cache_put(struct list_cache *self, const struct list_key *key, int64_t version,
                    const struct documents *list)
{
    size_t size = size_of(list);
    struct kept_list *kept;

    if (size > LIST_CACHE_LIST_BYTES || size > self->bytes_max)
        return;
    while (self->bytes + size > self->bytes_max) {
        struct cache_key last = TAILQ_LAST(&self->used, used_head)->key;

        cache_remove(self->cache, &last);
    }
    kept = malloc(size);
    if (!kept)
        log_die("document", "out of memory");
    *kept = (struct kept_list){
        .owner = self, .key = key_of(self, key), .version = version, .size = size};
    copy_list(kept, list);
    TAILQ_INSERT_HEAD(&self->used, kept, entry);
    self->bytes += size;
    cache_put(self->cache, &kept->key, kept);
}
