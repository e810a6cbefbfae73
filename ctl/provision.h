/*
 * provision.h - what a superuser runs in the database before any daemon: roles, schemas, the owner
 * of the audit trail.
 */
#ifndef ATRIUM_CTL_PROVISION_H
#define ATRIUM_CTL_PROVISION_H

/* SQL for the database `atrium`; idempotent, upgrades older databases. free() it. */
char *provision_sql(void);

/* The text ctl/schema/<name>.sql; NULL when there is none. */
const char *provision_text(const char *name);

/* The role of a daemon, as its connection string has it; NULL for a daemon without a database. */
const char *provision_role(const char *daemon);

#endif
