/* file.h - files in CLEANUP variables, the byte order mark, whole reads and writes. */
#ifndef ATRIUM_COMMON_BASE_FILE_H
#define ATRIUM_COMMON_BASE_FILE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Closes a file, but leaves stdin open, which the file name "-" means. */
static inline void file_close(FILE **file)
{
    if (*file && *file != stdin)
        fclose(*file);
}

#define FILE_MARK "\xef\xbb\xbf"

/* Skips a UTF-8 byte order mark at the start of a file or stdin. */
static inline void file_skip_mark(FILE *file)
{
    static const char mark[] = FILE_MARK;
    size_t got = 0;
    int c;

    while ((c = getc(file)) == (unsigned char)mark[got] && mark[got] != '\0')
        got++;
    ungetc(c, file);
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

/* Writes at `offset`, or at the file's position for -1. Returns -1 with errno. */
static inline int file_write_all(int file, const void *bytes, size_t size, off_t offset)
{
    const char *from = bytes;

    for (size_t done = 0; done < size;) {
        ssize_t count = offset < 0 ? write(file, from + done, size - done)
                                   : pwrite(file, from + done, size - done, offset + (off_t)done);

        if (count < 0 && errno != EINTR)
            return -1;
        done += count > 0 ? (size_t)count : 0;
    }
    return 0;
}

/* Reads at `offset`, or at the file's position for -1; less than `size` only at the end. Returns -1
 * with errno. */
static inline ssize_t file_read_all(int file, void *bytes, size_t size, off_t offset)
{
    char *to = bytes;
    size_t done = 0;
    ssize_t count = 1;

    while (done < size && count != 0) {
        count = offset < 0 ? read(file, to + done, size - done)
                           : pread(file, to + done, size - done, offset + (off_t)done);
        if (count < 0 && errno != EINTR)
            return -1;
        done += count > 0 ? (size_t)count : 0;
    }
    return (ssize_t)done;
}

/* Syncs a folder below `directory`, so that its names survive a crash. Returns -1 with errno. */
static inline int file_sync_folder(int directory, const char *path)
{
    const int folder = openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result = folder < 0 ? -1 : fsync(folder);

    file_close_descriptor(&folder);
    return result;
}

#endif
