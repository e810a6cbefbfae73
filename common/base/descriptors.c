/* descriptors.c - see descriptors.h. */
#include "common/base/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ASKED_MAX = 32 };

void descriptors_raise(void)
{
    struct rlimit limit;
    rlim_t wanted;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    wanted = MIN(limit.rlim_max, (rlim_t)DESCRIPTORS_USED_MAX);
    if (limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

size_t descriptors_limit(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) < 0 ? 0 : (size_t)limit.rlim_cur;
}

size_t descriptors_used(void)
{
    DIR *directory = opendir("/proc/self/fd");
    size_t count = 0;

    if (!directory)
        return 0;
    for (const struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count - 1; /* all but the descriptor of opendir() itself */
}

bool descriptors_available(size_t count)
{
    int opened[ASKED_MAX];
    size_t got = 0;

    count = MIN(count, (size_t)ASKED_MAX);
    while (got < count && (opened[got] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        got++;
    for (size_t i = 0; i < got; i++)
        close(opened[i]);
    return got == count;
}

bool descriptors_exhausted(int error)
{
    return error == EMFILE || error == ENFILE;
}
