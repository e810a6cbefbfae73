/*
 * authd_api.c - the operations that gateways and daemons call.
 *
 * The *_api.c files beside this one contain the inputs' and outputs' field tables: limits, wire
 * names and OpenAPI texts. Every program links them: the gateway to validate and document, the
 * daemons to encode.
 */
#include "authd/authd_api.h"

#define SERVICE authd
#define SERVICE_OPERATIONS OPERATION_METHODS
#include "common/bus/operations.def"
