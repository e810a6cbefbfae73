/*
 * test_mail_dns.c - the name server of maild's mail server stops responding: both instances
 * respond, doctor reports it without harm, a stop is not delayed, and email is sent when the name
 * server returns.
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
#include "tests/support/silent_dns.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    MAILS = 4,
    PROMPT_MS = 3000,  /* maximum time of `atriumctl status` on a busy machine */
    DOCTOR_MS = 20000, /* maximum time of all daemons' checks */
    END_MS = 14000,
    BACK_MS = 30000,
};

static const char *const instances[] = {"1", "2"};
static struct silent_dns *dns;
static struct bad_smtp *server;
static struct suite *suite;
static pid_t pids[2];

static void note_pids(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        pids[i] = suite_pid(suite, "maild", instances[i]);
}

/* Restarts both maild, so that they have no cached name or connection. */
static void restart_daemons(void)
{
    note_pids();
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        suite_signal(suite, "maild", instances[i], SIGKILL);
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "maild", instances[i], pids[i]));
    note_pids();
}

static void put_mails(void)
{
    for (int i = 0; i < MAILS; i++) {
        PERSON patient = person_register(suite, NULL);

        CU_ASSERT_EQUAL(patient->status, 200);
    }
}

static bool all_sent(int timeout_ms)
{
    return suite_comes_to(suite, 0, timeout_ms,
                          "select count(*) from mail.message where state <> 'sent'");
}

static void check_answers(void)
{
    int64_t begin_ms = clock_mono_ms();
    PROGRAM status = ATRIUMCTL(suite, NULL, "status");

    CHECK_EXIT(status, 0);
    UNIT_CHECK(clock_mono_ms() - begin_ms < PROMPT_MS, "status took %lld ms",
               (long long)(clock_mono_ms() - begin_ms));
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        CU_ASSERT_EQUAL(suite_pid(suite, "maild", instances[i]), pids[i]);
}

static void mail_is_sent_to_a_server_by_name(void)
{
    put_mails();
    CU_ASSERT_TRUE(bad_smtp_wait(server, MAILS, BACK_MS));
    CU_ASSERT_TRUE(all_sent(5000));
}

static void a_silent_name_server_delays_no_request(void)
{
    size_t before;
    int64_t begin_ms;

    silent_dns_set(dns, true);
    restart_daemons();
    put_mails();
    before = silent_dns_asked(dns);
    for (int i = 0; i < 10; i++) {
        check_answers();
        usleep(500000);
    }
    UNIT_CHECK(silent_dns_asked(dns) > before, "the name was asked for");
    begin_ms = clock_mono_ms();
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor");
    UNIT_CHECK(clock_mono_ms() - begin_ms < DOCTOR_MS, "doctor took %lld ms",
               (long long)(clock_mono_ms() - begin_ms));
    UNIT_CHECK(strstr(doctor->out, "mail.example") != NULL, "%s", doctor->out);
    check_answers();
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from mail.message where answers > 0"), 0);
}

static void a_pending_lookup_delays_no_shutdown(void)
{
    int64_t begin_ms = clock_mono_ms();

    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        kill(pids[i], SIGTERM);
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        while (kill(pids[i], 0) == 0 && clock_mono_ms() - begin_ms < 2 * END_MS)
            usleep(10000);
    UNIT_CHECK(clock_mono_ms() - begin_ms < END_MS, "%lld ms",
               (long long)(clock_mono_ms() - begin_ms));
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "maild", instances[i], pids[i]));
}

static void mail_is_sent_when_the_name_server_is_back(void)
{
    silent_dns_set(dns, false);
    CU_ASSERT_TRUE(all_sent(BACK_MS));
    CU_ASSERT_EQUAL(bad_smtp_counts(server).different, 2 * MAILS);
    CU_ASSERT_EQUAL(bad_smtp_counts(server).most, 1);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
    bad_smtp_stop(&server);
}

static const struct unit_case cases[] = {
    CASE(mail_is_sent_to_a_server_by_name),    CASE(a_silent_name_server_delays_no_request),
    CASE(a_pending_lookup_delays_no_shutdown), CASE(mail_is_sent_when_the_name_server_is_back),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    const char *reason = NULL;
    char smtp[48];
    int port, rc;

    if (!(dns = silent_dns_start(&reason)))
        return unit_leave_out_suite("mail dns", reason);
    unit_optional();
    port = unit_free_port();
    server = bad_smtp_start(port);
    snprintf(smtp, sizeof(smtp), "mail.example:%d", port);
    /* a delivery times out long before a lookup */
    suite = suite_start(&(struct suite_options){
        .instances = "maild=2", .smtp = smtp, .set = "maild.smtp_timeout=3s"});
    rc = unit_run("mail dns", cases, ARRAY_SIZE(cases));
    silent_dns_stop(&dns);
    return rc;
}
