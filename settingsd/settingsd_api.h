/*
 * settingsd_api.h - the operations of settingsd by which gateways and daemons call it, and the
 * tables of all that it takes and gives. The structs are in the headers of their subjects, *_api.h
 * beside this; those of several subjects are here.
 */
#ifndef ATRIUM_SETTINGSD_SETTINGSD_API_H
#define ATRIUM_SETTINGSD_SETTINGSD_API_H

#include "common/bus/method.h"
#include "common/wire/fields.h"

struct id_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(id_in);

#define SERVICE settingsd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
