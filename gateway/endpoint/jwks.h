/* jwks.h - /.well-known/jwks.json: the public keys, for services that verify tokens themselves. */
#ifndef ATRIUM_GATEWAY_ENDPOINT_JWKS_H
#define ATRIUM_GATEWAY_ENDPOINT_JWKS_H

#include "common/wire/fields.h"

struct exchange;

/* The shape of the answer, for the OpenAPI page. */
FIELD_DECLARE(jwks);

/* The endpoint; on a fiber, since the keys may have to be fetched first. */
void jwks_serve(struct exchange *exchange);

#endif
