/*
 * s3_xml.h - what a server of S3 says in XML.
 */
#ifndef ATRIUM_DOCD_STORE_S3_XML_H
#define ATRIUM_DOCD_STORE_S3_XML_H

#include "common/base/arena.h"
#include "common/base/base.h"

/* Calls `element` for each element that holds text only, with its path
 * ("ListBucketResult/Contents/Key") and the text, cut at a kilobyte, which are gone after the call.
 * -1 when it is not well-formed, is no `root` element, is nested deeper than 8, or declares a
 * document type: nothing of S3 does. Some elements may have been told of before that is seen. */
int s3_xml_read(const char *text, size_t size, const char *root,
                void (*element)(void *arg, const char *path, const char *text), void *arg) MUST_USE;

/* The text of the first element with that path, from the arena; NULL when there is none, or it is
 * no whole XML with that root. */
const char *s3_xml_text(struct arena *arena, const char *xml, size_t size, const char *path);

#endif
