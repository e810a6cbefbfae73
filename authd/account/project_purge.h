/*
 * project_purge.h - what authd keeps of a project, for its deletion:
 * common/service/project_purge.h.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_PROJECT_PURGE_H
#define ATRIUM_AUTHD_ACCOUNT_PROJECT_PURGE_H

#include "common/service/project_purge.h"

/* Invitations, sessions, memberships and the accounts that have no other membership. */
extern const struct purge_step authd_purge[];

#endif
