/*
 * tenant_kit.h - what a daemon keeps of a tenant, moved from one schema to another by its table of
 * tenant tables, on a server of its own.
 */
#ifndef ATRIUM_TESTS_SUPPORT_TENANT_KIT_H
#define ATRIUM_TESTS_SUPPORT_TENANT_KIT_H

#include "common/pg/db.h"
#include "common/service/tenant_table.h"

/* The project that travels, and one that does not. */
#define TENANT_KIT_PROJECT "0190a000-0000-7000-8000-00000000000a"
#define TENANT_KIT_OTHER "0190a000-0000-7000-8000-00000000000b"

struct tenant_kit {
    const struct db_migration *migrations;
    const struct db_statement *sql;
    const struct tenant_table *tables;
    /* Rows of both projects, of each as many in each table: at least one in those that travel, and
     * in one of them three. "@purpose|text@" is that text as the sender seals it. */
    const char *seed;
    const char *arrives;  /* counts rows of the receiver that came as they must: > 0 */
    const char *opens;    /* what is done at the receiver behind the rows; the rows are the same */
    const char *conflict; /* changes a row of the receiver, so that it is there otherwise */
};

/* A whole program; returns what main() does. */
int tenant_kit_main(const char *name, const struct tenant_kit *self);

#endif
