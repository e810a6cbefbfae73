/*
 * trail.c - see trail.h.
 */
#include "tests/support/trail.h"

#include <CUnit/CUnit.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/suite_command.h"

void trail_open(struct suite *suite)
{
    free(suite_query(suite, "create view public.trail as "
                            "select 'authd' as daemon, * from auth.audit union all "
                            "select 'settingsd', * from settings.audit union all "
                            "select 'maild', * from mail.audit union all "
                            "select 'docd', * from doc.audit union all "
                            "select 'botd', * from bot.audit"));
}

long trail_number(struct suite *suite, const char *format, ...)
{
    char *sql, *text;
    va_list args;
    long value;

    va_start(args, format);
    if (vasprintf(&sql, format, args) < 0)
        abort();
    va_end(args);
    text = suite_query(suite, sql);
    value = strtol(text, NULL, 10);
    free(text);
    free(sql);
    return value;
}

bool trail_comes_to(struct suite *suite, long want, const char *sql)
{
    for (int i = 0; i < 200; i++) {
        if (trail_number(suite, "%s", sql) == want)
            return true;
        usleep(50000);
    }
    return false;
}

void trail_check_sealed(struct suite *suite)
{
    CU_ASSERT_TRUE(trail_comes_to(suite, 0, "select count(*) from trail where sequence is null"));
    CU_ASSERT_EQUAL(trail_number(suite, "select count(*) from (select from trail "
                                        "group by daemon, sequence having count(*) > 1) twice"),
                    0);
    CU_ASSERT_EQUAL(trail_number(suite, "select count(*) from (select from trail group by daemon "
                                        "having max(sequence) <> count(*)) gap"),
                    0);
}

void trail_check_sound(struct suite *suite)
{
    PROGRAM done = ATRIUMCTL(suite, NULL, "audit", "verify");
    CHECK_EXIT(done, 0);
}
