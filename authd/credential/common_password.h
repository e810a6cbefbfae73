/*
 * common_password.h - a filter (common/domain/password_filter.h) of passwords that are common or
 * known from breaches.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_COMMON_PASSWORD_H
#define ATRIUM_AUTHD_CREDENTIAL_COMMON_PASSWORD_H

#include "common/domain/password_filter.h"

/* Maps a filter file until the arena ends. `path` NULL: the built-in filter. Other files up to 16
 * MiB are read as a list (common/domain/password_list.h). Returns NULL if the file is neither
 * filter nor list, or is damaged or empty. */
struct password_filter *common_passwords_open(const char *path, struct arena *arena,
                                              struct error *err) MUST_USE;

#endif
