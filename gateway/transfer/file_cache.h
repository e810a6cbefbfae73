/*
 * file_cache.h - the bytes of small files that are requested repeatedly, so that the daemon need
 * not send them each time.
 *
 * The daemon still authorizes every request, and names the file of the answer by a handle; a handle
 * names the same bytes for ever. The gateway sends the daemon the handle that it has for the
 * target, and when that is the answer, the cached bytes are sent. A file is copied when a target
 * brings it the second time, unless more than FILE_CACHE_SIZE_MAX bytes of files were noted in
 * between, and is evicted after a minute without a request. All files together, with evicted ones
 * that are still being sent, have at most FILE_CACHE_SIZE_MAX bytes.
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

/* Bytes of all files. */
size_t file_cache_size(const struct file_cache *self);

/* The cached file of a target, as it was sent; NULL: none. The caller releases it. */
struct cached_file *file_cache_find(struct file_cache *self, const struct target *target,
                                    int64_t now_mono_ms);
const char *cached_file_handle(const struct cached_file *self);
size_t cached_file_size(const struct cached_file *self);
const uint8_t *cached_file_bytes(const struct cached_file *self);

/* NULL and *NULL are fine. */
void cached_file_release(struct cached_file **self_p);

/* Notes that a target brought the whole file of this handle, whose bytes are at these places one
 * after the other; the second time they are copied. */
void file_cache_note(struct file_cache *self, const struct target *target, const char *handle,
                     const struct MHD_IoVec *places, size_t count, int64_t now_mono_ms);

/* Evicts files that were not requested for FILE_CACHE_IDLE_MS. Call it every few seconds. */
void file_cache_sweep(struct file_cache *self, int64_t now_mono_ms);

#endif
