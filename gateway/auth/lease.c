/* lease.c - see lease.h. */
#include "gateway/auth/lease.h"

#include "common/base/clock.h"

bool lease_is_live(const struct lease *self)
{
    return clock_mono_ms() < self->valid_until_ms;
}
