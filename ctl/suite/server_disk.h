/*
 * server_disk.h - the disks that PostgreSQL writes to, where it runs on this host.
 *
 * A daemon's role may not ask the server for its data directory, and a daemon's user may not look
 * at the server's process: an operator may, as root or as the user that PostgreSQL runs as.
 */
#ifndef ATRIUM_CTL_SUITE_SERVER_DISK_H
#define ATRIUM_CTL_SUITE_SERVER_DISK_H

#include "common/base/arena.h"
#include "common/base/base.h"

enum { SERVER_DISKS_MAX = 16 };

struct server_disk {
    const char *path;           /* "/var/lib/postgresql/15/main/pg_wal" */
    const char *device, *mount; /* "/dev/sda1", "/var"; "" when not known */
    int64_t free, size;         /* bytes: what the server may use, all */
};

/* Finds each disk of data, log and tablespaces of the server at `server` (db_server():
 * "host=/run/postgresql port=5432") once; texts from the arena. 0: no local server, or not
 * visible. */
size_t server_disks(const char *server, struct arena *arena,
                    struct server_disk ret[static SERVER_DISKS_MAX]);

#endif
