/*
 * suite_dir.h - a development suite's directory, lock, keys and sockets. A socket's path has at
 * most 107 bytes, so sockets are in a private directory in /tmp.
 */
#ifndef ATRIUM_DEV_SUITE_DIR_H
#define ATRIUM_DEV_SUITE_DIR_H

#include "common/base/arena.h"
#include "common/base/error.h"

struct suite_dir {
    const char *path;       /* absolute, without symbolic links */
    const char *socket_dir; /* "/tmp/atrium-1000-3f9ac2d1e07b" */
    const char *bin_dir;
    int lock;
    bool made;
    bool emptied; /* the next suite can use the socket directory */
    bool fresh;   /* DIR was empty: a failed start leaves nothing */
};

/* Makes and locks the directory. ERR_CONFLICT: a suite runs there; ERR_FORBIDDEN: the directory
 * belongs to another user, or all users can write to it. */
int suite_dir_open(struct suite_dir *self, const char *dir, struct arena *arena,
                   struct error *err) MUST_USE;

/* Removes a failed first start's files; `failed`: prints the ends of its logs. No effect if DIR was
 * not empty. Call it before suite_dir_close(). */
void suite_dir_discard(struct suite_dir *self, bool failed);

/* Removes the sockets and releases the lock. */
void suite_dir_close(struct suite_dir *self);

const char *suite_dir_path(const struct suite_dir *self, struct arena *arena, const char *name);

/* Makes a directory with mode 0700. */
int suite_dir_make_directory(const struct suite_dir *self, struct arena *arena, const char *name,
                             struct error *err) MUST_USE;

/* Returns a file with 64 hex digits, made if missing. */
const char *suite_dir_key(const struct suite_dir *self, struct arena *arena, const char *daemon,
                          struct error *err);

/* Returns the path of a new log; the previous one becomes <name>.old. */
const char *suite_dir_log(const struct suite_dir *self, struct arena *arena, const char *name);

char *suite_dir_sockets(struct arena *arena, const char *dir);

bool suite_dir_has_program(const struct suite_dir *self, const char *name);

#endif
