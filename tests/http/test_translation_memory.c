/*
 * test_translation_memory.c - the translation memory: no text is translated twice or shown to other
 * projects, and two instances keep a project's daily limit, even after a kill.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/processes.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/translated.h"
#include "tests/support/unit.h"

#define NO_MORE                                                                            \
    "The project may have 10000 characters translated a day, of which %ld are left until " \
    "midnight (UTC)."

enum {
    DAILY = 10000, /* the suite's limits */
    ENTRIES = 40,
    BYTES = 8 * 1024,
    DAY = 24 * 3600,
    NOON = DAY / 2,
    STAGES_MAX = 64,
};

static struct suite *suite;
static struct person *patient;
static long day; /* days since the test's first midnight, on the test clock */

/* Sets the clock to this many seconds after midnight of `day`, and registers a new patient, because
 * older tokens have expired then. */
static void set_time(long seconds)
{
    suite_set_clock(suite, day * DAY + seconds - time(NULL) % DAY);
    person_destroy(&patient);
    patient = person_register(suite, NULL);
    CU_ASSERT_EQUAL(patient->status, 200);
}

static void new_day(void)
{
    day++;
    set_time(NOON);
}

static struct http_request request_of(const char *bearer, json_t *texts)
{
    return (struct http_request){.method = "POST",
                                 .path = TRANSLATION,
                                 .bearer = bearer,
                                 .body = json_pack("{s:s, s:s, s:o}", "sourceLanguage", "en",
                                                   "targetLanguage", "es", "text", texts)};
}

static struct http_answer *ask(json_t *texts)
{
    struct http_request request = request_of(patient->access, texts);

    return http_call(suite_url(suite), &request);
}

/* Limits the request to two seconds, in which a stopped provider cannot respond. */
static struct http_answer *ask_briefly(const char *bearer, json_t *texts)
{
    struct http_request request = request_of(bearer, texts);

    request.limit_s = 2;
    return http_call(suite_url(suite), &request);
}

static json_t *one(const char *text)
{
    return json_pack("[s]", text);
}

/* Makes a unique text of this length that translates quickly, "The house {{aaa...}} 12" (caller
 * frees). */
static char *text_of(size_t characters)
{
    static unsigned number;
    char *text = malloc(characters + 1), head[32], tail[32];
    int before = snprintf(head, sizeof(head), "The house {{"),
        after = snprintf(tail, sizeof(tail), "}} %06u", ++number);

    memset(text, 'a', characters);
    memcpy(text, head, (size_t)before);
    memcpy(text + characters - after, tail, (size_t)after + 1);
    return text;
}

static json_t *texts_of(size_t count, size_t characters)
{
    json_t *texts = json_array();

    for (size_t i = 0; i < count; i++) {
        char *text = text_of(characters);

        json_array_append_new(texts, json_string(text));
        free(text);
    }
    return texts;
}

static json_t *slice(const json_t *texts, size_t from, size_t to)
{
    json_t *part = json_array();

    for (size_t i = from; i < to; i++)
        json_array_append(part, json_array_get(texts, i));
    return part;
}

/* Signals both instances' pipelines and returns the number of processes. */
static size_t signal_provider(int signo)
{
    pid_t pids[STAGES_MAX];
    size_t sum = 0;

    for (int i = 1; i <= 2; i++) {
        char name[] = {(char)('0' + i), '\0'};
        size_t count = processes_with("eng-spa.", suite_pid(suite, "botd", name), pids, STAGES_MAX);

        sum += count;
        while (count-- > 0)
            kill(pids[count], signo);
    }
    return sum;
}

static void warm_up(void)
{
    enum { MANY = 8 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];

    for (size_t i = 0; i < MANY; i++)
        requests[i] = request_of(patient->access, texts_of(1, 40));
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (size_t i = 0; i < MANY; i++)
        CHECK_STATUS(answers[i], 200);
    http_answers_destroy(answers, MANY);
}

static void pause_provider(void)
{
    warm_up();
    CU_ASSERT_TRUE(signal_provider(SIGSTOP) > 10);
    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER none = ask_briefly(patient->access, texts_of(1, 40));
        CU_ASSERT_EQUAL(none->status, 0);
    }
}

static long entries(void)
{
    return suite_count(suite, "select count(*) from bot.translation_memory");
}

static long characters(void)
{
    return suite_count(suite,
                       "select coalesce((select characters from bot.translation_day where day = "
                       "%ld and project_id = '%s'), -1)",
                       time(NULL) / DAY + day, suite_text(suite, "demo.projectId"));
}

static void check_bounds(void)
{
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from bot.translation_memory_size "
                                "where entries > %d or bytes > %d",
                                ENTRIES, BYTES),
                    0);
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "select count(*) from bot.translation_memory_size s full join "
                    "(select project_id, count(*) as entries, sum(octet_length(value)) as bytes "
                    "from bot.translation_memory group by project_id) m using (project_id) "
                    "where s.entries is distinct from coalesce(m.entries, 0) "
                    "or s.bytes is distinct from coalesce(m.bytes, 0)"),
        0);
}

static void a_repeated_text_is_not_translated_again(void)
{
    static const struct {
        const char *first, *then, *want, *status;
    } rows[] = {
        {"The elephant is grey.", "The elephant is grey.", "El elefante es gris.", "translated"},
        {"Hello {{name}}, you have a <b>red</b> car.", "Hello {{you}}, you have a <i>red</i> car.",
         "Hola {{you}}, tienes un <i>coche</i> rojo.", "translated"},
        {"12:30", "12:31", "12:31", "unchanged"},
        {"Xyzzy", "Xyzzy", "Xyzzy", "unchanged"},
    };
    json_t *first = json_array(), *then = json_array();

    new_day();
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        json_array_append_new(first, json_string(rows[i].first));
        json_array_append_new(then, json_string(rows[i].then));
    }
    HTTP_ANSWER answer = ask(first);
    CHECK_STATUS(answer, 200);
    pause_provider();
    for (int turn = 0; turn < 6; turn++) {
        HTTP_ANSWER again = ask_briefly(patient->access, json_deep_copy(then));
        CHECK_STATUS(again, 200);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
            UNIT_CHECK(strcmp(translated_text(again, i), rows[i].want) == 0, "%s",
                       translated_text(again, i));
            UNIT_CHECK(strcmp(translated_status(again, i), rows[i].status) == 0, "%s",
                       rows[i].then);
        }
    }
    signal_provider(SIGCONT);
    json_decref(then);
}

static void memories_of_projects_are_separate(void)
{
    static const char text[] = "The elephant is grey.";
    PERSON stranger = person_admin_of_child(suite, "side");
    struct http_request request = request_of(stranger->access, one(text));

    pause_provider();
    HTTP_ANSWER mine = ask_briefly(patient->access, one(text));
    CHECK_STATUS(mine, 200);
    HTTP_ANSWER none = ask_briefly(stranger->access, one(text));
    CU_ASSERT_EQUAL(none->status, 0);
    signal_provider(SIGCONT);
    HTTP_ANSWER theirs = http_call(suite_url(suite), &request);
    CU_ASSERT_STRING_EQUAL(translated_text(theirs, 0), "El elefante es gris.");
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(distinct project_id) from bot.translation_memory"), 2);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) - count(distinct key) from bot.translation_memory"), 0);
}

/* Searches for the plain text and PostgreSQL's form of its bytes. */
static void check_not_in(const char *dump, const char *text)
{
    char hex[128] = "";

    for (size_t i = 0; text[i] && i < sizeof(hex) / 2; i++)
        snprintf(hex + 2 * i, 3, "%02x", (unsigned char)text[i]);
    UNIT_CHECK(!strstr(dump, text) && !strstr(dump, hex), "%s", text);
}

static void a_dump_of_the_database_reveals_no_text(void)
{
    const char *const dump[] = {"/usr/lib/postgresql/15/bin/pg_dump", "--data-only",
                                suite_text(suite, "postgres.conninfo"), NULL};

    HTTP_ANSWER known = ask(one("The elephant is grey."));
    CU_ASSERT_STRING_EQUAL(translated_text(known, 0), "El elefante es gris.");
    PROGRAM dumped = program_run(dump, NULL);
    CHECK_EXIT(dumped, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(dumped->out, "COPY bot.translation_memory "));
    check_not_in(dumped->out, "elephant");
    check_not_in(dumped->out, "elefante");
}

static void sealed_values_open_in_their_own_row_only(void)
{
    new_day();
    HTTP_ANSWER before = ask(json_pack("[s, s]", "The dog is big.", "The cat is small."));
    CU_ASSERT_STRING_EQUAL(translated_text(before, 0), "El perro es grande.");
    CU_ASSERT_EQUAL(
        suite_count(suite, "with two as (select project_id, key, value, row_number() over () as n "
                           "from (select * from bot.translation_memory order by used_at desc "
                           "limit 2) latest), moved as (update bot.translation_memory m "
                           "set value = other.value from two mine join two other "
                           "on mine.n <> other.n where m.project_id = mine.project_id "
                           "and m.key = mine.key returning 1) select count(*) from moved"),
        2);
    HTTP_ANSWER after = ask(json_pack("[s, s]", "The dog is big.", "The cat is small."));
    CU_ASSERT_STRING_EQUAL(translated_text(after, 0), translated_text(before, 0));
    CU_ASSERT_STRING_EQUAL(translated_text(after, 1), translated_text(before, 1));
}

static void the_least_recently_used_translations_are_evicted(void)
{
    json_t *old = texts_of(30, 40), *latest = texts_of(20, 40);

    new_day();
    HTTP_ANSWER first = ask(json_deep_copy(old));
    CHECK_STATUS(first, 200);
    set_time(NOON + 2 * 3600);
    HTTP_ANSWER used = ask(slice(old, 0, 10));
    CHECK_STATUS(used, 200);
    HTTP_ANSWER more = ask(json_deep_copy(latest));
    CHECK_STATUS(more, 200);
    check_bounds();
    CU_ASSERT_TRUE(entries() >= 30);

    pause_provider();
    HTTP_ANSWER kept = ask_briefly(patient->access, slice(old, 0, 10));
    CHECK_STATUS(kept, 200);
    HTTP_ANSWER new = ask_briefly(patient->access, json_deep_copy(latest));
    CHECK_STATUS(new, 200);
    HTTP_ANSWER gone = ask_briefly(patient->access, slice(old, 10, 30));
    CU_ASSERT_EQUAL(gone->status, 0);
    signal_provider(SIGCONT);
    json_decref(old);
    json_decref(latest);
}

static void bytes_are_bounded_too(void)
{
    json_t *texts = json_array();

    new_day();
    for (int i = 0; i < 9; i++) {
        char text[1000] = "";

        snprintf(text, sizeof(text), "The cat has %d mice.", i);
        while (strlen(text) < sizeof(text) - 16)
            strcat(text, " The dog sleeps.");
        json_array_append_new(texts, json_string(text));
    }
    HTTP_ANSWER answer = ask(texts);
    CHECK_STATUS(answer, 200);
    check_bounds();
    CU_ASSERT_TRUE(suite_count(suite, "select max(bytes) from bot.translation_memory_size") >
                   BYTES / 2);
}

static void many_at_once_keep_the_bounds(void)
{
    enum { MANY = 50 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];

    new_day();
    for (size_t i = 0; i < MANY; i++)
        requests[i] = request_of(patient->access, texts_of(2, 40));
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (size_t i = 0; i < MANY; i++)
        CHECK_STATUS(answers[i], 200);
    http_answers_destroy(answers, MANY);
    check_bounds();
    /* Each excess caused one eviction of a tenth, even if several instances saw it. */
    CU_ASSERT_TRUE(suite_count(suite, "select max(entries) from bot.translation_memory_size") >=
                   ENTRIES - ENTRIES / 10 - 1);
    CU_ASSERT_EQUAL(characters(), MANY * 2 * 40);
}

static void concurrent_equal_texts_are_stored_once(void)
{
    enum { MANY = 30 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    json_t *texts = texts_of(5, 40);
    long before;

    new_day();
    before = suite_count(suite, "select count(*) from bot.translation_memory where used_at < %ld",
                         (time(NULL) / DAY + day) * DAY * 1000);
    for (size_t i = 0; i < MANY; i++) /* reversed every second time */
        requests[i] =
            request_of(patient->access, i % 2 ? json_deep_copy(texts) : slice(texts, i % 5, 5));
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (size_t i = 0; i < MANY; i++) {
        CHECK_STATUS(answers[i], 200);
        CU_ASSERT_STRING_EQUAL(
            translated_text(answers[i], json_array_size(http_member(answers[i], "text")) - 1),
            translated_text(answers[1], 4));
    }
    http_answers_destroy(answers, MANY);
    check_bounds();
    CU_ASSERT_TRUE(entries() <= before + 5);
    json_decref(texts);
}

static void check_refused(struct http_answer *answer, long left)
{
    char message[160], number[24];
    char *after = http_header(answer, "Retry-After"),
         *limit = http_header(answer, "RateLimit-Limit");
    char *remaining = http_header(answer, "RateLimit-Remaining");
    char *reset = http_header(answer, "RateLimit-Reset");
    long wait = after ? atol(after) : 0;

    snprintf(message, sizeof(message), NO_MORE, left);
    CHECK_ERROR(answer, 429, message);
    UNIT_CHECK(wait > NOON - 300 && wait <= NOON, "%s", after ? after : "(none)");
    CU_ASSERT_STRING_EQUAL(reset ? reset : "", after ? after : "(none)");
    CU_ASSERT_STRING_EQUAL(limit ? limit : "", "10000");
    snprintf(number, sizeof(number), "%ld", left);
    CU_ASSERT_STRING_EQUAL(remaining ? remaining : "", number);
    free(after);
    free(limit);
    free(remaining);
    free(reset);
}

static void a_translation_says_what_is_left(void)
{
    char *limit, *remaining, *reset;

    new_day();
    HTTP_ANSWER answer = ask(texts_of(1, 300));
    limit = http_header(answer, "RateLimit-Limit");
    remaining = http_header(answer, "RateLimit-Remaining");
    reset = http_header(answer, "RateLimit-Reset");
    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(limit ? limit : "", "10000");
    CU_ASSERT_STRING_EQUAL(remaining ? remaining : "", "9700");
    UNIT_CHECK(reset && atol(reset) > NOON - 300 && atol(reset) <= NOON, "%s",
               reset ? reset : "(none)");
    free(limit);
    free(remaining);
    free(reset);
}

/* Fifty requests of 300 characters: exactly 33 are granted. */
static void the_budget_is_exact(void)
{
    enum { MANY = 50, EACH = 300, GRANTED = DAILY / EACH };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    json_t *texts[MANY], *known = NULL;
    int granted = 0;

    warm_up();
    new_day();
    for (size_t i = 0; i < MANY; i++) {
        texts[i] = texts_of(1, EACH);
        requests[i] = request_of(patient->access, json_deep_copy(texts[i]));
    }
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (size_t i = 0; i < MANY; i++) {
        granted += answers[i]->status == 200;
        if (answers[i]->status == 200)
            known = texts[i];
        else
            check_refused(answers[i], DAILY - GRANTED * EACH);
    }
    CU_ASSERT_EQUAL(granted, GRANTED);
    CU_ASSERT_EQUAL(characters(), GRANTED * EACH);
    http_answers_destroy(answers, MANY);

    HTTP_ANSWER too_long = ask(texts_of(1, DAILY - GRANTED * EACH + 1));
    check_refused(too_long, DAILY - GRANTED * EACH);
    HTTP_ANSWER rest = ask(texts_of(1, DAILY - GRANTED * EACH));
    CHECK_STATUS(rest, 200);
    HTTP_ANSWER none = ask(one("a"));
    check_refused(none, 0);
    CU_ASSERT_EQUAL(characters(), DAILY);
    HTTP_ANSWER nothing_to_do = ask(one("12:30"));
    CHECK_STATUS(nothing_to_do, 200);
    HTTP_ANSWER again = ask(json_deep_copy(known));
    CHECK_STATUS(again, 200);
    for (size_t i = 0; i < MANY; i++)
        json_decref(texts[i]);
}

static void characters_are_counted(void)
{
    static const struct {
        const char *texts[3];
        long counted;
    } rows[] = {
        {{"a caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"}, 10},
        {{"a caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"}, 0},
        {{"<b>bread</b>", "<b>bread</b>"}, 12},
        {{"<b>bread</b>", "<i>bread</i>", "butter"}, 6},
        {{"12:30", "{{name}}"}, 0},
    };
    long sum = 0;

    new_day();
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        json_t *texts = json_array();

        for (size_t k = 0; k < 3 && rows[i].texts[k]; k++)
            json_array_append_new(texts, json_string(rows[i].texts[k]));
        HTTP_ANSWER answer = ask(texts);
        CHECK_STATUS(answer, 200);
        sum += rows[i].counted;
        UNIT_CHECK(characters() == sum, "%s: %ld", rows[i].texts[0], characters());
    }
}

static void each_day_has_its_budget(void)
{
    new_day();
    HTTP_ANSWER all = ask(texts_of(1, DAILY));
    CHECK_STATUS(all, 200);
    set_time(DAY - 60);
    HTTP_ANSWER refused = ask(one("a"));
    CU_ASSERT_EQUAL(refused->status, 429);
    char *after = http_header(refused, "Retry-After");
    CU_ASSERT_TRUE(after && atol(after) > 0 && atol(after) <= 60);
    day++;
    set_time(1);
    HTTP_ANSWER anew = ask(texts_of(1, DAILY));
    CHECK_STATUS(anew, 200);
    free(after);
}

static void each_project_has_its_budget(void)
{
    new_day();
    HTTP_ANSWER all = ask(texts_of(1, DAILY));
    CHECK_STATUS(all, 200);
    PERSON stranger = person_admin_of_child(suite, "other-side");
    struct http_request request = request_of(stranger->access, texts_of(1, DAILY));
    HTTP_ANSWER theirs = http_call(suite_url(suite), &request);
    CHECK_STATUS(theirs, 200);
}

/* Starts another suite, whose pipelines end as soon as they start. */
static void what_was_not_translated_is_given_back(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct suite *usual = suite;
    char *set, *modes;

    if (asprintf(&set, "botd.apertium_dir=%s,botd.translation_daily_characters=600", dir.path) <
            0 ||
        asprintf(&modes, "%s/modes", dir.path) < 0)
        abort();
    CU_ASSERT_EQUAL(mkdir(modes, 0755), 0);
    unit_dir_write(&dir, "modes/eng-spa.mode", "");
    suite = suite_start(&(struct suite_options){.set = set});
    PERSON one_of_it = person_register(suite, NULL);
    for (int i = 0; i < 3; i++) { /* 500 characters each, of 600 allowed a day */
        struct http_request request = request_of(one_of_it->access, texts_of(2, 250));
        HTTP_ANSWER failed = http_call(suite_url(suite), &request);
        CU_ASSERT_EQUAL(failed->status, 503);
        CU_ASSERT_EQUAL(suite_count(suite, "select sum(characters) from bot.translation_day"), 0);
    }
    CU_ASSERT_EQUAL(entries(), 0);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from bot.audit where event->>'action' = "
                                       "'translation.execute' and event->>'outcome' = 'failure'"),
                    3);
    suite_stop(&suite);
    suite = usual;
    free(set);
    free(modes);
}

/* Killed while waiting for the provider: reserved characters stay spent that day, and no others. */
static void a_killed_botd_keeps_the_spent_budget(void)
{
    pid_t killer, first, second;

    new_day();
    pause_provider();
    new_day();
    first = suite_pid(suite, "botd", "1");
    second = suite_pid(suite, "botd", "2");
    killer = suite_kill_both_later(suite, "botd", 1500);
    HTTP_ANSWER lost = ask(texts_of(1, 600));
    CU_ASSERT_EQUAL(lost->status, 503);
    char *after = http_header(lost, "Retry-After");
    CU_ASSERT_PTR_NOT_NULL(after);
    waitpid(killer, NULL, 0);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "botd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "botd", "2", second));
    CU_ASSERT_EQUAL(characters(), 600);
    HTTP_ANSWER too_much = ask(texts_of(1, DAILY - 599));
    check_refused(too_much, DAILY - 600);
    HTTP_ANSWER rest = ask(texts_of(1, DAILY - 600));
    CHECK_STATUS(rest, 200);
    free(after);
}

static void deaths_leave_the_sums_right(void)
{
    enum { MANY = 60, ROUNDS = 3 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];

    for (int round = 0; round < ROUNDS; round++) {
        pid_t first = suite_pid(suite, "botd", "1"), second = suite_pid(suite, "botd", "2"), killer;
        long granted = 0;

        new_day();
        for (size_t i = 0; i < MANY; i++)
            requests[i] = request_of(patient->access, texts_of(3, 50));
        killer = suite_kill_both_later(suite, "botd", 100 + 150 * round);
        http_call_many(suite_url(suite), requests, MANY, MANY / 2, answers);
        waitpid(killer, NULL, 0);
        for (size_t i = 0; i < MANY; i++)
            granted += answers[i]->status == 200 ? 3 * 50 : 0;
        http_answers_destroy(answers, MANY);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "botd", "1", first));
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "botd", "2", second));
        UNIT_CHECK(MAX(characters(), 0L) >= granted && characters() <= DAILY, "%ld, %ld granted",
                   characters(), granted);
        HTTP_ANSWER one_more = ask(texts_of(1, 40)); /* storing it evicts what exceeds the limit */
        CHECK_STATUS(one_more, 200);
        check_bounds();
    }
}

static long provider_calls(const char *server_url)
{
    HTTP_ANSWER answer = http_get(server_url, "/asked", NULL);

    return (long)json_integer_value(http_member(answer, "asked"));
}

static void check_translation(const char *server_url, const char *bearer, const char *text,
                              const char *want, bool anew)
{
    struct http_request request = request_of(bearer, one(text));
    long before = provider_calls(server_url);

    HTTP_ANSWER answer = http_call(suite_url(suite), &request);
    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(translated_text(answer, 0), want);
    UNIT_CHECK((provider_calls(server_url) > before) == anew, "%s: %ld, %ld", text, before,
               provider_calls(server_url));
}

/* Three providers in turn translate the same texts. The last one loses all marks, so botd
 * translates the stretches between marks one by one. */
static void no_provider_answers_for_another(void)
{
    static const char *const argv[] = {"/usr/bin/python3", "tests/support/translation_server.py",
                                       "key-of-it", NULL};
    static const struct {
        const char *name, *path, *model;
    } providers[] = {
        {"libretranslate", "libre", ""},
        {"openai", "v1/", ",botd.translation_model=model-1"},
        {"openai", "v1/", ",botd.translation_model=model-2"},
    };
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct suite *usual = suite;
    char set[512], server_url[64];
    int port = 0;

    PROGRAM server = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_output(server, "\n", 10000));
    CU_ASSERT_EQUAL(sscanf(server->out, "port %d", &port), 1);
    snprintf(server_url, sizeof(server_url), "http://127.0.0.1:%d", port);
    suite = suite_start(&(struct suite_options){0});
    PERSON reader = person_register(suite, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(providers); i++) {
        snprintf(set, sizeof(set),
                 "botd.translation_provider=%s,botd.translation_url=%s/%s,"
                 "botd.translation_key_file=%s%s",
                 providers[i].name, server_url, providers[i].path,
                 unit_dir_write(&dir, "key", "key-of-it\n"), providers[i].model);
        suite_reconfigure(suite, set);
        check_translation(server_url, reader->access, "the {{big}} dog", "THE {{big}} DOG", true);
        check_translation(server_url, reader->access, "the {{small}} dog", "THE {{small}} DOG",
                          false);
    }
    HTTP_ANSWER lossy = http_post(server_url, "/mode/drop", NULL, json_object());
    CHECK_STATUS(lossy, 200);
    check_translation(server_url, reader->access, "a {{big}} cat", "A {{big}} CAT", true);
    check_translation(server_url, reader->access, "a {{small}} cat", "A {{small}} CAT", false);
    suite_stop(&suite);
    suite = usual;
}

static void unused_translations_expire(void)
{
    CU_ASSERT_TRUE(entries() > 0);
    CU_ASSERT_TRUE(suite_count(suite, "select count(*) from bot.translation_day") > 5);
    day += 29;
    set_time(NOON);
    HTTP_ANSWER used = ask(one("The dog is big."));
    CHECK_STATUS(used, 200);
    day += 3;
    set_time(NOON);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 5000, "select count(*) from bot.translation_memory"));
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 5000, "select count(*) from bot.translation_day"));
    check_bounds();
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&patient);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_repeated_text_is_not_translated_again),
    CASE(memories_of_projects_are_separate),
    CASE(a_dump_of_the_database_reveals_no_text),
    CASE(sealed_values_open_in_their_own_row_only),
    CASE(the_least_recently_used_translations_are_evicted),
    CASE(bytes_are_bounded_too),
    CASE(many_at_once_keep_the_bounds),
    CASE(concurrent_equal_texts_are_stored_once),
    CASE(a_translation_says_what_is_left),
    CASE(the_budget_is_exact),
    CASE(characters_are_counted),
    CASE(each_day_has_its_budget),
    CASE(each_project_has_its_budget),
    CASE_ALWAYS(what_was_not_translated_is_given_back),
    CASE(a_killed_botd_keeps_the_spent_budget),
    CASE(deaths_leave_the_sums_right),
    CASE_ALWAYS(no_provider_answers_for_another),
    CASE(unused_translations_expire),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){
        .instances = "botd=2",
        .test_clock = true,
        .set = "botd.translation_daily_characters=10000,botd.translation_memory_entries=40,"
               "botd.translation_memory_size=8k,botd.apertium_pipelines=1"});
    return unit_run("translation memory", cases, ARRAY_SIZE(cases));
}
