/* instances.h - every instance that runs or ran: `status` and `doctor` call each of them. */
#ifndef ATRIUM_CTL_SUITE_INSTANCES_H
#define ATRIUM_CTL_SUITE_INSTANCES_H

#include "ctl/ctl.h"

enum { INSTANCES_SHOWN_MAX = 256 };

struct instance {
    const char *service, *instance; /* "authd", "1" */
    const char *name;               /* "authd.1" */
    bool connected;
};

struct instances {
    struct instance items[INSTANCES_SHOWN_MAX];
    size_t count;
};

/* Instances with a socket or on listed hosts, in the order of ctl_bus_services. One not connected
 * after a second counts as down. From the arena; NULL: interrupted. Parks. */
const struct instances *instances_find(struct ctl *ctl, struct error *err);

/* "2h 5m": an up time. */
const char *instances_up_time(struct arena *arena, int64_t ms);

#endif
