/*
 * file.h - how files and descriptors end that are held in CLEANUP variables.
 */
#ifndef ATRIUM_COMMON_BASE_FILE_H
#define ATRIUM_COMMON_BASE_FILE_H

#include <stdio.h>
#include <unistd.h>

static inline void file_close(FILE **file)
{
    if (*file)
        fclose(*file);
}

/* -1: none. */
static inline void file_close_descriptor(const int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
}

#endif
