/*
 * page_cache.h - reads only from the kernel's caches, so the loop never waits. A pool reads the
 * rest.
 */
#ifndef ATRIUM_DOCD_STORE_PAGE_CACHE_H
#define ATRIUM_DOCD_STORE_PAGE_CACHE_H

#include <sys/uio.h>

#include "common/base/base.h"

enum { PAGE_CACHE_MAX = 16 * 1024 * 1024 }; /* most that page_cache_has() checks */

/* Opens a file below `dir` for the caller. -1: it would wait, or fails. */
int page_cache_open(int dir, const char *path);

/* True when reading or sending the file waits for no disk. False if unknown, as on network file
 * systems. */
bool page_cache_has(int file, size_t size);

/* Returns the cached bytes, fewer at the end of the file or cache; -1: none. */
ssize_t page_cache_read(int file, const struct iovec *places, int count, int64_t offset);

#endif
