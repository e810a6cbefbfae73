/*
 * maild_api.h - maild's operations and field tables, for their callers. Structs are in *_api.h.
 */
#ifndef ATRIUM_MAILD_MAILD_API_H
#define ATRIUM_MAILD_MAILD_API_H

#include "common/bus/method.h"
#include "common/wire/fields.h"

#define SERVICE maild
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
