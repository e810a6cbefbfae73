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

/* The uid of the user postgres, or 65534 where the package is not installed. */
uid_t server_user_uid(void);

/* Chooses the user of a new directory and gives the directory to it. Where the kernel refuses that
 * (a container that maps uid 0 alone), the directory stays root's and the user is a mapped one.
 * Changes nothing unless the caller is root. */
struct server_user server_user_of_new(const char *dir);

/* The user of an existing directory: only its owner may run a server on it. */
struct server_user server_user_of(const char *dir);

/* Takes the user's identity for good. To be called in a child between fork and exec; clears
 * PR_SET_PDEATHSIG. Keeps CAP_DAC_OVERRIDE, to reach a directory below one that only root may
 * enter, such as /root. Returns -1 with errno. */
int server_user_become(const struct server_user *self) MUST_USE;

#endif
