/*
 * test_ctl_commands.c - checks each command of atriumctl: a table, JSON with --json, and on failure
 * an empty stdout, one line on stderr and a non-zero exit code. Other programs test the effects.
 * Every command of --help needs a row here.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { WORDS_MAX = 16 };

/* filled in before the table runs */
static char dead_id[40], queued_id[40], boss[128], used_policy[40];
static char made_id[40]; /* the object that a command deletes */

#define SESSION "ana@sessions.example"
#define MADE "made@users.example"

static struct suite *suite;
static struct unit_dir files;
static char policy_file[128], bot_file[128], second_bot_file[128], content_file[128],
    broken_file[128], people_file[128], receipt_file[128], receipt_key[256];

/* A command with valid and invalid words; word_of() replaces placeholders. */
static const struct row {
    const char *command; /* as in --help */
    const char *good[WORDS_MAX], *bad[WORDS_MAX];
    const char *complaint; /* part of the error line */
    const char *shows;     /* part of the text output: heading, member or word */
    /* a member of the JSON object or of each array element; NULL: none */
    const char *member;
    const char *input;
} rows[] = {
    {"project create",
     {"North Clinic", "--code", "north"},
     {"X", "--code", "demo"},
     "The tenant code is already in use. Choose another one.",
     "tenantCode",
     "projectId",
     NULL},
    {"audit prune",
     {NULL},
     {"--month", "2026"},
     "must be YYYY-MM",
     "All months are kept",
     "message",
     NULL},
    {"audit verify-file",
     {"/dev/null"},
     {"/nonexistent.jsonl"},
     "No such file",
     "rows are intact",
     "message",
     NULL},
    {"audit checkpoint",
     {"--project", "demo"},
     {"--project", "nobody"},
     "Tenant not found.",
     "verifierKey",
     "checkpoint",
     NULL},
    {"audit proof",
     {"--project", "demo", "@made"},
     {"--project", "demo", "authd-999999999"},
     "Audit event not found.",
     "hashes",
     "record",
     NULL},
    {"audit tail", {"--count", "5"}, {"--count", "0"}, "--count", "OUTCOME", "action", NULL},
    {"audit search",
     {"--project", "demo", "--action", "setting."},
     {"--project", "nobody"},
     "Tenant not found.",
     "setting.write",
     "sequence",
     NULL},
    {"config show",
     {"gateway"},
     {"gatewy"},
     "gatewy: no such instance",
     "gateway.access_log",
     "origin",
     NULL},
    {"config check", {"gateway"}, {"gateway.7"}, "no such instance", "ok", "state", NULL},
    {"project list", {NULL}, {NULL}, NULL, "TENANT CODE", "projectId", NULL},
    {"project show", {"demo"}, {"nobody"}, "Tenant not found.", "projectId", "projectId", NULL},
    {"project suspend",
     {"north-1"},
     {"nobody"},
     "Tenant not found.",
     "suspended",
     "suspended",
     NULL},
    {"project set",
     {"north-1", "default-patient-access-policy", ""},
     {"demo", "default-patient-access-policy", "AccessPolicy/x"},
     "",
     "registration is disabled",
     "projectId",
     NULL},
    {"project delete",
     {"@made", "--yes"},
     {"demo", "--yes"},
     "--force deletes them too",
     "settingsd",
     "done",
     NULL},
    {"project policy",
     {"north-1", "passwordMinLength", "12"},
     {"demo", "passwordMinLength", "65"},
     "passwordMinLength must be at most 64",
     "off: common passwords are accepted",
     "requireMfa",
     NULL},
    {"user create-admin",
     {"--project", "demo", "--email", "@boss", "--name", "Eve", "--surname", "Admin", "--existing"},
     {"--project", "demo", "--email", "@boss", "--name", "Eve", "--surname", "Admin"},
     "There is an account with this address.",
     "created",
     "membership",
     "a password\n"},
    {"user reset-mfa",
     {"--project", "demo", "--email", "@boss", "--role", "Practitioner"},
     {"--project", "demo", "--email", "no@body.example"},
     "",
     "The second factor was removed",
     "message",
     NULL},
    {"user list",
     {"--project", "demo", "--email", "admin@"},
     {"--project", "nobody"},
     "Tenant not found.",
     "MFA ENROLLED",
     "locked",
     NULL},
    {"user show",
     {"@boss", "--role", "Practitioner"},
     {"no@body.example"},
     "Account not found.",
     "emailVerified",
     "places",
     NULL},
    {"user lock",
     {"@made"},
     {"no@body.example"},
     "Account not found.",
     "The account is locked",
     "lockedAt",
     NULL},
    {"user unlock",
     {"@made"},
     {"no@body.example"},
     "Account not found.",
     "can sign in again",
     "locked",
     NULL},
    {"user delete",
     {"@made", "--yes"},
     {"@made"},
     "--yes is needed",
     "The account was deleted",
     "message",
     NULL},
    {"user receipt",
     {"@made"},
     {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"},
     "There is no record of this account being erased.",
     "credential",
     "receipt",
     NULL},
    {"user verify-receipt",
     {"@receipt", "--key", "@key"},
     {"@receipt", "--key", "lakeside.example/erasure+00000000+AA=="},
     "the receipt was altered",
     "credential",
     "parts",
     NULL},
    {"user import",
     {"@people", "--project", "demo"},
     {"/nonexistent.ndjson", "--project", "demo"},
     "No such file",
     "0 refused",
     "imported",
     NULL},
    {"tenant key",
     {NULL},
     {"--keys", "/nonexistent"},
     "/nonexistent",
     "atrium-tenant-",
     "key",
     NULL},
    {"account send-reset",
     {"--email", MADE, "--reason", "sent"},
     {"--email", "no@body.example", "--reason", "sent"},
     "Account not found.",
     "on its way",
     "message",
     NULL},
    {"account reset-mfa",
     {"--email", "@boss", "--reason", "lost"},
     {"--email", "no@body.example", "--reason", "lost"},
     "Account not found.",
     "no second factor",
     "message",
     NULL},
    {"account passkey-remove",
     {"--email", MADE, "--reason", "lost"},
     {"--email", MADE, "--reason", "lost", "--id", "first"},
     "must be the id of a passkey",
     "RP ID",
     NULL,
     NULL},
    {"account leave",
     {"--email", MADE, "--reason", "sent", "--tenant", "demo"},
     {"--email", MADE, "--reason", "sent", "--tenant", "nobody"},
     "Tenant not found.",
     "The membership and its sessions have ended",
     "message",
     NULL},
    {"account schedule-deletion",
     {"--email", MADE, "--reason", "sent", "--days", "3"},
     {"--email", MADE, "--reason", "sent", "--days", "0"},
     "--days",
     "deleted in 3 days",
     "message",
     NULL},
    {"member list",
     {"--project", "demo", "--count", "5"},
     {"--project", "nobody"},
     "Tenant not found.",
     "EMAIL VERIFIED",
     "emailVerified",
     NULL},
    {"policy put",
     {"--project", "demo", "@policy"},
     {"--project", "demo", "@broken"},
     "",
     "name",
     "id",
     NULL},
    {"policy list",
     {"--project", "demo"},
     {"--project", "nobody"},
     "Tenant not found.",
     "NAME",
     "id",
     NULL},
    {"policy delete",
     {"--project", "demo", "@made"},
     {"--project", "demo", "@used"},
     "The access policy is in use. Remove it from members and settings first.",
     "was deleted",
     "message",
     NULL},
    {"client create",
     {"--project", "demo", "Front desk"},
     {"--project", "nobody", "X"},
     "Tenant not found.",
     "Front desk",
     "id",
     NULL},
    {"client list",
     {"--project", "demo"},
     {"--project", "nobody"},
     "Tenant not found.",
     "NAME",
     "id",
     NULL},
    {"client show",
     {"--project", "demo", "@made"},
     {"--project", "demo", "00000000-0000-4000-8000-000000000000"},
     "Client not found.",
     "Front desk",
     "redirectUris",
     NULL},
    {"client set",
     {"--project", "demo", "@made", "--type", "confidential", "--redirect-uris",
      "https://desk.example/cb", "--grant-types", "authorization_code"},
     {"--project", "demo", "@made", "--type", "confidential", "--auth-method", "none"},
     "must not be none",
     "https://desk.example/cb",
     "redirectUris",
     NULL},
    {"client secret",
     {"--project", "demo", "@made"},
     {"--project", "demo", "@made", "--previous-hours", "200"},
     "--previous-hours",
     "atcs_",
     "secret",
     NULL},
    {"client delete",
     {"--project", "demo", "@made"},
     {"--project", "demo", "00000000-0000-4000-8000-000000000000"},
     "Client not found.",
     "was deleted",
     "message",
     NULL},
    {"api-key list",
     {"--project", "demo"},
     {"--project", "nobody"},
     "Tenant not found.",
     "LAST USED AT",
     NULL,
     NULL},
    {"api-key revoke",
     {"--project", "demo", "@made"},
     {"--project", "demo", "00000000-0000-4000-8000-000000000000"},
     "API key not found.",
     "was revoked",
     "message",
     NULL},
    {"domain list",
     {"--project", "demo"},
     {"--project", "nobody"},
     "Tenant not found.",
     "RECORD VALUE",
     NULL,
     NULL},
    {"domain verify",
     {"--project", "demo", "clinic.example"},
     {"--project", "demo", "gmail.com"},
     "provider of mailboxes",
     "clinic.example",
     "domain",
     NULL},
    {"bot put",
     {"--project", "demo", "@bot"},
     {"--project", "demo", "@broken"},
     "",
     "program",
     "id",
     NULL},
    {"bot list",
     {"--project", "demo"},
     {"--project", "nobody"},
     "Tenant not found.",
     "KIND",
     "id",
     NULL},
    {"bot delete",
     {"--project", "demo", "@made"},
     {"--project", "demo", "no-uuid"},
     "must be a uuid",
     "were deleted",
     "message",
     NULL},
    {"bot run",
     {"--project", "demo", "https://atrium.example/bots|echo"},
     {"--project", "demo", "no-such-bot"},
     "",
     "{",
     NULL,
     NULL},
    {"template put",
     {"--project", "demo", "PATIENT_WELCOME", "--subject", "Hi", "--text", "@policy"},
     {"--project", "demo", "PATIENT_WELCOME", "--subject", "Hi"},
     "--text or --html is missing",
     "subject",
     "subject",
     NULL},
    {"template list",
     {"--project", "demo"},
     {"--project", "nobody"},
     "Tenant not found.",
     "SUBJECT",
     "subject",
     NULL},
    {"template delete",
     {"--project", "demo", "ACCOUNT_DELETION_REMINDER"},
     {"--project", "demo", "NO_SUCH"},
     "Template not found.",
     "was deleted",
     "message",
     NULL},
    {"template preview",
     {"--project", "demo", "PATIENT_WELCOME"},
     {"--project", "demo", "NO_SUCH"},
     "Template not found.",
     "subject",
     "subject",
     NULL},
    {"content import",
     {"--project", "demo", "@content"},
     {"--project", "demo", "@broken"},
     "",
     "",
     NULL,
     NULL},
    {"documents verify",
     {"--hash", "--repair"},
     {"--after", "nowhere"},
     "must be PROJECT/DOCUMENT",
     "orphans",
     "problems",
     NULL},
    {"keys list", {NULL}, {NULL}, NULL, "KID", "kid", NULL},
    {"keys rotate", {NULL}, {NULL}, NULL, "KID", "kid", NULL},
    {"session list",
     {"--email", SESSION},
     {"--email", SESSION, "--project", "nobody"},
     "Tenant not found.",
     "AUTH METHOD",
     NULL,
     NULL},
    {"session revoke",
     {"--email", "@boss"},
     {"--email", SESSION},
     "Account not found.",
     "AUTH METHOD",
     NULL,
     NULL},
    {"mail queue", {"--state", "dead"}, {"--count", "0"}, "--count", "TEMPLATE", "template", NULL},
    {"mail retry",
     {"@queued"},
     {"@dead"},
     "its content erased",
     "The email will be retried now",
     "message",
     NULL},
    {"mail drop",
     {"@dead"},
     {"no uuid"},
     "must be a uuid",
     "This email will never be sent",
     "message",
     NULL},
    {"audit verify",
     {NULL},
     {"--kept", "@broken"},
     "not the output of",
     "SERVICE",
     "service",
     NULL},
    {"audit export",
     {"--project", "demo"},
     {"--project", "nobody"},
     "Tenant not found.",
     "resourceType",
     "resourceType",
     NULL},
    {"job list", {NULL}, {"--count", "0"}, "--count", "ATTEMPTS", NULL, NULL},
    {"job run-due", {NULL}, {NULL}, NULL, "left", "left", NULL},
    {"status", {NULL}, {NULL}, NULL, "UP TIME", "service", NULL},
    {"doctor", {NULL}, {NULL}, NULL, "DAEMON", "check", NULL},
    {"explain sign-in",
     {"--project", "demo", "--email", "@boss", "--role", "Practitioner"},
     {"--project", "demo", "--email", "@boss", "--role", "Practitioner", "--address", "nowhere"},
     "address",
     "CHECK",
     "steps",
     NULL},
};

/* Commands that call no daemon and have their own tests (test_dev.c, test_atriumctl.c,
 * test_bus_keys.c, test_completion.c, test_ctl_passwords.c). */
static const char *const alone[] = {"dev",
                                    "database sql",
                                    "keys bus",
                                    "completion",
                                    "passwords build",
                                    "passwords verify",
                                    "passwords info",
                                    "tenant export",
                                    "tenant import",
                                    "tenant verify"};

static const char *word_of(const char *word)
{
    const struct {
        const char *name, *value;
    } names[] = {{"@policy", policy_file}, {"@bot", bot_file},         {"@content", content_file},
                 {"@broken", broken_file}, {"@dead", dead_id},         {"@queued", queued_id},
                 {"@boss", boss},          {"@made", made_id},         {"@used", used_policy},
                 {"@people", people_file}, {"@receipt", receipt_file}, {"@key", receipt_key}};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (strcmp(word, names[i].name) == 0)
            return names[i].value;
    }
    return word;
}

/* Enrolls a factor for demo's admin, which a command resets. */
static void enroll(void)
{
    char *id = suite_query(
        suite, "insert into auth.mfa_factor (account_id, secret_sealed, created_at, enrolled_at) "
               "select id, '', 0, 0 from auth.account where email = 'admin@demo.example' "
               "on conflict (account_id) do update set enrolled_at = 0 returning account_id");

    UNIT_CHECK(*id != '\0', "no account of the demo tenant's admin");
    free(id);
}

static void make_user(void)
{
    char *id =
        suite_query(suite,
                    "insert into auth.account (id, role, email, name, surname, created_at) "
                    "values (gen_random_uuid(), 'Practitioner', '" MADE "', 'M', 'U', 0) "
                    "on conflict (email) where role = 'Practitioner' do update set created_at = 0 "
                    "returning id");

    snprintf(made_id, sizeof(made_id), "%s", id);
    free(id);
}

/* Erases an account and keeps its receipt and the receipt's key in files. */
static void make_receipt(void)
{
    PERSON person = person_register(suite, NULL);
    PROGRAM deleted = ATRIUMCTL(suite, NULL, "user", "delete", person->email, "--yes", "--json");

    CHECK_EXIT(deleted, DONE);
    snprintf(made_id, sizeof(made_id), "%s", program_text(deleted, "receipt.account"));
    snprintf(receipt_file, sizeof(receipt_file), "%s",
             unit_dir_write(&files, "receipt.json", deleted->out));
    snprintf(receipt_key, sizeof(receipt_key), "%s", program_text(deleted, "receipt.verifierKey"));
}

static void make_for(const char *command)
{
    const struct {
        const char *command, *words[WORDS_MAX];
    } makers[] = {
        {"project delete", {"project", "create", "Doomed", "--json"}},
        {"policy delete", {"policy", "put", "--project", "demo", policy_file, "--json"}},
        {"client delete", {"client", "create", "--project", "demo", "Desk", "--json"}},
        {"account leave",
         {"user", "create-admin", "--project", "demo", "--email", MADE, "--name", "M", "--surname",
          "U", "--existing"}},
        {"client show", {"client", "create", "--project", "demo", "Front desk", "--json"}},
        {"client set", {"client", "create", "--project", "demo", "Front desk", "--json"}},
        {"client secret",
         {"client", "create", "--project", "demo", "Desk", "--type", "confidential", "--json"}},
        {"bot delete", {"bot", "put", "--project", "demo", second_bot_file, "--json"}},
        {"template delete",
         {"template", "put", "--project", "demo", "ACCOUNT_DELETION_REMINDER", "--subject", "Hi",
          "--text", policy_file, "--json"}},
    };

    for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
        if (strcmp(command, makers[i].command) != 0)
            continue;
        PROGRAM made = suite_command(suite, NULL, makers[i].words);
        const char *id = json_string_value(json_object_get(made->json, "id"));

        if (!id)
            id = json_string_value(json_object_get(made->json, "projectId"));
        CHECK_EXIT(made, DONE);
        snprintf(made_id, sizeof(made_id), "%s", id ? id : "");
    }
    if (strstr(command, "receipt"))
        make_receipt();
    if (strcmp(command, "audit proof") == 0) { /* an event that is already a leaf */
        PERSON admin = person_admin(suite);
        usleep(3000 * 1000);
        HTTP_ANSWER list = http_get(suite_url(suite), "/v1/project/audit?_count=1", admin->access);
        CHECK_STATUS(list, 200);
        snprintf(made_id, sizeof(made_id), "%s", http_text(list, "resources.0.id"));
    }
    if (strcmp(command, "api-key revoke") == 0) { /* only an admin can make one and learn its id */
        PERSON admin = person_sign_in(suite, "Practitioner", suite_text(suite, "demo.adminEmail"),
                                      suite_text(suite, "demo.adminPassword"), "demo");
        HTTP_ANSWER made = http_post(suite_url(suite), "/v1/project/api-keys", admin->access,
                                     json_pack("{s:s, s:s}", "name", "Desk", "accessPolicy",
                                               suite_text(suite, "demo.patientAccessPolicy")));
        snprintf(made_id, sizeof(made_id), "%s", http_text(made, "id"));
    }
}

static struct program *run(const struct row *row, const char *const *words, bool json)
{
    const char *all[WORDS_MAX + 4];
    char command[64], *rest = command, *word;
    size_t count = 0;

    if (strstr(row->command, " reset-mfa"))
        enroll();
    if (strncmp(row->command, "user ", 5) == 0 || strncmp(row->command, "account ", 8) == 0)
        make_user();
    make_for(row->command);
    snprintf(command, sizeof(command), "%s", row->command);
    while ((word = strsep(&rest, " ")))
        all[count++] = word;
    for (; *words; words++)
        all[count++] = word_of(*words);
    if (json)
        all[count++] = "--json";
    all[count] = NULL;
    return suite_command(suite, row->input, all);
}

static void every_command_has_a_row(void)
{
    char *path = program_path("atriumctl"), *rest, *line;
    PROGRAM help = program_run((const char *const[]){path, "--help", NULL}, NULL);
    size_t listed = 0;

    rest = help->out;
    while ((line = strsep(&rest, "\n"))) {
        char *gap = *line == ' ' ? strstr(line + 2, "  ") : NULL;
        bool known = false;

        if (!gap || line[2] == '-')
            continue;
        *gap = '\0';
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
            known = known || strcmp(rows[i].command, line + 2) == 0;
        for (size_t i = 0; i < ARRAY_SIZE(alone); i++)
            known = known || strcmp(alone[i], line + 2) == 0;
        UNIT_CHECK(known, "no row of the tables above runs `atriumctl %s`", line + 2);
        listed++;
    }
    CU_ASSERT_EQUAL(listed, ARRAY_SIZE(rows) + ARRAY_SIZE(alone));
    free(path);
}

static void check_json(const struct row *row)
{
    PROGRAM said = run(row, row->good, true);
    const json_t *one;

    UNIT_REQUIRE(said->code == DONE && said->json, "%s: %d %s%s", row->command, said->code,
                 said->out, said->err);
    one = json_is_array(said->json) ? json_array_get(said->json, 0) : said->json;
    UNIT_CHECK(!row->member || json_object_get(one, row->member), "%s: no %s in %s", row->command,
               row->member, said->out);
}

static void check_table(const struct row *row)
{
    PROGRAM said = run(row, row->good, false);

    UNIT_REQUIRE(said->code == DONE, "%s: %d %s", row->command, said->code, said->err);
    UNIT_CHECK(*said->out != '\0' && strstr(said->out, row->shows), "%s: %s", row->command,
               said->out);
}

static void check_refusal(const struct row *row)
{
    for (int json = 0; row->complaint && json < 2; json++) {
        PROGRAM said = run(row, row->bad, json);
        const char *line = said->err;

        UNIT_CHECK(said->code == FAILED && *said->out == '\0', "%s: %d %s", row->command,
                   said->code, said->out);
        UNIT_CHECK(strncmp(line, "atriumctl: ", 11) == 0 && strstr(line, row->complaint) &&
                       line[11] != '\n' && strchr(line, '\n') == line + strlen(line) - 1,
                   "%s: %s", row->command, line);
    }
}

static void every_command_prints_text_and_json(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (strcmp(rows[i].command, "project create") == 0 ||
            strcmp(rows[i].command, "mail drop") == 0)
            continue;
        check_table(&rows[i]);
        check_json(&rows[i]);
    }
}

static void commands_that_run_once_print_text_and_json(void)
{
    PROGRAM table = ATRIUMCTL(suite, NULL, "project", "create", "South Clinic");
    PROGRAM dropped = ATRIUMCTL(suite, NULL, "mail", "drop", queued_id);

    CHECK_EXIT(table, DONE);
    CU_ASSERT_PTR_NOT_NULL(strstr(table->out, "south-clinic"));
    CHECK_EXIT(dropped, DONE);
    CU_ASSERT_PTR_NOT_NULL(strstr(dropped->out, "This email will never be sent."));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (strcmp(rows[i].command, "project create") == 0 ||
            strcmp(rows[i].command, "mail drop") == 0)
            check_json(&rows[i]);
    }
}

static void strict_projects_have_their_protections_on(void)
{
    PROGRAM open_shown = ATRIUMCTL(suite, NULL, "project", "show", "demo");
    PROGRAM made = ATRIUMCTL(suite, NULL, "project", "create", "Strict Clinic", "--code", "strict",
                             "--strict");
    PROGRAM shown = ATRIUMCTL(suite, NULL, "project", "show", "strict");
    PROGRAM policy = ATRIUMCTL(suite, NULL, "project", "policy", "strict", "--json");
    PROGRAM space =
        ATRIUMCTL(suite, NULL, "project", "policy", "strict", "bytesPerProject", "1000");
    PROGRAM any =
        ATRIUMCTL(suite, NULL, "project", "policy", "strict", "bytesPerProject", "none", "--json");

    CHECK_EXIT(made, DONE);
    CHECK_EXIT(shown, DONE);
    CHECK_EXIT(policy, DONE);
    UNIT_CHECK(strstr(open_shown->out,
                      "off: email addresses need not be verified (atriumctl project policy demo "
                      "requireVerifiedEmail true)") != NULL,
               "%s", open_shown->out);
    UNIT_CHECK(!strstr(shown->out, "passwords are accepted") && !strstr(shown->out, "need no"),
               "%s", shown->out);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(policy->json, "passwordMinLength")), 15);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(policy->json, "passwordMinLengthWithMfa")),
                    8);
    CU_ASSERT_TRUE(json_is_true(json_object_get(policy->json, "refuseCommonPasswords")));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(policy->json, "onSignIn")), "mail");
    CU_ASSERT_TRUE(json_is_true(json_object_get(policy->json, "requireVerifiedEmail")));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(policy->json, "requireMfa")),
                           "admins");
    CU_ASSERT_PTR_NULL(strstr(space->out, "off:"));
    CU_ASSERT_TRUE(json_is_null(json_object_get(any->json, "bytesPerProject")));
}

static void a_limit_beyond_all_numbers_is_refused(void)
{
    PROGRAM set = ATRIUMCTL(suite, NULL, "project", "policy", "demo", "bytesPerProject",
                            "99999999999999999999");

    CHECK_REFUSED(set, FAILED, "bytesPerProject must be an integer");
}

static bool lists_admin(const json_t *members, const char *email)
{
    const json_t *member;
    size_t i;

    json_array_foreach(members, i, member)
    {
        const char *address = json_string_value(json_object_get(member, "email"));

        if (address && strcmp(address, email) == 0)
            return json_is_true(json_object_get(member, "admin")) &&
                   json_is_false(json_object_get(member, "pending"));
    }
    return false;
}

static void members_are_listed_page_by_page(void)
{
    free(suite_query(
        suite, "insert into auth.invitation (project_id, id, role, email, name, surname, "
               "profile_id, invited_at, invited_by, secret_hash, expires_at) "
               "select m.project_id, gen_random_uuid(), 'Practitioner', "
               "'guest' || n || '@demo.example', 'G', 'Uest', gen_random_uuid(), 0, m.id, '', "
               "9999999999999 from auth.membership m join auth.account a on a.id = m.account_id, "
               "generate_series(1, 150) n "
               "where a.email = 'admin@demo.example' and m.admin"));
    PROGRAM all = ATRIUMCTL(suite, NULL, "member", "list", "--project", "demo", "--json");
    PROGRAM some = ATRIUMCTL(suite, NULL, "member", "list", "--project", "demo", "--count", "130",
                             "--offset", "1");
    size_t total = json_array_size(all->json), pending = 0, i;
    const json_t *member;
    char note[64];

    CHECK_EXIT(all, DONE);
    CHECK_EXIT(some, DONE);
    CU_ASSERT_TRUE(lists_admin(all->json, boss));
    json_array_foreach(all->json, i, member) pending +=
        json_is_true(json_object_get(member, "pending"));
    CU_ASSERT_EQUAL(pending, 150);
    snprintf(note, sizeof(note), "These are 130 of %zu, starting at offset 1.", total);
    UNIT_CHECK(strstr(some->out, note) != NULL, "no \"%s\" in %s", note, some->out);
}

/* Each of the two runs leaves one row in the project's audit log. */
static void deletions_are_in_the_audit_trail(void)
{
    const char *const actions[] = {"policy.delete", "client.delete", "bot.delete",
                                   "template.delete"};

    for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
        PROGRAM found = ATRIUMCTL(suite, NULL, "audit", "search", "--project", "demo", "--action",
                                  actions[i], "--json");

        CHECK_EXIT(found, DONE);
        UNIT_CHECK(json_array_size(found->json) == 2, "%s: %s", actions[i], found->out);
    }
}

static void every_command_reports_its_refusal(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_refusal(&rows[i]);
}

static void every_command_reports_an_absent_suite(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char *path = program_path("atriumctl"), text[160];

    snprintf(text, sizeof(text), "common\n    run_dir = \"%s\"\n", dir.path);
    unit_dir_write(&dir, "atrium.conf", text);
    for (size_t i = 0; i < ARRAY_SIZE(rows);
         i += 4) { /* each command takes two seconds to time out, so only one in four is run */
        const char *argv[WORDS_MAX + 8] = {path, "--dir", dir.path};
        char command[64], *rest = command, *word;
        size_t count = 3;

        snprintf(command, sizeof(command), "%s", rows[i].command);
        while ((word = strsep(&rest, " ")))
            argv[count++] = word;
        for (size_t w = 0; rows[i].good[w]; w++)
            argv[count++] = word_of(rows[i].good[w]);
        argv[count] = NULL;
        PROGRAM said = program_run(argv, rows[i].input);
        UNIT_CHECK(said->code == FAILED && (strstr(said->err, "is the suite running?") ||
                                            strcmp(rows[i].command, "doctor") == 0),
                   "%s: %d %s", rows[i].command, said->code, said->err);
    }
    free(path);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
    unit_dir_remove(&files);
}

static void the_objects_of_the_commands_exist(void)
{
    static const char mail[] =
        "insert into mail.message (id, project_id, template, sealed, state, due_at, created_at) "
        "values (gen_random_uuid(), gen_random_uuid(), 'GONE', %s, '%s', 9999999999999, %lld) "
        "returning id";
    PROGRAM north = ATRIUMCTL(suite, NULL, "project", "create", "North", "--code", "north-1");
    char sql[300], *id;

    CHECK_EXIT(north, DONE);
    snprintf(sql, sizeof(sql), mail, "null", "dead", (long long)clock_real_ms());
    snprintf(dead_id, sizeof(dead_id), "%s", id = suite_query(suite, sql));
    free(id);
    snprintf(sql, sizeof(sql), mail, "''", "queued", (long long)clock_real_ms());
    snprintf(queued_id, sizeof(queued_id), "%s", id = suite_query(suite, sql));
    free(id);
    snprintf(boss, sizeof(boss), "%s", suite_text(suite, "demo.adminEmail"));
    snprintf(used_policy, sizeof(used_policy), "%s",
             id = suite_query(suite,
                              "select split_part(settings->>'defaultPatientAccessPolicy', '/', 2) "
                              "from settings.project join settings.tenant_code "
                              "on project_id = id where code = 'demo'"));
    free(id);
    files = unit_dir_make();
    snprintf(policy_file, sizeof(policy_file), "%s",
             unit_dir_write(&files, "policy",
                            "{\"name\":\"All\",\"resource\":[{\"resourceType\":\"*\"}]}"));
    snprintf(bot_file, sizeof(bot_file), "%s",
             unit_dir_write(&files, "bot",
                            "{\"identifier\":[{\"system\":\"https://x.example\",\"value\":\"b\"}],"
                            "\"name\":\"B\",\"kind\":\"program\",\"program\":\"echo\"}"));
    snprintf(second_bot_file, sizeof(second_bot_file), "%s",
             unit_dir_write(&files, "second-bot",
                            "{\"identifier\":[{\"system\":\"https://x.example\",\"value\":\"c\"}],"
                            "\"name\":\"C\",\"kind\":\"program\",\"program\":\"echo\"}"));
    snprintf(content_file, sizeof(content_file), "%s",
             unit_dir_write(&files, "content",
                            "[{\"type\":\"article\",\"key\":\"a\",\"language\":\"en\","
                            "\"title\":\"A\"}]"));
    snprintf(people_file, sizeof(people_file), "%s",
             unit_dir_write(&files, "people",
                            "{\"email\":\"import@ctl.example\",\"firstName\":\"Ana\","
                            "\"lastName\":\"Lima\"}"));
    snprintf(broken_file, sizeof(broken_file), "%s", unit_dir_write(&files, "broken", "{"));
}

static void a_clients_type_leaves_a_method_that_fits(void)
{
    const char *path = unit_dir_write(&files, "client", "{\"authMethod\":\"client_secret_post\"}");
    PROGRAM made = ATRIUMCTL(suite, NULL, "client", "create", "--project", "demo", "Post", "--file",
                             path, "--type", "confidential", "--json");
    const char *id = program_text(made, "id");
    PROGRAM public = ATRIUMCTL(suite, NULL, "client", "set", "--project", "demo", id, "--type",
                               "public", "--json");
    PROGRAM named = ATRIUMCTL(suite, NULL, "client", "set", "--project", "demo", id, "--type",
                              "confidential", "--auth-method", "client_secret_basic", "--json");

    CU_ASSERT_STRING_EQUAL(program_text(made, "authMethod"), "client_secret_post");
    CU_ASSERT_STRING_EQUAL(program_text(public, "authMethod"), "none");
    CU_ASSERT_STRING_EQUAL(program_text(named, "authMethod"), "client_secret_basic");
}

static void two_changes_of_a_client_at_once_both_stay(void)
{
    PROGRAM made =
        ATRIUMCTL(suite, NULL, "client", "create", "--project", "demo", "Race", "--json");
    const char *id = program_text(made, "id");

    suite_command_race(suite, "settingsd",
                       "select from settings.client where name = 'Race' for update",
                       (const char *const[]){"client", "set", "--project", "demo", id, "--scopes",
                                             "openid,email", NULL},
                       (const char *const[]){"client", "set", "--project", "demo", id,
                                             "--redirect-uris", "https://race.example/cb", NULL});
    PROGRAM shown = ATRIUMCTL(suite, NULL, "client", "show", "--project", "demo", id, "--json");
    CU_ASSERT_STRING_EQUAL(program_text(shown, "scopes.1"), "email");
    CU_ASSERT_STRING_EQUAL(program_text(shown, "redirectUris.0"), "https://race.example/cb");
}

static const struct unit_case cases[] = {
    CASE(every_command_has_a_row),
    CASE(the_objects_of_the_commands_exist),
    CASE(every_command_prints_text_and_json),
    CASE(members_are_listed_page_by_page),
    CASE(deletions_are_in_the_audit_trail),
    CASE(every_command_reports_its_refusal),
    CASE(strict_projects_have_their_protections_on),
    CASE(a_limit_beyond_all_numbers_is_refused),
    CASE(a_clients_type_leaves_a_method_that_fits),
    CASE(two_changes_of_a_client_at_once_both_stay),
    CASE(commands_that_run_once_print_text_and_json),
    CASE(every_command_reports_an_absent_suite),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = NULL});
    return unit_run("ctl commands", cases, ARRAY_SIZE(cases));
}
