/*
 * shape_api.c - see shape_api.h.
 */
#include "authd/shape_api.h"

#include <stdio.h>
#include <string.h>

int shape_check_base64url(const char *value, char why[static 96])
{
    if (value[strspn(value, LETTERS_AND_DIGITS "-_")] == '\0')
        return 0;
    snprintf(why, 96, "must be base64url without padding");
    return -1;
}
