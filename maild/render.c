/*
 * render.c - see render.h.
 */
#include "maild/render.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/domain/name.h"
#include "maild/buffer.h"

enum { QUOTED_MAX = 64 };

struct placeholder {
    const char *begin, *end; /* end: after the "}}" */
    const char *name;
    size_t length;
};

/* Finds the next placeholder. 1: found; 0: none; -1: not closed (only begin is set). */
static int placeholder_next(const char *text, struct placeholder *ret)
{
    const char *open = strstr(text, "{{");
    const char *close = open ? strstr(open, "}}") : NULL;

    if (!open)
        return 0;
    ret->begin = open;
    if (!close)
        return -1;
    ret->end = close + 2;
    ret->name = open + 2 + strspn(open + 2, " ");
    ret->length = ret->name < close ? (size_t)(close - ret->name) : 0;
    while (ret->length > 0 && ret->name[ret->length - 1] == ' ')
        ret->length--;
    return 1;
}

static int quoted_length(const struct placeholder *hole)
{
    size_t length = MIN(hole->length, (size_t)QUOTED_MAX);

    while (length > 0 && length < hole->length && ((uint8_t)hole->name[length] & 0xc0) == 0x80)
        length--;
    return (int)length;
}

int render_check(const struct template_name *name, const char *path, const char *text,
                 struct error *err)
{
    struct placeholder hole;
    int result = 0, found;

    if (!text)
        return 0;
    while ((found = placeholder_next(text, &hole)) > 0) {
        if (!template_has_variable(name, hole.name, hole.length))
            result =
                error_problem(err, path,
                              "must not contain {{%.*s}}: this template doesn't have that variable",
                              quoted_length(&hole), hole.name);
        text = hole.end;
    }
    return found < 0 ? error_problem(err, path, "must not contain {{ without }}") : result;
}

static const char *escaped(struct arena *arena, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    struct buffer out = {.arena = arena};

    for (;;) {
        size_t plain = strcspn(text, special);

        buffer_add(&out, text, plain);
        text += plain;
        if (*text == '\0')
            return out.text;
        buffer_text(&out, entities[strchr(special, *text++) - special]);
    }
}

/* Percent-encodes all but RFC 3986's unreserved characters. */
static const char *percent_encoded(struct arena *arena, const char *text)
{
    char *spelt = arena_alloc(arena, 3 * strlen(text) + 1), *to = spelt;

    for (; *text; text++) {
        uint8_t byte = (uint8_t)*text;

        if (byte < 0x80 && (isalnum(byte) || strchr("-._~", byte)))
            *to++ = (char)byte;
        else
            to += sprintf(to, "%%%02X", byte);
    }
    return spelt;
}

/* A possible link at the end of the text: ASCII without blanks, quotes and angle brackets. */
struct link {
    size_t begin, end;
    bool decided;  /* "?" or "#" was found */
    bool in_query; /* a scheme comes before it: the rest is query or fragment */
};

static bool has_scheme(const char *text, size_t size)
{
    return memmem(text, size, "://", 3) || memmem(text, size, "mailto:", 7);
}

static void link_follow(struct link *self, const struct buffer *out)
{
    for (; self->end < out->size; self->end++) {
        const uint8_t *c = (const uint8_t *)out->text + self->end;

        if (*c <= ' ' || *c >= 0x7f || strchr("\"'<>", *c))
            *self = (struct link){.begin = self->end + 1, .end = self->end};
        else if (!self->decided && (*c == '?' || *c == '#'))
            *self = (struct link){self->begin, self->end, true,
                                  has_scheme(out->text + self->begin, self->end - self->begin)};
    }
}

char *render_with(struct arena *arena, const char *text, render_value *value, void *arg)
{
    struct buffer out = {.arena = arena};
    struct placeholder hole;
    struct link link = {0};

    while (placeholder_next(text, &hole) > 0) {
        const char *filled;

        buffer_add(&out, text, (size_t)(hole.begin - text));
        link_follow(&link, &out);
        filled = value(arg, arena_strndup(arena, hole.name, hole.length), link.in_query);
        if (filled)
            buffer_text(&out, filled);
        text = hole.end;
    }
    buffer_text(&out, text);
    return out.text;
}

struct values {
    struct arena *arena;
    const json_t *variables;
    enum render_mode mode;
};

static const char *value_of(void *arg, const char *name, bool in_query)
{
    struct values *self = arg;
    const char *value = json_string_value(json_object_get(self->variables, name));

    if (value && template_variable_is_name(name))
        value = name_shown(self->arena, value);
    if (value && in_query)
        return percent_encoded(self->arena, value);
    return value && self->mode == RENDER_HTML ? escaped(self->arena, value) : value;
}

char *render(struct arena *arena, const char *text, const json_t *variables, enum render_mode mode)
{
    return render_with(arena, text, value_of, &(struct values){arena, variables, mode});
}

static const char *subject_value_of(void *arg, const char *name, bool in_query)
{
    return template_variable_is_secret(name) ? NULL : value_of(arg, name, in_query);
}

char *render_subject(struct arena *arena, const char *text, const json_t *variables)
{
    return render_with(arena, text, subject_value_of,
                       &(struct values){arena, variables, RENDER_TEXT});
}
