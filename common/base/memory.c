/* memory.c - see memory.h. */
#include "common/base/memory.h"

#include "common/base/log.h"

void *memory_ensure(void *pointer)
{
    if (!pointer)
        log_die("memory", "out of memory");
    return pointer;
}

void *memory_new(size_t size)
{
    return memory_array(1, size);
}

void *memory_array(size_t count, size_t size)
{
    return memory_ensure(calloc(MAX(count, (size_t)1), size));
}

void *memory_raw(size_t size)
{
    return memory_ensure(malloc(MAX(size, (size_t)1)));
}

void *memory_resize(void *array, size_t count, size_t size)
{
    return memory_ensure(reallocarray(array, MAX(count, (size_t)1), size));
}

char *memory_text(const char *text)
{
    return text ? memory_ensure(strdup(text)) : NULL;
}
