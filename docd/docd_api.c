/*
 * docd_api.c - descriptions of docd's operations. Their field tables, in the *_api.c files, are
 * linked into every program: the gateway validates and documents with them, daemons encode with
 * them.
 */
#include "docd/docd_api.h"

#define SERVICE docd
#define SERVICE_OPERATIONS OPERATION_METHODS
#include "common/bus/operations.def"
