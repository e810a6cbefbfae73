/* instances.h - all instances, running or not. */
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

/* Finds instances with a socket or on listed hosts, in the order of ctl_bus_services. Waits a
 * second for connections. NULL: interrupted. Parks. */
const struct instances *instances_find(struct ctl *ctl, struct error *err);

/* Formats "2h 5m". */
const char *instances_up_time(struct arena *arena, int64_t ms);

#endif
