/*
 * docd_api.h - the operations of docd by which gateways and daemons call it, and the tables of all
 * that it takes and gives. The structs are in the headers of their subjects, *_api.h beside this.
 */
#ifndef ATRIUM_DOCD_DOCD_API_H
#define ATRIUM_DOCD_DOCD_API_H

#include "common/bus/method.h"
#include "common/wire/fields.h"

#define SERVICE docd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
