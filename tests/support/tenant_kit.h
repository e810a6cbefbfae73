/*
 * tenant_kit.h - moves a tenant's rows of a daemon between two schemas by its tenant tables.
 */
#ifndef ATRIUM_TESTS_SUPPORT_TENANT_KIT_H
#define ATRIUM_TESTS_SUPPORT_TENANT_KIT_H

#include "common/pg/db.h"
#include "common/service/tenant_table.h"

/* The moved project, and one that is not moved. */
#define TENANT_KIT_PROJECT "0190a000-0000-7000-8000-00000000000a"
#define TENANT_KIT_OTHER "0190a000-0000-7000-8000-00000000000b"

struct tenant_kit {
    const struct db_migration *migrations;
    const struct db_statement *sql;
    const struct tenant_table *tables;
    /* Rows of both projects, equally many in each table: at least one per moved table, and three in
     * one of them. "@purpose|text@" is sealed by the sender. */
    const char *seed;
    const char *arrives;  /* counts the rows that arrived correctly: > 0 */
    const char *opens;    /* later changes at the receiver; another move adds nothing */
    const char *conflict; /* SQL that changes a receiver's row, which then conflicts */
    /* Accounts for rows that name no project: each table's second row names `account`;
     * `other_account` belongs to the other project. */
    const char *account, *other_account;
    /* Tables whose rows are moved with another table's; NULL-terminated. */
    const char *const *further;
    /* Tables with a project_id whose rows intentionally outlive a project; NULL-terminated. */
    const char *const *unpurged;
    /* Further cases, which use the functions below; fn NULL ends them. */
    const struct unit_case *cases;
};

struct tenant_kit_case;

enum tenant_kit_side { TENANT_KIT_SENDER, TENANT_KIT_RECEIVER };

/* Runs fn on a fiber with two installations, the first of which has the seed. */
void tenant_kit_run(void (*fn)(struct tenant_kit_case *self));

struct loop *tenant_kit_loop(const struct tenant_kit_case *self);

/* Runs statements on a new connection and returns the first value of the last result. */
long tenant_kit_sql(const struct tenant_kit_case *self, enum tenant_kit_side side, const char *sql);

struct pg_conn *tenant_kit_connect(const struct tenant_kit_case *self, enum tenant_kit_side side);

/* Returns a statement's value as text, from the case's arena. */
const char *tenant_kit_text(struct tenant_kit_case *self, enum tenant_kit_side side,
                            const char *sql);

/* Moves everything in normal pages (`whole`) or pages of two rows. Returns the number of added
 * rows, or -1 if a page was refused; see tenant_kit_error(). */
int64_t tenant_kit_move(struct tenant_kit_case *self, bool whole);

/* Adds a row to a receiver's table. Returns the number of added rows, or -1 if refused. */
int64_t tenant_kit_add(struct tenant_kit_case *self, const char *table, const char *row);

/* Counts the sender's rows of a table that come after the row `after`, or returns -1 if refused. */
int64_t tenant_kit_read_behind(struct tenant_kit_case *self, const char *table, const char *after);

const struct error *tenant_kit_error(const struct tenant_kit_case *self);

int tenant_kit_main(const char *name, const struct tenant_kit *self);

#endif
