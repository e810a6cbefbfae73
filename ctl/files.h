/* files.h - reads small files whole, and replaces files atomically. */
#ifndef ATRIUM_CTL_FILES_H
#define ATRIUM_CTL_FILES_H

#include <sys/types.h>

#include "common/base/arena.h"
#include "common/base/error.h"

enum { FILES_MAX = 1024 * 1024 };

/* Reads a text; "-" is stdin. NULL: unreadable, too large, or not text. */
char *files_read(struct arena *arena, const char *path, struct error *err);

const char *files_program_dir(struct arena *arena);

/* Returns a daemon's seal key file in `keys`, in the development suite `dir`, or in /etc/atrium. */
const char *files_seal_key(struct arena *arena, const char *keys, const char *dir,
                           const char *service);

int files_replace(const char *path, mode_t mode, const char *text, struct error *err) MUST_USE;

/* Replaces a file with its mode and owner, and syncs. */
int files_exchange(const char *path, const char *text, struct error *err) MUST_USE;

#endif
