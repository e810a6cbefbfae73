/*
 * smtp_server.h - the mail server of the configuration. Its texts belong to the configuration,
 * which a reload replaces. Threads share an immutable, reference-counted copy.
 */
#ifndef ATRIUM_MAILD_SMTP_SERVER_H
#define ATRIUM_MAILD_SMTP_SERVER_H

#include "common/base/secret.h"

struct maild_config;

struct smtp_server {
    const char *url, *user, *ca_file; /* NULL: none */
    struct secret password;           /* empty if there is no user */
    long use_ssl;                     /* CURLUSESSL_* */
};

/* Reads the password file unless check_only. Can block. */
int smtp_server_read(const struct maild_config *config, bool check_only, struct smtp_server *ret,
                     struct error *err) MUST_USE;

bool smtp_server_equal(const struct smtp_server *a, const struct smtp_server *b);

const struct smtp_server *smtp_server_share(const struct smtp_server *self);

/* Adds a reference, on any thread; the last smtp_server_unref() frees the copy. Accepts NULL. */
const struct smtp_server *smtp_server_ref(const struct smtp_server *self);
void smtp_server_unref(const struct smtp_server **self_p);

#endif
