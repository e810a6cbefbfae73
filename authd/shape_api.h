/*
 * shape_api.h - bounds and choices that several files of authd's shapes share (*_api.c).
 */
#ifndef ATRIUM_AUTHD_SHAPE_API_H
#define ATRIUM_AUTHD_SHAPE_API_H

enum {
    ANY_PASSWORD_MAX = 1048576, /* the largest body: whatever is typed is wrong, not malformed */
    TENANT_CODE_MAX = 64,
    CURSOR_MAX = 4096,
    MEMBERS_MAX = 100, /* rows of a page of a list */
    NAME_MAX_LENGTH = 128,
    NEW_PASSWORD_MAX = 4096,
    DISPLAY_MAX = 512,
};

extern const char *const account_roles[]; /* "Patient", "Practitioner" */

#endif
