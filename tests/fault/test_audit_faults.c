/*
 * test_audit_faults.c - audit rows while daemons are killed and the database restarts: each change
 * has its row, each row its change, and the chain stays one.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/trail.h"
#include "tests/support/unit.h"

enum { REGISTRATIONS = 48, BACKLOG = 10000 };

static struct suite *suite;

static long register_many(void)
{
    struct http_request requests[REGISTRATIONS];
    struct http_answer *answers[REGISTRATIONS];
    char *sources[REGISTRATIONS], *emails[REGISTRATIONS];
    long good = 0;

    for (int i = 0; i < REGISTRATIONS; i++) {
        sources[i] = fresh_source();
        emails[i] = person_address();
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/auth/tenant/Patient/register",
                                            .body = body_register(emails[i], "demo"),
                                            .source = sources[i]};
    }
    http_call_many(suite_url(suite), requests, REGISTRATIONS, 12, answers);
    for (int i = 0; i < REGISTRATIONS; i++) {
        good += answers[i]->status == 200;
        free(sources[i]);
        free(emails[i]);
    }
    http_answers_destroy(answers, REGISTRATIONS);
    return good;
}

static long registered(void)
{
    return trail_number(suite, "select count(*) from trail where "
                               "event->>'action' = 'account.register'");
}

/* One statement writes an account, its session and its audit row, so their counts must be equal. */
static void check_one_row_each(long acknowledged)
{
    CU_ASSERT_EQUAL(trail_number(suite, "select count(*) from auth.account where role = 'Patient'"),
                    registered());
    CU_ASSERT_EQUAL(trail_number(suite, "select count(*) from auth.session s where not exists "
                                        "(select from trail t where t.entity = 'Session/' || s.id "
                                        "and t.project_id = s.project_id)"),
                    0);
    UNIT_CHECK(registered() >= acknowledged, "%ld rows, %ld answers", registered(), acknowledged);
}

static void killed_daemons_leave_no_half(void)
{
    long acknowledged = registered();

    for (int round = 0; round < 4; round++) {
        pid_t killer = suite_kill_both_later(suite, "authd", 150 + 200 * round);

        acknowledged += register_many();
        waitpid(killer, NULL, 0);
        CU_ASSERT_TRUE(suite_wait_ready(suite, 15000));
    }
    acknowledged += register_many();
    check_one_row_each(acknowledged);
    trail_check_sealed(suite);
    trail_check_sound(suite);
}

static void add_backlog(void)
{
    trail_number(suite,
                 "insert into auth.audit (at, event) select 1, '{\"action\":\"test.backlog\"}' "
                 "from generate_series(1, %d)",
                 BACKLOG);
}

static void a_killed_chainer_leaves_a_whole_chain(void)
{
    for (int round = 0; round < 4; round++) {
        pid_t killer = suite_kill_both_later(suite, "authd", 60 + 170 * round);

        add_backlog();
        waitpid(killer, NULL, 0);
        CU_ASSERT_TRUE(suite_wait_ready(suite, 15000));
    }
    trail_check_sealed(suite);
    trail_check_sound(suite);
}

static void one_chainer_takes_over(void)
{
    for (int round = 0; round < 4; round++) {
        const char *instance = round % 2 ? "2" : "1";
        pid_t pid = suite_pid(suite, "authd", instance);

        add_backlog();
        usleep(50000u * (unsigned)round);
        suite_signal(suite, "authd", instance, SIGSTOP);
        usleep(300000);
        suite_signal(suite, "authd", instance, SIGKILL);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", instance, pid));
    }
    trail_check_sealed(suite);
    trail_check_sound(suite);
}

static void the_database_restarts(void)
{
    static const int signals[] = {SIGINT, SIGQUIT};
    long acknowledged = registered();

    for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
        pid_t pid = suite_pid(suite, "postgres", "");

        add_backlog();
        usleep(100000);
        kill(pid, signals[i]);
        usleep(50000);
        CU_ASSERT_TRUE(suite_wait_ready(suite, 15000));
        acknowledged += register_many();
    }
    check_one_row_each(acknowledged);
    trail_check_sealed(suite);
    trail_check_sound(suite);
}

static void a_tail_outlives_everything(void)
{
    add_backlog();
    suite_halt(suite);
    suite_restart(suite);
    trail_check_sealed(suite);
    trail_check_sound(suite);
}

static void the_scene_is_set(void)
{
    trail_open(suite);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(killed_daemons_leave_no_half),
    CASE(a_killed_chainer_leaves_a_whole_chain),
    CASE(one_chainer_takes_over),
    CASE(the_database_restarts),
    CASE(a_tail_outlives_everything),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2"});
    return unit_run("audit faults", cases, ARRAY_SIZE(cases));
}
