/*
 * test_read_only.c - a read-only tenant during a move: reads work, writes are rejected, and an
 * export is one consistent state.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/document.h"
#include "tests/support/rows.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { TIMES = 6 /* repeats of a request, enough to reach every gateway */, WRITERS = 6 };

static struct suite *suite;
static struct person *admin, *patient, *child, *leaving;
static struct unit_dir files;
static char *document, public_path[300], *later_id;
static struct http_answer *form;
static char key[128]; /* key of the installation */
static char *api_key;

/* Makes the hash as cheap as an older release did; the next sign-in replaces it. */
static void make_hash_old(const struct person *person)
{
    char hash[crypto_pwhash_STRBYTES];

    CU_ASSERT_EQUAL(
        crypto_pwhash_str(hash, person->password, strlen(person->password), 1, 8192 * 1024), 0);
    person_set_hash(suite, person->email, hash);
}

static char *make_api_key(void)
{
    HTTP_ANSWER policy = http_post(suite_url(suite), "/v1/project/access-policies", admin->access,
                                   json_pack("{s:s, s:[{s:s}]}", "name", "Laboratory", "resource",
                                             "resourceType", "*"));
    char reference[64];

    snprintf(reference, sizeof(reference), "AccessPolicy/%s", http_text(policy, "id"));

    HTTP_ANSWER made =
        http_post(suite_url(suite), "/v1/project/api-keys", admin->access,
                  json_pack("{s:s, s:s}", "name", "Laboratory", "accessPolicy", reference));

    CHECK_STATUS(made, 200);
    return strdup(http_text(made, "key"));
}

static void the_suite_starts(void)
{
    suite = suite_start(&(struct suite_options){
        .instances = "gateway=2,authd=2,settingsd=2,docd=2,maild=2,botd=2", .test_clock = true});
    files = unit_dir_make();
    admin = person_admin(suite);
    patient = person_register(suite, NULL);
    leaving = person_register(suite, NULL);
    child = person_admin_of_child(suite, "below");
    api_key = make_api_key();
    document = document_put(suite, patient->access, "a.txt", "text/plain", "abc", 3);
    HTTP_ANSWER shared = http_call(
        suite_url(suite), &(struct http_request){.method = "PATCH",
                                                 .path = document_path(document),
                                                 .bearer = patient->access,
                                                 .body = json_pack("{s:b}", "isPublic", true)});
    CHECK_STATUS(shared, 200);
    snprintf(public_path, sizeof(public_path), "/document/public/%s",
             http_text(shared, "publicToken"));
    form = document_make(suite, patient->access, "later.txt", "text/plain");
    CHECK_STATUS(form, 200);
    later_id = strdup(http_text(form, "id"));
    PROGRAM shown = ATRIUMCTL(suite, NULL, "tenant", "key");
    CHECK_EXIT(shown, 0);
    snprintf(key, sizeof(key), "%.*s", (int)strcspn(shown->out, "\n"), shown->out);
}

static struct program *read_only(void)
{
    return ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--read-only", "--json");
}

static struct program *resume(void)
{
    return ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--resume", "--json");
}

static bool is_read_only(const struct http_answer *answer)
{
    return http_retry_after(answer) > 0 && answer->status == 503 &&
           strcmp(http_text(answer, "code"), "PROJECT_READ_ONLY") == 0;
}

#define CHECK_READ_ONLY(answer, label) \
    UNIT_CHECK(is_read_only(answer), "%s: %d %s", label, (answer)->status, (answer)->body)

static void the_state_is_shown(void)
{
    make_hash_old(admin);
    PROGRAM held = read_only();
    CHECK_EXIT(held, 0);
    CU_ASSERT_TRUE(json_is_true(json_object_get(held->json, "readOnly")));
    CU_ASSERT_TRUE(json_is_false(json_object_get(held->json, "suspended")));
    PROGRAM shown = ATRIUMCTL(suite, NULL, "project", "show", "below", "--json");
    CU_ASSERT_TRUE(json_is_true(json_object_get(shown->json, "readOnly")));
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor");
    CU_ASSERT_PTR_NOT_NULL(strstr(doctor->out, "projects that are read-only: 2"));
    PROGRAM again = read_only();
    CHECK_EXIT(again, 0);
    PROGRAM both = ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--read-only", "--resume");
    CHECK_REFUSED(both, 1, "exclude each other");
    PROGRAM delete = ATRIUMCTL(suite, NULL, "project", "delete", "below", "--force", "--yes");
    CHECK_REFUSED(delete, 1, "read-only");
}

/* Bots wait too, also an operator's, because no database trigger could undo their effects. */
static void keys_and_bots_wait(void)
{
    static const char *const paths[] = {"/bots", "/ai/translation", "/document"};

    for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
        for (int round = 0; round < TIMES; round++) {
            HTTP_ANSWER answer = http_post(suite_url(suite), paths[i], api_key, json_object());
            CHECK_READ_ONLY(answer, paths[i]);
        }
    PROGRAM run = ATRIUMCTL(suite, NULL, "bot", "run", "--project", "demo", "intake");
    CHECK_REFUSED(run, 1, "read-only");
}

/* Checks every route row with a token: reads work, and everything else is rejected before its body
 * is read. */
static void reads_go_on_and_writes_wait(void)
{
    for (const struct route *route = test_routes; route->method; route++) {
        bool safe = route->flags & R_SAFE;
        char path[256];

        if (route->access == ACCESS_PUBLIC || route->access == ACCESS_LOGOUT)
            continue;
        rows_fill_path(route, path);
        for (int i = 0; i < (safe ? 1 : 2); i++) {
            HTTP_ANSWER answer =
                http_call(suite_url(suite), &(struct http_request){.method = route->method,
                                                                   .path = path,
                                                                   .bearer = admin->access,
                                                                   .raw = "{}"});
            UNIT_CHECK(is_read_only(answer) != safe && (safe || answer->status == 503),
                       "%s %s: %d %s", route->method, path, answer->status, answer->body);
        }
    }
    CU_ASSERT_TRUE(suite_everywhere(suite, patient->access, 200));
    CU_ASSERT_TRUE(suite_everywhere(suite, child->access, 200));
    keys_and_bots_wait();
    for (int i = 0; i < TIMES; i++) {
        HTTP_ANSWER file = document_get(suite, patient->access, document);
        CHECK_BYTES(file, "abc", 3);
        HTTP_ANSWER open = http_get(suite_url(suite), public_path, NULL);
        CHECK_BYTES(open, "abc", 3);
        HTTP_ANSWER list = http_get(suite_url(suite), "/document", patient->access);
        CHECK_STATUS(list, 200);
        HTTP_ANSWER below = document_make(suite, child->access, "x.txt", "text/plain");
        CHECK_READ_ONLY(below, "of a project below");
    }
}

static bool has_old_hash(const char *email)
{
    return suite_count(suite,
                       "select count(*) from auth.credential c join auth.account a on a.id = "
                       "c.account_id where a.email = '%s' and c.password_hash like "
                       "'$argon2id$v=19$m=8192,%%'",
                       email) == 1;
}

static json_t *mail_body(const char *email)
{
    return json_pack("{s:s, s:s}", "email", email, "tenantCode", "demo");
}

static void sign_ins_and_mailed_links_wait(void)
{
    HTTP_ANSWER start =
        suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                         body_login_start(patient->email, patient->password, "demo"));
    CHECK_READ_ONLY(start, "sign-in");
    HTTP_ANSWER wrong = suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                                         body_login_start(patient->email, "wrong", "demo"));
    CHECK_READ_ONLY(wrong, "sign-in with a wrong password");
    HTTP_ANSWER newcomer = suite_post_fresh(suite, "/auth/tenant/Patient/register",
                                            body_register("new@patients.example", "demo"));
    CHECK_READ_ONLY(newcomer, "registration");
    HTTP_ANSWER reset = suite_post_fresh(suite, "/auth/reset-password", mail_body(patient->email));
    CHECK_READ_ONLY(reset, "password reset");
    HTTP_ANSWER unknown =
        suite_post_fresh(suite, "/auth/reset-password", mail_body("none@patients.example"));
    CHECK_READ_ONLY(unknown, "password reset of an unknown address");
    HTTP_ANSWER passkey = suite_post_fresh(suite, "/auth/tenant/Patient/passkey/start",
                                           json_pack("{s:s, s:s}", "tenantCode", "demo",
                                                     "codeChallenge", pkce_challenge));
    CHECK_READ_ONLY(passkey, "passkey");
    HTTP_ANSWER anywhere = suite_post_fresh(suite, "/auth/tenant/Practitioner/login/start",
                                            body_login_start(admin->email, admin->password, NULL));
    CHECK_STATUS(anywhere, 200); /* no tenant is chosen yet */
    CU_ASSERT_TRUE(has_old_hash(admin->email));
    HTTP_ANSWER chosen =
        suite_post_fresh(suite, "/auth/tenant/Practitioner/login/token",
                         body_login_token(http_text(anywhere, "sessionCode"), "demo"));
    CHECK_READ_ONLY(chosen, "the tenant of a sign-in");
    HTTP_ANSWER left = http_post(suite_url(suite), "/auth/logout", leaving->access, NULL);
    CHECK_STATUS(left, 204); /* sessions are not moved */
}

static void a_form_of_before_waits(void)
{
    HTTP_ANSWER refused = document_upload(suite, form, "xyz", 3);
    CHECK_READ_ONLY(refused, "upload");
}

static void a_renewal_waits_and_its_token_stays_good(void)
{
    for (int i = 0; i < TIMES; i++) {
        HTTP_ANSWER refused = suite_refresh(suite, patient->refresh);
        CHECK_READ_ONLY(refused, "renewal");
    }
    PROGRAM opened = resume();
    CHECK_EXIT(opened, 0);
    CU_ASSERT_TRUE(json_is_false(json_object_get(opened->json, "readOnly")));
    HTTP_ANSWER renewed = suite_refresh(suite, patient->refresh);
    CHECK_STATUS(renewed, 200);
    HTTP_ANSWER next = suite_refresh(suite, http_text(renewed, "refresh_token"));
    CHECK_STATUS(next, 200);
    HTTP_ANSWER sent = document_upload(suite, form, "xyz", 3);
    CHECK_STATUS(sent, 204);
    HTTP_ANSWER file = document_get(suite, patient->access, later_id);
    CHECK_BYTES(file, "xyz", 3);
    HTTP_ANSWER below = document_make(suite, child->access, "x.txt", "text/plain");
    CHECK_STATUS(below, 200);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select (select count(*) from settings.project_hold) + (select "
                                "count(*) from auth.project_hold) + (select count(*) from "
                                "doc.project_hold) + (select count(*) from mail.project_hold) + "
                                "(select count(*) from bot.project_hold)"),
                    0);
}

static const char *file_named(const char *name)
{
    static char path[300];

    snprintf(path, sizeof(path), "%s/%s", files.path, name);
    return path;
}

static pid_t writer(int kind)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    for (int n = 0;; n++) {
        char name[64];

        snprintf(name, sizeof(name), "w%d-%d", kind, n);
        switch (kind) {
        case 0: {
            HTTP_ANSWER made = document_make(suite, patient->access, name, "text/plain");
            if (made->status == 200) {
                HTTP_ANSWER sent = document_upload(suite, made, name, strlen(name));
            }
            break;
        }
        case 1: {
            HTTP_ANSWER put = http_put(suite_url(suite), "/cms/article/known/en", admin->access,
                                       json_pack("{s:s, s:[]}", "title", name, "sections"));
            break;
        }
        case 2: {
            HTTP_ANSWER put = http_put(
                suite_url(suite), "/v1/project/settings/values/PATIENT_APP_URL", admin->access,
                json_pack("{s:s}", "value", n % 2 ? "https://one.example" : "https://two.example"));
            break;
        }
        case 3: {
            char *email = person_address();
            HTTP_ANSWER made = suite_post_fresh(suite, "/auth/tenant/Patient/register",
                                                body_register(email, "demo"));
            HTTP_ANSWER start =
                suite_post_fresh(suite, "/auth/tenant/Patient/login/start",
                                 body_login_start(patient->email, patient->password, "demo"));
            HTTP_ANSWER tokens =
                suite_post_fresh(suite, "/auth/tenant/Patient/login/token",
                                 body_login_token(http_text(start, "sessionCode"), NULL));
            free(email);
            break;
        }
        case 4: {
            HTTP_ANSWER made = http_post(suite_url(suite), "/v1/project/clients", admin->access,
                                         json_pack("{s:s}", "name", name));
            break;
        }
        default: { /* a write directly in the database */
            char *none = suite_query(suite, "update doc.document set file_name = file_name || '.'");
            free(none);
        }
        }
    }
}

static char *tables_of(const struct program *program)
{
    return json_dumps(json_object_get(program->json, "tables"), JSON_SORT_KEYS);
}

static void an_export_is_one_state(void)
{
    pid_t writers[WRITERS];
    long before, after;

    for (int kind = 0; kind < WRITERS; kind++)
        writers[kind] = writer(kind);
    usleep(1500000);
    PROGRAM open =
        ATRIUMCTL(suite, NULL, "tenant", "export", "demo", file_named("open"), "--to", key);
    CHECK_REFUSED(open, 1, "demo is in use");
    PROGRAM held = read_only();
    CHECK_EXIT(held, 0);
    before = suite_count(suite, "select count(*) from doc.document");
    CU_ASSERT_TRUE(before > 3);
    PROGRAM first = ATRIUMCTL(suite, NULL, "tenant", "export", "demo", file_named("first"), "--to",
                              key, "--json");
    CHECK_EXIT(first, 0);
    usleep(500000);
    PROGRAM second = ATRIUMCTL(suite, NULL, "tenant", "export", "demo", file_named("second"),
                               "--to", key, "--json");
    CHECK_EXIT(second, 0);
    char *one = tables_of(first), *two = tables_of(second);
    UNIT_CHECK(one && two && strcmp(one, two) == 0, "exports differ: %s, then %s", one ? one : "-",
               two ? two : "-");
    free(one);
    free(two);
    after = suite_count(suite, "select count(*) from doc.document");
    CU_ASSERT_EQUAL(before, after);
    PROGRAM opened = resume();
    CHECK_EXIT(opened, 0);
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 1, 15000, "select (count(*) > %ld)::int from doc.document", after));
    for (int kind = 0; kind < WRITERS; kind++) {
        kill(writers[kind], SIGKILL);
        waitpid(writers[kind], NULL, 0);
    }
}

static void a_write_of_before_is_waited_for(void)
{
    PGconn *conn = suite_database(suite);
    char *path = program_path("atriumctl");

    PQclear(PQexec(conn, "begin; update doc.document set file_name = 'late.txt'"));
    PROGRAM held = program_start((const char *const[]){path, "--dir", suite_dir(suite), "project",
                                                       "suspend", "demo", "--read-only", NULL},
                                 NULL);
    free(path);
    CU_ASSERT_FALSE(program_wait_end(held, 1500));
    PQclear(PQexec(conn, "commit"));
    CU_ASSERT_TRUE(program_wait_end(held, 15000));
    CHECK_EXIT(held, 0);
    PGresult *late = PQexec(conn, "update doc.document set file_name = 'later.txt'");
    const char *state = PQresultErrorField(late, PG_DIAG_SQLSTATE);
    UNIT_CHECK(state && strcmp(state, "RO001") == 0, "it changed: %s", state ? state : "-");
    PQclear(late);
    PQfinish(conn);
}

static void a_state_that_was_interrupted_is_noticed(void)
{
    CU_ASSERT_EQUAL(suite_count(suite, "with gone as (delete from bot.project_hold returning 1) "
                                       "select count(*) from gone"),
                    2);
    PROGRAM refused =
        ATRIUMCTL(suite, NULL, "tenant", "export", "demo", file_named("third"), "--to", key);
    CHECK_REFUSED(refused, 1, "not read-only in botd");
    PROGRAM again = read_only();
    CHECK_EXIT(again, 0);
    PROGRAM done =
        ATRIUMCTL(suite, NULL, "tenant", "export", "demo", file_named("third"), "--to", key);
    CHECK_EXIT(done, 0);
}

static long holds(void)
{
    return suite_count(suite, "select (select count(*) from settings.project_hold) + "
                              "(select count(*) from auth.project_hold) + "
                              "(select count(*) from doc.project_hold) + "
                              "(select count(*) from mail.project_hold) + "
                              "(select count(*) from bot.project_hold)");
}

static bool takes_writes(void)
{
    for (int i = 0; i < TIMES; i++) {
        HTTP_ANSWER made = document_make(suite, admin->access, "n.txt", "text/plain");

        if (!CHECK_STATUS(made, 200))
            return false;
    }
    return true;
}

static void an_export_that_cannot_begin_holds_nothing(void)
{
    PROGRAM opened = resume();
    CHECK_EXIT(opened, 0);
    PROGRAM both = ATRIUMCTL(suite, NULL, "tenant", "export", "demo", file_named("x"), "--to", key,
                             "--live", "--read-only");
    CHECK_REFUSED(both, 1, "exclude each other");
    PROGRAM there = ATRIUMCTL(suite, NULL, "tenant", "export", "demo", file_named("first"), "--to",
                              key, "--read-only");
    CHECK_EXIT(there, 1);
    PROGRAM no_key = ATRIUMCTL(suite, NULL, "tenant", "export", "demo", file_named("x"), "--to",
                               "atrium-tenant-x", "--read-only");
    CHECK_EXIT(no_key, 1);
    CU_ASSERT_EQUAL(holds(), 0);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from settings.audit where "
                                       "event->>'action' = 'project.read-only' and id > "
                                       "(select max(id) from settings.audit where "
                                       "event->>'action' = 'project.resume')"),
                    0);
}

/* Exports into a file limited to a kilobyte, as on a full disk. */
static struct program *export_into_full_disk(void)
{
    char *path = program_path("atriumctl"), command[1600];

    snprintf(command, sizeof(command),
             "trap '' XFSZ; ulimit -f 1; exec '%s' --dir '%s' tenant export demo '%s' --to '%s' "
             "--read-only",
             path, suite_dir(suite), file_named("full"), key);
    free(path);
    return program_run((const char *const[]){"/bin/bash", "-c", command, NULL}, NULL);
}

static void an_export_that_fails_ends_what_it_began(void)
{
    PROGRAM full = export_into_full_disk();
    CHECK_EXIT(full, 1);
    CU_ASSERT_NOT_EQUAL(access(file_named("full"), F_OK), 0);
    CU_ASSERT_EQUAL(holds(), 0);
    CU_ASSERT_TRUE(takes_writes());
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from settings.audit where "
                                       "event->>'action' = 'project.resume' and id > "
                                       "(select max(id) from settings.audit where "
                                       "event->>'action' = 'project.read-only')"),
                    1); /* because it had made the project read-only */
}

static void an_export_that_fails_leaves_what_was_read_only(void)
{
    PROGRAM held = read_only();
    CHECK_EXIT(held, 0);
    PROGRAM full = export_into_full_disk();
    CHECK_EXIT(full, 1);
    CU_ASSERT_TRUE(holds() > 0);
    PROGRAM opened = resume();
    CHECK_EXIT(opened, 0);
}

static struct program *start_export(const char *target)
{
    TEXT path = program_path("atriumctl");

    return program_start((const char *const[]){path, "--dir", suite_dir(suite), "tenant", "export",
                                               "demo", target, "--to", key, "--read-only", NULL},
                         NULL);
}

static void an_export_that_is_interrupted_ends_what_it_began(void)
{
    int undone = 0;

    for (int i = 0; i < 8; i++) {
        const char *target = file_named("interrupted");
        PROGRAM cut = start_export(target);

        for (int wait = 0; wait < 500 && holds() == 0; wait++)
            usleep(1000);
        usleep((useconds_t)(10 * i) * 1000);
        kill(cut->pid, SIGINT);
        CU_ASSERT_TRUE(program_wait_end(cut, 20000));
        if (access(target, F_OK) == 0) { /* the export was complete before the signal */
            PROGRAM opened = resume();

            CHECK_EXIT(opened, 0);
            unlink(target);
            continue;
        }
        CHECK_EXIT(cut, 1);
        UNIT_CHECK(strcmp(cut->err, "atriumctl: Interrupted.\n") == 0, "%s", cut->err);
        UNIT_CHECK(holds() == 0, "%ld rows, round %d", holds(), i);
        CU_ASSERT_TRUE(takes_writes());
        undone++;
    }
    CU_ASSERT(undone > 0);
}

static void an_export_that_was_killed_is_repeated_or_undone(void)
{
    for (int i = 0; i < 8; i++) {
        const char *target = file_named(i % 2 ? "killed-1" : "killed-2");
        PROGRAM cut = start_export(target);

        usleep((useconds_t)(20 + 40 * i) * 1000);
        kill(cut->pid, SIGKILL);
        CU_ASSERT_TRUE(program_wait_end(cut, 5000));
        unlink(target); /* the export may be complete */
        if (i % 2) {
            PROGRAM again = ATRIUMCTL(suite, NULL, "tenant", "export", "demo", target, "--to", key,
                                      "--read-only", "--json");
            CHECK_EXIT(again, 0);
            CU_ASSERT_TRUE(holds() >= 5);
            unlink(target);
        }
        PROGRAM opened = resume();
        CHECK_EXIT(opened, 0);
        UNIT_CHECK(holds() == 0, "%ld rows after %d ms", holds(), 20 + 40 * i);
        CU_ASSERT_TRUE(takes_writes());
    }
}

/* A planned deletion that is due, and data that sweeps would delete. */
static void what_is_planned_waits(void)
{
    PROGRAM opened = resume();
    CHECK_EXIT(opened, 0);
    PERSON going = person_register(suite, NULL);
    HTTP_ANSWER planned =
        http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                           .path = "/auth/delete",
                                                           .bearer = going->access});
    CHECK_STATUS(planned, 200);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, 10000, "select (count(*) > 0)::int from mail.job where state = 'waiting'"));
    PROGRAM held = read_only();
    CHECK_EXIT(held, 0);
    long accounts = suite_count(suite, "select count(*) from auth.account");
    long jobs = suite_count(suite, "select count(*) from mail.job where state = 'waiting'");
    suite_set_clock(suite, 40 * 24 * 3600);
    PROGRAM due = ATRIUMCTL(suite, NULL, "job", "run-due");
    CHECK_EXIT(due, 1); /* fails, but only after it has printed its counts */
    UNIT_CHECK(strstr(due->err, "have not finished yet") != NULL, "%s", due->err);
    usleep(3000000);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.account"), accounts);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from mail.job where state = 'waiting'"),
                    jobs);
    PROGRAM done = resume();
    CHECK_EXIT(done, 0);
    CU_ASSERT_TRUE(suite_comes_to(suite, accounts - 1, 20000, "select count(*) from auth.account"));
}

/* A move may be copying the project's rows, so the project can't be deleted until it is resumed.
 * The parent makes it read-only here. */
static void it_is_not_deleted_until_it_is_resumed(void)
{
    PROGRAM held = read_only();
    CHECK_EXIT(held, 0);
    PROGRAM refused = ATRIUMCTL(suite, NULL, "project", "delete", "below", "--force", "--yes");
    CHECK_REFUSED(refused, 1, "read-only");
    PROGRAM shown = ATRIUMCTL(suite, NULL, "project", "show", "below", "--json");
    CU_ASSERT_TRUE(json_is_true(json_object_get(shown->json, "readOnly")));
    CU_ASSERT_TRUE(json_is_false(json_object_get(shown->json, "deleting")));
    PROGRAM opened = resume();
    CHECK_EXIT(opened, 0);
    CU_ASSERT_TRUE(json_is_false(json_object_get(opened->json, "readOnly")));
}

static void a_tenant_that_has_moved_is_closed(void)
{
    PROGRAM held = read_only();
    CHECK_EXIT(held, 0);
    PROGRAM closed = ATRIUMCTL(suite, NULL, "project", "suspend", "demo", "--json");
    CHECK_EXIT(closed, 0);
    CU_ASSERT_TRUE(json_is_true(json_object_get(closed->json, "suspended")));
    CU_ASSERT_TRUE(json_is_false(json_object_get(closed->json, "readOnly")));
    PROGRAM refused = read_only();
    CHECK_REFUSED(refused, 1, "suspended. Resume it first");
    PROGRAM below = ATRIUMCTL(suite, NULL, "project", "delete", "below", "--force", "--yes");
    CHECK_EXIT(below, 0);
    PROGRAM gone = ATRIUMCTL(suite, NULL, "project", "delete", "demo", "--force", "--yes");
    CHECK_EXIT(gone, 0);
}

static void the_suite_ends(void)
{
    http_answer_destroy(&form);
    person_destroy(&admin);
    person_destroy(&patient);
    person_destroy(&leaving);
    person_destroy(&child);
    free(document);
    free(later_id);
    free(api_key);
    unit_dir_remove(&files);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_suite_starts),
    CASE(the_state_is_shown),
    CASE(reads_go_on_and_writes_wait),
    CASE(sign_ins_and_mailed_links_wait),
    CASE(a_form_of_before_waits),
    CASE(a_renewal_waits_and_its_token_stays_good),
    CASE(an_export_is_one_state),
    CASE(a_write_of_before_is_waited_for),
    CASE(a_state_that_was_interrupted_is_noticed),
    CASE(an_export_that_cannot_begin_holds_nothing),
    CASE(an_export_that_fails_ends_what_it_began),
    CASE(an_export_that_fails_leaves_what_was_read_only),
    CASE(an_export_that_is_interrupted_ends_what_it_began),
    CASE(an_export_that_was_killed_is_repeated_or_undone),
    CASE(what_is_planned_waits),
    CASE(it_is_not_deleted_until_it_is_resumed),
    CASE(a_tenant_that_has_moved_is_closed),
    CASE_ALWAYS(the_suite_ends),
};

int main(void)
{
    return unit_run("read-only tenants", cases, ARRAY_SIZE(cases));
}
