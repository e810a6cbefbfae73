/* database.c - `atriumctl database ...`: prepares an operator's PostgreSQL. */
#include <stdio.h>
#include <stdlib.h>

#include "ctl/ctl.h"
#include "ctl/provision.h"

int database_sql_command(struct ctl *ctl UNUSED, struct error *err UNUSED)
{
    char *sql = provision_sql();

    fputs(sql, stdout);
    free(sql);
    return 0;
}
