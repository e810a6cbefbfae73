/*
 * arena.h - memory that is freed in one go, after a request's answer, a job or start-up.
 *
 * Allocation never fails: if there is no memory, the process ends. So check sizes that a client
 * controls.
 */
#ifndef ATRIUM_COMMON_BASE_ARENA_H
#define ATRIUM_COMMON_BASE_ARENA_H

#include <stdarg.h>

#include "common/base/base.h"

struct arena;
struct arena *arena_new(void);
void arena_destroy(struct arena **self_p);

/* Frees all allocations and keeps the first block for reuse. */
void arena_reset(struct arena *self);

/* Returns zeroed bytes, aligned for any type. Size 0 gives a unique pointer. */
void *arena_alloc(struct arena *self, size_t size) __attribute__((malloc, returns_nonnull));

/* Leaves bytes uninitialized: zeroing a large buffer costs as much as filling it. */
void *arena_alloc_raw(struct arena *self, size_t size) __attribute__((malloc, returns_nonnull));

/* Returns zeroed elements; ends the process on overflow. */
void *arena_calloc(struct arena *self, size_t count, size_t size)
    __attribute__((malloc, returns_nonnull));

/* Copies text; NULL gives NULL. */
char *arena_strdup(struct arena *self, const char *text);
char *arena_strndup(struct arena *self, const char *text, size_t length)
    __attribute__((returns_nonnull));
void *arena_memdup(struct arena *self, const void *data, size_t size)
    __attribute__((returns_nonnull));

char *arena_printf(struct arena *self, const char *format, ...) PRINTF_LIKE(2, 3)
    __attribute__((returns_nonnull));
char *arena_vprintf(struct arena *self, const char *format, va_list args) PRINTF_LIKE(2, 0)
    __attribute__((returns_nonnull));

/* Calls fn(data) at reset or destruction, last registered first. */
void arena_on_destroy(struct arena *self, void (*fn)(void *data), void *data);

size_t arena_used(const struct arena *self);

#endif
