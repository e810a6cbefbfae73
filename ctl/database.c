/*
 * database.c - `atriumctl database ...`: what an operator's PostgreSQL needs.
 */
#include <stdio.h>

#include "ctl/ctl.h"
#include "ctl/postgres.h"

int database_sql_command(struct ctl *ctl UNUSED, struct error *err UNUSED)
{
    fputs(postgres_provision_sql, stdout);
    return 0;
}
