/*
 * provision.h - SQL that a superuser runs before the first daemon.
 */
#ifndef ATRIUM_CTL_PROVISION_H
#define ATRIUM_CTL_PROVISION_H

/* Returns SQL for the database `atrium`; idempotent. free() it. */
char *provision_sql(void);

/* Returns the text of ctl/schema/<name>.sql, or NULL. */
const char *provision_text(const char *name);

/* Returns a daemon's role; NULL: it has no database. */
const char *provision_role(const char *daemon);

#endif
