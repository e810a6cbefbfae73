/* memory.h - memory that is never NULL: without any the process ends, and its unit restarts it. */
#ifndef ATRIUM_COMMON_BASE_MEMORY_H
#define ATRIUM_COMMON_BASE_MEMORY_H

#include "common/base/base.h"

/* Zeroed, but for memory_raw(). All is freed with free(). */
void *memory_new(size_t size) __attribute__((malloc, returns_nonnull));
void *memory_array(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *memory_raw(size_t size) __attribute__((malloc, returns_nonnull));

/* What the array has beyond its old size is not set. */
void *memory_resize(void *array, size_t count, size_t size) __attribute__((returns_nonnull));

/* NULL for NULL. */
char *memory_text(const char *text) __attribute__((malloc));

/* The pointer, which a library answers with NULL only when there is no memory. */
void *memory_ensure(void *pointer) __attribute__((returns_nonnull));

#endif
