/*
 * arena.c - a chain of memory blocks.
 *
 * An allocation that does not fit starts a block of twice the size (up to 64 KiB); a large one gets
 * its own. AddressSanitizer poisons unused bytes and a gap after each allocation.
 */
#include "common/base/arena.h"

#include <stdio.h>

#include "common/base/log.h"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

/* Poisoned bytes after an allocation. gcc and clang announce the sanitizer differently. */
#ifdef __SANITIZE_ADDRESS__
#define GAP 16
#elif defined(__clang__)
#if __has_feature(address_sanitizer)
#define GAP 16
#endif
#endif
#ifndef GAP
#define GAP 0
#endif

enum {
    BLOCK_FIRST = 4096,
    BLOCK_MAX = 65536,
    ALIGNMENT = _Alignof(max_align_t),
    PRINT_SHORT = 512, /* first try; longer texts are formatted twice */
};

struct block {
    struct block *next; /* older */
    size_t size, used;
    _Alignas(max_align_t) uint8_t bytes[];
};

struct finalizer {
    struct finalizer *next;
    void (*fn)(void *data);
    void *data;
};

struct arena {
    struct block *newest, *first; /* first: kept by a reset */
    struct finalizer *finalizers;
    size_t used;
};

static NORETURN void out_of_memory(void)
{
    log_die("arena", "out of memory");
}

static struct block *block_new(size_t size)
{
    struct block *block = malloc(sizeof(*block) + size);

    if (!block)
        out_of_memory();
    block->next = NULL;
    block->size = size;
    block->used = 0;
    ASAN_POISON_MEMORY_REGION(block->bytes, size);
    return block;
}

static void block_free(struct block *block)
{
    ASAN_UNPOISON_MEMORY_REGION(block->bytes, block->size);
    free(block);
}

/* Adds a block. It becomes the newest, unless the allocation fills it. */
static struct block *block_add(struct arena *self, size_t size)
{
    size_t usual = !self->newest ? BLOCK_FIRST - sizeof(struct block)
                                 : MIN(self->newest->size * 2, (size_t)BLOCK_MAX);
    struct block *block;

    if (self->newest && size > usual / 4) {
        block = block_new(size);
        block->next = self->newest->next;
        self->newest->next = block;
        return block;
    }
    block = block_new(MAX(size, usual));
    block->next = self->newest;
    self->newest = block;
    if (!self->first)
        self->first = block;
    return block;
}

static void *take(struct arena *self, size_t size)
{
    struct block *block = self->newest;
    size_t rounded = (MAX(size, (size_t)1) + GAP + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    uint8_t *bytes;

    if (size > PTRDIFF_MAX / 2)
        out_of_memory();
    if (!block || block->size - block->used < rounded)
        block = block_add(self, rounded);
    bytes = block->bytes + block->used;
    block->used += rounded;
    self->used += size;
    ASAN_UNPOISON_MEMORY_REGION(bytes, size);
    return bytes;
}

struct arena *arena_new(void)
{
    struct arena *self = calloc(1, sizeof(*self));

    if (!self)
        out_of_memory();
    return self;
}

void arena_destroy(struct arena **self_p)
{
    struct arena *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    arena_reset(self);
    if (self->first)
        block_free(self->first);
    free(self);
}

void arena_reset(struct arena *self)
{
    /* A finalizer can use the arena's memory, but must not register another. */
    while (self->finalizers) {
        struct finalizer *last = self->finalizers;

        self->finalizers = last->next;
        last->fn(last->data);
    }
    for (struct block *block = self->newest, *next; block; block = next) {
        next = block->next;
        if (block != self->first)
            block_free(block);
    }
    self->newest = self->first;
    self->used = 0;
    if (self->first) {
        self->first->next = NULL;
        self->first->used = 0;
        ASAN_POISON_MEMORY_REGION(self->first->bytes, self->first->size);
    }
}

void *arena_alloc(struct arena *self, size_t size)
{
    return memset(take(self, size), 0, size);
}

void *arena_alloc_raw(struct arena *self, size_t size)
{
    return take(self, size);
}

void *arena_calloc(struct arena *self, size_t count, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(count, size, &total))
        out_of_memory();
    return arena_alloc(self, total);
}

char *arena_strdup(struct arena *self, const char *text)
{
    return !text ? NULL : arena_memdup(self, text, strlen(text) + 1);
}

char *arena_strndup(struct arena *self, const char *text, size_t length)
{
    char *copy = take(self, length + 1);

    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void *arena_memdup(struct arena *self, const void *data, size_t size)
{
    void *copy = take(self, size);

    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}

char *arena_printf(struct arena *self, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = arena_vprintf(self, format, args);
    va_end(args);
    return text;
}

char *arena_vprintf(struct arena *self, const char *format, va_list args)
{
    char shorter[PRINT_SHORT], *text;
    va_list again;
    int length;

    va_copy(again, args);
    length = vsnprintf(shorter, sizeof(shorter), format, args);
    if (length < 0)
        out_of_memory();
    text = take(self, (size_t)length + 1);
    if ((size_t)length < sizeof(shorter))
        memcpy(text, shorter, (size_t)length + 1);
    else
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void arena_on_destroy(struct arena *self, void (*fn)(void *data), void *data)
{
    struct finalizer *finalizer = take(self, sizeof(*finalizer));

    *finalizer = (struct finalizer){self->finalizers, fn, data};
    self->finalizers = finalizer;
}

size_t arena_used(const struct arena *self)
{
    return self->used;
}
