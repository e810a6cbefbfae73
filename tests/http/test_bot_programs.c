/*
 * test_bot_programs.c - bots that are programs: responses, warm processes, sandbox, and hostile
 * programs.
 *
 * tier: time
 */
#include <CUnit/CUnit.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/bots.h"
#include "tests/support/processes.h"

static struct bots bots;
static struct suite *suite;
static struct person *admin, *patient;

static void a_program_answers(void)
{
    bots_make_program(&bots, "cat", "#!/bin/sh\nexec cat\n", 5000, false);
    HTTP_ANSWER answer =
        bots_run(&bots, "cat", json_pack("{s:s}", "text", "\xc3\xa4 \"quoted\"\n"));
    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "input.text"), "\xc3\xa4 \"quoted\"\n");
    /* any JSON value is valid */
    bots_make_program(&bots, "seven", "#!/bin/sh\necho 7\n", 5000, false);
    HTTP_ANSWER seven = bots_run(&bots, "seven", NULL);
    CHECK_STATUS(seven, 200);
    CU_ASSERT_STRING_EQUAL(seven->body, "7\n");
}

/* An admin who cannot read the secrets cannot have them sent elsewhere either. */
static void secrets_do_not_move(void)
{
    char path[160];

    bots_install(&bots, "first", "#!/bin/sh\nexec cat\n");
    bots_install(&bots, "second", "#!/bin/sh\nexec cat\n");
    HTTP_ANSWER made = bots_make(&bots, bots_with(bots_body("moved", "program", "first"), "secrets",
                                                  json_pack("{s:s}", "TOKEN", "of the first")));
    HTTP_ANSWER before = bots_run(&bots, "moved", NULL);
    CU_ASSERT_STRING_EQUAL(http_text(before, "secrets.TOKEN"), "of the first");
    snprintf(path, sizeof(path), BOTS_PATH "/%s", http_text(made, "id"));
    HTTP_ANSWER same =
        http_put(suite_url(suite), path, admin->access,
                 bots_with(bots_body("moved", "program", "first"), "warm", json_true()));
    CHECK_STATUS(same, 200);
    HTTP_ANSWER stays = bots_run(&bots, "moved", NULL);
    CU_ASSERT_STRING_EQUAL(http_text(stays, "secrets.TOKEN"), "of the first");
    HTTP_ANSWER elsewhere =
        http_put(suite_url(suite), path, admin->access, bots_body("moved", "program", "second"));
    CHECK_STATUS(elsewhere, 200);
    HTTP_ANSWER after = bots_run(&bots, "moved", NULL);
    CHECK_STATUS(after, 200);
    CU_ASSERT_EQUAL(json_object_size(http_member(after, "secrets")), 0);
}

static void the_examples_run(void)
{
    static const char *const files[] = {"echo.sh", "summary.py", "greeting.js"};
    static const struct {
        const char *file;
        bool warm;
        const char *input;
        int status;
        const char *path, *want;
    } rows[] = {
        {"echo.sh", false, "{\"a\":\"b\"}", 200, "input.a", "b"},
        {"echo.sh", true, "{\"a\":\"b\"}", 200, "input.a", "b"},
        {"summary.py", false, "{\"answers\":[1,0,3]}", 200, "risk", "moderate"},
        {"summary.py", false, "{\"answers\":[9]}", 400, "message",
         "answers must be a list of numbers from 0 to 3"},
        {"greeting.js", true, "{\"language\":\"es\"}", 200, "text", "Hola, Ana Prova!"},
        {"greeting.js", true, "{}", 200, "text", "Hello, Ana Prova!"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        char command[512];

        snprintf(command, sizeof(command), "botd/examples/%s", files[i]);
        int from = open(command, O_RDONLY);
        char text[8192] = "";
        CU_ASSERT_TRUE_FATAL(from >= 0 && read(from, text, sizeof(text) - 1) > 0);
        close(from);
        bots_install(&bots, files[i], text);
    }
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char value[32];

        snprintf(value, sizeof(value), "example-%zu", i);
        HTTP_ANSWER made = bots_make(&bots, bots_with(bots_body(value, "program", rows[i].file),
                                                      "warm", json_boolean(rows[i].warm)));
        HTTP_ANSWER answer = bots_run(&bots, value, json_loads(rows[i].input, 0, NULL));
        CHECK_STATUS(answer, rows[i].status);
        CU_ASSERT_STRING_EQUAL(http_text(answer, rows[i].path), rows[i].want);
    }
}

static void a_warm_program_is_kept(void)
{
    static const char count[] =
        "#!/bin/sh\nn=0\nwhile read -r line; do n=$((n + 1)); echo \"{\\\"n\\\":$n}\"; done\n";

    bots_make_program(&bots, "counter", count, 5000, true);
    for (int want = 1; want <= 5; want++) {
        HTTP_ANSWER answer = bots_run(&bots, "counter", NULL);
        CHECK_STATUS(answer, 200);
        CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "n")), want);
    }
    bots_install(&bots, "counter",
                 "#!/bin/sh\nwhile read -r line; do echo '{\"new\":true}'; done\n");
    HTTP_ANSWER fresh = bots_run(&bots, "counter", NULL);
    CU_ASSERT_TRUE(json_is_true(http_member(fresh, "new")));
}

/* Concurrent calls of a bot, counted by status, with the number of distinct `id`s. */
struct crowd {
    size_t ok, bad, busy, ids;
};

static struct crowd run_many(const char *path, size_t count)
{
    static struct http_request requests[80];
    static struct http_answer *answers[80];
    struct crowd crowd = {0};

    for (size_t i = 0; i < count; i++)
        requests[i] = (struct http_request){
            .method = "POST", .path = path, .bearer = patient->access, .raw = "{}"};
    http_call_many(suite_url(suite), requests, count, count, answers);
    for (size_t i = 0; i < count; i++) {
        bool new = answers[i]->status == 200;

        for (size_t j = 0; j < i && new; j++)
            new = answers[j]->status != 200 || strcmp(answers[i]->body, answers[j]->body) != 0;
        crowd.ids += new;
        crowd.ok += answers[i]->status == 200;
        crowd.bad += answers[i]->status == 400;
        crowd.busy += answers[i]->status == 503 &&
                      strcmp(http_text(answers[i], "message"), "The bot is busy. Try again.") == 0;
    }
    http_answers_destroy(answers, count);
    return crowd;
}

/* At most four processes of a bot are warm (setting `warm`). More callers wait in a queue with
 * limited time and length. */
static void callers_wait_for_a_warm_program(void)
{
    static const char text[] =
        "#!/bin/sh\nid=$(od -An -N8 -tx8 /dev/urandom)\n"
        "while read -r line; do sleep %s; echo \"{\\\"id\\\":\\\"$id\\\"}\"; done\n";
    char program[256];

    /* four programs run and the queue holds 64; further calls are refused immediately */
    snprintf(program, sizeof(program), text, "0.3");
    bots_make_program(&bots, "crowded", program, 20000, true);
    struct crowd all = run_many("/bots?identifier=crowded", 80);
    CU_ASSERT_EQUAL(all.ok + all.busy, 80);
    CU_ASSERT_TRUE(all.ok >= 68);
    CU_ASSERT_TRUE(all.busy >= 1);
    CU_ASSERT_EQUAL(all.ids, 4);

    /* the first four respond after 3 s, the next time out, most never run */
    snprintf(program, sizeof(program), text, "3");
    bots_make_program(&bots, "patient", program, 4500, true);
    struct crowd some = run_many("/bots?identifier=patient", 80);
    CU_ASSERT_EQUAL(some.ok, 4);
    CU_ASSERT_EQUAL(some.bad + some.busy, 76);
    CU_ASSERT_TRUE(some.busy > some.bad);
    CU_ASSERT_EQUAL((size_t)suite_count(suite,
                                        "select count(*) from bot.execution e join bot.bot b on "
                                        "b.id = e.bot_id where outcome = 'refused' and name = '%s'",
                                        "patient"),
                    some.busy);
}

static void an_answer_goes_to_its_own_call(void)
{
    bots_make_program(&bots, "chatty",
                      "#!/bin/sh\nwhile read -r line; do printf '{\"a\":1}\\n{\"b\":2}\\n'; done\n",
                      2000, true);
    for (int i = 0; i < 3; i++) {
        HTTP_ANSWER answer = bots_run(&bots, "chatty", NULL);
        CU_ASSERT_PTR_NULL(http_member(answer, "b"));
    }
    bots_make_program(
        &bots, "late",
        "#!/bin/sh\nwhile read -r line; do echo '{\"a\":1}'; sleep 0.2; echo '{\"b\":2}'; done\n",
        2000, true);
    HTTP_ANSWER first = bots_run(&bots, "late", NULL);
    CHECK_STATUS(first, 200);
    usleep(600 * 1000);
    HTTP_ANSWER second = bots_run(&bots, "late", NULL);
    CHECK_STATUS(second, 200);
    CU_ASSERT_PTR_NULL(http_member(second, "b"));
}

static void hostile_programs_do_no_harm(void)
{
    static const struct {
        const char *name, *text;
        int status;
        const char *want;
    } rows[] = {
        {"loop", "#!/bin/sh\nwhile :; do :; done\n", 400, "There was no response in time."},
        {"deaf", "#!/bin/sh\nexec <&-\nsleep 60\n", 400, "There was no response in time."},
        {"stays", "#!/bin/sh\necho '{}'\nexec >&-\nsleep 60\n", 400,
         "There was no response in time."},
        {"closes", "#!/bin/sh\nexec <&-\necho '{\"ok\":1}'\n", 200, "ok"},
        {"half", "#!/bin/sh\necho '{'\n", 400, "The bot's response is not JSON."},
        {"fails", "#!/bin/sh\nexit 3\n", 400, "The bot failed."},
        {"says", "#!/bin/sh\necho '{\"message\":\"no form\"}'\nexit 1\n", 400, "no form"},
        {"floods", "#!/bin/sh\nexec cat /dev/zero\n", 400, "The response is too large."},
        {"gigabyte",
         "#!/usr/bin/env python3\ntry:\n x = bytearray(1 << 30)\n print('{\"memory\":1}')\n"
         "except MemoryError:\n print('{\"refused\":1}')\n",
         200, "refused"},
        {"forks",
         "#!/usr/bin/env python3\nimport os, time\nn = 0\ntry:\n while n < 1000:\n  if os.fork() "
         "== 0:\n"
         "   time.sleep(60); os._exit(0)\n  n += 1\nexcept OSError:\n pass\n"
         "print('{\"few\":1}' if n < 32 else '{\"many\":1}')\n",
         200, "few"},
        {"etc",
         "#!/bin/sh\nif echo x > /etc/passwd; then echo '{\"wrote\":1}'; else echo "
         "'{\"denied\":1}'; fi 2>/dev/null\n",
         200, "denied"},
        {"network",
         "#!/usr/bin/env python3\nimport socket\ntry:\n socket.create_connection(('127.0.0.1', "
         "80), 1)\n"
         " print('{\"reached\":1}')\nexcept OSError as e:\n print('{\"alone\":1}')\n",
         200, "alone"},
        {"looks",
         "#!/bin/sh\nif ls /home /root /var /run /tmp/* /bot/.. 2>/dev/null | grep -q counter; "
         "then "
         "echo '{\"saw\":1}'; else echo '{\"blind\":1}'; fi\n",
         200, "blind"},
        {"others",
         "#!/bin/sh\nn=$(ls -d /proc/[0-9]* | wc -l)\n[ $n -lt 9 ] && echo '{\"alone\":1}'\n", 200,
         "alone"},
    };
    static const char late[] = "There was no response in time.";

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        /* idle programs get little CPU under load */
        bots_make_program(&bots, rows[i].name, rows[i].text,
                          strcmp(rows[i].want, late) == 0 ? 1500 : 20000, false);
        HTTP_ANSWER answer = bots_run(&bots, rows[i].name, NULL);
        CHECK_STATUS(answer, rows[i].status);
        if (rows[i].status == 200) {
            CU_ASSERT_PTR_NOT_NULL(http_member(answer, rows[i].want));
            if (!http_member(answer, rows[i].want))
                fprintf(stderr, "%s: %s\n", rows[i].name, answer->body);
        } else {
            CU_ASSERT_STRING_EQUAL(http_text(answer, "message"), rows[i].want);
        }
    }
}

/* The kernel ends a sandbox's other processes shortly after its first one. */
static bool all_end(const char *text)
{
    int64_t until = clock_mono_ms() + 5000;

    while (processes_with(text, 0, NULL, 0) > 0 && clock_mono_ms() < until)
        usleep(20 * 1000);
    return processes_with(text, 0, NULL, 0) == 0;
}

/* Makes a program that sleeps, alone and in children that leave its session. Its marker identifies
 * processes of this test. */
static char *sleeper(char marker[static 32])
{
    char *text;

    snprintf(marker, 32, "61.%d", (int)getpid());
    if (asprintf(&text, "#!/bin/sh\nfor i in 1 2 3; do setsid sleep %s & done\nsleep %s\n", marker,
                 marker) < 0)
        abort();
    return text;
}

static void no_program_outlives_its_execution(void)
{
    char marker[32], *text = sleeper(marker);
    struct http_answer *answers[1];
    struct http_request request = {.method = "POST",
                                   .path = "/bots?identifier=orphans",
                                   .bearer = patient->access,
                                   .raw = "{}"};
    pid_t watcher;
    int status = 0;

    bots_make_program(&bots, "orphans", text, 4000, false);
    watcher = fork();
    if (watcher == 0) {
        size_t most = 0;

        for (int i = 0; i < 39 && most < 4; i++, usleep(100 * 1000))
            most = MAX(most, processes_with(marker, 0, NULL, 0));
        _exit((int)most);
    }
    http_call_many(suite_url(suite), &request, 1, 1, answers);
    CHECK_ERROR(answers[0], 400, "There was no response in time.");
    http_answers_destroy(answers, 1);
    waitpid(watcher, &status, 0);
    CU_ASSERT_TRUE(WEXITSTATUS(status) >= 4); /* they did exist */
    CU_ASSERT_TRUE(all_end(marker));
    free(text);
}

static void a_missing_program_is_reported(void)
{
    HTTP_ANSWER made = bots_make(&bots, bots_body("gone", "program", "no-such-file"));
    HTTP_ANSWER answer = bots_run(&bots, "gone", NULL);
    CHECK_ERROR(answer, 400, "The bot's program is not installed.");
    /* a symbolic link out of the directory is rejected too */
    char *path;
    if (asprintf(&path, "%s/link", suite_text(suite, "botDir")) < 0)
        abort();
    CU_ASSERT_EQUAL(symlink("/bin/cat", path), 0);
    free(path);
    HTTP_ANSWER linked = bots_make(&bots, bots_body("link", "program", "link"));
    HTTP_ANSWER refused = bots_run(&bots, "link", NULL);
    CHECK_ERROR(refused, 400, "The bot's program is not installed.");
}

static void a_killed_botd_leaves_nothing(void)
{
    pid_t old = suite_pid(suite, "botd", "1");
    struct http_answer *answers[1];
    char marker[32], *text = sleeper(marker);

    bots_make_program(&bots, "killed", text, 5000, false);
    struct http_request request = {.method = "POST",
                                   .path = "/bots?identifier=killed",
                                   .bearer = patient->access,
                                   .raw = "{}"};
    pid_t killer = fork();
    if (killer == 0) {
        usleep(700 * 1000);
        kill(old, SIGKILL);
        _exit(0);
    }
    http_call_many(suite_url(suite), &request, 1, 1, answers);
    CU_ASSERT_EQUAL(answers[0]->status, 503);
    http_answers_destroy(answers, 1);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "botd", "1", old));
    waitpid(killer, NULL, 0);
    CU_ASSERT_TRUE(all_end(marker));
    HTTP_ANSWER again = bots_run(&bots, "cat", NULL);
    CHECK_STATUS(again, 200);
    free(text);
}

static void suite_shuts_down_cleanly(void)
{
    bots_stop(&bots);
}

static const struct other_means {
    enum confine_means means;
    const char *set;
} other_means[] = {
    {CONFINE_BUBBLEWRAP_BARE, "botd.sandbox=bubblewrap-bare"},
    {CONFINE_KERNEL, "botd.sandbox=kernel"},
};
static const struct other_means *other; /* current row */

/* Also deletes all bots, so that their names can be used again. */
static void another_means_is_used(void)
{
    char seen[80], shown[80];

    suite_reconfigure(suite, other->set);
    char *none = suite_query(suite, "truncate bot.bot cascade");
    free(none);
    snprintf(seen, sizeof(seen), "program bots are confined by %s",
             confine_means_names[other->means]);
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    UNIT_CHECK(strstr(doctor->out, seen), "%s", doctor->out);
    snprintf(shown, sizeof(shown), "\"sandbox\": \"%s\"", confine_means_names[other->means]);
    PROGRAM status = ATRIUMCTL(suite, NULL, "status", "--json");
    UNIT_CHECK(strstr(status->out, shown), "%s", status->out);
}

static const struct bots_case cases[] = {
    {CASE(a_program_answers), true},
    {CASE(secrets_do_not_move), true},
    {CASE(the_examples_run), true},
    {CASE(a_warm_program_is_kept), true},
    {CASE(callers_wait_for_a_warm_program), true},
    {CASE(an_answer_goes_to_its_own_call), true},
    {CASE(hostile_programs_do_no_harm), true},
    {CASE(no_program_outlives_its_execution), true},
    {CASE(a_missing_program_is_reported), true},
    {CASE(a_killed_botd_leaves_nothing), true},
};

static const struct unit_case other_cases[] = {
    CASE(another_means_is_used),
    CASE(a_program_answers),
    CASE(the_examples_run),
    CASE(a_warm_program_is_kept),
    CASE(hostile_programs_do_no_harm),
    CASE(no_program_outlives_its_execution),
    CASE(a_killed_botd_leaves_nothing),
};

static const struct unit_case last_cases[] = {
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    if (!bots_start(&bots))
        return 1;
    suite = bots.suite;
    admin = bots.admin;
    patient = bots.patient;

    int rc = bots_run_cases("programs of bots", cases, ARRAY_SIZE(cases));

    for (size_t i = 0; i < ARRAY_SIZE(other_means); i++) {
        other = &other_means[i];
        if (processes_confined(other->means))
            rc |= unit_run(other->set, other_cases, ARRAY_SIZE(other_cases));
        else
            rc |= unit_leave_out_suite(other->set, "nothing is confined by it here");
    }
    return rc | unit_run("programs of bots: the end", last_cases, ARRAY_SIZE(last_cases));
}
