/* disposition.h - the header Content-Disposition of a file. */
#ifndef ATRIUM_DOCD_DOCUMENT_DISPOSITION_H
#define ATRIUM_DOCD_DOCUMENT_DISPOSITION_H

#include "common/base/arena.h"

/* Returns the name as UTF-8 (RFC 5987), and as ASCII for older clients. */
const char *disposition(struct arena *arena, bool attachment, const char *file_name);

#endif
