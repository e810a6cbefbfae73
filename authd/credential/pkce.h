/*
 * pkce.h - verifiers of PKCE (RFC 7636).
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_PKCE_H
#define ATRIUM_AUTHD_CREDENTIAL_PKCE_H

#include "common/base/base.h"

enum { PKCE_VERIFIER_MIN = 43, PKCE_VERIFIER_MAX = 128 };

/* Checks the grammar of section 4.1. Returns -1 with the reason: wrong characters or length. */
int pkce_verifier_check(const char *value, char why[static 96]) MUST_USE;

#endif
