/*
 * upload.h - the body of an R_FORM route on its way to the daemon, while it comes in.
 *
 * exchange.c feeds it; on the request's fiber serve.c has the daemon check the fields, then
 * upload_run() completes the file. A slow daemon pauses the connection.
 */
#ifndef ATRIUM_GATEWAY_TRANSFER_UPLOAD_H
#define ATRIUM_GATEWAY_TRANSFER_UPLOAD_H

#include "common/domain/content.h"
#include "gateway/endpoint/exchange.h"

struct upload;

/* Starts on the header of an R_FORM request. NULL, with err set, when its body is no form. */
struct upload *upload_new(struct exchange *exchange, struct error *err);

/* The next bytes of the body. False when the connection must be cut. */
bool upload_append(struct upload *self, const uint8_t *bytes, size_t size);

/* The file has begun: all fields are there. */
bool upload_has_begun(const struct upload *self);

/* The body is complete; or the exchange has ended before it was. */
void upload_end_body(struct upload *self);
void upload_leave(struct upload *self);

/* The fields before the file, when the daemon can be asked. Fails: no file, or no form. */
const struct form *upload_form(struct upload *self, struct error *err);

/* With the daemon's ticket: returns when the file is stored, or will not be. Parks. */
int upload_run(struct upload *self, const struct request *req, const struct form_ticket *ticket,
               struct error *err) MUST_USE;

void upload_refuse(struct upload *self);

#endif
