/*
 * confine_landlock.c - files under CONFINE_KERNEL; see landlock(7). Later rights than Linux 6.1's
 * are defined here, for Debian 12.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/runtime/confine_private.h"

#define ACCESS_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define ACCESS_RUN (ACCESS_READ | LANDLOCK_ACCESS_FS_EXECUTE)
#define ACCESS_WRITE (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE)
#define ACCESS_FILE (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE)

enum {
    /* version 1's rights, in the lowest bits; then REFER (2), TRUNCATE (3), IOCTL_DEV (5) */
    FIRST_RIGHTS = 13,
    VERSION_REFER = 2,
    VERSION_TRUNCATE = 3,
    VERSION_NETWORK = 4,
    VERSION_DEVICES = 5,
    VERSION_SCOPES = 6,
    BOTH = 3, /* both network rights (bind, connect) or both scopes (abstract sockets, signals) */
};

/* struct landlock_ruleset_attr, version 6; the kernel accepts shorter ones. */
struct ruleset {
    uint64_t files, network, scoped;
};

static const struct {
    const char *path;
    uint64_t rights;
} system_files[] = {
    {"/usr", ACCESS_RUN},
    {"/bin", ACCESS_RUN},
    {"/lib", ACCESS_RUN},
    {"/lib64", ACCESS_RUN},
    {"/etc/alternatives", ACCESS_READ},
    {"/etc/ld.so.cache", LANDLOCK_ACCESS_FS_READ_FILE},
    /* node exits if this exists and is unreadable. */
    {"/etc/ssl/openssl.cnf", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/dev/null", ACCESS_WRITE},
    {"/dev/full", ACCESS_WRITE},
    /* Read-only: writable shared mappings would be unlimited memory. */
    {"/dev/zero", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/dev/random", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/dev/urandom", LANDLOCK_ACCESS_FS_READ_FILE},
};

int confine_landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

    return version > 0 ? (int)version : 0;
}

static int create(int version)
{
    struct ruleset all = {.files = ((uint64_t)1 << FIRST_RIGHTS) - 1};
    size_t size = version >= VERSION_SCOPES    ? sizeof(all)
                  : version >= VERSION_NETWORK ? offsetof(struct ruleset, scoped)
                                               : offsetof(struct ruleset, network);

    for (int i = 0; i < (version >= VERSION_REFER) + (version >= VERSION_TRUNCATE) +
                            (version >= VERSION_DEVICES);
         i++)
        all.files |= (uint64_t)1 << (FIRST_RIGHTS + i);
    all.network = all.scoped = BOTH;
    return (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);
}

static int add(int ruleset, int fd, uint64_t rights)
{
    const struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = fd};

    return (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

/* Skips missing paths, and directory rights for files. */
static int add_path(int ruleset, const char *path, uint64_t rights)
{
    int fd = open(path, O_PATH | O_CLOEXEC), rc = 0;
    struct stat status;

    if (fd < 0)
        return 0;
    if (fstat(fd, &status) < 0 ||
        add(ruleset, fd, S_ISDIR(status.st_mode) ? rights : rights & ~LANDLOCK_ACCESS_FS_READ_DIR) <
            0)
        rc = -1;
    close(fd);
    return rc;
}

/* Skips a memfd, which is in no file system: the kernel rejects a rule. */
static int add_program(int ruleset, int fd)
{
    return add(ruleset, fd, ACCESS_FILE) < 0 && errno != EBADFD ? -1 : 0;
}

int confine_landlock_make(int version, const struct confine_rules *rules, int program_fd)
{
    int ruleset = create(version), rc, error;

    if (ruleset < 0)
        return -1;
    rc = add_program(ruleset, program_fd);
    for (size_t i = 0; i < ARRAY_SIZE(system_files) && rc == 0; i++)
        rc = add_path(ruleset, system_files[i].path, system_files[i].rights);
    for (const char *const *path = rules->read; path && *path && rc == 0; path++)
        rc = add_path(ruleset, *path, ACCESS_READ);
    if (rc == 0)
        return ruleset;
    error = errno;
    close(ruleset);
    errno = error;
    return -1;
}
