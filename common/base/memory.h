/*
 * memory.h - zeroed memory for what outlives a request. As with an arena, running out of it ends
 * the process. free() it.
 */
#ifndef ATRIUM_COMMON_BASE_MEMORY_H
#define ATRIUM_COMMON_BASE_MEMORY_H

#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"

static inline void *memory_array(size_t count, size_t size)
{
    void *made = calloc(count, size);

    if (!made)
        log_die("memory", "out of memory");
    return made;
}

static inline void *memory_new(size_t size)
{
    return memory_array(1, size);
}

/* NULL for NULL. */
static inline char *memory_text(const char *text)
{
    return text ? strcpy(memory_array(strlen(text) + 1, 1), text) : NULL;
}

#endif
