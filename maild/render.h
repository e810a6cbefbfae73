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

/* Reports unclosed and unknown placeholders at `path`; -1 when there are any. text may be NULL. */
int render_check(const struct template_name *name, const char *path, const char *text,
                 struct error *err) MUST_USE;

/* Replaces placeholders by members of `variables` (a JSON object; missing ones are empty), from the
 * arena. Values in the query or fragment of a link are percent-encoded (RFC 3986, section 2.1). */
char *render(struct arena *arena, const char *text, const json_t *variables, enum render_mode mode);

/* For subject lines, which show no secrets: mail programs list them. */
char *render_subject(struct arena *arena, const char *text, const json_t *variables);

/* Returns a placeholder's value or NULL. `in_query`: in the query or fragment of a link. */
typedef const char *render_value(void *arg, const char *name, bool in_query);

/* With values that are not escaped. */
char *render_with(struct arena *arena, const char *text, render_value *value, void *arg);

#endif
