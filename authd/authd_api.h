/*
 * authd_api.h - authd's operations, which gateways and daemons call, and their field tables. The
 * structs are in the headers of their subjects, *_api.h.
 */
#ifndef ATRIUM_AUTHD_AUTHD_API_H
#define ATRIUM_AUTHD_AUTHD_API_H

#include "common/bus/method.h"
#include "common/wire/fields.h"

#define SERVICE authd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
