/*
 * maild_api.c - the operations of maild, by which gateways and daemons call them.
 *
 * Their inputs and outputs are tables of fields, in the files beside this one by subject: bounds,
 * names on the wire, words for OpenAPI. All are linked into every program: the gateway validates
 * and documents by these tables, the daemons pack by them.
 */
#include "maild/maild_api.h"

#define SERVICE maild
#define SERVICE_OPERATIONS OPERATION_METHODS
#include "common/bus/operations.def"
