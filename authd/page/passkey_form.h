/*
 * passkey_form.h - the form of a passkey on a page: what the browser's program is handed, and what
 * it sends back (authd/page/template/part/passkey.js).
 */
#ifndef ATRIUM_AUTHD_PAGE_PASSKEY_FORM_H
#define ATRIUM_AUTHD_PAGE_PASSKEY_FORM_H

#include <jansson.h>

#include "authd/page/visit.h"

/* The JSON of passkey_request_options or passkey_creation_options, from the arena. */
const char *passkey_form_options(const struct visit *visit, const struct field_table *table,
                                 const void *options);

/* The body of a request that shows a passkey: `credential`, the text that the program has sent,
 * beside a member of that name (NULL: none). New reference; of a text that is no JSON object
 * without `credential`, which the request's table then misses. */
json_t *passkey_form_body(const char *credential, const char *member, const char *value)
    __attribute__((malloc));

#endif
