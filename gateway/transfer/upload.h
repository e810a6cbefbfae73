/*
 * upload.h - streams the body of an R_FORM route to the daemon.
 *
 * exchange.c feeds it the body. On the request's fiber serve.c lets the daemon check the fields,
 * then upload_run() waits for the file. A slow daemon pauses the connection.
 */
#ifndef ATRIUM_GATEWAY_TRANSFER_UPLOAD_H
#define ATRIUM_GATEWAY_TRANSFER_UPLOAD_H

#include "common/domain/content.h"
#include "gateway/endpoint/exchange.h"

struct upload;

/* Starts after the header of an R_FORM request. Returns NULL if the body isn't a form. */
struct upload *upload_new(struct exchange *exchange, struct error *err);

bool upload_append(struct upload *self, const uint8_t *bytes, size_t size);
bool upload_has_begun(const struct upload *self);
void upload_end_body(struct upload *self);
void upload_leave(struct upload *self);

/* Returns the fields before the file, or NULL if the form is malformed or has no file. */
const struct form *upload_form(struct upload *self, struct error *err);

/* Waits until the daemon has stored the file, or failed. Parks. */
int upload_run(struct upload *self, const struct request *req, const struct form_ticket *ticket,
               struct error *err) MUST_USE;

void upload_refuse(struct upload *self);

#endif
