/*
 * kept.h - files that are asked for again and again: their bytes need not come from the daemon each
 * time.
 *
 * The daemon decides about every request, as ever, and says by a handle which file is the answer;
 * what a handle names never changes. The gateway tells it which file it has for the target, and if
 * that is the answer its bytes stay where they are. A file is kept from the second time on that a
 * target brought it, unless more than KEPT_SIZE_MAX bytes of files came in between, and until no
 * client has asked for it for a minute. All of them together, with those that are still being sent,
 * never have more than KEPT_SIZE_MAX bytes.
 */
#ifndef ATRIUM_GATEWAY_TRANSFER_KEPT_H
#define ATRIUM_GATEWAY_TRANSFER_KEPT_H

#include <microhttpd.h>

#include "gateway/http/decode.h"

enum {
    KEPT_FILE_MAX = 1024 * 1024,
    KEPT_SIZE_MAX = 8 * 1024 * 1024,
    KEPT_TARGETS_MAX = 1024,
    KEPT_MS = 60000, /* since it was last asked for */
};

struct kept_files;
struct kept;

struct kept_files *kept_files_new(void);
void kept_files_destroy(struct kept_files **self_p);

/* Bytes of all files. */
size_t kept_files_size(const struct kept_files *self);

/* The file that a target, as it was sent, brought lately, when its bytes are here; the caller's to
 * release. */
struct kept *kept_find(struct kept_files *self, const struct target *target, int64_t now_mono_ms);
const char *kept_handle(const struct kept *self);
size_t kept_size(const struct kept *self);
const uint8_t *kept_bytes(const struct kept *self);

/* NULL and *NULL are fine. */
void kept_release(struct kept **self_p);

/* A target has brought the whole file of this handle, which lies at these places one after the
 * other. */
void kept_note(struct kept_files *self, const struct target *target, const char *handle,
               const struct MHD_IoVec *places, size_t count, int64_t now_mono_ms);

/* Forgets what nobody has asked for lately; every few seconds. */
void kept_files_sweep(struct kept_files *self, int64_t now_mono_ms);

#endif
