/*
 * test_trail_address.c - network addresses in audit rows of every daemon: sealed for the account,
 * readable by permitted readers, erased with the account while chain, tree and proofs stay valid.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/audit_go.h"
#include "tests/support/document.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/trail.h"
#include "tests/support/trail_proof.h"
#include "tests/support/unit.h"

#define AUDIT "/v1/project/audit"
#define PLACE "127.7.7.7"
#define OF_GATEWAY "event->'agent'->>'service' = 'gateway'"
#define OF_ACCOUNT "coalesce(event->'agent'->>'account', event->>'account') "
#define OPEN "event->>'address' is not null "
#define SEALED "event->>'addressSealed' is not null "

enum { GROWN_MS = 30000, CALLS = 16 };

static struct suite *suite;
static struct person *admin;
static struct unit_dir dir;

static struct http_answer *post_from(const char *path, const char *access, json_t *body)
{
    struct http_request request = {
        .method = "POST", .path = path, .bearer = access, .body = body, .source = PLACE};

    return http_call(suite_url(suite), &request);
}

static void wrong_password(const char *email)
{
    HTTP_ANSWER wrong = post_from("/auth/tenant/Patient/login/start", NULL,
                                  body_login_start(email, "wrong", "demo"));

    CHECK_STATUS(wrong, 400);
}

static void make_document(const struct person *person)
{
    HTTP_ANSWER made =
        post_from("/document", person->access,
                  json_pack("{s:s, s:s}", "fileName", "a.txt", "contentType", "text/plain"));

    CHECK_STATUS(made, 200);
}

static long rows_of(const char *account, const char *where)
{
    return trail_number(suite,
                        "select count(*) from trail where (event->>'account' = '%s' or "
                        "event->'agent'->>'account' = '%s') and %s",
                        account, account, where);
}

static long keys_of(const char *account)
{
    return trail_number(
        suite, "select count(*) from auth.account_address_key where account_id = '%s'", account);
}

static void wait_for_leaves(void)
{
    trail_check_sealed(suite);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, GROWN_MS,
                                  "select (select count(*) from trail where project_id = '%s') - "
                                  "(select size from auth.trail_tree where project_id = '%s')",
                                  strchr(admin->project, '/') + 1,
                                  strchr(admin->project, '/') + 1));
}

static void rows_of_accounts_have_no_open_address(void)
{
    PERSON person = person_register(suite, NULL);
    char *account = suite_account(suite, person->email);

    wrong_password(person->email);
    make_document(person);
    suite_set_switch(suite, admin->access, "PATIENT_REGISTRATION_ENABLED", true);
    HTTP_ANSWER reset = post_from("/auth/reset-password", NULL,
                                  json_pack("{s:s, s:s, s:s}", "email", person->email, "type",
                                            "Patient", "tenantCode", "demo"));
    CHECK_STATUS(reset, 200);
    const struct mail_link link = suite_mail_link(suite, person->email, "set-password");
    HTTP_ANSWER set =
        suite_post_link(suite, "/auth/set-password", &link, NULL, "another long password");
    CHECK_STATUS(set, 204);
    CU_ASSERT_EQUAL(trail_number(suite, "select count(*) from trail where " OPEN "and " OF_ACCOUNT
                                        "is not null"),
                    0);
    CU_ASSERT_EQUAL(rows_of(account, OF_GATEWAY " and not " SEALED), 0);
    CU_ASSERT_TRUE(rows_of(account, SEALED) >= 6);
    CU_ASSERT_EQUAL(trail_number(suite, "select count(distinct daemon) from trail where " SEALED),
                    3);
    free(account);
}

static void sealed_texts_tell_nothing(void)
{
    PERSON person = person_register(suite, NULL);

    for (int i = 0; i < 3; i++)
        make_document(person);
    CU_ASSERT_EQUAL(trail_number(suite, "select count(*) - count(distinct event->>'addressSealed') "
                                        "from trail where " SEALED),
                    0);
    CU_ASSERT_EQUAL(trail_number(suite, "select count(distinct length(event->>'addressSealed')) "
                                        "from trail"),
                    1);
}

static void rows_without_an_account_have_it_open(void)
{
    wrong_password("no.such.person@patients.example");
    CU_ASSERT_EQUAL(trail_number(suite, "select count(*) from trail where event->>'address' = "
                                        "'" PLACE "' and event->>'account' is null"),
                    1);
}

static void those_who_may_read_it_read_it_as_before(void)
{
    PERSON person = person_register(suite, NULL);
    char *account = suite_account(suite, person->email), actor[80];

    make_document(person);
    wrong_password(person->email);
    wait_for_leaves();
    HTTP_ANSWER own = http_get(suite_url(suite), "/auth/activity", person->access);
    CHECK_STATUS(own, 200);
    CU_ASSERT_EQUAL(unit_occurrences(own->body, "\"address\":\"" PLACE "\""), 2);
    CU_ASSERT_EQUAL(unit_occurrences(own->body, "erased"), 0);
    snprintf(actor, sizeof(actor), AUDIT "?actor=%s", person->profile);
    HTTP_ANSWER list = http_get(suite_url(suite), actor, admin->access);
    CHECK_STATUS(list, 200);
    CU_ASSERT_EQUAL(unit_occurrences(list->body, "\"address\":\"" PLACE "\""), 2);
    PROGRAM search = ATRIUMCTL(suite, NULL, "audit", "search", "--account", account, "--json");
    CU_ASSERT_EQUAL(unit_occurrences(search->out, PLACE), 2);
    PROGRAM export = ATRIUMCTL(suite, NULL, "audit", "export", "--project", "demo");
    CU_ASSERT_TRUE(unit_occurrences(export->out, PLACE) >= 2);
    CU_ASSERT_EQUAL(unit_occurrences(export->out, "\"sealed\""), 0);
    free(account);
}

static json_t *proof_of(const char *id)
{
    char path[160];

    snprintf(path, sizeof(path), AUDIT "/%s/proof", id);
    HTTP_ANSWER proof = http_get(suite_url(suite), path, admin->access);
    CHECK_STATUS(proof, 200);
    return json_incref(proof->json);
}

/* Makes verify.go's input, and consumes the proof. */
static json_t *line_of(json_t *proof)
{
    json_t *line =
        json_pack("{s:O, s:O, s:[{s:O, s:O, s:O}]}", "verifierKey",
                  json_object_get(proof, "verifierKey"), "checkpoint",
                  json_object_get(proof, "checkpoint"), "proofs", "index",
                  json_object_get(proof, "index"), "record", json_object_get(proof, "record"),
                  "hashes", json_object_get(proof, "hashes"));

    json_decref(proof);
    return line;
}

static void a_wipe_erases_addresses_and_no_proof(void)
{
    PERSON person = person_register_settled(suite);
    char *account = suite_account(suite, person->email), path[160];

    make_document(person);
    wait_for_leaves();
    snprintf(path, sizeof(path), AUDIT "?actor=%s&action=document", person->profile);
    HTTP_ANSWER before = http_get(suite_url(suite), path, admin->access);
    const char *id = http_text(before, "resources.0.id");
    json_auto_t *kept = proof_of(id);
    CU_ASSERT_EQUAL(keys_of(account), 1);
    PROGRAM deleted = ATRIUMCTL(suite, NULL, "user", "delete", account, "--yes");
    CHECK_EXIT(deleted, 0);
    CU_ASSERT_EQUAL(keys_of(account), 0);
    wait_for_leaves();

    HTTP_ANSWER after = http_get(suite_url(suite), path, admin->access);
    CU_ASSERT_STRING_EQUAL(http_text(after, "resources.0.id"), id);
    CU_ASSERT_EQUAL(unit_occurrences(before->body, PLACE), 1);
    CU_ASSERT_EQUAL(unit_occurrences(after->body, PLACE), 0);
    CU_ASSERT_EQUAL(unit_occurrences(after->body, "\"valueString\":\"erased\""), 1);
    PROGRAM search = ATRIUMCTL(suite, NULL, "audit", "search", "--account", account, "--json");
    CU_ASSERT_EQUAL(unit_occurrences(search->out, PLACE), 0);
    CU_ASSERT_TRUE(unit_occurrences(search->out, "\"erased\"") >= 2);
    PROGRAM receipt = ATRIUMCTL(suite, NULL, "user", "receipt", account, "--json");
    CU_ASSERT_TRUE(unit_occurrences(receipt->out, "account_address_key") >= 1);

    trail_check_sound(suite);
    json_auto_t *proof = proof_of(id);
    CU_ASSERT_TRUE(json_equal(json_object_get(kept, "record"), json_object_get(proof, "record")));
    CU_ASSERT_TRUE(trail_proof_holds(proof));
    if (audit_go_build(dir.path))
        audit_go_accepts(line_of(json_incref(proof)), 1);
    free(account);
}

static void a_wipe_while_rows_are_written_leaves_no_key(void)
{
    PERSON person = person_register_settled(suite);
    struct http_request requests[CALLS];
    struct http_answer *answers[CALLS];
    char *account = suite_account(suite, person->email), *ctl = program_path("atriumctl");
    const char *argv[] = {ctl, "--dir", suite_dir(suite), "user", "delete", account, "--yes", NULL};
    struct program *deletion = program_start(argv, NULL);

    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < CALLS; i++)
            requests[i] = (struct http_request){.method = "POST",
                                                .path = "/document",
                                                .bearer = person->access,
                                                .body = json_pack("{s:s, s:s}", "fileName", "a.txt",
                                                                  "contentType", "text/plain")};
        http_call_many(suite_url(suite), requests, CALLS, 8, answers);
        http_answers_destroy(answers, CALLS);
    }
    CU_ASSERT_TRUE(program_wait_end(deletion, 30000));
    CHECK_EXIT(deletion, 0);
    program_destroy(&deletion);
    CU_ASSERT_EQUAL(keys_of(account), 0);
    CU_ASSERT_EQUAL(rows_of(account, OPEN), 0);
    PROGRAM search = ATRIUMCTL(suite, NULL, "audit", "search", "--account", account, "--json");
    CU_ASSERT_EQUAL(unit_occurrences(search->out, "\"127."), 0);
    trail_check_sealed(suite);
    trail_check_sound(suite);
    free(ctl);
    free(account);
}

static void an_account_of_an_older_build_gets_its_keys_when_it_is_used(void)
{
    PERSON person = person_register(suite, NULL);
    struct http_request requests[CALLS];
    struct http_answer *answers[CALLS];
    char *account = suite_account(suite, person->email);

    free(suite_query(suite, "delete from auth.account_address_key"));
    for (size_t i = 0; i < CALLS; i++)
        requests[i] = (struct http_request){
            .method = "POST",
            .path = "/auth/tenant/Patient/login/start",
            .source = PLACE,
            .body = body_login_start(person->email, i < 4 ? "wrong" : person->password, "demo")};
    http_call_many(suite_url(suite), requests, CALLS, CALLS, answers);
    http_answers_destroy(answers, CALLS);
    CU_ASSERT_EQUAL(keys_of(account), 1);
    trail_check_sealed(suite);
    PROGRAM search = ATRIUMCTL(suite, NULL, "audit", "search", "--account", account, "--json");
    CU_ASSERT_EQUAL(unit_occurrences(search->out, PLACE), 4);
    free(account);
}

static void a_session_of_an_older_build_gets_its_keys_too(void)
{
    PERSON person = person_register(suite, NULL);
    char *account = suite_account(suite, person->email);

    free(suite_query(suite, "delete from auth.account_address_key"));
    PERSON again = person_sign_in(suite, "Patient", person->email, person->password, "demo");
    free(suite_query(suite, "delete from auth.account_address_key"));
    make_document(again);
    CU_ASSERT_EQUAL(keys_of(account), 1);
    trail_check_sealed(suite);
    PROGRAM search = ATRIUMCTL(suite, NULL, "audit", "search", "--account", account, "--json");
    CU_ASSERT_EQUAL(unit_occurrences(search->out, PLACE), 1);
    free(account);
}

/* If the account's row is locked, the audit row gets no address, so that the sign-in need not
 * wait. */
static void a_locked_row_makes_no_sign_in_wait(void)
{
    PERSON person = person_register(suite, NULL);
    char *account = suite_account(suite, person->email), sql[160];
    PGconn *holder;

    free(suite_query(suite, "delete from auth.account_address_key"));
    snprintf(sql, sizeof(sql), "select 1 from auth.account where id = '%s' for update", account);
    holder = suite_lock_rows(suite, sql);
    wrong_password(person->email);
    suite_unlock(holder);
    CU_ASSERT_EQUAL(keys_of(account), 0);
    CU_ASSERT_EQUAL(
        rows_of(account, "event->>'outcome' = 'failure' and not " SEALED "and not " OPEN), 1);
    wrong_password(person->email);
    CU_ASSERT_EQUAL(keys_of(account), 1);
    free(account);
}

static void suite_starts(void)
{
    dir = unit_dir_make();
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2"});
    trail_open(suite);
    admin = person_admin(suite);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(suite_starts),
    CASE(rows_of_accounts_have_no_open_address),
    CASE(sealed_texts_tell_nothing),
    CASE(rows_without_an_account_have_it_open),
    CASE(those_who_may_read_it_read_it_as_before),
    CASE(a_wipe_erases_addresses_and_no_proof),
    CASE(a_wipe_while_rows_are_written_leaves_no_key),
    CASE(an_account_of_an_older_build_gets_its_keys_when_it_is_used),
    CASE(a_session_of_an_older_build_gets_its_keys_too),
    CASE(a_locked_row_makes_no_sign_in_wait),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("trail address", cases, ARRAY_SIZE(cases));
}
