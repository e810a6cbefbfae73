/*
 * page_cache.c - see page_cache.h.  Called by the local store and by the variants, for each read.
 */
#include "docd/store/page_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int page_cache_open(int dir, const char *path)
{
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW, .resolve = RESOLVE_CACHED};

    return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

/* tmpfs knows no RWF_NOWAIT, and has no disk to wait for. */
static bool is_in_memory(int file)
{
    struct statfs system;

    return fstatfs(file, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

ssize_t page_cache_read(int file, const struct iovec *places, int count, int64_t offset)
{
    ssize_t size = preadv2(file, places, count, offset, RWF_NOWAIT);

    if (size < 0 && errno == EOPNOTSUPP && is_in_memory(file))
        return preadv(file, places, count, offset);
    return size;
}
