/*
 * upload.h - passes the body of an R_FORM route to the daemon while it arrives.
 *
 * exchange.c feeds it. On the request's fiber serve.c has the daemon check the fields, then calls
 * upload_run(). A slow daemon pauses the connection.
 */
#ifndef ATRIUM_GATEWAY_TRANSFER_UPLOAD_H
#define ATRIUM_GATEWAY_TRANSFER_UPLOAD_H

#include "common/domain/content.h"
#include "gateway/endpoint/exchange.h"

struct upload;

/* Call after the header. Returns NULL if the body isn't a form. */
struct upload *upload_new(struct exchange *exchange, struct error *err);

bool upload_append(struct upload *self, const uint8_t *bytes, size_t size);
bool upload_has_begun(const struct upload *self);
void upload_end_body(struct upload *self);
void upload_leave(struct upload *self);

/* Returns the fields before the file. NULL: malformed, or no file. */
const struct form *upload_form(struct upload *self, struct error *err);

/* Returns when the file is stored or has failed. Parks. */
int upload_run(struct upload *self, const struct request *req, const struct form_ticket *ticket,
               struct error *err) MUST_USE;

void upload_refuse(struct upload *self);

#endif
