/* transport.c - what the transports share. */
#include "maild/transport.h"

void transport_destroy(struct transport **self_p)
{
    if (self_p && *self_p)
        (*self_p)->destroy(*self_p);
    if (self_p)
        *self_p = NULL;
}
