/*
 * settingsd_api.c - settingsd's operations for gateways and daemons.
 *
 * Inputs and outputs are field tables, in files by subject: limits, wire names, OpenAPI texts. All
 * programs link them: the gateway validates and documents with them, daemons encode with them.
 */
#include "settingsd/settingsd_api.h"

static const struct field id_in_rows[] = {
    FIELD_UUID(struct id_in, id, FIELD_PATH | FIELD_REQUIRED, "Identifier of the resource."),
};
FIELD_TABLE(id_in);

#define SERVICE settingsd
#define SERVICE_OPERATIONS OPERATION_METHODS
#include "common/bus/operations.def"
