/*
 * descriptors.h - the process's open and available descriptors.
 *
 * libzmq aborts a process that has no free descriptor, so the gateway limits its connections, and
 * new bus connections check first.
 */
#ifndef ATRIUM_COMMON_BASE_DESCRIPTORS_H
#define ATRIUM_COMMON_BASE_DESCRIPTORS_H

#include "common/base/base.h"

enum {
    DESCRIPTORS_RESERVE = 96,     /* for bus, database and files: an idle daemon has 24 to 46 */
    DESCRIPTORS_USED_MAX = 65536, /* cap on any higher limit */
};

void descriptors_raise(void);

size_t descriptors_limit(void);
size_t descriptors_used(void);

/* Returns true when `count` (at most 32) more are free. */
bool descriptors_available(size_t count);

bool descriptors_exhausted(int error);

#endif
