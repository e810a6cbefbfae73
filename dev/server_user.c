/* server_user.c - see server_user.h. */
#include "dev/server_user.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOBODY_UID = 65534, MAP_SIZE = 48 };

uid_t server_user_uid(void)
{
    const struct passwd *user = getpwnam("postgres");

    return user ? user->pw_uid : NOBODY_UID;
}

struct server_user server_user_of_new(const char *dir)
{
    struct server_user user = {0};

    if (getuid() != 0)
        return user;
    user.uid = server_user_uid();
    user.mapped = chown(dir, user.uid, (gid_t)-1) < 0;
    return user;
}

struct server_user server_user_of(const char *dir)
{
    struct stat status;

    if (getuid() != 0 || stat(dir, &status) < 0)
        return (struct server_user){0};
    if (status.st_uid != 0)
        return (struct server_user){.uid = status.st_uid};
    return (struct server_user){.uid = server_user_uid(), .mapped = true};
}

static int write_map(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC), rc;

    if (fd < 0)
        return -1;
    rc = write(fd, text, strlen(text)) < 0 ? -1 : 0;
    close(fd);
    return rc;
}

/* Maps uid and gid in a new user namespace. -1 with errno. */
static int map_uid(uid_t uid)
{
    char users[MAP_SIZE], groups[MAP_SIZE];

    snprintf(users, sizeof(users), "%u %u 1\n", uid, geteuid());
    snprintf(groups, sizeof(groups), "%u %u 1\n", uid, getegid());
    if (unshare(CLONE_NEWUSER) < 0 || write_map("/proc/self/setgroups", "deny") < 0 ||
        write_map("/proc/self/uid_map", users) < 0)
        return -1;
    return write_map("/proc/self/gid_map", groups);
}

static int take_uid(uid_t uid)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0}};

    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
    if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
        return -1;
    data[0].effective = data[0].permitted = data[0].inheritable = 1u << CAP_DAC_OVERRIDE;
    if (syscall(SYS_capset, &header, data) == 0)
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_OVERRIDE, 0, 0);
    return 0;
}

int server_user_become(const struct server_user *self)
{
    if (self->uid == 0)
        return 0;
    return self->mapped ? map_uid(self->uid) : take_uid(self->uid);
}
