/*
 * settingsd_api.h - the operations of settingsd, with their inputs and outputs, for itself, the
 * gateway and the daemons that ask it. The headers beside it have those by subject.
 */
#ifndef ATRIUM_SETTINGSD_SETTINGSD_API_H
#define ATRIUM_SETTINGSD_SETTINGSD_API_H

#include "common/bus/method.h"
#include "common/domain/reference.h"
#include "common/service/audit_events.h"
#include "common/service/erasure.h"
#include "common/wire/fields.h"
#include "settingsd/brand_api.h"
#include "settingsd/client_api.h"
#include "settingsd/policy_api.h"
#include "settingsd/project_api.h"
#include "settingsd/setting_api.h"
#include "settingsd/tenant_api.h"

struct id_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(id_in);

/* An access policy or a client application. */
struct operator_delete_in {
    const char *tenantCode;
    struct uuid id;
};
FIELD_DECLARE(operator_delete_in);

#define SERVICE settingsd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
