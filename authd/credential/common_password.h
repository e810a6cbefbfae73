/*
 * common_password.h - the passwords that guessers try first, or that are known from breaches, from
 * a filter on disk or built in (common/domain/password_filter.h): nothing outside is asked.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_COMMON_PASSWORD_H
#define ATRIUM_AUTHD_CREDENTIAL_COMMON_PASSWORD_H

#include "common/domain/password_filter.h"

/* The filter of a file, which is mapped until the arena ends, or, path NULL, the one built in. A
 * file of at most 16 MiB that is no filter is read as a list (common/domain/password_list.h), of
 * which one is made in memory. NULL when the file is neither, was altered or names no password. */
struct password_filter *common_passwords_open(const char *path, struct arena *arena,
                                              struct error *err) MUST_USE;

#endif
