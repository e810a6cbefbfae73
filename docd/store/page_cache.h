/*
 * page_cache.h - files as far as the kernel's caches have them: without waiting for a disk, so that
 * the loop may ask.
 *
 * What is not there, for whatever reason, is read by a thread of a pool, which may wait.
 */
#ifndef ATRIUM_DOCD_STORE_PAGE_CACHE_H
#define ATRIUM_DOCD_STORE_PAGE_CACHE_H

#include <sys/uio.h>

#include "common/base/base.h"

enum { PAGE_CACHE_MAX = 16 * 1024 * 1024 }; /* bytes that page_cache_has() looks at */

/* Opens a file below `dir` for reading; the descriptor is the caller's. -1: not without waiting, or
 * not at all. */
int page_cache_open(int dir, const char *path);

/* True when all `size` bytes are in memory, so that reading or sending them waits for no disk.
 * False where that is unknown, as on network file systems. */
bool page_cache_has(int file, size_t size);

/* Reads into the places from `offset`. Returns how many bytes were cached, fewer than asked for at
 * the end of the file or of the cache; -1: none. */
ssize_t page_cache_read(int file, const struct iovec *places, int count, int64_t offset);

#endif
