/*
 * test_bot_neighbours.c - bots that loop, fork, allocate and write without end do not slow down
 * other requests.
 *
 * tier: time
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/daemon_log.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum { ROUNDS = 3, ROUNDS_MAX = 12, READS = 1000, AT_ONCE = 4, HOSTILE = 12, TIMEOUT_MS = 2000 };
enum { TICK_MS = 2 }; /* half a time slice at 250 Hz */

static struct suite *suite;
static struct person *admin, *patient;

static const struct {
    const char *name, *text;
} bots[] = {
    {"loop", "#!/bin/sh\nwhile :; do :; done\n"},
    {"forks",
     "#!/usr/bin/python3\nimport os\nwhile True:\n try:\n  os.fork()\n except OSError:\n  pass\n"},
    {"gigabyte", "#!/usr/bin/python3\nkept = []\nwhile True:\n try:\n  kept.append(bytearray(b'x') "
                 "* (1 << 20))\n"
                 "  if len(kept) > 1024:\n   break\n except MemoryError:\n  kept = kept[:1]\n"},
    {"output", "#!/bin/sh\nexec head -c 1073741824 /dev/zero\n"},
};

static void make_bot(const char *name, const char *text)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", suite_text(suite, "botDir"), name);
    file = fopen(path, "w");
    if (!file)
        abort();
    fputs(text, file);
    fclose(file);
    HTTP_ANSWER made =
        http_post(suite_url(suite), "/v1/project/bots", admin->access,
                  json_pack("{s:[{s:s}], s:s, s:s, s:s, s:i}", "identifier", "value", name, "name",
                            name, "kind", "program", "program", name, "timeoutMs", TIMEOUT_MS));
    CHECK_STATUS(made, 200);
}

/* Calls all hostile bots, twelve at a time, until it is killed. */
static pid_t misbehave(void)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        struct http_request requests[4 * HOSTILE];
        struct http_answer *answers[4 * HOSTILE];
        char paths[ARRAY_SIZE(bots)][64];

        for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
            size_t bot = i % ARRAY_SIZE(bots);

            snprintf(paths[bot], sizeof(paths[bot]), "/bots?identifier=%s", bots[bot].name);
            requests[i] = (struct http_request){
                .method = "POST", .path = paths[bot], .bearer = patient->access, .raw = "{}"};
        }
        http_call_many(suite_url(suite), requests, ARRAY_SIZE(requests), HOSTILE, answers);
        http_answers_destroy(answers, ARRAY_SIZE(requests));
    }
}

/* Returns the 99th percentile of reading an account, in ms. */
static double measure(void)
{
    static struct http_request requests[READS];
    static struct http_answer *answers[READS];
    static double ms[READS];

    for (size_t i = 0; i < READS; i++)
        requests[i] = (struct http_request){.path = "/auth/me", .bearer = patient->access};
    http_call_many(suite_url(suite), requests, READS, AT_ONCE, answers);
    for (size_t i = 0; i < READS; i++) {
        CHECK_STATUS(answers[i], 200);
        ms[i] = answers[i]->seconds * 1000;
    }
    http_answers_destroy(answers, READS);
    return unit_percentile(ms, READS, 99);
}

static void run_round(double *ret_idle, double *ret_hostile)
{
    pid_t pid;

    *ret_idle = measure();
    pid = misbehave();
    sleep(1);
    *ret_hostile = measure();
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    sleep(TIMEOUT_MS / 1000 + 1); /* until the last bots have timed out */
}

static double median(const double values[static ROUNDS])
{
    double sorted[ROUNDS];

    memcpy(sorted, values, sizeof(sorted));
    return unit_median(sorted, ROUNDS);
}

static bool are_as_fast(const double idle[static ROUNDS], const double hostile[static ROUNDS])
{
    double alone = median(idle), beside = median(hostile);

    printf("(p99 %.1f ms idle, %.1f ms beside them) ", alone, beside);
    return beside < 2 * alone + TICK_MS;
}

/* True when the kernel groups by session. A program's low priority then counts only within its
 * session; see atrium-botd(8). */
static bool groups_by_session(void)
{
    FILE *file = fopen("/proc/sys/kernel/sched_autogroup_enabled", "re");
    bool enabled = file && fgetc(file) == '1';

    if (file)
        fclose(file);
    return enabled;
}

/* Other load on the machine can disturb most of three rounds; another round is run then. */
static void neighbours_stay_fast(void)
{
    double idle[ROUNDS], hostile[ROUNDS];
    bool fast = false;

    if (groups_by_session() && daemon_log_count(suite, "botd", "bots have no control groups") > 0) {
        unit_leave_out("no control groups, and the kernel gives each session a share of the time");
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(bots); i++)
        make_bot(bots[i].name, bots[i].text);
    (void)measure(); /* fills the caches */
    for (int round = 0; round < ROUNDS_MAX && !fast; round++) {
        run_round(&idle[round % ROUNDS], &hostile[round % ROUNDS]);
        fast = round + 1 >= ROUNDS && are_as_fast(idle, hostile);
    }
    CU_ASSERT_TRUE(fast);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(neighbours_stay_fast),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){0});
    admin = person_admin(suite);
    patient = person_register(suite, NULL);
    return unit_run("neighbours of bots", cases, ARRAY_SIZE(cases));
}
