/*
 * pkce.h - the verifiers of proof keys for code exchange (RFC 7636). Pure.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_PKCE_H
#define ATRIUM_AUTHD_CREDENTIAL_PKCE_H

#include "common/base/base.h"

enum { PKCE_VERIFIER_MIN = 43, PKCE_VERIFIER_MAX = 128 };

/* Checks a verifier against the grammar of section 4.1. -1, with the reason: it has another
 * character, or another length. */
int pkce_verifier_check(const char *value, char why[static 96]) MUST_USE;

#endif
