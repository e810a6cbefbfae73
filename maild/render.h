/*
 * render.h - `{{name}}` in templates.  There is no other syntax: no conditions, no loops, no raw
 * form.
 */
#ifndef ATRIUM_MAILD_RENDER_H
#define ATRIUM_MAILD_RENDER_H

#include <jansson.h>

#include "common/base/error.h"
#include "maild/template_names.h"

enum render_mode {
    RENDER_TEXT, /* values as they are */
    RENDER_HTML, /* values escaped for HTML text and quoted attributes */
};

/* Adds a problem at `path` for each placeholder that is not closed or that the template does not
 * have; -1 when there was one. text may be NULL. */
int render_check(const struct template_name *name, const char *path, const char *text,
                 struct error *err) MUST_USE;

/* The text with its placeholders replaced by the members of `variables` (a JSON object; what is
 * missing or not text becomes nothing), from the arena. */
char *render(struct arena *arena, const char *text, const json_t *variables, enum render_mode mode);

/* The same for a subject line, which has no secrets: mail programs show it in lists and
 * notifications. */
char *render_subject(struct arena *arena, const char *text, const json_t *variables);

/* The same with value(arg, name) for each placeholder, which may be NULL; values are taken as they
 * are. */
char *render_with(struct arena *arena, const char *text,
                  const char *(*value)(void *arg, const char *name), void *arg);

#endif
