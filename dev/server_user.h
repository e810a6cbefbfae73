/*
 * server_user.h - which user runs a PostgreSQL server that root starts: the server refuses uid 0,
 * and initdb a uid without a name. Called by `atriumctl dev` and by the tests.
 */
#ifndef ATRIUM_DEV_SERVER_USER_H
#define ATRIUM_DEV_SERVER_USER_H

#include <sys/types.h>

#include "common/base/base.h"

struct server_user {
    uid_t uid;   /* 0: the caller's own */
    bool mapped; /* a user namespace gives the caller's own uid this number */
};

/* The uid of postgres, or 65534 without the package. */
uid_t server_user_uid(void);

/* Chooses the user of a new directory and changes its owner. Where the kernel refuses (only uid 0
 * is mapped), root keeps it and the user is a mapped one. No effect unless root. */
struct server_user server_user_of_new(const char *dir);

/* The owner of a directory: only they may run a server on it. */
struct server_user server_user_of(const char *dir);

/* Takes the user's identity for good, between fork and exec; clears PR_SET_PDEATHSIG, keeps
 * CAP_DAC_OVERRIDE to reach folders below /root. -1 with errno. */
int server_user_become(const struct server_user *self) MUST_USE;

#endif
