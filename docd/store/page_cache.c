/* page_cache.c - see page_cache.h. */
#include "docd/store/page_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { PAGE_SIZE_MIN = 4096 };

int page_cache_open(int dir, const char *path)
{
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW, .resolve = RESOLVE_CACHED};

    return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

/* tmpfs lacks RWF_NOWAIT, but waits for no disk. */
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

/* False for a network file system, which may ask its server even for cached bytes. */
static bool is_local(int file)
{
    uint8_t byte;
    struct iovec place = {&byte, sizeof(byte)};

    return page_cache_read(file, &place, 1, 0) == (ssize_t)sizeof(byte);
}

static bool are_resident(const unsigned char *pages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(pages[i] & 1))
            return false;
    return true;
}

bool page_cache_has(int file, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), count = (size + page - 1) / page;
    unsigned char pages[PAGE_CACHE_MAX / PAGE_SIZE_MIN];
    void *map;
    bool all;

    if (count == 0 || count > sizeof(pages) || !is_local(file))
        return false;
    map = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    if (map == MAP_FAILED)
        return false;
    all = mincore(map, size, pages) == 0 && are_resident(pages, count);
    munmap(map, size);
    return all;
}
