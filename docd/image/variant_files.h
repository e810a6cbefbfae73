/*
 * variant_files.h - the files of variants. Each function can block and runs on a pool, except
 * variant_files_read_cached(). A file begins with a head that contains its size: a file that a
 * power failure cut short is not used.
 */
#ifndef ATRIUM_DOCD_IMAGE_VARIANT_FILES_H
#define ATRIUM_DOCD_IMAGE_VARIANT_FILES_H

#include "common/base/base.h"
#include "common/base/uuid.h"
#include "docd/store/id_page.h"

enum { VARIANT_NAME_SIZE = 96, VARIANT_TYPE_SIZE = 32, VARIANT_FOLDERS = 256 };

struct variant_head {
    char magic[8];
    int64_t size; /* bytes after the head */
    char type[VARIANT_TYPE_SIZE];
};

/* Arguments and results of the jobs; `error` is an errno. */
struct variant_job {
    int dir;
    const char *name;
    int error;
    /* used by open and read */
    int file; /* read: opened unless >= 0; begin: locked, after its head */
    struct variant_head head;
    int64_t offset;
    uint8_t *target;
    size_t count; /* in: room; out: bytes */
    /* for remove */
    struct uuid object;
    /* for objects */
    int folder; /* 0 to VARIANT_FOLDERS - 1 */
    struct id_page page;
    /* for sweep */
    int64_t bytes_max, bytes; /* limit; bytes found */
    const char *keep;         /* not removed */
    int64_t removed;
};

/* Creates DIR and its folders. -1 with errno. */
int variant_files_open(const char *dir);

/* Reads the head and, with a target, bytes; records the use. ENOENT: none. */
void variant_files_read(void *job);

/* Returns false when it would wait for a disk, or must record the use. */
bool variant_files_read_cached(struct variant_job *job);

/* Begins to make a variant. EAGAIN: another process makes it. EEXIST: it exists. */
void variant_files_begin(void *job);

/* Gives the complete file its head and name. */
void variant_files_finish(void *job);

void variant_files_abort(void *job);
void variant_files_drop(void *job);

void variant_files_remove(void *job);

void variant_files_objects(void *job);

void variant_files_sweep(void *job);

#endif
