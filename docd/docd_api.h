/*
 * docd_api.h - docd's operations and field tables, for their callers. Structs are in *_api.h.
 */
#ifndef ATRIUM_DOCD_DOCD_API_H
#define ATRIUM_DOCD_DOCD_API_H

#include "common/bus/method.h"
#include "common/wire/fields.h"

#define SERVICE docd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
