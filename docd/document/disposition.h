/*
 * disposition.h - the header Content-Disposition of a file.
 */
#ifndef ATRIUM_DOCD_DOCUMENT_DISPOSITION_H
#define ATRIUM_DOCD_DOCUMENT_DISPOSITION_H

#include "common/base/arena.h"

/* `inline` or `attachment` with the name of the file (UTF-8): as it is by RFC 5987, and, for who
 * cannot read that, in ASCII. */
const char *disposition(struct arena *arena, bool attachment, const char *file_name);

#endif
