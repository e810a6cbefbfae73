/*
 * project_purge.h - deletes authd's rows of a project, see common/service/project_purge.h.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_PROJECT_PURGE_H
#define ATRIUM_AUTHD_ACCOUNT_PROJECT_PURGE_H

#include "common/service/project_purge.h"

/* Also deletes accounts that have no other membership. */
extern const struct purge_step authd_purge[];

#endif
