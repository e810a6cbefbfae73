/*
 * settingsd_api.h - settingsd's operations for gateways and daemons, with the tables of their
 * inputs and outputs. *_api.h have the structs by subject; shared ones are here.
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
