/*
 * file_cache.h - a cache of small files that are requested repeatedly.
 *
 * The daemon authorizes each request and can answer with the cached file's handle, which always
 * means the same bytes. A file is copied at its second request, unless daemons sent more than
 * FILE_CACHE_SIZE_MAX bytes between the two, and evicted after a minute without requests. All
 * copies, including evicted ones being sent, have the same limit.
 */
#ifndef ATRIUM_GATEWAY_TRANSFER_FILE_CACHE_H
#define ATRIUM_GATEWAY_TRANSFER_FILE_CACHE_H

#include <microhttpd.h>

#include "gateway/http/decode.h"

enum {
    FILE_CACHE_FILE_MAX = 1024 * 1024,
    FILE_CACHE_SIZE_MAX = 8 * 1024 * 1024,
    FILE_CACHE_TARGETS_MAX = 1024,
    FILE_CACHE_IDLE_MS = 60000, /* without a request */
};

struct file_cache;
struct cached_file;

struct file_cache *file_cache_new(void);
void file_cache_destroy(struct file_cache **self_p);
size_t file_cache_size(const struct file_cache *self);

/* Returns a reference or NULL. Compares raw targets. */
struct cached_file *file_cache_find(struct file_cache *self, const struct target *target,
                                    int64_t now_mono_ms);
const char *cached_file_handle(const struct cached_file *self);
size_t cached_file_size(const struct cached_file *self);
const uint8_t *cached_file_bytes(const struct cached_file *self);

void cached_file_release(struct cached_file **self_p);

/* Notes that `handle` is the target's whole file, and copies it the second time. */
void file_cache_note(struct file_cache *self, const struct target *target, const char *handle,
                     const struct MHD_IoVec *places, size_t count, int64_t now_mono_ms);

void file_cache_sweep(struct file_cache *self, int64_t now_mono_ms);

#endif
