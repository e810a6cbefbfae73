/*
 * test_translation_providers.c - translation by LibreTranslate and a language model: requests,
 * preserved markup, and all kinds of provider failures.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/translated.h"
#include "tests/support/unit.h"

#define KEY "sk-0a1b2c3d4e5f"

static const char *const names[] = {"libretranslate", "openai"};

static struct suite *suite;
static struct person *patient;
static struct program *server;
static struct unit_dir keys;
static char server_url[64];
static size_t provider; /* index of names */

static void start(size_t which)
{
    static const char *const paths[] = {"libre", "v1/"};
    char set[512];

    provider = which;
    snprintf(set, sizeof(set),
             "botd.translation_provider=%s,botd.translation_url=%s/%s,botd.translation_key_file=%s/"
             "key,botd.translation_timeout=3s%s",
             names[which], server_url, paths[which], keys.path,
             which == 1 ? ",botd.translation_model=model-1" : "");
    suite = suite_start(&(struct suite_options){.set = set});
    patient = person_register(suite, NULL);
}

static void stop(void)
{
    person_destroy(&patient);
    suite_stop(&suite);
}

static void behave(const char *mode)
{
    char path[64];

    snprintf(path, sizeof(path), "/mode/%s", mode);
    HTTP_ANSWER answer = http_post(server_url, path, NULL, json_object());
    CHECK_STATUS(answer, 200);
}

static struct http_answer *translate(const char *from, const char *to, json_t *texts)
{
    return http_post(suite_url(suite), TRANSLATION, patient->access,
                     translated_body(from, to, texts));
}

/* Makes texts unique, so that nothing is remembered. */
static int fresh(void)
{
    static int number = 1000;

    return ++number;
}

static json_t *numbered(const char *words)
{
    return json_sprintf("%s%d", words, fresh());
}

static long provider_calls(void)
{
    HTTP_ANSWER answer = http_get(server_url, "/asked", NULL);

    return (long)json_integer_value(http_member(answer, "asked"));
}

static void requests_follow_the_providers_documentation(void)
{
    static const struct {
        const char *path, *authorization;
    } want[] = {{"/libre/translate", ""}, {"/v1/chat/completions", "Bearer " KEY}};

    behave("ok");
    HTTP_ANSWER answer = translate(
        "English", "spa",
        json_pack("[o,s,s,o]", numbered("Hello <b>my {{name}}</b> &amp; <a href='x'>you</a> "),
                  "12:30", "{{name}}", numbered("Caf\xc3\xa9 \"here\" \\ there ")));
    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "targetLanguage"), "es");
    CU_ASSERT_PTR_NOT_NULL(
        strstr(translated_text(answer, 0), "HELLO <b>MY {{name}}</b> &amp; <a href='x'>YOU</a> 1"));
    CU_ASSERT_STRING_EQUAL(translated_text(answer, 1), "12:30");
    CU_ASSERT_STRING_EQUAL(translated_text(answer, 2), "{{name}}");
    CU_ASSERT_PTR_NOT_NULL(strstr(translated_text(answer, 3), "CAF\xc3\x89 \"HERE\" \\ THERE 1"));
    CU_ASSERT_EQUAL(translated_count(answer, 4, "translated"), 2);
    CU_ASSERT_EQUAL(translated_count(answer, 4, "unchanged"), 2);
    HTTP_ANSWER said = http_get(server_url, "/asked", NULL);
    CU_ASSERT_EQUAL(json_integer_value(http_member(said, "asked")), 1);
    CU_ASSERT_STRING_EQUAL(http_text(said, "last.path"), want[provider].path);
    CU_ASSERT_STRING_EQUAL(http_text(said, "last.authorization"), want[provider].authorization);
    CU_ASSERT_STRING_EQUAL(http_text(said, "last.type"), "application/json");
    if (provider == 0) {
        CU_ASSERT_STRING_EQUAL(http_text(said, "last.format"), "html");
        CU_ASSERT_STRING_EQUAL(http_text(said, "last.source"), "en");
        CU_ASSERT_STRING_EQUAL(http_text(said, "last.target"), "es");
    } else {
        CU_ASSERT_STRING_EQUAL(http_text(said, "last.model"), "model-1");
        CU_ASSERT_TRUE(json_is_true(http_member(said, "last.schema")));
    }
}

static void no_markup_is_lost(void)
{
    struct translated_counts counts;

    behave("ok");
    counts = translated_keeps_markup(suite, patient);
    UNIT_CHECK(counts.failed == 0, "%zu failed", counts.failed);
    UNIT_CHECK(counts.translated > 700, "%zu translated", counts.translated);
}

/* Each row has two texts: plain, and with marks. */
static void failures_of_the_provider_are_reported(void)
{
    static const struct {
        const char *mode;
        int status;
        const char *retry_after;
        const char *plain, *marked; /* the texts' statuses after 200 */
    } rows[] = {
        {"ok", 200, NULL, "translated", "translated"},
        {"error", 503, "5", NULL, NULL},
        {"limit", 503, "7", NULL, NULL},
        {"limit-silent", 503, "5", NULL, NULL},
        {"busy", 503, "9", NULL, NULL},
        {"cut", 503, "5", NULL, NULL},
        {"redirect", 503, "60", NULL, NULL},
        {"key", 503, "60", NULL, NULL},
        {"slow", 504, NULL, NULL, NULL},
        {"large", 200, NULL, "failed", "failed"},
        {"count", 200, NULL, "failed", "failed"},
        {"not-texts", 200, NULL, "failed", "failed"},
        {"words", 200, NULL, "failed", "failed"},
        {"empty", 200, NULL, "failed", "failed"},
        {"broken", 200, NULL, "failed", "failed"},
        {"invent", 200, NULL, "failed", "failed"},
        {"length", 200, NULL, "failed", "failed"},       /* model only */
        {"drop", 200, NULL, "translated", "translated"}, /* repaired stretch by stretch */
        {"count-once", 200, NULL, "translated", "translated"},
        {"one", 200, NULL, "translated", "translated"},
        {"no-schema", 200, NULL, "translated", "translated"},
        {"ok", 200, NULL, "translated", "translated"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *mode = rows[i].mode;
        json_t *texts = json_pack("[o,o]", numbered("plain words "),
                                  numbered("Hello {{name}}, <b>you</b> have {{count}} of ")),
               *sources = json_deep_copy(texts);
        char *retry_after;

        behave(provider == 0 && strcmp(mode, "length") == 0 ? "count" : mode);
        HTTP_ANSWER answer = translate("en", "es", texts);
        UNIT_CHECK(answer->status == rows[i].status, "%s %s: %d %s", names[provider], mode,
                   answer->status, answer->body);
        retry_after = http_header(answer, "Retry-After");
        UNIT_CHECK(strcmp(retry_after ? retry_after : "",
                          rows[i].retry_after ? rows[i].retry_after : "") == 0,
                   "%s: Retry-After: %s", mode, retry_after);
        UNIT_CHECK(answer->seconds < 15, "%s: %f s", mode, answer->seconds);
        for (size_t t = 0; rows[i].plain && t < 2; t++) {
            const char *want = t == 0 ? rows[i].plain : rows[i].marked;
            const char *source = json_string_value(json_array_get(sources, t));
            const char *text = translated_text(answer, t);

            UNIT_CHECK(strcmp(translated_status(answer, t), want) == 0, "%s %s %zu: %s",
                       names[provider], mode, t, translated_status(answer, t));
            if (strcmp(want, "failed") == 0)
                UNIT_CHECK(strcmp(text, source) == 0, "%s: %s", mode, text);
            else if (t == 1)
                UNIT_CHECK(strstr(text, "HELLO {{name}}, <b>YOU</b> HAVE {{count}} OF 1"), "%s: %s",
                           mode, text);
        }
        free(retry_after);
        json_decref(sources);
    }
}

static void a_wrong_answer_is_asked_for_again_once(void)
{
    behave("count");
    HTTP_ANSWER one = translate("en", "es", json_pack("[o]", numbered("a single text ")));
    CHECK_STATUS(one, 200);
    /* two calls for the whole text, two for its only stretch */
    UNIT_CHECK(provider_calls() == 4, "%ld", provider_calls());
    behave("count-once");
    HTTP_ANSWER two = translate("en", "es", json_pack("[o]", numbered("a single text ")));
    CU_ASSERT_STRING_EQUAL(translated_status(two, 0), "translated");
    CU_ASSERT_EQUAL(provider_calls(), 2);
}

static void partial_results_are_returned(void)
{
    json_t *texts = json_array();

    for (size_t i = 0; i < 100; i++)
        json_array_append_new(texts, numbered("some words "));
    behave("limit-later");
    HTTP_ANSWER answer = translate("en", "es", texts);
    CHECK_STATUS(answer, 200);
    CU_ASSERT_EQUAL(translated_count(answer, 100, "translated"), 50);
    CU_ASSERT_EQUAL(translated_count(answer, 100, "failed"), 50);
    CU_ASSERT_STRING_EQUAL(translated_status(answer, 49), "translated");
    CU_ASSERT_STRING_EQUAL(translated_status(answer, 50), "failed");
}

static void languages_are_the_providers(void)
{
    static const struct {
        const char *from, *to;
        bool libre; /* LibreTranslate has the pair; a model may know any */
    } rows[] = {
        {"en", "es", true}, {"en", "Hebrew", true},  {"en", "zh", true},
        {"zh", "en", true}, {"es", "German", false}, {"fr", "en", false},
    };

    behave("ok");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer =
            translate(rows[i].from, rows[i].to, json_pack("[o]", numbered("languages ")));
        if (rows[i].libre || provider == 1)
            CHECK_STATUS(answer, 200);
        else
            CHECK_PROBLEM(answer, "targetLanguage");
    }
}

/* A pair is not refused because a server lists no languages yet; the list is soon requested
 * again. */
static void languages_may_come_later(void)
{
    pid_t old = suite_pid(suite, "botd", "1");

    if (provider == 1)
        return;
    behave("no-list");
    suite_signal(suite, "botd", "1", SIGKILL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "botd", "1", old));
    HTTP_ANSWER early = translate("en", "es", json_pack("[o]", numbered("early ")));
    char *retry_after = http_header(early, "Retry-After");
    CHECK_STATUS(early, 503);
    CU_ASSERT_STRING_EQUAL(retry_after ? retry_after : "", "5");
    free(retry_after);
    behave("ok");
    HTTP_ANSWER later = translate("en", "es", json_pack("[o]", numbered("later ")));
    CHECK_STATUS(later, 200);
    behave("no-list"); /* the cached list stays */
    HTTP_ANSWER known = translate("en", "es", json_pack("[o]", numbered("known ")));
    CHECK_STATUS(known, 200);
}

/* Sends these translations and bots at the same time. Returns the seconds of the slowest answer. */
static double call_all(size_t translations, size_t bots)
{
    enum { MOST = 24 };
    struct http_request requests[MOST];
    struct http_answer *answers[MOST];
    char bodies[MOST][128];
    size_t count = translations + bots;
    double slowest = 0;

    for (size_t i = 0; i < count; i++) {
        bool translation = i < translations;

        snprintf(bodies[i], sizeof(bodies[i]),
                 "{\"sourceLanguage\":\"en\",\"targetLanguage\":\"es\",\"text\":[\"slow %d\"]}",
                 fresh());
        requests[i] = (struct http_request){
            .method = "POST",
            .path = translation ? TRANSLATION
                                : "/bots?identifier=https%3A%2F%2Fatrium.example%2Fbots%7Cecho",
            .bearer = patient->access,
            .raw = translation ? bodies[i] : "{}"};
    }
    http_call_many(suite_url(suite), requests, count, count, answers);
    for (size_t i = 0; i < count; i++) {
        CHECK_STATUS(answers[i], i < translations ? 504 : 200);
        slowest = answers[i]->seconds > slowest ? answers[i]->seconds : slowest;
    }
    http_answers_destroy(answers, count);
    return slowest;
}

/* Twenty translations would need a minute one after the other. Few bots, because each needs a part
 * of a second of CPU time; on a busy machine, they need long without translations, too. */
static void other_requests_are_not_delayed(void)
{
    double alone, beside;

    behave("slow");
    alone = call_all(0, 4);
    beside = call_all(20, 4);
    UNIT_CHECK(beside < 2 * alone + 15, "%.1f s, alone %.1f s", beside, alone);
}

static void logs_contain_no_text_and_no_key(void)
{
    char *command;

    behave("error");
    HTTP_ANSWER answer = translate("en", "es", json_pack("[o]", numbered("marmalade ")));
    CHECK_STATUS(answer, 503);
    CU_ASSERT_PTR_NULL(strstr(answer->body, "marmalade"));
    if (asprintf(&command, "grep -rqE 'marmalade|" KEY "|translation failed' %s/log %s/atrium.conf",
                 suite_dir(suite), suite_dir(suite)) < 0)
        abort();
    const char *const argv[] = {"/bin/sh", "-c", command, NULL};
    PROGRAM found = program_run(argv, NULL);
    CHECK_EXIT(found, 1);
    free(command);
    if (asprintf(&command, "grep -rq 'the provider answered 500' %s/log", suite_dir(suite)) < 0)
        abort();
    PROGRAM told = program_run((const char *const[]){"/bin/sh", "-c", command, NULL}, NULL);
    CHECK_EXIT(told, 0);
    free(command);
}

static void the_next_provider(void)
{
    stop();
    start(1);
}

static void wrong_configurations_are_refused(void)
{
    static const struct {
        const char *lines, *complaint; /* NULL: valid */
    } rows[] = {
        {"translation_provider = \"apertium\"", NULL},
        {"translation_provider = \"google\"", "translation_provider"},
        {"translation_provider = \"libretranslate\"", "translation_url"},
        {"translation_url = \"https://t.example\"", "not for apertium"},
        {"translation_provider = \"libretranslate\"\n    translation_url = \"https://t.example\"",
         NULL},
        {"translation_provider = \"libretranslate\"\n    translation_url = \"t.example\"",
         "absolute"},
        {"translation_provider = \"libretranslate\"\n    translation_url = \"ftp://t.example\"",
         "must be https"},
        {"translation_provider = \"libretranslate\"\n    translation_url = \"http://t.example\"",
         "must be https unless"},
        {"translation_provider = \"libretranslate\"\n    translation_url = "
         "\"http://localhost.t.example\"",
         "must be https unless"},
        {"translation_provider = \"libretranslate\"\n    translation_url = \"http://t.example\"\n"
         "    translation_plain_http = \"true\"",
         NULL},
        {"translation_provider = \"libretranslate\"\n    translation_url = \"http://[::1]:5000\"",
         NULL},
        {"translation_provider = \"libretranslate\"\n    translation_url = "
         "\"http://localhost:5000\"",
         NULL},
        {"translation_provider = \"libretranslate\"\n    translation_url = "
         "\"https://u:p@t.example\"",
         "must not have a user"},
        {"translation_provider = \"libretranslate\"\n    translation_url = "
         "\"https://t.example/?a=b\"",
         "must not have a user"},
        {"translation_provider = \"openai\"\n    translation_url = \"https://t.example/v1\"",
         "translation_model"},
        {"translation_provider = \"openai\"\n    translation_model = \"m\"", "translation_url"},
        {"translation_provider = \"libretranslate\"\n    translation_url = \"https://t.example\"\n"
         "    translation_model = \"m\"",
         "translation_model"},
        {"translation_provider = \"openai\"\n    translation_url = \"https://t.example/v1\"\n"
         "    translation_model = \"m\"\n    translation_timeout = \"2m\"",
         "translation_timeout"},
    };
    char *program = program_path("atrium-botd");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char text[512];

        snprintf(text, sizeof(text), "botd\n    %s\n", rows[i].lines);
        PROGRAM run = program_run((const char *const[]){program, "--config",
                                                        unit_dir_write(&keys, "conf", text),
                                                        "--check-config", NULL},
                                  NULL);
        UNIT_CHECK(run->code == (rows[i].complaint ? 1 : 0), "%s: %s", rows[i].lines, run->err);
        UNIT_CHECK(!rows[i].complaint || strstr(run->err, rows[i].complaint), "%s: %s",
                   rows[i].lines, run->err);
    }
    free(program);
}

static void suite_shuts_down_cleanly(void)
{
    stop();
    program_destroy(&server);
    unit_dir_remove(&keys);
}

static void check_doctor(const char *state, const char *seen, const char *mend)
{
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    json_t *row, *found = NULL;
    size_t i;

    json_array_foreach(doctor->json, i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "check")), "translation") == 0)
            found = row;
    }
    UNIT_REQUIRE(found, "%s%s", doctor->out, doctor->err);
    const char *advice = json_string_value(json_object_get(found, "mend"));
    UNIT_CHECK(strcmp(json_string_value(json_object_get(found, "state")), state) == 0 &&
                   strstr(json_string_value(json_object_get(found, "seen")), seen) &&
                   strstr(json_string_value(json_object_get(found, "seen")), server_url) &&
                   (mend ? advice && strstr(advice, mend) : !advice),
               "%s: %s", seen, doctor->out);
    CU_ASSERT_PTR_NULL(strstr(doctor->out, KEY));
    CU_ASSERT_EQUAL(doctor->code, strcmp(state, "fail") == 0);
}

static void doctor_checks_the_provider(void)
{
    static const struct {
        const char *mode, *state, *seen, *mend;
    } rows[][5] = {
        {{"ok", "ok", "6 pairs of languages", NULL},
         {"no-list", "fail", "answered 500", "translation_url"}},
        {{"ok", "ok", "has the model model-1", NULL},
         {"other-model", "warn", "does not list the model model-1", "translation_model"},
         {"no-list", "ok", "lists no models (404)", NULL},
         {"key", "fail", "refuses the key (401)", "translation_key_file"},
         {"busy", "fail", "answers 503", "translation_url"}},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows[0]) && rows[provider][i].mode; i++) {
        behave(rows[provider][i].mode);
        check_doctor(rows[provider][i].state, rows[provider][i].seen, rows[provider][i].mend);
        CU_ASSERT_EQUAL(provider_calls(), 0);
    }
    behave("ok");
    kill(server->pid, SIGSTOP);
    check_doctor("fail", "", "Start the provider");
    kill(server->pid, SIGCONT);
}

#define OF_EACH                                                                                    \
    CASE(requests_follow_the_providers_documentation), CASE(no_markup_is_lost),                    \
        CASE(failures_of_the_provider_are_reported), CASE(a_wrong_answer_is_asked_for_again_once), \
        CASE(partial_results_are_returned), CASE(languages_are_the_providers),                     \
        CASE(languages_may_come_later), CASE(other_requests_are_not_delayed),                      \
        CASE(doctor_checks_the_provider), CASE(logs_contain_no_text_and_no_key)

static const struct unit_case cases[] = {
    CASE(wrong_configurations_are_refused), OF_EACH, CASE(the_next_provider), OF_EACH,
    CASE(suite_shuts_down_cleanly),
};

int main(void)
{
    static const char *const argv[] = {"/usr/bin/python3", "tests/support/translation_server.py",
                                       KEY, NULL};
    int port = 0;

    server = program_start(argv, NULL);
    if (!program_wait_output(server, "\n", 10000) || sscanf(server->out, "port %d", &port) != 1)
        return 1;
    snprintf(server_url, sizeof(server_url), "http://127.0.0.1:%d", port);
    keys = unit_dir_make();
    unit_dir_write(&keys, "key", KEY "\n");
    start(0);
    return unit_run("translation providers", cases, ARRAY_SIZE(cases));
}
