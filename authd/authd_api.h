/*
 * authd_api.h - authd's operations for gateways and daemons. The structs and their field tables are
 * in the *_api files of each subject.
 */
#ifndef ATRIUM_AUTHD_AUTHD_API_H
#define ATRIUM_AUTHD_AUTHD_API_H

#include "common/bus/method.h"
#include "common/wire/fields.h"

#define SERVICE authd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
