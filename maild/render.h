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
 * missing or not text becomes nothing), from the arena. In the query and the fragment of a link,
 * one with a scheme, values are percent-encoded (RFC 3986, section 2.1). */
char *render(struct arena *arena, const char *text, const json_t *variables, enum render_mode mode);

/* The same for a subject line, which has no secrets: mail programs show it in lists and
 * notifications. */
char *render_subject(struct arena *arena, const char *text, const json_t *variables);

/* The value of a placeholder, which may be NULL. `in_query`: it is in the query or the fragment of
 * a link. */
typedef const char *render_value(void *arg, const char *name, bool in_query);

/* The same with such values, which are taken as they are. */
char *render_with(struct arena *arena, const char *text, render_value *value, void *arg);

#endif
