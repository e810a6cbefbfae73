/*
 * file_cache.h - small files that are requested repeatedly, so that daemons send them once.
 *
 * The daemon authorizes every request and names the file by a handle, which means the same bytes
 * for ever; it gets the target's cached handle and may answer with that. A file is copied the
 * second time, unless more than FILE_CACHE_SIZE_MAX bytes were noted between, and evicted after a
 * minute without requests. That is also the limit of all, evicted ones still being sent included.
 */
#ifndef ATRIUM_GATEWAY_TRANSFER_FILE_CACHE_H
#define ATRIUM_GATEWAY_TRANSFER_FILE_CACHE_H

#include <microhttpd.h>

#include "gateway/http/decode.h"

enum {
    FILE_CACHE_FILE_MAX = 1024 * 1024,
    FILE_CACHE_SIZE_MAX = 8 * 1024 * 1024,
    FILE_CACHE_TARGETS_MAX = 1024,
    FILE_CACHE_IDLE_MS = 60000, /* since its last request */
};

struct file_cache;
struct cached_file;

struct file_cache *file_cache_new(void);
void file_cache_destroy(struct file_cache **self_p);

size_t file_cache_size(const struct file_cache *self);

/* The cached file of a target, as it was sent; NULL: none. The caller releases it. */
struct cached_file *file_cache_find(struct file_cache *self, const struct target *target,
                                    int64_t now_mono_ms);
const char *cached_file_handle(const struct cached_file *self);
size_t cached_file_size(const struct cached_file *self);
const uint8_t *cached_file_bytes(const struct cached_file *self);

/* NULL and *NULL are fine. */
void cached_file_release(struct cached_file **self_p);

/* Notes that a target brought a whole file with this handle, in these pieces; copied the second
 * time. */
void file_cache_note(struct file_cache *self, const struct target *target, const char *handle,
                     const struct MHD_IoVec *places, size_t count, int64_t now_mono_ms);

/* Evicts files that were not requested for FILE_CACHE_IDLE_MS. Call it every few seconds. */
void file_cache_sweep(struct file_cache *self, int64_t now_mono_ms);

#endif
