/*
 * template_html.h - checks that a template's HTML leaks no secret. A one-time link may only be
 * text, or the whole href of an <a>: no URL of the author's may get it. Gumbo parses as browsers
 * do.
 */
#ifndef ATRIUM_MAILD_TEMPLATE_HTML_H
#define ATRIUM_MAILD_TEMPLATE_HTML_H

#include "common/base/arena.h"
#include "maild/template_names.h"

/* Returns NULL or the error ("must have ..."). render_check() has accepted the text. */
const char *template_html_check(struct arena *arena, const char *html);

#endif
