/*
 * server_disk.h - disks of a PostgreSQL server on this host. Only root or PostgreSQL's user can see
 * them, no daemon.
 */
#ifndef ATRIUM_CTL_SUITE_SERVER_DISK_H
#define ATRIUM_CTL_SUITE_SERVER_DISK_H

#include "common/base/arena.h"
#include "common/base/base.h"

enum { SERVER_DISKS_MAX = 16 };

struct server_disk {
    const char *path;
    const char *device, *mount; /* "/dev/sda1", "/var"; "": unknown */
    int64_t free, size;         /* free: for the server */
};

/* Finds the disks of `server`, "host=/run/postgresql port=5432" (db_server()). 0: no local server,
 * or not visible. */
size_t server_disks(const char *server, struct arena *arena,
                    struct server_disk ret[static SERVER_DISKS_MAX]);

#endif
