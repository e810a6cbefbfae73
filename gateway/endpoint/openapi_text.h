/* openapi_text.h - the prose of /openapi.json that belongs to no single route. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_OPENAPI_TEXT_H
#define ATRIUM_GATEWAY_ENDPOINT_OPENAPI_TEXT_H

#include "common/base/error.h"

struct openapi_tag {
    const char *name, *description;
};

extern const char openapi_introduction[];       /* Markdown */
extern const struct openapi_tag openapi_tags[]; /* in the order of the page, ended by name NULL */

/* What a code of errors.def that clients see means to them; NULL for one that they do not see. */
const char *openapi_code_meaning(enum error_code code);

#endif
