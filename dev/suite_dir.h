/*
 * suite_dir.h - where a development suite lies: its directory, its lock, its keys, and the short
 * directory of its sockets.
 *
 * A socket's path has at most 107 bytes, a developer's directory may be longer: the sockets lie in
 * /tmp, in a directory that is named by the suite's, belongs to its user and is closed to others.
 */
#ifndef ATRIUM_DEV_SUITE_DIR_H
#define ATRIUM_DEV_SUITE_DIR_H

#include "common/base/arena.h"
#include "common/base/error.h"

struct suite_dir {
    const char *path;       /* absolute, without symbolic links */
    const char *socket_dir; /* "/tmp/atrium-1000-3f9ac2d1e07b" */
    const char *bin_dir;    /* where atrium-dev and the daemons are */
    int lock;               /* held as long as the suite runs */
    bool made;              /* DIR was not there */
    bool emptied;           /* the sockets are removed: their directory may be the next one's */
    bool fresh;             /* nothing was in DIR: a start that fails leaves nothing in it */
};

/* Makes what is missing, and locks. ERR_CONFLICT: a suite runs there; ERR_FORBIDDEN: another
 * user's, or writable by all. */
int suite_dir_open(struct suite_dir *self, const char *dir, struct arena *arena,
                   struct error *err) MUST_USE;

/* Removes what a failed first start has written, and DIR if it was made; with `failed` prints the
 * ends of its logs. No effect if DIR was not empty. Call it before suite_dir_close(). */
void suite_dir_discard(struct suite_dir *self, bool failed);

/* Removes the sockets and gives the lock back. */
void suite_dir_close(struct suite_dir *self);

/* <dir>/<name>, from the arena. */
const char *suite_dir_path(const struct suite_dir *self, struct arena *arena, const char *name);

/* Makes <dir>/<name>, 0700, unless it is there. */
int suite_dir_make_directory(const struct suite_dir *self, struct arena *arena, const char *name,
                             struct error *err) MUST_USE;

/* A key file of 64 hex digits, made if missing. */
const char *suite_dir_key(const struct suite_dir *self, struct arena *arena, const char *daemon,
                          struct error *err);

/* An empty log file in <dir>/log; the previous one becomes <name>.old. */
const char *suite_dir_log(const struct suite_dir *self, struct arena *arena, const char *name);

char *suite_dir_sockets(struct arena *arena, const char *dir);

bool suite_dir_has_program(const struct suite_dir *self, const char *name);

#endif
