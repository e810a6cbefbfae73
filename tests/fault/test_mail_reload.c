/*
 * test_mail_reload.c - SIGHUP moves maild to another mail server (bad_smtp.h) during deliveries:
 * each email arrives once at one of them, and an invalid configuration changes nothing. Two
 * instances share the queue.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/bad_smtp.h"
#include "tests/support/daemon_log.h"
#include "tests/support/queued_mail.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { MAILS = 200, DELAY_MS = 300, WAIT_MS = 30000 };

static const char *const instances[] = {"1", "2"};
static const char reloaded[] = "configuration reloaded", refused[] = "configuration refused";
static struct suite *suite;
static struct {
    struct bad_smtp *server;
    int port;
} former, next;

/* Writes conf.d or removes it (NULL), sends SIGHUP, and waits until both instances have logged this
 * line. */
static void reload(const char *part, const char *line)
{
    size_t before = daemon_log_count(suite, "maild", line);
    char directory[512], path[600];
    FILE *file;

    snprintf(directory, sizeof(directory), "%s/conf.d", suite_dir(suite));
    snprintf(path, sizeof(path), "%s/50-mail.conf", directory);
    mkdir(directory, 0700);
    file = fopen(path, "we");
    UNIT_REQUIRE(file && fputs(part, file) >= 0 && fclose(file) == 0, "%s", path);
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        suite_signal(suite, "maild", instances[i], SIGHUP);
    daemon_log_wait(suite, "maild", line, before + ARRAY_SIZE(instances));
}

static void move_to(int port)
{
    char part[128];

    snprintf(part, sizeof(part), "maild\n    smtp_url = \"smtp://127.0.0.1:%d\"\n", port);
    reload(part, reloaded);
}

static void a_mail_waits_while_the_server_refuses_all(void)
{
    queued_mail_model(suite);
}

/* Starts with an empty queue and two servers; emails go to the former. */
static void begin(enum bad_smtp_manner manner, int delay_ms)
{
    move_to(former.port);
    free(suite_query(suite, "delete from mail.message"));
    bad_smtp_behave(former.server, manner, delay_ms);
    bad_smtp_behave(next.server, BAD_SMTP_NONE, 0);
    bad_smtp_reset(former.server);
    bad_smtp_reset(next.server);
}

static void check_each_once(long count)
{
    struct bad_smtp_counts a = bad_smtp_counts(former.server), b = bad_smtp_counts(next.server);

    UNIT_CHECK(a.accepted + b.accepted == count && a.most <= 1 && b.most <= 1,
               "%ld and %ld of %ld, one %ld and %ld times", a.accepted, b.accepted, count, a.most,
               b.most);
}

static void mails_under_way_end_where_they_began(void)
{
    struct bad_smtp_counts at_move;

    begin(BAD_SMTP_LATE_ANSWER, DELAY_MS);
    queued_mail_put(suite, MAILS);
    CU_ASSERT_TRUE(bad_smtp_wait(former.server, MAILS / 10, WAIT_MS));
    move_to(next.port);
    CU_ASSERT_TRUE(queued_mail_sent(suite, MAILS, WAIT_MS));
    /* Emails in progress on the former server are recorded; later ones go to the new server. */
    at_move = bad_smtp_counts(former.server);
    queued_mail_put(suite, MAILS);
    CU_ASSERT_TRUE(queued_mail_sent(suite, 2 * MAILS, WAIT_MS));
    check_each_once(2 * MAILS);
    CU_ASSERT_TRUE(bad_smtp_counts(next.server).accepted > MAILS / 4);
    CU_ASSERT_EQUAL(bad_smtp_counts(former.server).accepted, at_move.accepted);
    CU_ASSERT_EQUAL(bad_smtp_counts(former.server).connections, at_move.connections);
}

/* Emails queued for an unreachable server go to the new one immediately, without waiting for their
 * retry, which can be a minute away. */
static void waiting_mail_goes_to_the_new_server_at_once(void)
{
    int64_t began;

    begin(BAD_SMTP_REFUSE_ALL, 0);
    queued_mail_put(suite, MAILS);
    CU_ASSERT_TRUE(suite_comes_to(suite, 2, WAIT_MS,
                                  "select least(2, count(*)) from mail.message where server_wait"));
    usleep(5000000);
    began = clock_mono_ms();
    move_to(next.port);
    CU_ASSERT_TRUE(queued_mail_sent(suite, MAILS, WAIT_MS));
    UNIT_CHECK(clock_mono_ms() - began < WAIT_MS / 2, "%lld ms",
               (long long)(clock_mono_ms() - began));
    check_each_once(MAILS);
    CU_ASSERT_EQUAL(bad_smtp_counts(former.server).accepted, 0);
}

static void wrong_keys_change_nothing(void)
{
    static const char *const parts[] = {
        "maild\n    smtp_url = \"http://127.0.0.1:25\"\n",
        "maild\n    smtp_user = \"atrium\"\n",
        "maild\n    smtp_user = \"atrium\"\n    smtp_password_file = \"/nonexistent/password\"\n",
        "maild\n    smtp_starttls = \"maybe\"\n",
    };

    begin(BAD_SMTP_NONE, 0);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        reload(parts[i], refused);
    queued_mail_put(suite, 2);
    CU_ASSERT_TRUE(queued_mail_sent(suite, 2, WAIT_MS));
    CU_ASSERT_EQUAL(bad_smtp_counts(former.server).accepted, 2);
}

static void the_same_keys_change_nothing(void)
{
    begin(BAD_SMTP_NONE, 0);
    queued_mail_put(suite, MAILS);
    CU_ASSERT_TRUE(bad_smtp_wait(former.server, MAILS / 10, WAIT_MS));
    for (int i = 0; i < 5; i++)
        move_to(former.port);
    CU_ASSERT_TRUE(queued_mail_sent(suite, MAILS, WAIT_MS));
    check_each_once(MAILS);
    UNIT_CHECK(bad_smtp_counts(former.server).connections <= 2 * 8, "%ld connections",
               bad_smtp_counts(former.server).connections);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
    bad_smtp_stop(&former.server);
    bad_smtp_stop(&next.server);
}

static const struct unit_case cases[] = {
    CASE(a_mail_waits_while_the_server_refuses_all),
    CASE(mails_under_way_end_where_they_began),
    CASE(waiting_mail_goes_to_the_new_server_at_once),
    CASE(wrong_keys_change_nothing),
    CASE(the_same_keys_change_nothing),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    char smtp[32];

    former.port = unit_free_port();
    former.server = bad_smtp_start(former.port);
    next.port = unit_free_port();
    next.server = bad_smtp_start(next.port);
    bad_smtp_behave(former.server, BAD_SMTP_REFUSE_ALL, 0);
    snprintf(smtp, sizeof(smtp), "127.0.0.1:%d", former.port);
    suite = suite_start(&(struct suite_options){.instances = "maild=2", .smtp = smtp});
    return unit_run("mail reload", cases, ARRAY_SIZE(cases));
}
