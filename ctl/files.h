/* files.h - small files, whole: read with a bound, replaced atomically. */
#ifndef ATRIUM_CTL_FILES_H
#define ATRIUM_CTL_FILES_H

#include <sys/types.h>

#include "common/base/arena.h"
#include "common/base/error.h"

enum { FILES_MAX = 1024 * 1024 }; /* bytes of one file */

/* Reads a text from a file or "-" (stdin). NULL, with the file named: unreadable, too large, not
 * text. */
char *files_read(struct arena *arena, const char *path, struct error *err);

const char *files_program_dir(struct arena *arena);

/* A daemon's seal key file: below `keys`, or of the development suite in `dir`, or in
 * /etc/atrium. */
const char *files_seal_key(struct arena *arena, const char *keys, const char *dir,
                           const char *service);

/* Replaces a file atomically. */
int files_replace(const char *path, mode_t mode, const char *text, struct error *err) MUST_USE;

/* For an existing file that must survive a power cut: keeps mode and owner, and syncs. */
int files_exchange(const char *path, const char *text, struct error *err) MUST_USE;

#endif
