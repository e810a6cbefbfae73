/* download.h - the answer of an R_CONTENT route: a file, or part of it, fetched as it is read. */
#ifndef ATRIUM_GATEWAY_TRANSFER_DOWNLOAD_H
#define ATRIUM_GATEWAY_TRANSFER_DOWNLOAD_H

#include "common/domain/content.h"
#include "gateway/endpoint/exchange.h"

struct download;

/* Tells the daemon by the input's member "kept" which file is cached for this target. */
void download_prepare(struct exchange *exchange, void *input);

/* Answers with a file of the route's service; on a page, as pages are answered, of the service of
 * the R_CONTENT routes. `transport`: Strict-Transport-Security or NULL. On the request's fiber. */
int download_send(struct exchange *exchange, const struct request *req,
                  const struct content *content, const char *transport, struct error *err) MUST_USE;

/* Answers with the file that `output` (a struct content) describes. On the request's fiber. */
int download_serve(struct exchange *exchange, const struct request *req,
                   const msgpack_object *output, struct error *err) MUST_USE;

/* The exchange has ended: its file is not read any more. */
void download_leave(struct download *self);

#endif
