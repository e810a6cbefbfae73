/*
 * authd_api.c - see authd_api.h. Every program links the field tables: the gateway to validate and
 * document, the daemons to encode.
 */
#include "authd/authd_api.h"

#define SERVICE authd
#define SERVICE_OPERATIONS OPERATION_METHODS
#include "common/bus/operations.def"
