/* download.h - answers R_CONTENT routes with a file or part of it. */
#ifndef ATRIUM_GATEWAY_TRANSFER_DOWNLOAD_H
#define ATRIUM_GATEWAY_TRANSFER_DOWNLOAD_H

#include "common/domain/content.h"
#include "gateway/endpoint/exchange.h"

struct download;

/* Sets the input's members that let the daemon answer without sending the file. */
void download_prepare(struct exchange *exchange, void *input);

/* Sends a file of the route's service, or for a page, of the service with R_CONTENT routes.
 * `transport`: Strict-Transport-Security or NULL. Parks. */
int download_send(struct exchange *exchange, const struct request *req,
                  const struct content *content, const char *transport, struct error *err) MUST_USE;

/* `output`: a struct content. Parks. */
int download_serve(struct exchange *exchange, const struct request *req,
                   const msgpack_object *output, struct error *err) MUST_USE;

void download_leave(struct download *self);

#endif
