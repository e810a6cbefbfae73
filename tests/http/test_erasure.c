/*
 * test_erasure.c - the receipt of an erased account: it matches what the database had, Go's
 * sumdb/note accepts it, and no crash of a daemon loses or changes it. See test_erasure_late.c for
 * late writes.
 */
#include <CUnit/CUnit.h>
#include <libpq-fe.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/base/clock.h"
#include "tests/support/audit_go.h"
#include "tests/support/document.h"
#include "tests/support/erasure.h"
#include "tests/support/processes.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    MANY = 450, /* documents: two full batches of docd and a part */
    LEFT = 50,  /* in the last batch */
};

static struct suite *suite;
static struct unit_dir dir;

static struct program *verify(const char *text, const char *key)
{
    return ATRIUMCTL(suite, NULL, "user", "verify-receipt", unit_dir_write(&dir, "receipt", text),
                     "--key", key, "--json");
}

static void the_counts_are_what_the_database_held(void)
{
    PERSON person = person_register_settled(suite);
    PERSON other = person_register(suite, NULL);
    char *account = suite_account(suite, person->email), *one, *two, *others, sql[1200];

    one = document_put(suite, person->access, "one", "a/b", "12345", 5);
    two = document_put(suite, person->access, "two", "a/b", "1234567", 7);
    others = document_put(suite, other->access, "mine", "a/b", "abc", 3);
    erasure_add_documents(suite, person, 1);
    snprintf(sql, sizeof(sql),
             "insert into auth.oauth_consent select '%s', '%s', 'client-' || i, 'C', 'openid', "
             "'r', '1', 1, 1 from generate_series(1, 3) i",
             suite_text(suite, "demo.projectId"), account);
    free(suite_query(suite, sql));
    snprintf(sql, sizeof(sql),
             "insert into auth.oauth_consent_resource select project_id, account_id, client_id, r, "
             "scope from auth.oauth_consent, unnest('{r,s}'::text[]) r where account_id = '%s'",
             account);
    free(suite_query(suite, sql));
    char *tables = suite_query(suite, "select string_agg(relname, ' ' order by relname) from "
                                      "pg_constraint c join pg_class t on t.oid = c.conrelid where "
                                      "confrelid = 'auth.account'::regclass and contype = 'f'");
    long before[64] = {0};
    size_t count = 0;
    char *names = strdup(tables);
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
        before[count++] = suite_count(suite, "select count(*) from auth.%s where account_id = '%s'",
                                      name, account);
    CU_ASSERT_TRUE(count > 10);
    long objects = suite_count(
        suite, "select count(*) from doc.object where document_id in ('%s', '%s')", one, two);

    PROGRAM deleted = erasure_delete(suite, account);
    CHECK_EXIT(deleted, 0);
    PROGRAM receipt = erasure_complete_receipt(suite, account);
    strcpy(names, tables);
    count = 0;
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
        long said = erasure_number(receipt->json, "authd", name, "rows");
        UNIT_CHECK(said == before[count], "%s: %ld of %ld", name, said, before[count]);
        count++;
    }
    CU_ASSERT_EQUAL(erasure_number(receipt->json, "authd", "account", "rows"), 1);
    CU_ASSERT_EQUAL(erasure_number(receipt->json, "authd", "oauth_consent", "rows"), 3);
    CU_ASSERT_EQUAL(erasure_number(receipt->json, "authd", "oauth_consent_resource", "rows"), 6);
    CU_ASSERT_TRUE(erasure_number(receipt->json, "authd", "session", "rows") > 0);
    CU_ASSERT_EQUAL(erasure_number(receipt->json, "docd", "document", "rows"), 3);
    CU_ASSERT_EQUAL(erasure_number(receipt->json, "docd", "document", "bytes"), 12);
    UNIT_CHECK(erasure_number(receipt->json, "docd", "object", "rows") == objects && objects >= 2,
               "%ld objects", objects);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from doc.object where erased_for = '%s'", account), 0);
    CU_ASSERT_PTR_NULL(strstr(receipt->out, person->email));
    HTTP_ANSWER kept = document_get(suite, other->access, others);
    CHECK_STATUS(kept, 200);
    free(tables);
    free(names);
    free(account);
    free(one);
    free(two);
    free(others);
}

/* The history keeps the change without its author. */
static void the_history_of_settings_names_no_one_who_is_gone(void)
{
    PERSON admin = person_admin(suite);
    PROGRAM joined = ATRIUMCTL(suite, "a long password of the second admin\n", "user",
                               "create-admin", "--project", "demo", "--email",
                               "erased@admins.example", "--name", "Rui", "--surname", "Castelo");
    PERSON second = person_sign_in(suite, "Practitioner", "erased@admins.example",
                                   "a long password of the second admin", NULL);
    char *account = suite_account(suite, second->email);

    CHECK_EXIT(joined, 0);
    suite_set_switch(suite, second->access, "PATIENT_REGISTRATION_ENABLED", false);
    suite_set_switch(suite, second->access, "PATIENT_REGISTRATION_ENABLED", true);
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", "https://app.example/");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from settings.setting_history "
                                       "where profile_display = 'Rui Castelo'"),
                    2);
    long others = suite_count(suite, "select count(*) from settings.setting_history "
                                     "where profile_display <> 'Rui Castelo'");

    PROGRAM deleted = erasure_delete(suite, account);
    PROGRAM receipt = erasure_complete_receipt(suite, account);
    HTTP_ANSWER history = http_get(suite_url(suite), "/v1/project/settings/history", admin->access);

    CHECK_EXIT(deleted, 0);
    UNIT_CHECK(erasure_number(receipt->json, "settingsd", "setting_history", "rows") == 2, "%s",
               receipt->out);
    CHECK_STATUS(history, 200);
    CU_ASSERT(!strstr(history->body, "Castelo") && strstr(history->body, "PATIENT_REGISTRATION"));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from settings.setting_history h "
                                       "where h::text like '%%Castelo%%'"),
                    0);
    CU_ASSERT_TRUE(others > 0);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from settings.setting_history "
                                       "where profile_display is not null"),
                    others);
    free(account);
}

static void every_daemon_erases_and_counts(void)
{
    PERSON person = person_register_settled(suite);
    char *account = suite_account(suite, person->email);

    erasure_add_traces(suite, person, account);
    PROGRAM deleted = erasure_delete(suite, account);
    PROGRAM receipt = erasure_complete_receipt(suite, account);
    CHECK_EXIT(deleted, 0);
    erasure_check_traces(suite, person, account, receipt);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from bot.audit where event->>'action' = "
                                       "'execution.erase'"),
                    2); /* one row per batch */
    free(account);
}

/* Inserts the row of an erasure that an older release started, without the other daemons' parts. */
static void an_erasure_of_before_names_authd_and_docd(void)
{
    static const char account[] = "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4c";

    suite_count(suite,
                "with begun as (insert into auth.erasure (account_id, deleted_at, requests) "
                "values ('%1$s', 1, 1)), asked as (insert into doc.erasure_step values ('%1$s', "
                "'%1$s', 2) returning 1) select count(*) from asked",
                account);
    PROGRAM receipt = erasure_receipt(suite, account);
    CU_ASSERT_TRUE(erasure_is_complete(receipt));
    CU_ASSERT_EQUAL(json_array_size(json_object_get(receipt->json, "parts")), 2);
    CU_ASSERT_STRING_EQUAL(program_text(receipt, "parts.0.daemon"), "authd");
    CU_ASSERT_STRING_EQUAL(program_text(receipt, "parts.1.daemon"), "docd");
}

static void the_deletion_prints_it(void)
{
    PERSON person = person_register_settled(suite);
    char *account = suite_account(suite, person->email);
    PROGRAM deleted = erasure_delete(suite, account);
    PROGRAM receipt = erasure_complete_receipt(suite, account);
    PROGRAM again = erasure_delete(suite, account);
    PROGRAM table = ATRIUMCTL(suite, NULL, "user", "receipt", account);

    CHECK_EXIT(deleted, 0);
    CU_ASSERT_STRING_EQUAL(program_text(deleted, "receipt.account"), account);
    CHECK_EXIT(again, 0);
    CU_ASSERT_TRUE(json_equal(json_object_get(again->json, "receipt"), receipt->json));
    CHECK_EXIT(table, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(table->out, "credential"));
    CU_ASSERT_PTR_NOT_NULL(strstr(table->out, "docd"));
    free(account);
}

static void only_what_was_erased_has_one(void)
{
    PERSON person = person_register(suite, NULL);
    char *account = suite_account(suite, person->email);
    PROGRAM living = erasure_receipt(suite, account);
    PROGRAM unknown = erasure_receipt(suite, "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b");
    PROGRAM odd = erasure_receipt(suite, "ana");

    CHECK_REFUSED(living, 1, "There is no record of this account being erased.");
    CHECK_REFUSED(unknown, 1, "There is no record of this account being erased.");
    CHECK_REFUSED(odd, 1, "must be the id of an account");
    free(account);
}

static void go_accepts_it_and_no_other_byte(void)
{
    PERSON person = person_register_settled(suite);
    char *account = suite_account(suite, person->email);
    PROGRAM deleted = erasure_delete(suite, account);
    PROGRAM receipt = erasure_complete_receipt(suite, account);

    CHECK_EXIT(deleted, 0);
    if (audit_go_build(dir.path))
        audit_go_accepts(json_pack("{s:O, s:O}", "verifierKey",
                                   json_object_get(receipt->json, "verifierKey"), "receipt",
                                   json_object_get(receipt->json, "receipt")),
                         1);
    free(account);
}

static void the_command_accepts_it_and_nothing_else(void)
{
    PERSON person = person_register_settled(suite);
    PERSON next = person_register_settled(suite);
    char *account = suite_account(suite, person->email), *other = suite_account(suite, next->email);
    PROGRAM deleted = erasure_delete(suite, account);
    PROGRAM receipt = erasure_complete_receipt(suite, account);
    PROGRAM other_deleted = erasure_delete(suite, other);
    const char *note = program_text(receipt, "receipt"),
               *key = program_text(receipt, "verifierKey");
    char *altered = strdup(note), *signature;

    PROGRAM by_json = verify(receipt->out, key);
    CHECK_EXIT(by_json, 0);
    CU_ASSERT_STRING_EQUAL(program_text(by_json, "account"), account);
    PROGRAM by_delete = verify(deleted->out, key);
    CU_ASSERT_EQUAL(
        by_delete->code,
        json_is_true(json_object_get(json_object_get(deleted->json, "receipt"), "complete")) ? 0
                                                                                             : 1);
    PROGRAM by_note = verify(note, key);
    CHECK_EXIT(by_note, 0);
    CU_ASSERT_STRING_EQUAL(by_note->out, by_json->out);

    memcpy(strstr(altered, account), other, strlen(other));
    PROGRAM refused = verify(altered, key);
    CHECK_REFUSED(refused, 1, "the receipt was altered");
    strcpy(altered, note);
    signature = strrchr(altered, '\n') - 10;
    *signature = *signature == 'A' ? 'B' : 'A';
    PROGRAM forged = verify(altered, key);
    CHECK_REFUSED(forged, 1, "the receipt was altered");
    free(altered);

    /* the same key signs checkpoints, which must not pass for receipts */
    PROGRAM head = ATRIUMCTL(suite, NULL, "audit", "checkpoint", "--project", "demo", "--json");
    PROGRAM confused = verify(program_text(head, "checkpoint"), program_text(head, "verifierKey"));
    CHECK_REFUSED(confused, 1, "is not an erasure receipt");
    PROGRAM foreign = verify(note, program_text(head, "verifierKey"));
    CHECK_REFUSED(foreign, 1, "signed with a key other than --key");
    free(account);
    free(other);
}

static void a_daemon_that_has_not_done_its_part_is_named(void)
{
    PERSON person = person_register_settled(suite);
    char *account = suite_account(suite, person->email);
    pid_t docd = suite_pid(suite, "docd", "1");

    erasure_add_documents(suite, person, 2);
    suite_signal(suite, "docd", "1", SIGSTOP);
    PROGRAM deleted = erasure_delete(suite, account);
    PROGRAM waiting = erasure_receipt(suite, account);
    CHECK_EXIT(deleted, 0);
    CU_ASSERT_FALSE(erasure_is_complete(waiting));
    CU_ASSERT_STRING_EQUAL(
        json_string_value(json_array_get(json_object_get(waiting->json, "missing"), 0)), "docd");
    CU_ASSERT_TRUE(json_is_null(json_object_get(waiting->json, "receipt")));
    CU_ASSERT_EQUAL(erasure_number(waiting->json, "authd", "account", "rows"), 1);
    PROGRAM unsigned_yet = verify(waiting->out, "a+00000000+AA==");
    CHECK_REFUSED(unsigned_yet, 1, "no signed receipt");
    suite_signal(suite, "docd", "1", SIGKILL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "1", docd));
    PROGRAM receipt = erasure_complete_receipt(suite, account);
    UNIT_CHECK(erasure_number(receipt->json, "docd", "document", "rows") == 2, "%s", receipt->out);
    free(account);
}

static bool is_missing(const struct program *receipt, const char *daemon)
{
    const json_t *each;
    size_t i;

    json_array_foreach(json_object_get(receipt->json, "missing"), i, each)
    {
        if (strcmp(json_string_value(each), daemon) == 0)
            return true;
    }
    return false;
}

/* settingsd is stopped only after the deletion, because an account cannot be deleted without it. */
static void each_daemon_that_is_down_is_named(void)
{
    static const char *const daemons[] = {"maild", "botd", "settingsd"};
    PERSON person = person_register_settled(suite);
    char *account = suite_account(suite, person->email), *ctl = program_path("atriumctl");
    const char *argv[] = {ctl, "--dir", suite_dir(suite), "user", "delete", account, "--yes", NULL};
    struct program *deletion = NULL;
    pid_t pids[ARRAY_SIZE(daemons)];
    PGconn *holder;

    erasure_add_traces(suite, person, account);
    holder = erasure_hold(suite, "lock table settings.erasure in share mode");
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        pids[i] = suite_pid(suite, daemons[i], "1");
        if (strcmp(daemons[i], "settingsd") == 0) {
            deletion = program_start(argv, NULL);
            CU_ASSERT_TRUE(suite_comes_to(suite, 0, ERASURE_DONE_MS,
                                          "select count(*) from auth.account where id = '%s'",
                                          account));
        }
        suite_signal(suite, daemons[i], "1", SIGSTOP);
    }
    PQfinish(holder);
    CU_ASSERT_TRUE(program_wait_end(deletion, ERASURE_DONE_MS));
    program_destroy(&deletion);
    PROGRAM waiting = erasure_receipt(suite, account);
    CU_ASSERT_FALSE(erasure_is_complete(waiting));
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        UNIT_CHECK(is_missing(waiting, daemons[i]), "%s: %s", daemons[i], waiting->out);
    CU_ASSERT_FALSE(is_missing(waiting, "docd"));
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        suite_signal(suite, daemons[i], "1", SIGKILL);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, daemons[i], "1", pids[i]));
    PROGRAM receipt = erasure_complete_receipt(suite, account);
    erasure_check_traces(suite, person, account, receipt);
    free(account);
    free(ctl);
}

static void deaths_before_the_answer_count_once(void)
{
    static const char *const daemons[] = {"settingsd", "maild", "botd"};
    PERSON person = person_register_settled(suite);
    char *account = suite_account(suite, person->email), *ctl = program_path("atriumctl");
    const char *argv[] = {ctl, "--dir", suite_dir(suite), "user", "delete", account, "--yes", NULL};
    struct program *deletion;
    pid_t pids[ARRAY_SIZE(daemons)];
    PGconn *holder;

    erasure_add_traces(suite, person, account);
    holder =
        erasure_hold(suite, "lock table settings.erasure_step, mail.erasure_step, bot.erasure_step "
                            "in share mode");
    deletion = program_start(argv, NULL);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 3, ERASURE_DONE_MS,
        "select (select count(*) from settings.erasure where account_id = '%1$s' and rows = %2$d) "
        "+ (select count(*) from mail.erasure where account_id = '%1$s' and rows > 0) + "
        "(select count(*) from bot.erasure where account_id = '%1$s' and rows = %3$d)",
        account, ERASURE_CHANGES, ERASURE_EXECUTIONS));
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        pids[i] = suite_pid(suite, daemons[i], "1");
        suite_signal(suite, daemons[i], "1", SIGKILL);
    }
    PQfinish(holder);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, daemons[i], "1", pids[i]));
    CU_ASSERT_TRUE(program_wait_end(deletion, ERASURE_DONE_MS));
    program_destroy(&deletion);
    PROGRAM receipt = erasure_complete_receipt(suite, account);
    erasure_check_traces(suite, person, account, receipt);
    free(account);
    free(ctl);
}

static void deaths_in_the_middle_lose_no_count(void)
{
    PERSON person = person_register_settled(suite);
    char *account = suite_account(suite, person->email), sql[300];
    const char *profile = person->profile + strlen("Patient/");
    pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
    pid_t docd = suite_pid(suite, "docd", "1"), holder, killer;
    char *ctl = program_path("atriumctl");
    const char *argv[] = {ctl, "--dir", suite_dir(suite), "user", "delete", account, "--yes", NULL};
    struct program *deletion;

    erasure_add_documents(suite, person, MANY);
    snprintf(
        sql, sizeof(sql),
        "select 1 from doc.document where author_id = '%s' order by updated_at limit 1 for update",
        profile);
    holder = suite_hold(suite, sql);
    deletion = program_start(argv, NULL);
    CU_ASSERT_TRUE(suite_comes_to(suite, LEFT, ERASURE_DONE_MS,
                                  "select count(*) from doc.document where author_id = '%s'",
                                  profile));
    suite_signal(suite, "docd", "1", SIGKILL);
    killer = suite_kill_both_later(suite, "authd", 0);
    waitpid(killer, NULL, 0);
    waitpid(holder, NULL, 0);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "1", docd));
    CU_ASSERT_TRUE(program_wait_end(deletion, ERASURE_DONE_MS));
    program_destroy(&deletion);
    PROGRAM receipt = erasure_complete_receipt(suite, account);
    UNIT_CHECK(erasure_number(receipt->json, "docd", "document", "rows") == MANY, "%s",
               receipt->out);
    PROGRAM again = erasure_receipt(suite, account);
    CU_ASSERT_STRING_EQUAL(again->out, receipt->out);
    free(account);
    free(ctl);
}

static void it_is_signed_once(void)
{
    PERSON person = person_register_settled(suite);
    char *account = suite_account(suite, person->email);
    char *ctl = program_path("atriumctl");
    const char *argv[] = {ctl,       "--dir", suite_dir(suite), "user",
                          "receipt", account, "--json",         NULL};
    struct program *both[8];

    suite_signal(suite, "docd", "1", SIGSTOP);
    PROGRAM deleted = erasure_delete(suite, account);
    suite_signal(suite, "docd", "1", SIGCONT);
    CU_ASSERT_TRUE(suite_comes_to(suite, 2, ERASURE_DONE_MS,
                                  "select count(*) from doc.erasure_step where account_id = '%s'",
                                  account));
    for (size_t i = 0; i < ARRAY_SIZE(both); i++)
        both[i] = program_start(argv, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
        CU_ASSERT_TRUE(program_wait_end(both[i], ERASURE_DONE_MS));
        CU_ASSERT_TRUE(erasure_is_complete(both[i]));
        CU_ASSERT_STRING_EQUAL(both[i]->out, both[0]->out);
    }
    for (size_t i = 0; i < ARRAY_SIZE(both); i++)
        program_destroy(&both[i]);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where entity = 'Account/%s' and "
                                "event->>'action' = 'account.receipt'",
                                account),
                    1);
    free(account);
    free(ctl);
}

static void the_end_of_a_project_leaves_receipts(void)
{
    PERSON admin = person_admin(suite);
    PERSON child = person_admin_of_child(suite, "erasure-child");
    PERSON person = person_register_settled(suite);
    char *account = suite_account(suite, person->email);
    PROGRAM deleted = erasure_delete(suite, account);
    PROGRAM before = erasure_complete_receipt(suite, account);
    PROGRAM gone = ATRIUMCTL(suite, NULL, "project", "delete", "erasure-child", "--force", "--yes");
    PROGRAM other = erasure_receipt(suite, account);
    CU_ASSERT_PTR_NOT_NULL(admin);
    CU_ASSERT_PTR_NOT_NULL(child);
    CHECK_EXIT(gone, 0);
    CU_ASSERT_STRING_EQUAL(other->out, before->out);
    PROGRAM own = ATRIUMCTL(suite, NULL, "project", "delete", "demo", "--force", "--yes");
    PROGRAM after = erasure_receipt(suite, account);
    CHECK_EXIT(own, 0);
    CU_ASSERT_STRING_EQUAL(after->out, before->out);
    free(account);
}

static void suite_starts(void)
{
    dir = unit_dir_make();
    suite = suite_start(&(struct suite_options){.instances = "authd=2"});
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(suite_starts),
    CASE(the_counts_are_what_the_database_held),
    CASE(the_history_of_settings_names_no_one_who_is_gone),
    CASE(every_daemon_erases_and_counts),
    CASE(an_erasure_of_before_names_authd_and_docd),
    CASE(the_deletion_prints_it),
    CASE(only_what_was_erased_has_one),
    CASE(go_accepts_it_and_no_other_byte),
    CASE(the_command_accepts_it_and_nothing_else),
    CASE(a_daemon_that_has_not_done_its_part_is_named),
    CASE(each_daemon_that_is_down_is_named),
    CASE(deaths_before_the_answer_count_once),
    CASE(deaths_in_the_middle_lose_no_count),
    CASE(it_is_signed_once),
    CASE(the_end_of_a_project_leaves_receipts),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("erasure", cases, ARRAY_SIZE(cases));
}
