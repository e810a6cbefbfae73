/*
 * authd_api.h - the operations of authd, with their inputs and outputs, for itself, the gateway and
 * the daemons that ask it. The headers beside it have those by subject.
 */
#ifndef ATRIUM_AUTHD_AUTHD_API_H
#define ATRIUM_AUTHD_AUTHD_API_H

#include "authd/account_api.h"
#include "authd/api_key_api.h"
#include "authd/import_api.h"
#include "authd/key_api.h"
#include "authd/member_api.h"
#include "authd/oauth_api.h"
#include "authd/operation_api.h"
#include "authd/page_api.h"
#include "authd/passkey_api.h"
#include "authd/session_api.h"
#include "authd/sign_in_api.h"
#include "authd/trail_api.h"
#include "common/base/secret.h"
#include "common/bus/method.h"
#include "common/domain/reference.h"
#include "common/service/audit_events.h"
#include "common/service/purge.h"
#include "common/wire/fields.h"

#define SERVICE authd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
