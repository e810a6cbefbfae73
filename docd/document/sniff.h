/* sniff.h - what bytes are, whatever their owner says: by libmagic. */
#ifndef ATRIUM_DOCD_DOCUMENT_SNIFF_H
#define ATRIUM_DOCD_DOCUMENT_SNIFF_H

#include "common/domain/request.h"
#include "common/runtime/offload.h"

struct sniffer;

/* Loads libmagic's database. NULL with err set when there is none. The pool is borrowed. */
struct sniffer *sniffer_new(struct loop *loop, struct offload *pool, struct error *err);
void sniffer_destroy(struct sniffer **self_p);

/* The MIME type by the first bytes, in the request's arena; "application/octet-stream" when
 * unknown. Parks: one file at a time. */
int sniff(struct sniffer *self, const struct request *req, struct field_bytes head,
          const char **ret, struct error *err) MUST_USE;

/* True when a browser might run what such a file says: HTML, SVG and the rest of XML. */
bool media_type_is_active(const char *type);

#endif
