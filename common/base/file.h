/*
 * file.h - how files, folders and descriptors end that are held in CLEANUP variables.
 */
#ifndef ATRIUM_COMMON_BASE_FILE_H
#define ATRIUM_COMMON_BASE_FILE_H

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

/* Leaves stdin open, which a file named "-" is. */
static inline void file_close(FILE **file)
{
    if (*file && *file != stdin)
        fclose(*file);
}

static inline void file_close_directory(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

/* -1: none. */
static inline void file_close_descriptor(const int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
}

#endif
