/*
 * test_atriumctl.c - operator commands on a running suite: command line, policies, clients, status,
 * explain, and progress of long commands.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

static struct suite *suite;

static void wrong_command_lines_are_refused(void)
{
    static const struct {
        const char *words[8], *complaint;
    } rows[] = {
        {{NULL}, "no command given"},
        {{"fly"}, "fly: unknown command"},
        {{"project"}, "project: unknown command"},
        {{"project", "fly"}, "project fly: unknown command"},
        {{"template"}, "see atriumctl --help; template has: put, list, delete, preview"},
        {{"project", "show"}, "CODE is missing"},
        {{"project", "show", "demo", "more"}, "more: unexpected word"},
        {{"project", "list", "--fast"}, "--fast: unknown option"},
        {{"project", "create", "x", "--code"}, "--code: needs a value"},
        {{"project", "create", "x", "--code", "a-b", "--code=c-d"}, "--code: given twice"},
        {{"project", "set", "demo", "name", "x"}, "name: unknown word, see --help"},
        {{"project", "set", "demo", "PATIENT_LOGIN", "true"}, "PATIENT_LOGIN: unknown word"},
        {{"project", "set", "demo", "PATIENT_APP_URL"}, "VALUE is missing"},
        {{"policy", "list"}, "--project is missing"},
        {{"user", "create-admin", "--project", "demo"}, "--email is missing"},
        {{"project", "list", "--config", "x"}, "exclude each other"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM run = suite_command(suite, NULL, rows[i].words);

        CHECK_REFUSED(run, USAGE, rows[i].complaint);
    }
}

static void common_options_stand_anywhere(void)
{
    char *path = program_path("atriumctl");
    const char *dir = suite_dir(suite);
    const char *const rows[][7] = {
        {path, "--dir", dir, "--json", "project", "list", NULL},
        {path, "project", "list", "--json", "--dir", dir, NULL},
        {path, "--json", "project", "list", "--dir", dir, NULL},
        {path, "project", "--dir", dir, "list", "--json", NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM run = program_run(rows[i], NULL);

        CHECK_EXIT(run, DONE);
        CU_ASSERT_PTR_NOT_NULL(http_find(run->json, "tenantCode", "demo"));
    }
    PROGRAM version = program_run((const char *const[]){path, "--version", NULL}, NULL);
    CHECK_EXIT(version, DONE);
    PROGRAM help = program_run((const char *const[]){path, "--help", NULL}, NULL);
    CHECK_EXIT(help, DONE);
    CU_ASSERT_PTR_NOT_NULL(strstr(help->out, "explain sign-in"));
    free(path);
}

/* as in a container's health check */
static void one_instance_can_be_addressed(void)
{
    PROGRAM up = ATRIUMCTL(suite, NULL, "status", "authd.1", "--json");
    PROGRAM absent = ATRIUMCTL(suite, NULL, "status", "authd.9");

    CHECK_EXIT(up, 0);
    CU_ASSERT_EQUAL(json_array_size(up->json), 1);
    CU_ASSERT_EQUAL(absent->code, FAILED);
    CU_ASSERT_PTR_NOT_NULL(strstr(absent->err, "authd.9 does not answer"));
}

/* -h, `help` and `help COMMAND` equal --help. A typo gets similar commands. */
static void help_and_similar_commands_are_shown(void)
{
    static const struct {
        const char *words[4];
        int code;
        const char *says;
    } rows[] = {
        {{"-h"}, DONE, "explain sign-in"},
        {{"help"}, DONE, "explain sign-in"},
        {{"help", "project"}, DONE, "project suspend"},
        {{"help", "project", "create"}, DONE, "--strict"},
        {{"project", "create", "-h"}, DONE, "--strict"},
        {{"proejct", "list"}, USAGE, "did you mean \"project list\"?"},
        {{"stauts"}, USAGE, "did you mean \"status\"?"},
        {{"doctro", "--json"}, USAGE, "did you mean \"doctor\"?"},
        {{"something", "else"}, USAGE, "unknown command; see"},
    };
    char *path = program_path("atriumctl");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *argv[6] = {path};

        memcpy(argv + 1, rows[i].words, sizeof(rows[i].words));
        PROGRAM run = program_run(argv, NULL);
        CHECK_EXIT(run, rows[i].code);
        UNIT_CHECK(strstr(rows[i].code == DONE ? run->out : run->err, rows[i].says) != NULL,
                   "%s: %s%s", rows[i].says, run->out, run->err);
    }
    free(path);
}

static void tenant_codes_are_completed(void)
{
    static const char script[] = "PATH=$0:$PATH; . <(atriumctl completion bash); "
                                 "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
                                 "_atriumctl; echo \"${COMPREPLY[@]}\"";
    char *path = program_path("atriumctl");
    const char *dir = suite_dir(suite);

    *strrchr(path, '/') = '\0';
    const char *const rows[][12] = {
        {"/bin/bash", "-c", script, path, "atriumctl", "--dir", dir, "project", "show", "de", NULL},
        {"/bin/bash", "-c", script, path, "atriumctl", "--dir", dir, "policy", "list", "--project",
         "d", NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM bash = program_run(rows[i], NULL);

        UNIT_CHECK(strcmp(bash->out, "demo\n") == 0, "%s%s", bash->out, bash->err);
    }
    free(path);
}

static void a_failed_first_start_leaves_nothing(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char *path = program_path("atriumctl"), suite_path[160], port[8], kept[200];
    const char *const argv[] = {path, "dev", "--dir", suite_path, "--port", port, NULL};
    FILE *file;

    snprintf(suite_path, sizeof(suite_path), "%s/suite", dir.path);
    snprintf(port, sizeof(port), "%s", strrchr(suite_url(suite), ':') + 1);
    PROGRAM absent = program_run(argv, NULL);
    CHECK_EXIT(absent, FAILED);
    CU_ASSERT_NOT_EQUAL(access(suite_path, F_OK), 0);
    mkdir(suite_path, 0700);
    PROGRAM empty = program_run(argv, NULL);
    CHECK_EXIT(empty, FAILED);
    CU_ASSERT_EQUAL(rmdir(suite_path), 0); /* the directory is still there, and empty */
    mkdir(suite_path, 0700);
    snprintf(kept, sizeof(kept), "%s/mine", suite_path);
    file = fopen(kept, "we");
    fclose(file);
    PROGRAM full = program_run(argv, NULL);
    CHECK_EXIT(full, FAILED);
    CU_ASSERT_EQUAL(access(kept, F_OK), 0);
    free(path);
}

static void an_absent_suite_is_named(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char *path = program_path("atriumctl"), text[160];
    const char *const keys[] = {path, "--dir", dir.path, "keys", "list", NULL};
    const char *const status[] = {path, "--dir", dir.path, "status", NULL};

    PROGRAM nowhere = program_run(keys, NULL);
    CHECK_REFUSED(nowhere, FAILED, "atrium.conf cannot be read; select a suite with --dir");
    snprintf(text, sizeof(text), "common\n    run_dir = \"%s\"\n", dir.path);
    unit_dir_write(&dir, "atrium.conf", text);
    PROGRAM silent = program_run(keys, NULL);
    CHECK_REFUSED(silent, FAILED, "is the suite running?");
    PROGRAM down = program_run(status, NULL);
    CU_ASSERT_EQUAL(down->code, FAILED);
    CU_ASSERT_PTR_NOT_NULL(strstr(down->err, "is the suite running?"));
    unit_dir_write(&dir, "atrium.conf", "common\n    run_dri = \"/x\"\n");
    PROGRAM wrong = program_run(keys, NULL);
    CHECK_REFUSED(wrong, FAILED, "atrium.conf:2: ");
    free(path);
}

static void policies_are_made_and_replaced(void)
{
    static const char replaced[] =
        "{\"name\":\"Readers\",\"resource\":[{\"resourceType\":\"Content\",\"readonly\":true}]}";
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *file = unit_dir_write(&dir, "policy.json", suite_all_policy);

    suite_make_project(suite, "Rules", "rules");
    PROGRAM put = ATRIUMCTL(suite, NULL, "policy", "put", "--project", "rules", file, "--json");
    CHECK_EXIT(put, DONE);
    const char *id = program_text(put, "id");
    PROGRAM list = ATRIUMCTL(suite, NULL, "policy", "list", "--project", "rules", "--json");
    CHECK_EXIT(list, DONE);
    CU_ASSERT_EQUAL(json_array_size(list->json), 1);
    CU_ASSERT_STRING_EQUAL(program_text(list, "0.name"), "All");
    CU_ASSERT_STRING_EQUAL(program_text(list, "0.resource.0.resourceType"), "*");
    PROGRAM again = ATRIUMCTL(suite, replaced, "policy", "put", "--project", "rules", "--id", id,
                              "-", "--json");
    CHECK_EXIT(again, DONE);
    CU_ASSERT_STRING_EQUAL(program_text(again, "id"), id);
    PROGRAM after = ATRIUMCTL(suite, NULL, "policy", "list", "--project", "rules", "--json");
    CU_ASSERT_EQUAL(json_array_size(after->json), 1);
    CU_ASSERT_STRING_EQUAL(program_text(after, "0.name"), "Readers");

    PROGRAM broken = ATRIUMCTL(suite, "{\"name\":", "policy", "put", "--project", "rules", "-");
    CU_ASSERT_EQUAL(broken->code, FAILED);
    PROGRAM wrong = ATRIUMCTL(suite, "{\"name\":\"X\",\"resource\":[{\"resourceType\":\"Moon\"}]}",
                              "policy", "put", "--project", "rules", "-");
    CHECK_REFUSED(wrong, FAILED, "resourceType");
    PROGRAM absent = ATRIUMCTL(suite, NULL, "policy", "put", "--project", "rules", "/no/file");
    CHECK_REFUSED(absent, FAILED, "/no/file: No such file or directory");
    PROGRAM id_words = ATRIUMCTL(suite, suite_all_policy, "policy", "put", "--project", "rules",
                                 "--id", "seven", "-");
    CHECK_REFUSED(id_words, FAILED, "--id: must be a uuid");
    PROGRAM stranger = ATRIUMCTL(suite, suite_all_policy, "policy", "put", "--project", "rules",
                                 "--id", "00000000-0000-4000-8000-000000000000", "-");
    CHECK_REFUSED(stranger, FAILED, "not found");
}

/* Some editors write one before UTF-8. */
static void files_may_begin_with_a_byte_order_mark(void)
{
    static const char policy[] =
        "\xef\xbb\xbf{\"name\":\"Marked\",\"resource\":[{\"resourceType\":\"Content\"}]}";
    static const char bot[] = "\xef\xbb\xbf{\"identifier\":[{\"value\":\"m\"}],\"name\":\"M\","
                              "\"kind\":\"http\",\"url\":\"https://bots.example/\"}";
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    const char *file = unit_dir_write(&dir, "marked.txt", "\xef\xbb\xbfHi {{recipientName}}\n");

    suite_make_project(suite, "Marks", "marks");
    PROGRAM put = ATRIUMCTL(suite, policy, "policy", "put", "--project", "marks", "-", "--json");
    CHECK_EXIT(put, DONE);
    PROGRAM made = ATRIUMCTL(suite, bot, "bot", "put", "--project", "marks", "-", "--json");
    CHECK_EXIT(made, DONE);
    PROGRAM run = ATRIUMCTL(suite, "\xef\xbb\xbf{}", "bot", "run", "--project", "marks", "none",
                            "--input", "-");
    CHECK_REFUSED(run, FAILED, "Bot not found.");
    PROGRAM client = ATRIUMCTL(suite, "\xef\xbb\xbf{\"name\":\"M\"}", "client", "create",
                               "--project", "marks", "M", "--file", "-", "--json");
    CHECK_EXIT(client, DONE);
    PROGRAM template = ATRIUMCTL(suite, NULL, "template", "put", "--project", "marks",
                                 "PATIENT_WELCOME", "--subject", "Hello", "--text", file, "--json");
    CHECK_EXIT(template, DONE);
    PROGRAM shown = ATRIUMCTL(suite, NULL, "template", "preview", "--project", "marks",
                              "PATIENT_WELCOME", "--json");
    UNIT_CHECK(strncmp(program_text(shown, "text"), "Hi ", 3) == 0, "%s", shown->out);
}

static void sizes_of_a_checkpoint_are_read_whole(void)
{
    static const char *const words[] = {"x", "1e3", "-1", "99999999999999999999"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        PROGRAM run =
            ATRIUMCTL(suite, NULL, "audit", "checkpoint", "--project", "demo", "--from", words[i]);

        CHECK_REFUSED(run, FAILED, "--from: must be a whole number from 0 to ");
    }
}

/* The suite already has these roles, so this also shows that operators can run the SQL again. */
static void the_printed_database_is_what_the_suite_has(void)
{
    PROGRAM printed = ATRIUMCTL(suite, NULL, "database", "sql");
    PROGRAM run =
        program_run((const char *const[]){"/usr/bin/psql", "-X", "-q", "-v", "ON_ERROR_STOP=1",
                                          suite_text(suite, "postgres.conninfo"), NULL},
                    printed->out);

    CHECK_EXIT(printed, DONE);
    CU_ASSERT_PTR_NOT_NULL(strstr(printed->out, "create role \"atrium-authd\" login"));
    CHECK_EXIT(run, DONE);
    CU_ASSERT_STRING_EQUAL(run->out, "");
}

static void clients_are_made_and_listed(void)
{
    suite_make_project(suite, "Apps", "apps");
    PROGRAM made =
        ATRIUMCTL(suite, NULL, "client", "create", "--project", "apps", "Front desk", "--json");
    CHECK_EXIT(made, DONE);
    PROGRAM list = ATRIUMCTL(suite, NULL, "client", "list", "--project", "apps", "--json");
    CHECK_EXIT(list, DONE);
    CU_ASSERT_EQUAL(json_array_size(list->json), 1);
    CU_ASSERT_STRING_EQUAL(program_text(list, "0.id"), program_text(made, "id"));
    CU_ASSERT_STRING_EQUAL(program_text(list, "0.name"), "Front desk");
    PROGRAM unknown = ATRIUMCTL(suite, NULL, "client", "list", "--project", "nobody");
    CHECK_REFUSED(unknown, FAILED, "Tenant not found.");
}

static void status_shows_every_instance(void)
{
    static const char *const daemons[][2] = {{"gateway", "1"},   {"authd", "1"}, {"authd", "2"},
                                             {"settingsd", "1"}, {"maild", "1"}, {"docd", "1"},
                                             {"botd", "1"}};
    PROGRAM status = ATRIUMCTL(suite, NULL, "status", "--json");
    json_t *row;
    size_t i;

    CHECK_EXIT(status, DONE);
    CU_ASSERT_EQUAL(json_array_size(status->json), ARRAY_SIZE(daemons));
    json_array_foreach(status->json, i, row)
    {
        const char *service = json_string_value(json_object_get(row, "service"));
        const char *instance = json_string_value(json_object_get(row, "instance"));
        bool known = false;

        for (size_t d = 0; d < ARRAY_SIZE(daemons); d++)
            known = known ||
                    (strcmp(service, daemons[d][0]) == 0 && strcmp(instance, daemons[d][1]) == 0);
        UNIT_CHECK(known, "%s %s", service, instance);
        CU_ASSERT_EQUAL(json_integer_value(json_object_get(row, "pid")),
                        suite_pid(suite, service, instance));
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(row, "state")), "up");
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(row, "version")), ATRIUM_VERSION);
        CU_ASSERT_TRUE(*json_string_value(json_object_get(row, "upTime")) != '\0');
        CU_ASSERT_EQUAL(json_integer_value(json_object_get(row, "inFlight")), 0);
        CU_ASSERT_TRUE(json_integer_value(json_object_get(row, "latencyUs")) > 0);
        CU_ASSERT_TRUE(json_is_true(json_object_get(row, "database")));
    }
}

static void status_shows_instances_that_do_not_answer(void)
{
    pid_t pid = suite_pid(suite, "maild", "1");

    kill(pid, SIGSTOP);
    PROGRAM status = ATRIUMCTL(suite, NULL, "status", "--json");
    kill(pid, SIGCONT);
    CU_ASSERT_EQUAL(status->code, FAILED);
    CU_ASSERT_STRING_EQUAL(
        json_string_value(json_object_get(http_find(status->json, "service", "maild"), "state")),
        "down");
    CU_ASSERT_PTR_NOT_NULL(strstr(status->err, "1 of 7 instances do not answer"));
    CU_ASSERT_TRUE(suite_wait_ready(suite, 10000));
}

/* Checks which step of the explanation fails first, "" for none. role NULL: not given. */
static void check_explained(const char *code, const char *email, const char *role, const char *want)
{
    PROGRAM run = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", code, "--email", email,
                            "--json", role ? "--role" : NULL, role);
    json_t *step;
    const char *failed = "";
    size_t i;

    CHECK_EXIT(run, *want ? FAILED : DONE);
    json_array_foreach(json_object_get(run->json, "steps"), i, step)
    {
        const char *outcome = json_string_value(json_object_get(step, "outcome"));

        if (strcmp(outcome, "fail") == 0) {
            CU_ASSERT_STRING_EQUAL(failed, "");
            failed = json_string_value(json_object_get(step, "check"));
            CU_ASSERT_PTR_NOT_NULL(json_string_value(json_object_get(step, "hint")));
        }
    }
    UNIT_CHECK(strcmp(failed, want) == 0, "want %s: %s", want, run->out);
    CU_ASSERT_EQUAL(json_is_true(json_object_get(run->json, "wouldSucceed")), *want == '\0');
}

/* Fails with wrong passwords from many addresses, until only the account's known addresses are
 * admitted. */
static void throttle(const char *email)
{
    enum { FAILURES = 100 };
    struct http_request requests[FAILURES];
    struct http_answer *answers[FAILURES];
    char *sources[FAILURES];

    for (int i = 0; i < FAILURES; i++) {
        sources[i] = fresh_source();
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/auth/tenant/Patient/login/start",
                                            .source = sources[i],
                                            .body = body_login_start(email, "wrong", "demo")};
    }
    http_call_many(suite_url(suite), requests, FAILURES, 8, answers);
    for (int i = 0; i < FAILURES; i++) {
        CHECK_ERROR(answers[i], 400, "Username or password is incorrect.");
        free(sources[i]);
    }
    http_answers_destroy(answers, FAILURES);
}

static void explain_names_the_first_check_that_fails(void)
{
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);
    const char *email = patient->email, *boss = suite_text(suite, "demo.adminEmail");

    check_explained("demo", email, "Patient", "");
    check_explained("demo", boss, "Practitioner", "");
    check_explained("nobody", email, "Patient", "tenant");
    check_explained("demo", "no@body.example", "Patient", "account");
    check_explained("demo", boss, "Patient", "account");
    check_explained("demo", boss, NULL, "");
    check_explained("demo", email, NULL, "");
    suite_make_project(suite, "Elsewhere", "elsewhere");
    check_explained("elsewhere", boss, "Practitioner", "membership");
    check_explained("elsewhere", boss, NULL, "account");
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", false);
    check_explained("demo", email, "Patient", "PATIENT_LOGIN_ENABLED");
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", true);
    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", false);
    check_explained("demo", boss, "Practitioner", "PRACTITIONER_LOGIN_ENABLED");
    check_explained("demo", boss, NULL, "PRACTITIONER_LOGIN_ENABLED");
    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", true);
    PROGRAM suspended = ATRIUMCTL(suite, NULL, "project", "suspend", "elsewhere");
    CHECK_EXIT(suspended, DONE);
    check_explained("elsewhere", boss, "Practitioner", "not suspended");
    throttle(email);
    check_explained("demo", email, "Patient", "throttle");

    HTTP_ANSWER made = http_post(suite_url(suite), "/v1/projects/me/members", admin->access,
                                 json_pack("{s:s, s:s, s:s}", "email", "in@vited.example",
                                           "firstName", "Rui", "lastName", "Costa"));
    CHECK_STATUS(made, 200);
    check_explained("demo", "in@vited.example", "Practitioner", "account");
    check_explained("demo", "in@vited.example", "Patient", "account");
    PROGRAM invited = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                                "in@vited.example", "--role", "Practitioner");
    CU_ASSERT_PTR_NOT_NULL(strstr(invited->out, "the invitation has not been accepted yet"));

    PROGRAM said = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                             "no@body.example");
    CHECK_EXIT(said, FAILED);
    CU_ASSERT_PTR_NOT_NULL(strstr(said->out, "The first check that fails: account"));
    PROGRAM role = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                             email, "--role", "Nurse");
    CHECK_REFUSED(role, USAGE, "--role: must be Patient|Practitioner");
}

/* Runs `atriumctl --dir ... words...` with a terminal of 100 columns as stderr. */
static struct program *on_terminal(const char *const *words)
{
    char *path = program_path("atriumctl");
    const char *argv[16] = {path, "--dir", suite_dir(suite)};
    struct program *self;

    for (size_t i = 3; *words; i++)
        argv[i] = *words++;
    self = program_run_terminal(argv,
                                "[{\"type\":\"t\",\"key\":\"k\",\"language\":\"en\","
                                "\"title\":\"T\"}]",
                                100);
    free(path);
    return self;
}

static void long_commands_show_their_progress(void)
{
    static const struct {
        const char *words[8], *want;
    } rows[] = {
        {{"content", "import", "--project", "demo", "-"}, "import 100% [####"},
        {{"content", "import", "--project", "demo", "-", "--json"}, NULL},
        {{"audit", "verify"}, "audit of authd 100% [####"},
        {{"audit", "verify", "--json"}, NULL},
        {{"audit", "export", "--project", "demo"}, "audit of authd 100% [####"},
        {{"audit", "export", "--project", "demo", "--json"}, NULL},
        {{"project", "list"}, NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM run = on_terminal(rows[i].words);

        CHECK_EXIT(run, DONE);
        UNIT_CHECK(rows[i].want ? strstr(run->err, rows[i].want) != NULL : *run->err == '\0',
                   "%s %s: %s", rows[i].words[0], rows[i].words[1], run->err);
        UNIT_CHECK(!strchr(run->out, '\r'), "%s", run->out);
    }
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(wrong_command_lines_are_refused),
    CASE(common_options_stand_anywhere),
    CASE(an_absent_suite_is_named),
    CASE(one_instance_can_be_addressed),
    CASE(help_and_similar_commands_are_shown),
    CASE(tenant_codes_are_completed),
    CASE(a_failed_first_start_leaves_nothing),
    CASE(policies_are_made_and_replaced),
    CASE(files_may_begin_with_a_byte_order_mark),
    CASE(sizes_of_a_checkpoint_are_read_whole),
    CASE(the_printed_database_is_what_the_suite_has),
    CASE(clients_are_made_and_listed),
    CASE(status_shows_every_instance),
    CASE(status_shows_instances_that_do_not_answer),
    CASE(explain_names_the_first_check_that_fails),
    CASE(long_commands_show_their_progress),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2", .test_clock = true});
    return unit_run("atriumctl", cases, ARRAY_SIZE(cases));
}
