/* file.h - closing files in CLEANUP variables, and the byte order mark of text files. */
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

/* The byte order mark that some editors write before a text in UTF-8. */
#define FILE_MARK "\xef\xbb\xbf"

/* Steps over one at the start of a file that was just opened, stdin as well. */
static inline void file_skip_mark(FILE *file)
{
    static const char mark[] = FILE_MARK;
    size_t got = 0;
    int c;

    while ((c = getc(file)) == (unsigned char)mark[got] && mark[got] != '\0')
        got++;
    ungetc(c, file); /* nothing at the end of the file */
    while (mark[got] != '\0' && got > 0)
        ungetc((unsigned char)mark[--got], file);
}

static inline void file_close_directory(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

static inline void file_close_descriptor(const int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
}

#endif
