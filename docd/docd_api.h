/*
 * docd_api.h - the operations of docd, with their inputs and outputs, for itself, the gateway and
 * the daemons that ask it. The headers beside it have those by subject.
 */
#ifndef ATRIUM_DOCD_DOCD_API_H
#define ATRIUM_DOCD_DOCD_API_H

#include "common/bus/method.h"
#include "common/domain/content.h"
#include "common/service/audit_events.h"
#include "common/service/erasure.h"
#include "common/service/purge.h"
#include "common/wire/fields.h"
#include "docd/bytes_api.h"
#include "docd/cms_api.h"
#include "docd/document_api.h"
#include "docd/export_api.h"
#include "docd/image_api.h"

#define SERVICE docd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
