/*
 * arena.h - memory that lives exactly as long as one request (or one job, or one start-up).
 *
 * It is freed in one go after the answer was sent. Allocation never fails: running out of memory
 * ends the process (the unit restarts it), so sizes that a peer controls are checked before.
 */
#ifndef ATRIUM_COMMON_BASE_ARENA_H
#define ATRIUM_COMMON_BASE_ARENA_H

#include <stdarg.h>

#include "common/base/base.h"

struct arena;
struct arena *arena_new(void);

/* Frees the arena and all its memory; NULL and *NULL are fine. */
void arena_destroy(struct arena **self_p);

/* Empties the arena for reuse and keeps its first block; everything allocated from it is gone. */
void arena_reset(struct arena *self);

/* size bytes, zeroed, aligned for any type. size 0 gives a unique pointer. */
void *arena_alloc(struct arena *self, size_t size) __attribute__((malloc, returns_nonnull));

/* Not zeroed, for what is filled at once: clearing a large buffer costs as much as filling it. */
void *arena_alloc_raw(struct arena *self, size_t size) __attribute__((malloc, returns_nonnull));

/* count zeroed elements of size bytes each; ends the process when the product overflows. */
void *arena_calloc(struct arena *self, size_t count, size_t size)
    __attribute__((malloc, returns_nonnull));

/* Copies; arena_strdup(NULL) is NULL, arena_strndup adds the NUL. */
char *arena_strdup(struct arena *self, const char *text);
char *arena_strndup(struct arena *self, const char *text, size_t length)
    __attribute__((returns_nonnull));
void *arena_memdup(struct arena *self, const void *data, size_t size)
    __attribute__((returns_nonnull));

char *arena_printf(struct arena *self, const char *format, ...) PRINTF_LIKE(2, 3)
    __attribute__((returns_nonnull));
char *arena_vprintf(struct arena *self, const char *format, va_list args) PRINTF_LIKE(2, 0)
    __attribute__((returns_nonnull));

/* Calls fn(data) at reset or destruction, last registered first, for handles owned by a request. */
void arena_on_destroy(struct arena *self, void (*fn)(void *data), void *data);

/* For tests and metrics: bytes handed out since the last reset. */
size_t arena_used(const struct arena *self);

#endif
