/*
 * server_user.h - the user of a PostgreSQL server that root starts: the server refuses uid 0.
 */
#ifndef ATRIUM_DEV_SERVER_USER_H
#define ATRIUM_DEV_SERVER_USER_H

#include <sys/types.h>

#include "common/base/base.h"

struct server_user {
    uid_t uid;   /* 0: uid of the caller */
    bool mapped; /* the caller's uid is mapped to this one */
};

/* Returns the uid of postgres, or 65534 if its package is not installed. */
uid_t server_user_uid(void);

/* Changes a new directory's owner, or maps the user if the kernel refuses (only uid 0 is mapped).
 * No effect unless root. */
struct server_user server_user_of_new(const char *dir);

/* Returns the owner, who alone can run a server in a directory. */
struct server_user server_user_of(const char *dir);

/* Call it between fork and exec. Clears PR_SET_PDEATHSIG; keeps CAP_DAC_OVERRIDE for folders below
 * /root. -1 with errno. */
int server_user_become(const struct server_user *self) MUST_USE;

#endif
