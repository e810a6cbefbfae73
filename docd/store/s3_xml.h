/* s3_xml.h - parses S3's XML responses. */
#ifndef ATRIUM_DOCD_STORE_S3_XML_H
#define ATRIUM_DOCD_STORE_S3_XML_H

#include "common/base/arena.h"
#include "common/base/base.h"

/* Calls `element` for each text-only element with its path ("ListBucketResult/Contents/Key") and
 * text, cut at 1 KiB. -1: malformed, another root, deeper than 8, or a DOCTYPE; `element` may have
 * run. */
int s3_xml_read(const char *text, size_t size, const char *root,
                void (*element)(void *arg, const char *path, const char *text), void *arg) MUST_USE;

/* Returns the text of the first element with that path; NULL: none, or malformed XML. */
const char *s3_xml_text(struct arena *arena, const char *xml, size_t size, const char *path);

#endif
