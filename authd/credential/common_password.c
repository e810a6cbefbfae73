/*
 * common_password.c - see common_password.h. The built-in list is authd/data/common_passwords.txt.
 */
#include "authd/credential/common_password.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "common/base/file.h"

enum { LIST_SIZE_MAX = 16 << 20 };

struct common_passwords {
    const char **items; /* in the order of strcasecmp() */
    size_t count;
};

__asm__(".section .rodata\n"
        "common_passwords_text:\n.incbin \"authd/data/common_passwords.txt\"\n"
        "common_passwords_end:\n.byte 0\n.previous\n");
extern const char common_passwords_text[], common_passwords_end[];

static int compare(const void *a, const void *b)
{
    return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

/* Cuts the text, which is the arena's and ends with a NUL, into its lines. */
static struct common_passwords *parse(char *text, struct arena *arena)
{
    struct common_passwords *self = arena_calloc(arena, 1, sizeof(*self));
    size_t lines = 1;

    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    self->items = arena_calloc(arena, lines, sizeof(*self->items));
    for (char *line = text; line;) {
        char *next = strchr(line, '\n');

        if (next)
            *next++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        if (line[0] != '\0' && line[0] != '#')
            self->items[self->count++] = line;
        line = next;
    }
    qsort(self->items, self->count, sizeof(*self->items), compare);
    return self;
}

static char *read_list(const char *path, struct arena *arena, struct error *err)
{
    CLEANUP(file_close) FILE *file = fopen(path, "re");
    struct stat status;
    size_t size;
    char *text;

    if (!file || fstat(fileno(file), &status) < 0) {
        error_set(err, ERR_BAD_REQUEST, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(status.st_mode) || status.st_size > LIST_SIZE_MAX) {
        error_set(err, ERR_BAD_REQUEST, "%s: must be a file of at most %d bytes", path,
                  LIST_SIZE_MAX);
        return NULL;
    }
    text = arena_alloc(arena, (size_t)status.st_size + 1);
    size = fread(text, 1, (size_t)status.st_size, file);
    if (ferror(file)) {
        error_set(err, ERR_BAD_REQUEST, "%s: %s", path, strerror(errno));
        return NULL;
    }
    text[size] = '\0';
    return text;
}

struct common_passwords *common_passwords_new(const char *path, struct arena *arena,
                                              struct error *err)
{
    struct common_passwords *self;
    char *text = !path ? arena_strndup(arena, common_passwords_text,
                                       (size_t)(common_passwords_end - common_passwords_text))
                       : read_list(path, arena, err);

    if (!text)
        return NULL;
    self = parse(text, arena);
    if (self->count > 0)
        return self;
    error_set(err, ERR_BAD_REQUEST, "%s: names no password", path);
    return NULL;
}

bool common_passwords_has(const struct common_passwords *self, const char *password)
{
    return bsearch(&password, self->items, self->count, sizeof(*self->items), compare) != NULL;
}
