/*
 * maild_api.h - the operations of maild, with their inputs and outputs, for itself, the gateway and
 * the daemons that send mail. The headers beside it have those by subject.
 */
#ifndef ATRIUM_MAILD_MAILD_API_H
#define ATRIUM_MAILD_MAILD_API_H

#include "common/bus/method.h"
#include "common/service/erasure.h"
#include "common/service/purge.h"
#include "common/wire/fields.h"
#include "maild/job_api.h"
#include "maild/mail_api.h"
#include "maild/template_api.h"
#include "maild/webhook_api.h"

#define SERVICE maild
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
