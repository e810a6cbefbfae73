/*
 * descriptors.h - how many files and sockets this process has open, and may have.
 *
 * libzmq ends a process that has no descriptor left for it, so the gateway's connections are
 * limited by number and new connections of the bus by asking first.
 */
#ifndef ATRIUM_COMMON_BASE_DESCRIPTORS_H
#define ATRIUM_COMMON_BASE_DESCRIPTORS_H

#include "common/base/base.h"

enum {
    DESCRIPTORS_RESERVE = 96, /* for bus, database, files, libraries: an idle daemon has 24 to 46 */
    DESCRIPTORS_USED_MAX = 65536, /* more are never used, whatever the limit is */
};

/* Raises the soft limit of open files to the hard one, at most DESCRIPTORS_USED_MAX. */
void descriptors_raise(void);

size_t descriptors_limit(void);

/* Open ones; 0 without /proc. */
size_t descriptors_used(void);

/* Whether so many (at most 32) more can be opened now. */
bool descriptors_available(size_t count);

/* Whether errno says that the process, or the machine, has none left. */
bool descriptors_exhausted(int error);

#endif
