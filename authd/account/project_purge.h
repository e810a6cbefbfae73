/*
 * project_purge.h - the deletion of authd's rows of a project, see common/service/project_purge.h.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_PROJECT_PURGE_H
#define ATRIUM_AUTHD_ACCOUNT_PROJECT_PURGE_H

#include "common/service/project_purge.h"

/* Invitations, sessions, memberships, and accounts without another membership. */
extern const struct purge_step authd_purge[];

#endif
