/*
 * mail_server.h - a real mail server of one's own: tests/support/smtp_server.py, which writes what
 * it receives into a directory.  Programs that use it run in the root of the source tree, as `make
 * test` does.
 */
#ifndef ATRIUM_TESTS_SUPPORT_MAIL_SERVER_H
#define ATRIUM_TESTS_SUPPORT_MAIL_SERVER_H

#include <sys/types.h>

#include "tests/support/unit.h"

struct mail_server {
    pid_t pid;
    int input; /* closing it ends the server */
    char url[64];
};

/* Starts a server that writes into `dir`, with more arguments (NULL-ended, at most 16) as the
 * script has them. */
struct mail_server mail_server_start(const struct unit_dir *dir, const char *const *extra);
void mail_server_stop(struct mail_server *self);

/* The number of mails (*.eml) in a directory. */
size_t mail_server_count(const char *path);

#endif
