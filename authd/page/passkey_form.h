/*
 * passkey_form.h - passes data between a page and its passkey script
 * (authd/page/template/part/passkey.js).
 */
#ifndef ATRIUM_AUTHD_PAGE_PASSKEY_FORM_H
#define ATRIUM_AUTHD_PAGE_PASSKEY_FORM_H

#include <jansson.h>

#include "authd/page/visit.h"

/* JSON of passkey_request_options or passkey_creation_options. */
const char *passkey_form_options(const struct visit *visit, const struct field_table *table,
                                 const void *options);

/* Makes an input from `credential`, the script's JSON, and a member of that name (NULL: none).
 * Omits invalid JSON, so that the input's table reports it. New reference. */
json_t *passkey_form_body(const char *credential, const char *member, const char *value)
    __attribute__((malloc));

#endif
