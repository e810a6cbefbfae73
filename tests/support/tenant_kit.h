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
    /* For rows that do not name the project: the account in the second row of each table, and one
     * of the other project. */
    const char *account, *other_account;
    /* Tables whose rows come with those of another; ended by NULL. */
    const char *const *further;
    /* Tables with a project_id whose rows a deleted project leaves, for a reason; ended by NULL. */
    const char *const *unpurged;
    /* Further cases, by the functions below; ended by fn NULL. */
    const struct unit_case *cases;
};

struct tenant_kit_case;

enum tenant_kit_side { TENANT_KIT_SENDER, TENANT_KIT_RECEIVER };

/* Runs fn on a fiber with two installations of its own; the seed is in the first. */
void tenant_kit_run(void (*fn)(struct tenant_kit_case *self));

struct loop *tenant_kit_loop(const struct tenant_kit_case *self);

/* Runs statements over a connection of its own: the first value of the last result. */
long tenant_kit_sql(const struct tenant_kit_case *self, enum tenant_kit_side side, const char *sql);

/* A connection of its own, to be finished. */
struct pg_conn *tenant_kit_connect(const struct tenant_kit_case *self, enum tenant_kit_side side);

/* The value of a statement as text, from the arena of the case. */
const char *tenant_kit_text(struct tenant_kit_case *self, enum tenant_kit_side side,
                            const char *sql);

/* Moves everything, in pages as they are (`whole`) or of two rows: the rows that were added; -1: a
 * page was refused, see tenant_kit_error(). */
int64_t tenant_kit_move(struct tenant_kit_case *self, bool whole);

/* Adds one row to a table of the receiver: the rows that were added; -1: it was refused. */
int64_t tenant_kit_add(struct tenant_kit_case *self, const char *table, const char *row);

/* Reads the sender's rows of a table behind a row: how many; -1: refused. */
int64_t tenant_kit_read_behind(struct tenant_kit_case *self, const char *table, const char *after);

const struct error *tenant_kit_error(const struct tenant_kit_case *self);

/* A whole program; returns what main() does. */
int tenant_kit_main(const char *name, const struct tenant_kit *self);

#endif
