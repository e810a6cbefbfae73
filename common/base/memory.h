/* memory.h - allocation that ends the process instead of returning NULL. */
#ifndef ATRIUM_COMMON_BASE_MEMORY_H
#define ATRIUM_COMMON_BASE_MEMORY_H

#include "common/base/base.h"

/* Returns zeroed memory, except memory_raw(). Use free(). */
void *memory_new(size_t size) __attribute__((malloc, returns_nonnull));
void *memory_array(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *memory_raw(size_t size) __attribute__((malloc, returns_nonnull));

/* Leaves added elements uninitialized. */
void *memory_resize(void *array, size_t count, size_t size) __attribute__((returns_nonnull));

char *memory_text(const char *text) __attribute__((malloc));

/* Ends the process if a library returned NULL for lack of memory. */
void *memory_ensure(void *pointer) __attribute__((returns_nonnull));

#endif
