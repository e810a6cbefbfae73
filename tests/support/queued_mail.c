/*
 * queued_mail.c - see queued_mail.h.
 */
#include "tests/support/queued_mail.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/unit.h"

enum { QUEUE_MS = 10000 };

void queued_mail_model(struct suite *suite)
{
    PERSON patient = person_register(suite, NULL);

    CU_ASSERT_EQUAL(patient->status, 200);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, QUEUE_MS, "select count(*) from mail.message"));
    free(suite_query(suite, "create table public.model as select * from mail.message"));
    free(suite_query(suite, "delete from mail.message"));
}

void queued_mail_put(struct suite *suite, int count)
{
    char sql[640];

    snprintf(sql, sizeof(sql),
             "insert into mail.message (id, project_id, template, language, default_language, "
             "sealed, due_at, created_at) select gen_random_uuid(), project_id, template, "
             "language, default_language, sealed, t.ms, t.ms from public.model, "
             "(select (extract(epoch from clock_timestamp()) * 1000)::int8) t (ms), "
             "generate_series(1, %d)",
             count);
    free(suite_query(suite, sql));
}

bool queued_mail_sent(struct suite *suite, long count, int timeout_ms)
{
    return suite_comes_to(suite, count, timeout_ms,
                          "select count(*) from mail.message where state = 'sent'");
}
