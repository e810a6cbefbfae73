/*
 * test_erasure_late.c - requests in progress during an erasure, or after it, leave nothing, and the
 * receipt counts them once.
 */
#include <CUnit/CUnit.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/document.h"
#include "tests/support/erasure.h"
#include "tests/support/processes.h"
#include "tests/support/unit.h"

enum {
    ATTEMPTS = 8, /* a statement waits two seconds for a lock */
    SLEEP_S = 25, /* how long the bot sleeps, unless the case ends it */
};

#define DOCD_WAITS                                                              \
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and " \
    "application_name like 'atrium-docd%%'"

static struct suite *suite;

static char *counted(const char *account)
{
    char sql[1200];

    snprintf(sql, sizeof(sql),
             "select string_agg(concat_ws(' ', s, t, r, b, n), ', ' order by s, t) from ("
             "select 'settings' as s, table_name as t, rows as r, bytes as b, (select count(*) "
             "from settings.erasure_step where account_id = '%1$s') as n from settings.erasure "
             "where account_id = '%1$s' union all "
             "select 'mail', table_name, rows, bytes, (select count(*) from mail.erasure_step "
             "where account_id = '%1$s') from mail.erasure where account_id = '%1$s' union all "
             "select 'bot', table_name, rows, bytes, (select count(*) from bot.erasure_step "
             "where account_id = '%1$s') from bot.erasure where account_id = '%1$s' union all "
             "select 'doc', table_name, rows, bytes, (select count(*) from doc.erasure_step "
             "where account_id = '%1$s') from doc.erasure where account_id = '%1$s') c",
             account);
    return suite_query(suite, sql);
}

/* Makes authd send all its messages again, including the deletion's job. */
static void what_is_asked_again_is_counted_once(void)
{
    PERSON person = person_register_settled(suite);
    char *account = suite_account(suite, person->email), *before, *after;

    erasure_add_traces(suite, person, account);
    erasure_add_documents(suite, person, 2);
    free(suite_query(suite,
                     "create table auth.outbox_seen (like auth.outbox); "
                     "create function auth.outbox_see() returns trigger language plpgsql "
                     "security definer as $$ begin insert into auth.outbox_seen select new.*; "
                     "return new; end $$; create trigger outbox_see before insert on auth.outbox "
                     "for each row execute function auth.outbox_see()"));
    PROGRAM deleted = erasure_delete(suite, account);
    PROGRAM receipt = erasure_complete_receipt(suite, account);
    CHECK_EXIT(deleted, 0);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, ERASURE_DONE_MS, "select count(*) from auth.outbox"));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(distinct method) from auth.outbox_seen where "
                                       "method like '%%.account_wipe' or method = 'maild.job_put'"),
                    5);
    before = counted(account);
    free(suite_query(suite, "drop trigger outbox_see on auth.outbox; drop function "
                            "auth.outbox_see; insert into auth.outbox select * from "
                            "auth.outbox_seen; drop table auth.outbox_seen"));
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, ERASURE_DONE_MS, "select count(*) from auth.outbox"));
    after = counted(account);
    CU_ASSERT_STRING_EQUAL(after, before);
    erasure_check_traces(suite, person, account, receipt);
    free(before);
    free(after);
    free(account);
}

struct late {
    struct http_request request;
    struct http_answer *answer;
    atomic_bool ended;
};

static void *late_run(void *arg)
{
    struct late *self = arg;

    self->answer = http_call(suite_url(suite), &self->request);
    atomic_store(&self->ended, true);
    return NULL;
}

/* Starts a change that is blocked on its project's row when the erasure begins. False when it timed
 * out before. */
static bool change_in_the_middle(int attempt)
{
    char email[64], sql[160];

    snprintf(email, sizeof(email), "late-%d@admins.example", attempt);
    PROGRAM joined =
        ATRIUMCTL(suite, "a long password of the third admin\n", "user", "create-admin",
                  "--project", "demo", "--email", email, "--name", "Late", "--surname", "Castelo");
    PERSON third =
        person_sign_in(suite, "Practitioner", email, "a long password of the third admin", NULL);
    char *account = suite_account(suite, email), *ctl = program_path("atriumctl");
    const char *argv[] = {ctl, "--dir", suite_dir(suite), "user", "delete", account, "--yes", NULL};
    struct late late = {
        .request = {.method = "PUT",
                    .path = "/v1/project/settings/values/PATIENT_APP_URL",
                    .bearer = third->access,
                    .body = json_pack("{s:o}", "value",
                                      json_sprintf("https://late-%d.example/", attempt))}};
    struct program *deletion;
    pthread_t thread;
    PGconn *holder;
    bool changed;

    CHECK_EXIT(joined, 0);
    snprintf(sql, sizeof(sql), "select from settings.project where id = '%s' for update",
             suite_text(suite, "demo.projectId"));
    holder = erasure_hold(suite, sql);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, late_run, &late), 0);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, ERASURE_DONE_MS,
                                  "select count(*) from pg_stat_activity where wait_event_type = "
                                  "'Lock' and application_name like 'atrium-settingsd%%'"));
    deletion = program_start(argv, NULL);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, ERASURE_DONE_MS,
                                  "select count(*) from settings.erasure where account_id = '%s'",
                                  account));
    PQfinish(holder);
    pthread_join(thread, NULL);
    CU_ASSERT_TRUE(program_wait_end(deletion, ERASURE_DONE_MS));
    program_destroy(&deletion);
    PROGRAM receipt = erasure_complete_receipt(suite, account);
    CU_ASSERT_EQUAL(erasure_number(receipt->json, "settingsd", "setting_history", "rows"), 0);
    changed = late.answer->status == 200;
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from settings.setting_history where new_value = "
                                "'\"https://late-%d.example/\"' and profile_display is null",
                                attempt),
                    changed);
    http_answer_destroy(&late.answer);
    free(account);
    free(ctl);
    return changed;
}

static void a_change_of_settings_under_way_names_no_one(void)
{
    bool changed = false;

    for (int attempt = 0; attempt < ATTEMPTS && !changed; attempt++)
        changed = change_in_the_middle(attempt);
    CU_ASSERT_TRUE(changed);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from settings.setting_history where "
                                       "profile_display = 'Late Castelo'"),
                    0);
}

/* Starts adding a document that is blocked on its author's count when the erasure begins. False
 * when it timed out before. */
static bool document_in_the_middle(void)
{
    PERSON person = person_register_settled(suite);
    char *account = suite_account(suite, person->email), *ctl = program_path("atriumctl"), sql[160];
    char *first = document_put(suite, person->access, "one", "a/b", "12345", 5);
    const char *argv[] = {ctl, "--dir", suite_dir(suite), "user", "delete", account, "--yes", NULL};
    const char *profile = person->profile + strlen("Patient/");
    struct late late = {
        .request = {.method = "POST",
                    .path = "/document",
                    .bearer = person->access,
                    .body = json_pack("{s:s, s:s}", "fileName", "two", "contentType", "a/b")}};
    struct program *deletion;
    pthread_t thread;
    PGconn *holder;
    bool added;

    snprintf(sql, sizeof(sql), "select from doc.document_usage where author_id = '%s' for update",
             profile);
    holder = erasure_hold(suite, sql);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, late_run, &late), 0);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, ERASURE_DONE_MS, DOCD_WAITS));
    deletion = program_start(argv, NULL);
    while (!atomic_load(&late.ended) && suite_count(suite, DOCD_WAITS) < 2)
        usleep(20000);
    PQfinish(holder);
    pthread_join(thread, NULL);
    CU_ASSERT_TRUE(program_wait_end(deletion, ERASURE_DONE_MS));
    program_destroy(&deletion);
    PROGRAM receipt = erasure_complete_receipt(suite, account);
    added = late.answer->status == 200;
    UNIT_CHECK(erasure_number(receipt->json, "docd", "document", "rows") == 1 + added, "%s",
               receipt->out);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from doc.document where author_id = '%s'", profile), 0);
    http_answer_destroy(&late.answer);
    free(first);
    free(account);
    free(ctl);
    return added;
}

static void a_document_under_way_is_erased_too(void)
{
    bool added = false;

    for (int attempt = 0; attempt < ATTEMPTS && !added; attempt++)
        added = document_in_the_middle();
    CU_ASSERT_TRUE(added);
}

static struct http_answer *post(const struct person *who, const char *path, json_t *body)
{
    return http_post(suite_url(suite), path, who->access, body);
}

/* Sends requests as if a gateway had let them through just before the deletion. */
static void what_comes_after_the_beginning_is_refused(void)
{
    PERSON person = person_register_settled(suite);
    PERSON admin = person_admin(suite);
    char *account = suite_account(suite, person->email), path[120];
    long documents = suite_count(suite, "select count(*) from doc.document");

    suite_count(suite,
                "with begun as (insert into doc.erasure values ('%s', 'document', 0, 0) "
                "returning 1) select count(*) from begun",
                account);
    HTTP_ANSWER made = document_make(suite, person->access, "a", "a/b");
    HTTP_ANSWER own = post(person, "/auth/export", json_object());
    snprintf(path, sizeof(path), "/v1/project/accounts/%s/export", account);
    HTTP_ANSWER by_admin = post(admin, path, json_pack("{s:s}", "reason", "a ticket"));
    CHECK_ERROR(made, 401, "Unauthorized");
    CHECK_ERROR(own, 401, "Unauthorized");
    CHECK_ERROR(by_admin, 404, "Account not found.");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from doc.document"), documents);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from doc.export where account_id = '%s'", account), 0);
    free(account);
}

#define SETTING(name) "current_setting('test." #name "')::uuid"

static void what_had_asked_before_is_waited_for(void)
{
    static const struct {
        const char *daemon, *schema, *table, *insert;
    } rows[] = {
        {"docd", "doc", "document",
         "insert into document (project_id, id, author_type, author_id, author_display, file_name, "
         "content_type, uploads, updated_at) values (" SETTING(
             project) ", gen_random_uuid(), 'Patient', " SETTING(profile) ", 'Ana', 'a.txt', "
                                                                          "'text/plain', 1, 1)"},
        {"docd", "doc", "export",
         "insert into export (project_id, id, account_id, role, profile_id, asked_by, created_at, "
         "state, attempts, due_at) values (" SETTING(project) ", gen_random_uuid(), " SETTING(
             account) ", 'Patient', " SETTING(profile) ", " SETTING(account) ", 1, 'pending', 0, "
                                                                             "9223372036854775807"
                                                                             ")"},
        {"settingsd", "settings", "setting_history",
         "insert into setting_history (project_id, version, name, changed_at, profile_id, "
         "profile_display) values (" SETTING(project) ", 1, 'under way', 1, " SETTING(
             profile) ", 'Ana')"},
        {"maild", "mail", "job",
         "insert into job (id, kind, due_at, account_id, schedule_id, project_id, created_at) "
         "values (gen_random_uuid(), 'account-reminder', 9223372036854775807, " SETTING(
             account) ", gen_random_uuid(), " SETTING(project) ", 1)"},
        {"botd", "bot", "execution",
         "insert into execution values (" SETTING(
             project) ", gen_random_uuid(), gen_random_uuid(), 1, "
                      "1, 'success', 'Patient/' || " SETTING(profile) ")"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PERSON person = person_register_settled(suite);
        char *account = suite_account(suite, person->email), *ctl = program_path("atriumctl");
        const char *argv[] = {ctl,      "--dir", suite_dir(suite), "user",
                              "delete", account, "--yes",          NULL};
        char sql[1000];
        struct program *deletion;
        PGconn *holder;
        long said;

        snprintf(sql, sizeof(sql),
                 "set local search_path to %s; set local test.account = '%s'; "
                 "set local test.project = '%s'; set local test.profile = '%s'; "
                 "select erasure_begun('%s'); %s",
                 rows[i].schema, account, suite_text(suite, "demo.projectId"),
                 person->profile + strlen("Patient/"), account, rows[i].insert);
        holder = erasure_hold(suite, sql);
        deletion = program_start(argv, NULL);
        UNIT_CHECK(suite_comes_to(suite, 1, ERASURE_DONE_MS,
                                  "select count(*) from pg_stat_activity where wait_event = "
                                  "'advisory' and application_name like 'atrium-%s%%'",
                                  rows[i].daemon),
                   "%s does not wait", rows[i].daemon);
        PQclear(PQexec(holder, "commit"));
        PQfinish(holder);
        CU_ASSERT_TRUE(program_wait_end(deletion, ERASURE_DONE_MS));
        program_destroy(&deletion);
        PROGRAM receipt = erasure_complete_receipt(suite, account);
        said = erasure_number(receipt->json, rows[i].daemon, rows[i].table, "rows");
        UNIT_CHECK(said == 1 || (said == 2 && strcmp(rows[i].table, "job") == 0), "%s: %s",
                   rows[i].daemon, receipt->out);
        free(account);
        free(ctl);
    }
}

/* Runs a bot until after the erasure. False when it ended before. */
static bool execution_in_the_middle(const char *bot, const char *sleeping)
{
    PERSON person = person_register_settled(suite);
    char *account = suite_account(suite, person->email);
    struct late late = {.request = {.method = "POST",
                                    .path = "/bots?identifier=urn:erasure%7Csleeps",
                                    .bearer = person->access,
                                    .body = json_object()}};
    int64_t until = clock_mono_ms() + SLEEP_S * 1000;
    long before = suite_count(suite, "select count(*) from bot.execution where bot_id = '%s'", bot);
    pthread_t thread;
    pid_t sleeper = 0;
    bool in_the_middle;

    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, late_run, &late), 0);
    while (processes_with(sleeping, suite_supervisor(suite), &sleeper, 1) == 0 &&
           clock_mono_ms() < until)
        usleep(10000);
    PROGRAM deleted = erasure_delete(suite, account);
    PROGRAM receipt = erasure_complete_receipt(suite, account);
    CHECK_EXIT(deleted, 0);
    in_the_middle =
        suite_count(suite, "select count(*) from bot.execution where bot_id = '%s'", bot) == before;
    CU_ASSERT_TRUE(sleeper > 0 && kill(sleeper, SIGTERM) == 0);
    pthread_join(thread, NULL);
    in_the_middle = in_the_middle && late.answer->status == 200;
    http_answer_destroy(&late.answer);
    free(account);
    return in_the_middle;
}

static void an_execution_under_way_names_no_one(void)
{
    PERSON admin = person_admin(suite);
    char path[300], sleeping[32];
    FILE *file;

    snprintf(sleeping, sizeof(sleeping), "%d.017", SLEEP_S);
    snprintf(path, sizeof(path), "%s/sleeps", suite_text(suite, "botDir"));
    file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fprintf(file, "#!/bin/sh\nread -r line\nsleep %s\necho 1\n", sleeping);
    fclose(file);
    HTTP_ANSWER bot =
        http_post(suite_url(suite), "/v1/project/bots", admin->access,
                  json_pack("{s:[{s:s, s:s}], s:s, s:s, s:s, s:i}", "identifier", "system",
                            "urn:erasure", "value", "sleeps", "name", "sleeps", "kind", "program",
                            "program", "sleeps", "timeoutMs", (SLEEP_S + 5) * 1000));
    CHECK_STATUS(bot, 200);
    CU_ASSERT_TRUE(execution_in_the_middle(http_text(bot, "id"), sleeping));
    snprintf(path, sizeof(path), "/v1/project/bots/%s/executions", http_text(bot, "id"));
    HTTP_ANSWER list = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(list, 200);
    CU_ASSERT_STRING_EQUAL(http_text(list, "resources.0.outcome"), "success");
    CU_ASSERT_PTR_NULL(strstr(list->body, "Patient/"));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from bot.execution where bot_id = '%s' and "
                                "profile is not null",
                                http_text(bot, "id")),
                    0);
}

static void suite_starts(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2"});
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(suite_starts),
    CASE(what_is_asked_again_is_counted_once),
    CASE(a_change_of_settings_under_way_names_no_one),
    CASE(a_document_under_way_is_erased_too),
    CASE(what_comes_after_the_beginning_is_refused),
    CASE(what_had_asked_before_is_waited_for),
    CASE(an_execution_under_way_names_no_one),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("erasure, late", cases, ARRAY_SIZE(cases));
}
