/* s3_xml.h - what a server of S3 says in XML. */
#ifndef ATRIUM_DOCD_STORE_S3_XML_H
#define ATRIUM_DOCD_STORE_S3_XML_H

#include "common/base/arena.h"
#include "common/base/base.h"

/* Calls `element` for each text-only element with its path ("ListBucketResult/Contents/Key") and
 * text, cut at a kilobyte, valid during the call. -1: not well-formed, another root, deeper than 8,
 * or with a document type; some elements may have been reported before. */
int s3_xml_read(const char *text, size_t size, const char *root,
                void (*element)(void *arg, const char *path, const char *text), void *arg) MUST_USE;

/* The text of the first element with that path, from the arena; NULL when there is none, or it is
 * no whole XML with that root. */
const char *s3_xml_text(struct arena *arena, const char *xml, size_t size, const char *path);

#endif
