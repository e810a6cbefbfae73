/*
 * settingsd_api.c - the operations of settingsd, by which gateways and daemons call them.
 *
 * Their inputs and outputs are tables of fields, in the files beside this one by subject: bounds,
 * names on the wire, words for OpenAPI. All are linked into every program: the gateway validates
 * and documents by these tables, the daemons pack by them.
 */
#include "settingsd/settingsd_api.h"

static const struct field id_in_rows[] = {
    FIELD_UUID(struct id_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the resource."),
};
FIELD_TABLE(id_in);

#define SERVICE settingsd
#define SERVICE_OPERATIONS OPERATION_METHODS
#include "common/bus/operations.def"
