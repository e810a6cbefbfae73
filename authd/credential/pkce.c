/*
 * pkce.c - see pkce.h.
 */
#include "authd/credential/pkce.h"

#include <stdio.h>
#include <string.h>

int pkce_verifier_check(const char *value, char why[static 96])
{
    static const char unreserved[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    size_t size = strlen(value);

    snprintf(why, 96, "must contain only letters, digits, '-', '.', '_' and '~'");
    if (strspn(value, unreserved) < size)
        return -1;
    snprintf(why, 96, "must have %d to %d characters", PKCE_VERIFIER_MIN, PKCE_VERIFIER_MAX);
    return size >= PKCE_VERIFIER_MIN && size <= PKCE_VERIFIER_MAX ? 0 : -1;
}
