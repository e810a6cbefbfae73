/*
 * smtp_server.h - where mail goes, by the smtp_ keys of the configuration.
 *
 * What was read borrows its texts from the configuration, which a reload replaces.  The threads of
 * the pool share a copy that owns all of it, never changes and is counted: a mail ends with the one
 * that it began with.
 */
#ifndef ATRIUM_MAILD_SMTP_SERVER_H
#define ATRIUM_MAILD_SMTP_SERVER_H

#include "common/base/secret.h"

struct maild_config;

struct smtp_server {
    const char *url, *user, *ca_file; /* user, ca_file: NULL for none */
    struct secret password; /* empty without a user, and when only the configuration is checked */
    long use_ssl;           /* CURLUSESSL_* */
};

/* Reads and checks the keys, and the password file unless check_only. May block. */
int smtp_server_read(const struct maild_config *config, bool check_only, struct smtp_server *ret,
                     struct error *err) MUST_USE;

bool smtp_server_equal(const struct smtp_server *a, const struct smtp_server *b);

/* A copy with one user. */
const struct smtp_server *smtp_server_share(const struct smtp_server *self);

/* Adds and removes a user; the last one wipes and frees it. Any thread; accepts NULL. */
const struct smtp_server *smtp_server_ref(const struct smtp_server *self);
void smtp_server_unref(const struct smtp_server **self_p);

#endif
