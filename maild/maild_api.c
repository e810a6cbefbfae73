/*
 * maild_api.c - descriptions of maild's operations. Their field tables, in the *_api.c files, are
 * linked into every program: the gateway validates and documents with them, daemons encode with
 * them.
 */
#include "maild/maild_api.h"

#define SERVICE maild
#define SERVICE_OPERATIONS OPERATION_METHODS
#include "common/bus/operations.def"
