/*
 * test_mail_faults.c - email while the mail server is slow, silent, disconnects or refuses
 * everything (bad_smtp.h): each is delivered, with no avoidable copies, and maild responds
 * meanwhile. Two instances share the queue.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/bad_smtp.h"
#include "tests/support/queued_mail.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    TIMEOUT_MS = 6000, /* smtp_timeout of this suite */
    THINKS_MS = 2000,  /* delay of the server; far below TIMEOUT_MS: a machine can stall */
    MANY = 5000,
    SOME = 2000,
    ANSWERS_MS = 3000, /* maximum time of `atriumctl status` on a busy machine */
};

static const char *const instances[] = {"1", "2"};
static struct suite *suite;
static struct bad_smtp *server;
static pid_t pids[2];

static void a_mail_waits_while_the_server_refuses_all(void)
{
    queued_mail_model(suite);
}

static void begin(enum bad_smtp_manner manner, int delay_ms)
{
    bad_smtp_behave(server, BAD_SMTP_NONE, 0);
    free(suite_query(suite, "delete from mail.message"));
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 10000, "select count(*) from mail.message"));
    usleep(200000);
    bad_smtp_behave(server, manner, delay_ms);
    bad_smtp_reset(server);
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        pids[i] = suite_pid(suite, "maild", instances[i]);
}

/* Checks that both instances of maild respond immediately and were not restarted. */
static void check_answers(void)
{
    int64_t start = clock_mono_ms();
    PROGRAM status = ATRIUMCTL(suite, NULL, "status", "--json");
    size_t found = 0, i;
    json_t *row;

    CHECK_EXIT(status, 0);
    UNIT_CHECK(clock_mono_ms() - start < ANSWERS_MS, "status took %lld ms",
               (long long)(clock_mono_ms() - start));
    json_array_foreach(status->json, i, row)
    {
        const char *service = json_string_value(json_object_get(row, "service"));

        found += service && strcmp(service, "maild") == 0;
    }
    UNIT_CHECK(found == 2, "%s", status->out);
    for (i = 0; i < ARRAY_SIZE(instances); i++)
        CU_ASSERT_EQUAL(suite_pid(suite, "maild", instances[i]), pids[i]);
}

static void a_good_server_gets_them_on_few_connections(void)
{
    struct bad_smtp_counts counts;
    int64_t began;

    begin(BAD_SMTP_NONE, 0);
    queued_mail_put(suite, SOME);
    began = clock_mono_ms();
    CU_ASSERT_TRUE(bad_smtp_wait(server, SOME, 60000));
    printf("%d mails in %lld ms ", SOME, (long long)(clock_mono_ms() - began));
    counts = bad_smtp_counts(server);
    CU_ASSERT_TRUE(queued_mail_sent(suite, SOME, 10000));
    CU_ASSERT_EQUAL(counts.most, 1);
    UNIT_CHECK(counts.connections <= SOME / 20, "%ld connections", counts.connections);
}

static void a_slow_server_delays_no_other_mail(void)
{
    int64_t began;

    begin(BAD_SMTP_LATE_ANSWER, THINKS_MS);
    queued_mail_put(suite, 16);
    CU_ASSERT_TRUE(bad_smtp_wait(server, 1, 10000));
    began = clock_mono_ms();
    check_answers();
    CU_ASSERT_TRUE(queued_mail_sent(suite, 16, 4 * THINKS_MS));
    printf("16 mails in %lld ms ", (long long)(clock_mono_ms() - began));
    CU_ASSERT_EQUAL(bad_smtp_counts(server).most, 1);
}

static void a_refusing_server_is_tried_rarely(void)
{
    struct bad_smtp_counts counts;
    int64_t began;

    begin(BAD_SMTP_REFUSE_ALL, 0);
    queued_mail_put(suite, MANY);
    usleep(6000000);
    counts = bad_smtp_counts(server);
    printf("%ld connections in 6 s ", counts.connections);
    UNIT_CHECK(counts.connections > 0 && counts.connections < 40, "%ld connections",
               counts.connections);
    check_answers();
    bad_smtp_behave(server, BAD_SMTP_NONE, 0);
    began = clock_mono_ms();
    CU_ASSERT_TRUE(bad_smtp_wait(server, MANY, 60000));
    printf("drained in %lld ms ", (long long)(clock_mono_ms() - began));
    CU_ASSERT_TRUE(queued_mail_sent(suite, MANY, 10000));
    CU_ASSERT_EQUAL(bad_smtp_counts(server).most, 1);
}

static struct bad_smtp_counts after_accepted(long different)
{
    CU_ASSERT_TRUE(bad_smtp_wait(server, different, 3 * TIMEOUT_MS));
    return bad_smtp_counts(server);
}

/* An unknown outcome costs no attempt, and the copy is sent only when the server cannot still be
 * processing the first. */
static void a_silent_server_gets_no_copy_before_its_timeout(void)
{
    int64_t began;

    begin(BAD_SMTP_NO_ANSWER, 0);
    queued_mail_put(suite, 2);
    after_accepted(2);
    began = clock_mono_ms();
    check_answers();
    CU_ASSERT_TRUE(suite_comes_to(suite, 2, 3 * TIMEOUT_MS,
                                  "select count(*) from mail.message where lease is null and "
                                  "unknowns = 1 and answers = 0"));
    CU_ASSERT_EQUAL(bad_smtp_counts(server).most, 1);
    bad_smtp_behave(server, BAD_SMTP_NONE, 0);
    CU_ASSERT_TRUE(queued_mail_sent(suite, 2, 4 * TIMEOUT_MS));
    UNIT_CHECK(clock_mono_ms() - began >= 2 * TIMEOUT_MS - 1000, "again after %lld ms",
               (long long)(clock_mono_ms() - began));
    CU_ASSERT_EQUAL(bad_smtp_counts(server).accepted, 4);
    CU_ASSERT_EQUAL(bad_smtp_counts(server).most, 2);
}

static void a_reset_after_the_mail_is_an_unknown_end(void)
{
    begin(BAD_SMTP_RESET, 0);
    queued_mail_put(suite, 2);
    after_accepted(2);
    usleep(TIMEOUT_MS * 1000 / 2);
    bad_smtp_behave(server, BAD_SMTP_NONE, 0);
    CU_ASSERT_EQUAL(bad_smtp_counts(server).most, 1);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from mail.message where unknowns = 1"), 2);
    CU_ASSERT_TRUE(queued_mail_sent(suite, 2, 3 * TIMEOUT_MS));
    CU_ASSERT_EQUAL(bad_smtp_counts(server).most, 2);
}

/* maild is killed while the server is busy. The other instance knows only that the server may have
 * the email. */
static void a_killed_maild_leaves_no_early_copy(void)
{
    begin(BAD_SMTP_NO_ANSWER, 0);
    queued_mail_put(suite, 1);
    after_accepted(1);
    bad_smtp_behave(server, BAD_SMTP_NONE, 0);
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        kill(pids[i], SIGKILL);
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "maild", instances[i], pids[i]));
    usleep(TIMEOUT_MS * 1000 / 2);
    CU_ASSERT_EQUAL(bad_smtp_counts(server).accepted, 1);
    CU_ASSERT_TRUE(queued_mail_sent(suite, 1, 4 * TIMEOUT_MS));
    CU_ASSERT_EQUAL(bad_smtp_counts(server).accepted, 2);
    CU_ASSERT_EQUAL(bad_smtp_counts(server).different, 1);
}

/* SIGTERM while the server is busy ends maild cleanly and in time. */
static void a_slow_server_delays_no_shutdown(void)
{
    int64_t began;

    begin(BAD_SMTP_NO_ANSWER, 0);
    queued_mail_put(suite, 4);
    after_accepted(4);
    began = clock_mono_ms();
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        suite_signal(suite, "maild", instances[i], SIGTERM);
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "maild", instances[i], pids[i]));
    UNIT_CHECK(clock_mono_ms() - began < 14000, "%lld ms", (long long)(clock_mono_ms() - began));
}

static void a_late_greeting_delays_no_other_mail(void)
{
    begin(BAD_SMTP_LATE_GREETING, THINKS_MS);
    queued_mail_put(suite, 4);
    usleep(THINKS_MS * 1000 / 2);
    check_answers();
    CU_ASSERT_TRUE(queued_mail_sent(suite, 4, 4 * THINKS_MS));
    CU_ASSERT_EQUAL(bad_smtp_counts(server).most, 1);
}

static void a_connection_that_ends_costs_no_mail(void)
{
    begin(BAD_SMTP_ONE_EACH, 0);
    queued_mail_put(suite, 200);
    CU_ASSERT_TRUE(queued_mail_sent(suite, 200, 20000));
    CU_ASSERT_EQUAL(bad_smtp_counts(server).most, 1);
}

/* Temporary refusals count as attempts, and several in a row cause a pause. */
static void a_busy_server_gets_fewer_connections(void)
{
    struct bad_smtp_counts counts;

    begin(BAD_SMTP_BUSY, 0);
    queued_mail_put(suite, SOME);
    usleep(5000000);
    counts = bad_smtp_counts(server);
    UNIT_CHECK(counts.connections > 20 && counts.connections < 200, "%ld connections",
               counts.connections);
    UNIT_CHECK(suite_count(suite, "select count(*) from mail.message where answers > 0") > 20,
               "answers are counted");
    bad_smtp_behave(server, BAD_SMTP_NONE, 0);
    CU_ASSERT_TRUE(bad_smtp_wait(server, SOME, 60000));
    CU_ASSERT_EQUAL(bad_smtp_counts(server).most, 1);
}

/* Expired links are not sent and old emails fail, both with a reason. */
static void expired_mail_is_dropped(void)
{
    begin(BAD_SMTP_REFUSE_ALL, 0);
    queued_mail_put(suite, 3);
    free(suite_query(suite,
                     "update mail.message set expires_at = 1 where id = (select min(id::text) "
                     "from mail.message)::uuid"));
    free(suite_query(suite,
                     "update mail.message set created_at = 1 where id = (select max(id::text) "
                     "from mail.message)::uuid"));
    bad_smtp_behave(server, BAD_SMTP_NONE, 0);
    CU_ASSERT_TRUE(queued_mail_sent(suite, 1, 20000));
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 5000,
                                  "select count(*) from mail.message where "
                                  "state = 'dead' and last_error like '%%link%%'"));
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 5000,
                                  "select count(*) from mail.message where state = 'dead' and "
                                  "last_error like '%%mail_max_age%%'"));
    CU_ASSERT_EQUAL(bad_smtp_counts(server).accepted, 1);
    PROGRAM dead = ATRIUMCTL(suite, NULL, "mail", "queue", "--state", "dead");
    CU_ASSERT_PTR_NOT_NULL(strstr(dead->out, "link expired"));
}

/* The daemon that makes the link sets its validity: an hour for a reset. */
static void a_link_says_when_it_expires(void)
{
    begin(BAD_SMTP_NONE, 0);
    PERSON patient = person_register(suite, NULL);

    CU_ASSERT_TRUE(queued_mail_sent(suite, 1, 10000));
    bad_smtp_behave(server, BAD_SMTP_REFUSE_ALL, 0);
    HTTP_ANSWER answer =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", patient->email, "tenantCode", "demo"));
    CHECK_STATUS(answer, 200);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 10000,
                                  "select count(*) from mail.message where template = "
                                  "'PASSWORD_RESET' and expires_at - created_at between 3500000 "
                                  "and 3600000"));
}

/* doctor names the server, the time and the reason; the operator need not wait for the next
 * probe. */
static void the_operator_sees_it_and_sends_all_now(void)
{
    long waits;

    begin(BAD_SMTP_REFUSE_ALL, 0);
    queued_mail_put(suite, 5);
    usleep(5000000); /* the pauses between attempts are several seconds by now */
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor");
    UNIT_CHECK(strstr(doctor->out, "takes no mail for") && strstr(doctor->out, "answered 421"),
               "%s", doctor->out);
    free(suite_query(suite, "update mail.message set due_at = due_at + 3600000"));
    bad_smtp_behave(server, BAD_SMTP_NONE, 0);
    PROGRAM later = ATRIUMCTL(suite, NULL, "mail", "retry", "--since", "2100-01-01T00:00:00Z");
    CHECK_EXIT(later, 0);
    PROGRAM all = ATRIUMCTL(suite, NULL, "mail", "retry", "--project", "demo", "--json");
    CHECK_EXIT(all, 0);
    waits = json_integer_value(json_object_get(all->json, "due"));
    UNIT_CHECK(waits > 0 && waits <= 5, "%s", all->out);
    CU_ASSERT_TRUE(queued_mail_sent(suite, 5, 5000));
    CU_ASSERT_TRUE(suite_count(suite, "select count(*) from mail.audit where "
                                      "event::text like '%%mail.retry%%'") > 0);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
    bad_smtp_stop(&server);
}

static const struct unit_case cases[] = {
    CASE(a_mail_waits_while_the_server_refuses_all),
    CASE(a_good_server_gets_them_on_few_connections),
    CASE(a_slow_server_delays_no_other_mail),
    CASE(a_refusing_server_is_tried_rarely),
    CASE(a_silent_server_gets_no_copy_before_its_timeout),
    CASE(a_reset_after_the_mail_is_an_unknown_end),
    CASE(a_killed_maild_leaves_no_early_copy),
    CASE(a_slow_server_delays_no_shutdown),
    CASE(a_late_greeting_delays_no_other_mail),
    CASE(a_connection_that_ends_costs_no_mail),
    CASE(a_busy_server_gets_fewer_connections),
    CASE(expired_mail_is_dropped),
    CASE(a_link_says_when_it_expires),
    CASE(the_operator_sees_it_and_sends_all_now),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    int port = unit_free_port();
    char smtp[32], set[64];

    server = bad_smtp_start(port);
    bad_smtp_behave(server, BAD_SMTP_REFUSE_ALL, 0);
    snprintf(smtp, sizeof(smtp), "127.0.0.1:%d", port);
    snprintf(set, sizeof(set), "maild.smtp_timeout=%ds", TIMEOUT_MS / 1000);
    suite = suite_start(&(struct suite_options){.instances = "maild=2", .smtp = smtp, .set = set});
    return unit_run("mail faults", cases, ARRAY_SIZE(cases));
}
