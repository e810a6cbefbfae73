/*
 * mail_server.h - a real mail server, tests/support/smtp_server.py, which writes emails into a
 * directory. Programs must run in the root of the tree.
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

/* mail_server_start() starts a server that writes into `dir`, with up to 16 more arguments
 * (NULL-terminated). */
struct mail_server mail_server_start(const struct unit_dir *dir, const char *const *extra);
void mail_server_stop(struct mail_server *self);

size_t mail_server_count(const char *path);

#endif
