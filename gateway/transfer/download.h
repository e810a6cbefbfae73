/* download.h - answers R_CONTENT routes with a file or a part of it, fetched while it is sent. */
#ifndef ATRIUM_GATEWAY_TRANSFER_DOWNLOAD_H
#define ATRIUM_GATEWAY_TRANSFER_DOWNLOAD_H

#include "common/domain/content.h"
#include "gateway/endpoint/exchange.h"

struct download;

/* Sets the input's member "kept" to the target's cached file, so the daemon needn't send it. */
void download_prepare(struct exchange *exchange, void *input);

/* Answers with a file of the route's service, or for a page, with a file of the service that has
 * the R_CONTENT routes. `transport`: Strict-Transport-Security or NULL. Runs on the request's
 * fiber. */
int download_send(struct exchange *exchange, const struct request *req,
                  const struct content *content, const char *transport, struct error *err) MUST_USE;

/* Answers with the file that `output` (a struct content) describes. Runs on the request's fiber. */
int download_serve(struct exchange *exchange, const struct request *req,
                   const msgpack_object *output, struct error *err) MUST_USE;

void download_leave(struct download *self);

#endif
