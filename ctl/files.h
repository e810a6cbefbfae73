/*
 * files.h - small files, whole: read with a bound, replaced atomically.
 */
#ifndef ATRIUM_CTL_FILES_H
#define ATRIUM_CTL_FILES_H

#include <sys/types.h>

#include "common/base/arena.h"
#include "common/base/error.h"

enum { FILES_MAX = 1024 * 1024 }; /* bytes of one file */

/* The file's text from the arena; "-" is stdin. NULL with the file named when it cannot be read, is
 * too large, or is not text. */
char *files_read(struct arena *arena, const char *path, struct error *err);

/* The folder of the running program, from the arena. */
const char *files_program_dir(struct arena *arena);

/* The file of a daemon's seal key, from the arena: below `keys`; NULL: of the development suite in
 * `dir`; NULL: /etc/atrium. */
const char *files_seal_key(struct arena *arena, const char *keys, const char *dir,
                           const char *service);

/* Replaces a file atomically: a reader sees the old file or the new one, never a part. */
int files_replace(const char *path, mode_t mode, const char *text, struct error *err) MUST_USE;

/* The same for a file that is there and must survive a power cut: the new one has its mode and
 * owner, and is on disk. */
int files_exchange(const char *path, const char *text, struct error *err) MUST_USE;

#endif
