/*
 * template_html.h - whether the HTML part of a template may carry a secret.
 *
 * A variable with a one-time link stands in it only as text, or as the whole href of an <a>: there
 * it reaches the recipient, and no address that the template's author chose.  Gumbo reads the HTML
 * as browsers do (HTML5).
 */
#ifndef ATRIUM_MAILD_TEMPLATE_HTML_H
#define ATRIUM_MAILD_TEMPLATE_HTML_H

#include "common/base/arena.h"
#include "maild/template_names.h"

/* NULL when it may, or when it has no secret; else what is wrong ("must have ..."), from the arena
 * or constant. The placeholders are those that render_check() accepts. */
const char *template_html_check(struct arena *arena, const char *html);

#endif
