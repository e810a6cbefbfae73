/* reference.h - FHIR references with a display name. */
#ifndef ATRIUM_COMMON_DOMAIN_REFERENCE_H
#define ATRIUM_COMMON_DOMAIN_REFERENCE_H

#include "common/wire/fields.h"

enum { REFERENCE_MAX = 64, REFERENCE_DISPLAY_MAX = 512 };

struct reference {
    const char *reference, *display; /* "Project/<id>", "Patient/<id>", "Practitioner/<id>" */
};
FIELD_DECLARE(reference);

#endif
