/*
 * variant_files.h - the files of variants, as work for a pool: each function is one job, and may
 * block; but for variant_files_read_cached().
 *
 * A file begins with a head that says how long it is: one that lost its end in a power cut is not
 * used.
 */
#ifndef ATRIUM_DOCD_IMAGE_VARIANT_FILES_H
#define ATRIUM_DOCD_IMAGE_VARIANT_FILES_H

#include "common/base/base.h"
#include "common/base/uuid.h"
#include "docd/store/id_page.h"

enum { VARIANT_NAME_SIZE = 96, VARIANT_TYPE_SIZE = 32, VARIANT_FOLDERS = 256 };

struct variant_head {
    char magic[8];
    int64_t size; /* bytes behind the head */
    char type[VARIANT_TYPE_SIZE];
};

/* Arguments and results of the jobs; `error` is an errno, 0: done. */
struct variant_job {
    int dir;          /* of all variants */
    const char *name; /* "<object>-..." */
    int error;
    /* open, read */
    int file; /* read: opened unless it is >= 0; begin: the new file, locked, behind its head */
    struct variant_head head;
    int64_t offset;
    uint8_t *target;
    size_t count; /* bytes of room; then, bytes read */
    /* remove */
    struct uuid object;
    /* objects */
    int folder; /* 0 to VARIANT_FOLDERS - 1 */
    struct id_page page;
    /* sweep */
    int64_t bytes_max, bytes; /* allowed; found, less what was removed */
    const char *keep;         /* a name that is not removed, NULL: none */
    int64_t removed;          /* files */
};

/* Opens DIR and makes its folders. -1 with errno. */
int variant_files_open(const char *dir);

/* Reads the head of a variant and, with a target, bytes; records the use. ENOENT: there is none. */
void variant_files_read(void *job);

/* Without waiting for a disk: false when that is impossible, or the use must be recorded. */
bool variant_files_read_cached(struct variant_job *job);

/* Begins to make a variant. EAGAIN: another process is at it. EEXIST: it is there by now. */
void variant_files_begin(void *job);

/* The bytes are in `file`: gives the file its head and its name. */
void variant_files_finish(void *job);

void variant_files_abort(void *job);
void variant_files_drop(void *job);

void variant_files_remove(void *job);

void variant_files_objects(void *job);

/* Removes the least recently used until bytes_max are left. */
void variant_files_sweep(void *job);

#endif
