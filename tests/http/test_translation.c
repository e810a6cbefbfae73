/*
 * test_translation.c - translation by Apertium: results, preserved markup, refusals, and robustness
 * against large or hostile texts and killed processes.
 */
#include <CUnit/CUnit.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/processes.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/trail.h"
#include "tests/support/translated.h"
#include "tests/support/unit.h"

enum { STAGES_MAX = 256, TEXT_MAX = 10000, LOG_MS = 60000 };

static struct suite *suite;
static struct person *admin, *patient;

static json_t *one(const char *text)
{
    return json_pack("[s]", text);
}

static struct http_answer *translate_within(long limit_s, json_t *texts)
{
    return translated_within(suite, patient, limit_s, texts);
}

static struct http_answer *translate(const char *from, const char *to, json_t *texts)
{
    return http_post(suite_url(suite), TRANSLATION, patient->access,
                     translated_body(from, to, texts));
}

static void texts_are_translated(void)
{
    static const struct {
        const char *text, *want, *status;
    } rows[] = {
        {"Hello world", "Hola Mundo", "translated"},
        {"Hello {{name}}, you have a <b>red</b> car.",
         "Hola {{name}}, tienes un <b>coche</b> rojo.", "translated"},
        {"<p>Hello {{{raw}}} &amp; <a href=\"https://a.example/{{id}}\">world</a></p>",
         "<p>Hola {{{raw}}} &amp; <a href=\"https://a.example/{{id}}\">Mundo</a></p>",
         "translated"},
        {"# Title\n\n- one\n- **two**\n\n```\nthe code\n```\n",
         "# T\xc3\xadtulo\n\n- Uno\n- **Dos**\n\n```\nthe code\n```\n", "translated"},
        {"12:30", "12:30", "unchanged"},
        {"<o:p class=\"MsoNormal\">Hello world</o:p>", "<o:p class=\"MsoNormal\">Hola Mundo</o:p>",
         "translated"},
        {"Hello world\n\n    the code\n\n[the house]\n\n[the house]: /u 'the title'\n",
         "Hola Mundo\n\n    the code\n\n[the house]\n\n[the house]: /u 'the title'\n",
         "translated"},
        {"Hello world <!-- the house", "Hola Mundo <!-- the house", "translated"},
        {"<p translate=\"no\">Hello world</p>", "<p translate=\"no\">Hello world</p>", "unchanged"},
        {"{n, plural, one {# day} other {# days}}", "{n, plural, one {# day} other {# days}}",
         "unchanged"},
        {"", "", "unchanged"},
        {"  ", "  ", "unchanged"},
        {"{{name}}", "{{name}}", "unchanged"},
        {"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xf0\x9f\x98\x80",
         "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xf0\x9f\x98\x80", "unchanged"},
        {"Hello world", "Hola Mundo", "translated"},
    };
    json_t *texts = json_array();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        json_array_append_new(texts, json_string(rows[i].text));
    HTTP_ANSWER answer = translate("en", "es", texts);
    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "sourceLanguage"), "en");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "targetLanguage"), "es");
    (void)!translated_count(answer, ARRAY_SIZE(rows), "failed");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        UNIT_CHECK(strcmp(translated_text(answer, i), rows[i].want) == 0, "%s: %s", rows[i].text,
                   translated_text(answer, i));
        UNIT_CHECK(strcmp(translated_status(answer, i), rows[i].status) == 0, "%s: %s",
                   rows[i].text, translated_status(answer, i));
    }
    HTTP_ANSWER back = translate("Spanish", "ENGLISH", one("El perro es grande."));
    CHECK_STATUS(back, 200);
    CU_ASSERT_STRING_EQUAL(http_text(back, "sourceLanguage"), "es");
    CU_ASSERT_STRING_EQUAL(translated_text(back, 0), "The dog is big.");
    HTTP_ANSWER own = translate("espa\xc3\xb1ol", "en-US", one("El perro es grande."));
    CU_ASSERT_STRING_EQUAL(translated_text(own, 0), "The dog is big.");
}

static void no_markup_is_lost(void)
{
    struct translated_counts counts = translated_keeps_markup(suite, patient);

    UNIT_CHECK(counts.failed <= 10, "%zu failed", counts.failed);
    UNIT_CHECK(counts.translated > 700, "%zu translated", counts.translated);
}

static json_t *texts_of(size_t count, const char *text)
{
    json_t *texts = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(texts, json_string(text));
    return texts;
}

static void requests_are_checked(void)
{
    char *longest = translated_repeat("\xc3\xa9", TEXT_MAX),
         *longer = translated_repeat("\xc3\xa9", TEXT_MAX + 1);
    char *name = translated_repeat("a", 101);
    const struct {
        const char *from, *to;
        json_t *texts;
        const char *problem, *message; /* NULL: 200 */
    } rows[] = {
        {"en", "es", one(longest), NULL, NULL},
        {"en", "es", texts_of(100, "12"), NULL, NULL},
        {"en", "es", texts_of(101, "12"), "text", NULL},
        {"en", "es", json_array(), "text", NULL},
        {"en", "es", one(""), NULL, NULL},
        {"en", "es", one(longer), "text.0", NULL},
        {"en", "es", json_pack("[s,i]", "a", 1), "text.1", NULL},
        {"en", "es", json_string("a"), "text", NULL},
        {"en", "es", json_null(), "text", NULL},
        {"e", "es", one("a"), "sourceLanguage", NULL},
        {name, "es", one("a"), "sourceLanguage", NULL},
        {"en", "Klingon", one("a"), "targetLanguage",
         "must be an ISO 639-1 code or a language's name"},
        {"xx", "es", one("a"), "sourceLanguage", "must be an ISO 639-1 code or a language's name"},
        {"en", "English", one("a"), "targetLanguage",
         "must be a different language than sourceLanguage"},
        {"en", "ja", one("a"), "targetLanguage",
         "no translation from English to Japanese is installed"},
        {"Deutsch", "es", one("a"), "targetLanguage",
         "no translation from German to Spanish is installed"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = translate(rows[i].from, rows[i].to, rows[i].texts);

        if (!rows[i].problem)
            CHECK_STATUS(answer, 200);
        else
            CHECK_PROBLEM(answer, rows[i].problem);
        if (rows[i].message)
            UNIT_CHECK(strcmp(http_text(answer, "message.0.message"), rows[i].message) == 0,
                       "%s: %s", rows[i].message, http_text(answer, "message.0.message"));
    }
    HTTP_ANSWER both = translate("xx", "yy", one("a"));
    CHECK_PROBLEM(both, "sourceLanguage");
    CHECK_PROBLEM(both, "targetLanguage");
    HTTP_ANSWER none = http_post(suite_url(suite), TRANSLATION, patient->access, json_object());
    CHECK_PROBLEM(none, "text");
    free(longest);
    free(longer);
    free(name);
}

static void the_policy_decides(void)
{
    HTTP_ANSWER made =
        http_post(suite_url(suite), "/v1/project/access-policies", admin->access,
                  json_pack("{s:s, s:[{s:s, s:[s]}]}", "name", "no translation", "resource",
                            "resourceType", "Translation", "interaction", "read"));
    char *value, *former;

    CHECK_STATUS(made, 200);
    if (asprintf(&value, "AccessPolicy/%s", http_text(made, "id")) < 0)
        abort();
    former = strdup(suite_text(suite, "demo.patientAccessPolicy"));
    HTTP_ANSWER set = http_put(suite_url(suite), "/v1/project/default-patient-access-policy",
                               admin->access, json_pack("{s:s}", "value", value));
    CHECK_STATUS(set, 200);
    PERSON restricted = person_register(suite, NULL);
    HTTP_ANSWER back = http_put(suite_url(suite), "/v1/project/default-patient-access-policy",
                                admin->access, json_pack("{s:s}", "value", former));
    CHECK_STATUS(back, 200);

    HTTP_ANSWER refused = http_post(suite_url(suite), TRANSLATION, restricted->access,
                                    translated_body("xx", "yy", one("Hello")));
    CHECK_ERROR(refused, 403, "Forbidden");
    HTTP_ANSWER admins = http_post(suite_url(suite), TRANSLATION, admin->access,
                                   translated_body("en", "es", one("Hello")));
    CHECK_STATUS(admins, 200);
    HTTP_ANSWER nobodys =
        http_post(suite_url(suite), TRANSLATION, NULL, translated_body("en", "es", one("Hello")));
    CU_ASSERT_EQUAL(nobodys->status, 401);
    free(value);
    free(former);
}

static void each_translation_request_is_audited(void)
{
    static const char secret[] = "marmalade";
    static const char rows[] =
        "select count(*) from bot.audit where event->>'action' = 'translation.execute'";
    long before = trail_number(suite, "%s", rows);
    HTTP_ANSWER answer = translate("en", "es", one(secret));
    HTTP_ANSWER refused = translate("en", "ja", one(secret));
    HTTP_ANSWER nothing =
        translate("en", "es", one("12:30")); /* nothing to translate: the provider is not called */

    CHECK_STATUS(answer, 200);
    CU_ASSERT_EQUAL(trail_number(suite, "%s", rows), before + 1);
    CU_ASSERT_EQUAL(trail_number(suite,
                                 "select count(*) from bot.audit where event->>'detail' = 'en-es' "
                                 "and event->'agent'->>'profile' = '%s'",
                                 patient->profile) > 0,
                    true);
    CU_ASSERT_EQUAL(trail_number(suite,
                                 "select count(*) from bot.audit where event::text like '%%%s%%'",
                                 secret),
                    0);
}

/* A hundred texts of 10,000 characters, half of the slowest kind, within time and memory limits.
 * Texts beyond the time are returned untranslated and marked. */
static void large_requests_are_bounded(void)
{
    static const char *const patterns[] = {
        "You should take two of the red pills every day before you eat your dinner. ", "a|"};
    json_t *texts = json_array();

    for (size_t i = 0; i < 100; i++) {
        const char *pattern = patterns[i % ARRAY_SIZE(patterns)];
        char *text = translated_repeat(pattern, TEXT_MAX / strlen(pattern));

        text[0] = (char)('A' + i % 26);
        text[2] = (char)('a' + i / 26);
        json_array_append_new(texts, json_string(text));
        free(text);
    }
    HTTP_ANSWER answer = translate_within(64, texts);
    CHECK_STATUS(answer, 200);
    CU_ASSERT_TRUE(translated_count(answer, 100, "translated") > 0);
    CU_ASSERT_TRUE(answer->seconds < 62);
    UNIT_CHECK(process_status(suite_pid(suite, "botd", "1"), "VmHWM:") < 256 * 1024 + UNIT_KEPT_KIB,
               "%ld KiB", process_status(suite_pid(suite, "botd", "1"), "VmHWM:"));
}

static void hostile_texts_do_no_harm(void)
{
    static const char *const patterns[] = {
        "^$[]{}/\\@<>",
        "[=1][.].[]",
        "\\",
        "[[t:b:x]]a[[/]]",
        "^a<n>$ ",
        "~",
        "<",
        "{{",
        "`",
        "](",
        "\xc2\xad",
        "\xe2\x80\x8f",
        "\xf0\x9f\x98\x80",
        "\x01\x7f",
        "<STREAMCMD:FLUSH>",
        "*a #b ",
        "\xef\xbb\xbf",
        "$(id)'\";|&",
        "..",
        "a.b.c ",
        "\t",
        "1,2.3-",
    };
    json_t *texts = json_array(), *sources;

    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
        char *text = translated_repeat(patterns[i], 40), *mixed;

        if (asprintf(&mixed, "the house %s and the {{door}} %s", text, patterns[i]) < 0)
            abort();
        json_array_append_new(texts, json_string(text));
        json_array_append_new(texts, json_string(mixed));
        free(text);
        free(mixed);
    }
    sources = json_deep_copy(texts);
    HTTP_ANSWER answer = translate_within(62, texts);
    CHECK_STATUS(answer, 200);
    CU_ASSERT_EQUAL(translated_count(answer, json_array_size(sources), "failed"), 0);
    for (size_t i = 0; i < json_array_size(sources); i++)
        UNIT_CHECK(!strstr(json_string_value(json_array_get(sources, i)), "{{door}}") ||
                       strstr(translated_text(answer, i), "{{door}}"),
                   "%s", translated_text(answer, i));
    json_decref(sources);
}

/* Finds the pipeline stages of the first botd that have this text on their command line. */
static size_t stages(const char *text, pid_t ret[static STAGES_MAX])
{
    size_t count = processes_with(text, suite_pid(suite, "botd", "1"), ret, STAGES_MAX);

    return MIN(count, (size_t)STAGES_MAX);
}

static json_t *long_texts(size_t count)
{
    json_t *texts = json_array();

    for (size_t i = 0; i < count; i++) {
        char *text =
            translated_repeat("The doctor will see you soon and tell you what to do. ", 100);

        text[0] = (char)('A' + i % 26);
        text[1] = (char)('a' + i / 26);
        json_array_append_new(texts, json_string(text));
        free(text);
    }
    return texts;
}

/* After 300 ms sends the signal to the pipeline stages with this text, from a process for
 * waitpid(). */
static pid_t signal_stages_later(const char *text, int signo)
{
    pid_t child = fork();

    if (child == 0) {
        pid_t pids[STAGES_MAX];
        size_t count;

        usleep(300 * 1000);
        count = stages(text, pids);
        for (size_t i = 0; i < count; i++)
            kill(pids[i], signo);
        _exit(count > 0 ? 0 : 1);
    }
    return child;
}

static void a_lost_stage_is_restarted(void)
{
    enum { TEXTS = 20, ROUND_S = 20 };
    static const struct {
        const char *stage;
        int signo;
    } rows[] = {
        {"eng-spa.automorf.bin", SIGKILL},
        {"eng-spa.autopgen.bin", SIGKILL},
        {"eng-spa.t2x.bin", SIGKILL},
        {"eng-spa.prob", SIGSTOP},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER warm = translate("en", "es", one("Hello"));
        pid_t killer = signal_stages_later(rows[i].stage, rows[i].signo);
        int status = -1;

        CHECK_STATUS(warm, 200);
        HTTP_ANSWER answer = translate_within(64, long_texts(TEXTS));
        CHECK_STATUS(answer, 200);
        /* The death of a stage is noticed immediately, a stopped stage only at the end of its
         * round. */
        UNIT_CHECK(rows[i].signo == SIGSTOP || answer->seconds < ROUND_S, "%s: %.1f s",
                   rows[i].stage, answer->seconds);
        UNIT_CHECK(translated_count(answer, TEXTS, "translated") == TEXTS, "%s: %zu", rows[i].stage,
                   translated_count(answer, TEXTS, "translated"));
        waitpid(killer, &status, 0);
        UNIT_CHECK(status == 0, "%s was not there", rows[i].stage);
    }
}

static void a_dead_idle_pipeline_is_replaced(void)
{
    pid_t pids[STAGES_MAX];
    HTTP_ANSWER warm = translate("en", "es", one("Hello"));
    size_t count = stages("eng-spa.autobil.bin", pids);

    CHECK_STATUS(warm, 200);
    CU_ASSERT_TRUE(count > 0);
    for (size_t i = 0; i < count; i++)
        kill(pids[i], SIGKILL);
    HTTP_ANSWER answer = translate("en", "es", one("Good morning"));
    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(translated_status(answer, 0), "translated");
}

static bool are_gone(const pid_t *pids, size_t count)
{
    int64_t until = clock_mono_ms() + 5000;

    for (size_t i = 0; i < count; i++)
        while (kill(pids[i], 0) == 0) {
            if (clock_mono_ms() > until)
                return false;
            usleep(20 * 1000);
        }
    return true;
}

static void a_killed_botd_leaves_nothing(void)
{
    pid_t old = suite_pid(suite, "botd", "1"), pids[STAGES_MAX], killer;
    HTTP_ANSWER warm = translate("en", "es", one("Hello"));
    size_t count = stages("/usr/share/apertium", pids);

    CHECK_STATUS(warm, 200);
    CU_ASSERT_TRUE(count >= 8);
    killer = fork();
    if (killer == 0) {
        usleep(400 * 1000);
        kill(old, SIGKILL);
        _exit(0);
    }
    HTTP_ANSWER answer = translate_within(64, long_texts(90));
    CU_ASSERT_EQUAL(answer->status, 503);
    char *retry = http_header(answer, "Retry-After");
    CU_ASSERT_PTR_NOT_NULL(retry);
    waitpid(killer, NULL, 0);
    CU_ASSERT_TRUE(are_gone(pids, count));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "botd", "1", old));
    HTTP_ANSWER again = translate("en", "es", one("Hello world"));
    CU_ASSERT_STRING_EQUAL(translated_text(again, 0), "Hola Mundo");
    free(retry);
}

/* Pipelines are the operator's programs, so they run without confinement; bots do not. */
static void works_by(const struct suite_options *options, const char *means)
{
    struct suite *other = suite_start(options), *first = suite;
    pid_t pids[STAGES_MAX];
    size_t count;

    suite = other;
    PERSON one_of_it = person_register(other, NULL);
    HTTP_ANSWER answer = http_post(suite_url(other), TRANSLATION, one_of_it->access,
                                   translated_body("en", "es", one("Hello world")));
    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(translated_text(answer, 0), "Hola Mundo");
    HTTP_ANSWER program =
        http_post(suite_url(other), "/bots?identifier=https%3A%2F%2Fatrium.example%2Fbots%7Cecho",
                  one_of_it->access, json_object());
    if (strcmp(means, "none") != 0)
        CHECK_STATUS(program, 200);
    else
        CHECK_ERROR(program, 503, "Programs can't run on this installation.");
    PROGRAM status = ATRIUMCTL(other, NULL, "--json", "status", "botd.1");
    char *name;
    if (asprintf(&name, "\"sandbox\": \"%s\"", means) < 0)
        abort();
    UNIT_CHECK(strstr(status->out, name), "%s: %s", name, status->out);
    free(name);
    count = stages("/usr/share/apertium", pids);
    CU_ASSERT_TRUE(count >= 8);
    suite_signal(other, "botd", "1", SIGKILL);
    CU_ASSERT_TRUE(are_gone(pids, count));
    suite = first;
    suite_stop(&other);
}

static void works_if(enum confine_means means, const struct suite_options *options)
{
    if (processes_confined(means))
        works_by(options, confine_means_names[means]);
    else
        unit_leave_out("nothing is confined by %s here", confine_means_names[means]);
}

static void it_works_by_bubblewrap(void)
{
    works_if(CONFINE_BUBBLEWRAP, &(struct suite_options){.set = "botd.sandbox=bubblewrap"});
}

static void it_works_by_bubblewrap_without_proc(void)
{
    works_if(CONFINE_BUBBLEWRAP_BARE,
             &(struct suite_options){.set = "botd.sandbox=bubblewrap-bare"});
}

static void it_works_without_namespaces(void)
{
    works_if(CONFINE_KERNEL, &(struct suite_options){.no_namespaces = true});
}

static void it_works_with_limits_alone(void)
{
    works_by(&(struct suite_options){.no_namespaces = true, .no_landlock = true}, "none");
}

static void install_pair(const struct unit_dir *dir, const char *pair, const char *script)
{
    char name[32], mode[200];

    snprintf(name, sizeof(name), "%s.sh", pair);
    CU_ASSERT_EQUAL(chmod(unit_dir_write(dir, name, script), 0755), 0);
    snprintf(mode, sizeof(mode), "%s/%s | %s/last.sh\n", dir->path, name, dir->path);
    snprintf(name, sizeof(name), "modes/%s.mode", pair);
    CU_ASSERT_EQUAL(chmod(unit_dir_write(dir, name, mode), 0644), 0);
}

static bool is_logged(const struct suite *where, const char *text)
{
    char command[512];

    snprintf(command, sizeof(command), "grep -rqF -- '%s' %s/log %s/dev.err 2>/dev/null", text,
             suite_dir(where), suite_dir(where));
    return system(command) == 0;
}

static bool comes_to_be_logged(const struct suite *where, const char *text)
{
    int64_t until = clock_mono_ms() + LOG_MS;

    while (!is_logged(where, text)) {
        if (clock_mono_ms() > until)
            return false;
        unit_sleep_ms(50);
    }
    return true;
}

static void check_doctor(struct suite *where, const char *state, const char *seen)
{
    PROGRAM doctor = ATRIUMCTL(where, NULL, "--json", "doctor");
    json_t *rows = json_loads(doctor->out, 0, NULL), *row;
    const char *is = "", *saw = "";
    size_t i;

    json_array_foreach(json_is_array(rows) ? rows : json_object_get(rows, "findings"), i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "check")), "translation") != 0)
            continue;
        is = json_string_value(json_object_get(row, "state"));
        saw = json_string_value(json_object_get(row, "seen"));
    }
    UNIT_CHECK(strcmp(is, state) == 0 && strstr(saw, seen), "%s: %s, %s", seen, is, saw);
    json_decref(rows);
}

/* New pairs are tried without a request, and by doctor. The log has the pipeline's last output but
 * never a text. */
static void a_pair_that_fails_is_reported(void)
{
    static const char works[] = "#!/bin/sh\nexec cat\n";
    static const char fails[] = "#!/bin/sh\necho one >&2\necho 'the dictionary is missing' >&2\n";
    static const char quotes[] = "#!/bin/bash\n"
                                 "read -r -d '' text\n"
                                 "echo \"cannot read $text\" >&2\n";
    static const char hangs[] = "#!/bin/sh\nexec sleep 60\n";
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char set[128], modes[96];
    struct suite *other;

    snprintf(modes, sizeof(modes), "%s/modes", dir.path);
    CU_ASSERT_TRUE(chmod(dir.path, 0755) == 0 && mkdir(modes, 0755) == 0);
    CU_ASSERT_EQUAL(chmod(unit_dir_write(&dir, "last.sh", works), 0755), 0);
    install_pair(&dir, "eng-spa", works);
    install_pair(&dir, "spa-eng", fails);
    snprintf(set, sizeof(set), "botd.apertium_dir=%s", dir.path);
    other = suite_start(&(struct suite_options){
        .set = set, .no_namespaces = true, .no_landlock = true, .apertium_trial = true});
    CU_ASSERT_TRUE(comes_to_be_logged(other, "the dictionary is missing"));
    check_doctor(other, "fail",
                 "1 of 2 pairs of languages fail; spa-eng: the dictionary is missing");
    install_pair(&dir, "spa-eng", works);
    check_doctor(other, "ok", "2 pairs of languages, 2 tried");

    install_pair(&dir, "fra-eng", quotes);
    PERSON one_of_it = person_register(other, NULL);
    CU_ASSERT_TRUE(comes_to_be_logged(other, "(a line that quotes a text)"));
    HTTP_ANSWER refused = http_post(suite_url(other), TRANSLATION, one_of_it->access,
                                    translated_body("fr", "en", one("bad marmalade")));
    CHECK_ERROR(refused, 503, "The translation failed. Please try again later.");
    CU_ASSERT_FALSE(is_logged(other, "marmalade"));
    HTTP_ANSWER good = http_post(suite_url(other), TRANSLATION, one_of_it->access,
                                 translated_body("es", "en", one("bad marmalade")));
    CHECK_STATUS(good, 200);
    install_pair(&dir, "fra-eng", works);
    install_pair(&dir, "deu-eng", hangs);
    CU_ASSERT_TRUE(comes_to_be_logged(other, "pair=deu-eng"));
    check_doctor(other, "fail", "1 of 4 pairs of languages fail; deu-eng: There was no response");
    suite_stop(&other);
}

static void doctor_tries_the_installed_pairs(void)
{
    long long before = suite_metric(suite, "atrium_translation_pipelines_started_total", "botd");

    check_doctor(suite, "ok", "tried with a word");
    CU_ASSERT_TRUE(suite_metric(suite, "atrium_translation_pipelines_started_total", "botd") >
                   before);
}

static void nothing_is_remembered_or_counted(void)
{
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from bot.translation_memory"), 0);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from bot.translation_day"), 0);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(doctor_tries_the_installed_pairs),
    CASE(texts_are_translated),
    CASE(no_markup_is_lost),
    CASE(requests_are_checked),
    CASE(the_policy_decides),
    CASE(each_translation_request_is_audited),
    CASE(hostile_texts_do_no_harm),
    CASE(a_dead_idle_pipeline_is_replaced),
    CASE(a_lost_stage_is_restarted),
    CASE(large_requests_are_bounded),
    CASE(a_killed_botd_leaves_nothing),
    CASE(nothing_is_remembered_or_counted),
    CASE(it_works_by_bubblewrap),
    CASE(it_works_by_bubblewrap_without_proc),
    CASE(it_works_without_namespaces),
    CASE(it_works_with_limits_alone),
    CASE(a_pair_that_fails_is_reported),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    /* without a memory every text goes to the provider */
    suite = suite_start(&(struct suite_options){
        .set = "botd.translation_memory_entries=0,botd.translation_daily_characters=0",
        .apertium_trial = true});
    admin = person_admin(suite);
    patient = person_register(suite, NULL);
    return unit_run("translation", cases, ARRAY_SIZE(cases));
}
