/* key_caller.c - see key_caller.h. */
#include "common/domain/key_caller.h"

bool request_is_key(const struct request *req)
{
    return req->caller && req->caller->role == ROLE_DEVICE;
}
