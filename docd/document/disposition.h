/* disposition.h - the header Content-Disposition of a file. */
#ifndef ATRIUM_DOCD_DOCUMENT_DISPOSITION_H
#define ATRIUM_DOCD_DOCUMENT_DISPOSITION_H

#include "common/base/arena.h"

/* `inline` or `attachment` with the file name: UTF-8 by RFC 5987, and ASCII for older clients. */
const char *disposition(struct arena *arena, bool attachment, const char *file_name);

#endif
