/*
 * common_password.h - the passwords that guessers try first, from a list in memory: nothing outside
 * is asked.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_COMMON_PASSWORD_H
#define ATRIUM_AUTHD_CREDENTIAL_COMMON_PASSWORD_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

struct common_passwords;

/* The list of a file (one password a line, at most 16 MiB; lines that begin with # and empty ones
 * do not count), or, path NULL, the one built in. From the arena. NULL when the file cannot be read
 * or names no password. */
struct common_passwords *common_passwords_new(const char *path, struct arena *arena,
                                              struct error *err) MUST_USE;

/* Whether the list has the password (normalised, see password_text.h), ASCII letters in either
 * case. */
bool common_passwords_has(const struct common_passwords *self, const char *password);

#endif
