/*
 * render.h - replaces `{{name}}` in templates. There is no other syntax.
 */
#ifndef ATRIUM_MAILD_RENDER_H
#define ATRIUM_MAILD_RENDER_H

#include <jansson.h>

#include "common/base/error.h"
#include "maild/template_names.h"

enum render_mode {
    RENDER_TEXT,
    RENDER_HTML, /* escapes values for HTML text and quoted attributes */
};

/* Reports unclosed and unknown placeholders at `path`: -1. text can be NULL. */
int render_check(const struct template_name *name, const char *path, const char *text,
                 struct error *err) MUST_USE;

/* Replaces placeholders with members of `variables` (a JSON object). Values in a link's query or
 * fragment are percent-encoded (RFC 3986, section 2.1). */
char *render(struct arena *arena, const char *text, const json_t *variables, enum render_mode mode);

/* Leaves secrets out: mail programs list subjects. */
char *render_subject(struct arena *arena, const char *text, const json_t *variables);

/* `in_query`: in a link's query or fragment. Can return NULL. */
typedef const char *render_value(void *arg, const char *name, bool in_query);

/* Does not escape the values. */
char *render_with(struct arena *arena, const char *text, render_value *value, void *arg);

#endif
