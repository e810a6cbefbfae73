/*
 * test_erasure.c - the receipt of an account that was deleted with all that it owned: what it says
 * was erased is what the database held, Go's own note accepts it, and no death of a daemon loses or
 * changes it. Over two authd.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/base/clock.h"
#include "tests/support/audit_go.h"
#include "tests/support/document.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    DONE_MS = 30000,
    MANY = 450, /* documents: two whole batches of docd's and a part of one */
    LEFT = 50,  /* in the last batch */
};

static struct suite *suite;
static struct unit_dir dir;

/* ---- asking ---- */

static char *account_of(const struct person *person)
{
    char sql[200];

    snprintf(sql, sizeof(sql), "select account_id from auth.membership where profile_id = '%s'",
             person->profile + strlen("Patient/"));
    return suite_query(suite, sql);
}

static struct program *receipt_of(const char *account)
{
    return ATRIUMCTL(suite, NULL, "user", "receipt", account, "--json");
}

static struct program *delete_account(const char *account)
{
    return ATRIUMCTL(suite, NULL, "user", "delete", account, "--yes", "--json");
}

static bool is_complete(const struct program *receipt)
{
    return json_is_true(json_object_get(receipt->json, "complete"));
}

/* Waits for it (caller destroys). */
static struct program *complete_receipt_of(const char *account)
{
    int64_t until = clock_mono_ms() + DONE_MS;
    struct program *receipt = receipt_of(account);

    while (!is_complete(receipt) && clock_mono_ms() < until) {
        program_destroy(&receipt);
        receipt = receipt_of(account);
    }
    UNIT_CHECK(is_complete(receipt), "%s%s", receipt->out, receipt->err);
    return receipt;
}

/* A number of a table in a daemon's part, 0 where it is not named. */
static long erased(const json_t *receipt, const char *daemon, const char *table, const char *what)
{
    const json_t *part, *row;
    size_t i, j;

    json_array_foreach(json_object_get(receipt, "parts"), i, part)
    {
        if (strcmp(json_string_value(json_object_get(part, "daemon")), daemon) != 0)
            continue;
        json_array_foreach(json_object_get(part, "erased"), j, row)
        {
            if (strcmp(json_string_value(json_object_get(row, "table")), table) == 0)
                return (long)json_integer_value(json_object_get(row, what));
        }
    }
    return 0;
}

static void add_documents(const struct person *person, int count)
{
    char sql[500];

    snprintf(
        sql, sizeof(sql),
        "insert into doc.document (project_id, id, author_type, author_id, author_display, "
        "file_name, content_type, uploads, updated_at) select '%s', gen_random_uuid(), "
        "'Patient', '%s', 'Ana', 'a.txt', 'text/plain', 1, %lld + i from generate_series(1, %d) i",
        suite_text(suite, "demo.projectId"), person->profile + strlen("Patient/"),
        (long long)clock_real_ms(), count);
    free(suite_query(suite, sql));
}

static struct program *verify(const char *text, const char *key)
{
    return ATRIUMCTL(suite, NULL, "user", "verify-receipt", unit_dir_write(&dir, "receipt", text),
                     "--key", key, "--json");
}

/* ---- what it says ---- */

static void the_counts_are_what_the_database_held(void)
{
    PERSON person = person_register_settled(suite);
    PERSON other = person_register(suite, NULL);
    char *account = account_of(person), *one, *two, *others, sql[1200];

    one = document_put(suite, person->access, "one", "a/b", "12345", 5);
    two = document_put(suite, person->access, "two", "a/b", "1234567", 7);
    others = document_put(suite, other->access, "mine", "a/b", "abc", 3);
    add_documents(person, 1);
    snprintf(sql, sizeof(sql),
             "insert into auth.oauth_consent select '%s', '%s', 'client-' || i, 'C', 'openid', "
             "'r', '1', 1, 1 from generate_series(1, 3) i",
             suite_text(suite, "demo.projectId"), account);
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

    PROGRAM deleted = delete_account(account);
    CHECK_EXIT(deleted, 0);
    PROGRAM receipt = complete_receipt_of(account);
    strcpy(names, tables);
    count = 0;
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
        long said = erased(receipt->json, "authd", name, "rows");
        UNIT_CHECK(said == before[count], "%s: %ld of %ld", name, said, before[count]);
        count++;
    }
    CU_ASSERT_EQUAL(erased(receipt->json, "authd", "account", "rows"), 1);
    CU_ASSERT_EQUAL(erased(receipt->json, "authd", "oauth_consent", "rows"), 3);
    CU_ASSERT_TRUE(erased(receipt->json, "authd", "session", "rows") > 0);
    CU_ASSERT_EQUAL(erased(receipt->json, "docd", "document", "rows"), 3);
    CU_ASSERT_EQUAL(erased(receipt->json, "docd", "document", "bytes"), 12);
    UNIT_CHECK(erased(receipt->json, "docd", "object", "rows") == objects && objects >= 2,
               "%ld objects", objects);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from doc.object where erased_for = '%s'", account), 0);
    /* identifiers only */
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

static void the_deletion_prints_it(void)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person);
    PROGRAM deleted = delete_account(account);
    PROGRAM receipt = complete_receipt_of(account);
    PROGRAM again = delete_account(account);
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
    char *account = account_of(person);
    PROGRAM living = receipt_of(account);
    PROGRAM unknown = receipt_of("5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b");
    PROGRAM odd = receipt_of("ana");

    CHECK_REFUSED(living, 1, "No erasure of such an account is known.");
    CHECK_REFUSED(unknown, 1, "No erasure of such an account is known.");
    CHECK_REFUSED(odd, 1, "must be the id of an account");
    free(account);
}

/* ---- who vouches for it ---- */

static void go_accepts_it_and_no_other_byte(void)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person);
    PROGRAM deleted = delete_account(account);
    PROGRAM receipt = complete_receipt_of(account);

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
    char *account = account_of(person), *other = account_of(next);
    PROGRAM deleted = delete_account(account);
    PROGRAM receipt = complete_receipt_of(account);
    PROGRAM other_deleted = delete_account(other);
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

    /* the key signs heads of trails too: they are no receipts */
    PROGRAM head = ATRIUMCTL(suite, NULL, "audit", "checkpoint", "--project", "demo", "--json");
    PROGRAM confused = verify(program_text(head, "checkpoint"), program_text(head, "verifierKey"));
    CHECK_REFUSED(confused, 1, "is not the receipt of an erasure");
    PROGRAM foreign = verify(note, program_text(head, "verifierKey"));
    CHECK_REFUSED(foreign, 1, "signed by another key");
    free(account);
    free(other);
}

/* ---- deaths ---- */

static void a_daemon_that_has_not_done_its_part_is_named(void)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person);
    pid_t docd = suite_pid(suite, "docd", "1");

    add_documents(person, 2);
    suite_signal(suite, "docd", "1", SIGSTOP);
    PROGRAM deleted = delete_account(account);
    PROGRAM waiting = receipt_of(account);
    CHECK_EXIT(deleted, 0);
    CU_ASSERT_FALSE(is_complete(waiting));
    CU_ASSERT_STRING_EQUAL(
        json_string_value(json_array_get(json_object_get(waiting->json, "missing"), 0)), "docd");
    CU_ASSERT_TRUE(json_is_null(json_object_get(waiting->json, "receipt")));
    CU_ASSERT_EQUAL(erased(waiting->json, "authd", "account", "rows"), 1);
    PROGRAM unsigned_yet = verify(waiting->out, "a+00000000+AA==");
    CHECK_REFUSED(unsigned_yet, 1, "no receipt that is signed");
    suite_signal(suite, "docd", "1", SIGKILL);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "1", docd));
    PROGRAM receipt = complete_receipt_of(account);
    UNIT_CHECK(erased(receipt->json, "docd", "document", "rows") == 2, "%s", receipt->out);
    free(account);
}

/* docd dies after two batches of documents, authd too: each is counted once. */
static void deaths_in_the_middle_lose_no_count(void)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person), sql[300];
    const char *profile = person->profile + strlen("Patient/");
    pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
    pid_t docd = suite_pid(suite, "docd", "1"), holder, killer;
    char *ctl = program_path("atriumctl");
    const char *argv[] = {ctl, "--dir", suite_dir(suite), "user", "delete", account, "--yes", NULL};
    struct program *deletion;

    add_documents(person, MANY);
    snprintf(
        sql, sizeof(sql),
        "select 1 from doc.document where author_id = '%s' order by updated_at limit 1 for update",
        profile);
    holder = suite_hold(suite, sql);
    deletion = program_start(argv, NULL);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, LEFT, DONE_MS, "select count(*) from doc.document where author_id = '%s'", profile));
    suite_signal(suite, "docd", "1", SIGKILL);
    killer = suite_kill_both_later(suite, "authd", 0);
    waitpid(killer, NULL, 0);
    waitpid(holder, NULL, 0);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "docd", "1", docd));
    CU_ASSERT_TRUE(program_wait_end(deletion, DONE_MS));
    program_destroy(&deletion);
    PROGRAM receipt = complete_receipt_of(account);
    UNIT_CHECK(erased(receipt->json, "docd", "document", "rows") == MANY, "%s", receipt->out);
    PROGRAM again = receipt_of(account);
    CU_ASSERT_STRING_EQUAL(again->out, receipt->out);
    free(account);
    free(ctl);
}

/* Signed by both instances at once: one receipt. */
static void it_is_signed_once(void)
{
    PERSON person = person_register_settled(suite);
    char *account = account_of(person);
    char *ctl = program_path("atriumctl");
    const char *argv[] = {ctl,       "--dir", suite_dir(suite), "user",
                          "receipt", account, "--json",         NULL};
    struct program *both[8];

    suite_signal(suite, "docd", "1", SIGSTOP);
    PROGRAM deleted = delete_account(account);
    suite_signal(suite, "docd", "1", SIGCONT);
    CU_ASSERT_TRUE(suite_comes_to(suite, 2, DONE_MS,
                                  "select count(*) from doc.erasure_step where account_id = '%s'",
                                  account));
    for (size_t i = 0; i < ARRAY_SIZE(both); i++)
        both[i] = program_start(argv, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
        CU_ASSERT_TRUE(program_wait_end(both[i], DONE_MS));
        CU_ASSERT_TRUE(is_complete(both[i]));
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

/* ---- projects ---- */

static void the_end_of_a_project_leaves_receipts(void)
{
    PERSON admin = person_admin(suite);
    PERSON child = person_admin_of_child(suite, "erasure-child");
    PERSON person = person_register_settled(suite);
    char *account = account_of(person);
    PROGRAM deleted = delete_account(account);
    PROGRAM before = complete_receipt_of(account);
    PROGRAM gone = ATRIUMCTL(suite, NULL, "project", "delete", "erasure-child", "--force", "--yes");
    PROGRAM other = receipt_of(account);
    CU_ASSERT_PTR_NOT_NULL(admin);
    CU_ASSERT_PTR_NOT_NULL(child);
    CHECK_EXIT(gone, 0);
    CU_ASSERT_STRING_EQUAL(other->out, before->out);
    PROGRAM own = ATRIUMCTL(suite, NULL, "project", "delete", "demo", "--force", "--yes");
    PROGRAM after = receipt_of(account);
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
    CASE(the_deletion_prints_it),
    CASE(only_what_was_erased_has_one),
    CASE(go_accepts_it_and_no_other_byte),
    CASE(the_command_accepts_it_and_nothing_else),
    CASE(a_daemon_that_has_not_done_its_part_is_named),
    CASE(deaths_in_the_middle_lose_no_count),
    CASE(it_is_signed_once),
    CASE(the_end_of_a_project_leaves_receipts),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("erasure", cases, ARRAY_SIZE(cases));
}
