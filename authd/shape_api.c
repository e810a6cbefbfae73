/*
 * shape_api.c - the choices that several files of authd's shapes share.
 */
#include "authd/shape_api.h"

#include <stddef.h>

const char *const account_roles[] = {"Patient", "Practitioner", NULL};
