/* sniff.h - detects the type of bytes with libmagic. */
#ifndef ATRIUM_DOCD_DOCUMENT_SNIFF_H
#define ATRIUM_DOCD_DOCUMENT_SNIFF_H

#include "common/domain/request.h"
#include "common/runtime/offload.h"

struct sniffer;

/* Returns NULL with err set if there is no database. The pool is borrowed. */
struct sniffer *sniffer_new(struct loop *loop, struct offload *pool, struct error *err);
void sniffer_destroy(struct sniffer **self_p);

/* Returns the MIME type, in the arena; "application/octet-stream" when unknown. Parks. */
int sniff(struct sniffer *self, const struct request *req, struct field_bytes head,
          const char **ret, struct error *err) MUST_USE;

/* True for HTML, SVG and other XML, which a browser may run. */
bool media_type_is_active(const char *type);

#endif
