/* arguments.c - see arguments.h. */
#include "ctl/arguments.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EXPECTED_MAX = 80 };

/* Returns the next word, or NULL. *depth counts open brackets. */
static char *next_word(const char **text, int *depth, bool *closes, struct arena *arena)
{
    const char *start = *text + strspn(*text, " "), *end;
    char *word;

    if (*start == '\0')
        return NULL;
    if (*start == '[') {
        *depth += 1;
        start++;
    }
    end = start + strcspn(start, " ]");
    word = arena_strndup(arena, start, (size_t)(end - start));
    *closes = *end == ']';
    *text = *closes ? end + 1 : end;
    return word;
}

void arguments_read_usage(struct arguments *self, const char *usage, struct arena *arena)
{
    struct argument *option = NULL; /* the next word can be the placeholder of its value */
    int depth = 0;
    bool closes;
    char *word;

    *self = (struct arguments){0};
    while ((word = next_word(&usage, &depth, &closes, arena))) {
        bool is_option = strncmp(word, "--", 2) == 0;

        if (option && !is_option) {
            option->holder = word;
            option = NULL;
        } else {
            struct argument *item = &self->items[self->count++];

            assert(self->count <= ARGUMENTS_MAX);
            *item = (struct argument){.name = word, .option = is_option, .optional = depth > 0};
            item->holder = is_option ? NULL : word;
            option = is_option ? item : NULL;
        }
        if (closes) {
            depth--;
            option = NULL;
        }
    }
}

const char *argument_choices(const struct argument *self)
{
    const char *holder = self->holder;
    bool fixed =
        holder && (strchr(holder, '|') || (!self->option && islower((unsigned char)holder[0])));

    return fixed ? holder : NULL;
}

static bool may_be(const struct argument *self, const char *word)
{
    const char *choice = argument_choices(self);
    bool found = !choice;

    while (choice && !found) {
        size_t length = strcspn(choice, "|");

        found = strlen(word) == length && strncmp(choice, word, length) == 0;
        choice = choice[length] == '|' ? choice + length + 1 : NULL;
    }
    return found;
}

static struct argument *find_option(struct arguments *self, const char *word, size_t length)
{
    for (size_t i = 0; i < self->count; i++) {
        struct argument *item = &self->items[i];

        if (item->option && strlen(item->name) == length && strncmp(item->name, word, length) == 0)
            return item;
    }
    return NULL;
}

static int take_option(struct arguments *self, const char *const *words, size_t count, size_t *at,
                       struct error *err)
{
    const char *word = words[*at], *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    struct argument *item = find_option(self, word, length);

    if (!item)
        return error_set(err, ERR_BAD_REQUEST, "%.*s: unknown option", (int)length, word);
    if (item->value)
        return error_set(err, ERR_BAD_REQUEST, "%s: given twice", item->name);
    if (!item->holder) {
        if (equals)
            return error_set(err, ERR_BAD_REQUEST, "%s: takes no value", item->name);
        item->value = "";
    } else if (equals) {
        item->value = equals + 1;
    } else {
        if (*at + 1 >= count)
            return error_set(err, ERR_BAD_REQUEST, "%s: needs a value", item->name);
        item->value = words[++*at];
    }
    if (!may_be(item, item->value))
        return error_set(err, ERR_BAD_REQUEST, "%s: must be %s", item->name, item->holder);
    return 0;
}

static int take_positional(struct arguments *self, const char *word, struct error *err)
{
    for (size_t i = 0; i < self->count; i++) {
        struct argument *item = &self->items[i];

        if (item->option || item->value)
            continue;
        if (!may_be(item, word))
            return strlen(item->name) < EXPECTED_MAX
                       ? error_set(err, ERR_BAD_REQUEST, "%s: expected %s here", word, item->name)
                       : error_set(err, ERR_BAD_REQUEST, "%s: unknown word, see --help", word);
        item->value = word;
        return 0;
    }
    return error_set(err, ERR_BAD_REQUEST, "%s: unexpected word", word);
}

int arguments_parse(struct arguments *self, const char *usage, const char *const *words,
                    size_t count, struct arena *arena, struct error *err)
{
    bool options = true;

    arguments_read_usage(self, usage, arena);
    for (size_t i = 0; i < count; i++) {
        if (options && strcmp(words[i], "--") == 0)
            options = false;
        else if (options && strncmp(words[i], "--", 2) == 0) {
            if (take_option(self, words, count, &i, err) < 0)
                return -1;
        } else if (take_positional(self, words[i], err) < 0)
            return -1;
    }
    for (size_t i = 0; i < self->count; i++) {
        if (!self->items[i].value && !self->items[i].optional)
            return error_set(err, ERR_BAD_REQUEST, "%s is missing", self->items[i].name);
    }
    return 0;
}

const char *arguments_get(const struct arguments *self, const char *name)
{
    for (size_t i = 0; i < self->count; i++) {
        if (strcmp(self->items[i].name, name) == 0)
            return self->items[i].value;
    }
    assert(!"a name that the usage has");
    return NULL;
}

bool arguments_has(const struct arguments *self, const char *name)
{
    return arguments_get(self, name) != NULL;
}

int arguments_number(const char *what, const char *text, int64_t min, int64_t max, int64_t *ret,
                     struct error *err)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno == ERANGE || value < min || value > max)
        return error_set(err, ERR_BAD_REQUEST, "%s: must be a whole number from %lld to %lld", what,
                         (long long)min, (long long)max);
    *ret = value;
    return 0;
}

int arguments_int(const struct arguments *self, const char *name, int64_t fallback, int64_t min,
                  int64_t max, int64_t *ret, struct error *err)
{
    const char *text = arguments_get(self, name);

    if (!text) {
        *ret = fallback;
        return 0;
    }
    return arguments_number(name, text, min, max, ret, err);
}
