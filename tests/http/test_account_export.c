/*
 * test_account_export.c - the export of a person's data: access, completeness against the database,
 * a valid FHIR Bundle, encryption at rest, deletion with the account. Killed daemons leave no job.
 *
 * tier: test browser
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/document.h"
#include "tests/support/oauth.h"
#include "tests/support/passkeys.h"
#include "tests/support/program.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define EXPORT "/auth/export"
#define MARK "a finding that is on disk in one place only"

enum { FRESH = 900, DAY = 86400, MADE_MS = 60000, LARGE = 24 << 20, AT_ONCE = 64 };

static struct suite *suite;
static struct unit_dir dir;

static struct http_answer *ask(const char *access)
{
    return http_post(suite_url(suite), EXPORT, access, NULL);
}

static struct http_answer *fetch(const char *access, const char *id)
{
    char path[80];

    snprintf(path, sizeof(path), EXPORT "/%s", id);
    return http_get(suite_url(suite), path, access);
}

static bool made(const char *id)
{
    return suite_comes_to(suite, 1, MADE_MS,
                          "select count(*) from doc.export where id = '%s' and state = 'ready'",
                          id);
}

/* Requests an export, waits for it and returns its id. The caller frees the id. */
static char *export_of(const char *access)
{
    HTTP_ANSWER answer = ask(access);

    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "state"), "pending");
    CU_ASSERT_TRUE(made(http_text(answer, "id")));
    return strdup(http_text(answer, "id"));
}

/* Reads a file below an unpacked archive, or returns NULL if there is none (caller frees). */
static char *unpacked(const char *folder, const char *name, size_t *ret_size)
{
    char path[512];
    struct stat status;
    char *bytes;
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s/%s", dir.path, folder, name);
    file = fopen(path, "r");
    if (!file)
        return NULL;
    if (fstat(fileno(file), &status) < 0)
        abort();
    bytes = calloc(1, (size_t)status.st_size + 1);
    *ret_size = fread(bytes, 1, (size_t)status.st_size, file);
    fclose(file);
    return bytes;
}

static void unpack(const struct http_answer *zip, const char *folder)
{
    char path[256], target[256];
    const char *argv[] = {"/usr/bin/python3", "-m", "zipfile", "-e", path, target, NULL};
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s.zip", dir.path, folder);
    snprintf(target, sizeof(target), "%s/%s", dir.path, folder);
    file = fopen(path, "w");
    CU_ASSERT_EQUAL(fwrite(zip->body, 1, zip->size, file), zip->size);
    fclose(file);
    PROGRAM python = program_run(argv, NULL);
    CHECK_EXIT(python, 0);
}

static json_t *bundle_of(const char *folder)
{
    size_t size = 0;
    TEXT text = unpacked(folder, "bundle.json", &size);
    json_t *bundle = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;

    CU_ASSERT_PTR_NOT_NULL(bundle);
    return bundle;
}

/* Counts the resources of a type. For Basic, counts those of this kind. */
static long resources(const json_t *bundle, const char *type, const char *kind)
{
    size_t index;
    json_t *entry;
    long count = 0;

    json_array_foreach(json_object_get(bundle, "entry"), index, entry)
    {
        json_t *resource = json_object_get(entry, "resource");
        json_t *coding =
            json_array_get(json_object_get(json_object_get(resource, "code"), "coding"), 0);
        const char *code = json_string_value(json_object_get(coding, "code"));

        count += strcmp(json_string_value(json_object_get(resource, "resourceType")), type) == 0 &&
                 (!kind || (code && strcmp(code, kind) == 0));
    }
    return count;
}

static json_t *resource_of(const json_t *bundle, const char *type)
{
    size_t index;
    json_t *entry;

    json_array_foreach(json_object_get(bundle, "entry"), index, entry)
    {
        json_t *resource = json_object_get(entry, "resource");

        if (strcmp(json_string_value(json_object_get(resource, "resourceType")), type) == 0)
            return resource;
    }
    return NULL;
}

static const struct unit_need validator[] = {{"build/npm/installed/fhir", "npm"}, {NULL, NULL}};

static struct program *validate(const char *file)
{
    const char *argv[] = {"/usr/bin/env", "node", "tests/fhir/validate.cjs", file, NULL};

    return program_run(argv, NULL);
}

static bool have_validator(void)
{
    return access(validator[0].path, R_OK) == 0 || getenv("ATRIUM_REQUIRE_ALL");
}

/* Runs only if a validator is installed; the_validator_refuses_what_is_wrong reports when there is
 * none. */
static void check_valid(const char *folder)
{
    char path[256];

    if (!have_validator())
        return;

    snprintf(path, sizeof(path), "%s/%s/bundle.json", dir.path, folder);
    PROGRAM node = validate(path);
    CHECK_EXIT(node, 0);
}

static char *membership_of(const struct person *person)
{
    char sql[256];

    snprintf(sql, sizeof(sql),
             "select m.id from auth.membership m join auth.account a on a.id = m.account_id where "
             "a.email = '%s'",
             person->email);
    return suite_query(suite, sql);
}

/* Counts the sealed rows about an account in all audit logs. */
static long audit_rows_of(const char *account)
{
    long count = 0;

    for (size_t i = 0; i < 5; i++) {
        static const char *const schemas[] = {"auth", "settings", "doc", "bot", "mail"};

        count += suite_count(suite,
                             "select count(*) from %s.audit where event->>'account' = '%s' and "
                             "at < (select max(created_at) from doc.export)",
                             schemas[i], account);
    }
    return count;
}

/* Counts the audit rows of the person's own actions in one project, up to the export. */
static long own_rows_of(const char *account, const char *project)
{
    return suite_count(suite,
                       "select count(*) from auth.audit where event->>'account' = '%s' and "
                       "project_id = '%s' and at < (select max(created_at) from doc.export)",
                       account, strchr(project, '/') + 1);
}

static void map_template(const char *name, const char *text)
{
    const char *file = unit_dir_write(&dir, "template.txt", text);
    PROGRAM mapped = ATRIUMCTL(suite, NULL, "template", "put", "--project", "demo", name,
                               "--subject", "Your data", "--text", file);

    CHECK_EXIT(mapped, 0);
}

static void an_export_is_complete_and_valid(void)
{
    PERSON patient = person_register(suite, NULL);
    TEXT large = test_bytes(LARGE, 7);
    TEXT text =
        document_put(suite, patient->access, "finding.txt", "text/plain", MARK, sizeof(MARK) - 1);
    TEXT scan = document_put(suite, patient->access, "Röntgen ../1.bin", "application/octet-stream",
                             large, LARGE);
    HTTP_ANSWER empty = document_make(suite, patient->access, "later.txt", "text/plain");
    TEXT account = suite_account(suite, patient->email);
    size_t size = 0;
    char path[160];

    CHECK_STATUS(empty, 200);
    usleep(1500000); /* until the rows are leaves of the Merkle tree */
    TEXT id = export_of(patient->access);
    HTTP_ANSWER zip = fetch(patient->access, id);
    CHECK_STATUS(zip, 200);
    TEXT type = http_header(zip, "Content-Type");
    CU_ASSERT_STRING_EQUAL(type, "application/zip");
    unpack(zip, "complete");
    check_valid("complete");
    json_auto_t *bundle = bundle_of("complete");
    CU_ASSERT_EQUAL(resources(bundle, "Patient", NULL), 1);
    CU_ASSERT_EQUAL(resources(bundle, "Basic", "account"), 1);
    CU_ASSERT_EQUAL(resources(bundle, "Basic", "membership"), 1);
    CU_ASSERT_EQUAL(resources(bundle, "Basic", "session"),
                    suite_count(suite,
                                "select count(*) from auth.session where account_id = '%s' and "
                                "ended_at is null",
                                account));
    CU_ASSERT_EQUAL(resources(bundle, "DocumentReference", NULL), 3);
    UNIT_CHECK(resources(bundle, "AuditEvent", NULL) >= audit_rows_of(account) &&
                   audit_rows_of(account) >= 4,
               "%ld of %ld", resources(bundle, "AuditEvent", NULL), audit_rows_of(account));
    snprintf(path, sizeof(path), "documents/%s/finding.txt", text);
    TEXT finding = unpacked("complete", path, &size);
    CU_ASSERT_TRUE(finding && size == sizeof(MARK) - 1 && memcmp(finding, MARK, size) == 0);
    snprintf(path, sizeof(path), "documents/%s/Röntgen .._1.bin", scan);
    TEXT bytes = unpacked("complete", path, &size);
    CU_ASSERT_TRUE(bytes && size == LARGE && memcmp(bytes, large, LARGE) == 0);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from doc.audit where event->>'action' in "
                                "('export.create', 'export.execute', 'export.read') and "
                                "entity = 'Export/%s'",
                                id),
                    3);
}

static void consent_to(const struct person *person, const char *client)
{
    BROWSER browser = browser_open(suite);

    oauth_ask(browser, client, OAUTH_USUAL);
    oauth_follow(browser);
    CU_ASSERT_EQUAL(oauth_sign_in(browser, person->email, FORM_PASSWORD), 200);
    oauth_consent(browser, "allow");
    TEXT code = oauth_parameter(browser, "code");
    CU_ASSERT_STRING_NOT_EQUAL(code, "");
}

static void what_applications_may_do_is_in_it(void)
{
    PERSON patient = person_register(suite, NULL);
    PERSON admin = person_admin(suite);
    TEXT client = oauth_register(suite, admin, "{\"name\":\"Step counter\",\"firstParty\":false}");
    TEXT account = suite_account(suite, patient->email);

    consent_to(patient, client);
    TEXT id = export_of(patient->access);
    HTTP_ANSWER zip = fetch(patient->access, id);
    unpack(zip, "consents");
    check_valid("consents");
    json_auto_t *bundle = bundle_of("consents");
    json_t *consent = resource_of(bundle, "Consent");
    CU_ASSERT_EQUAL(resources(bundle, "Consent", NULL), 1);
    TEXT text = consent ? json_dumps(consent, JSON_COMPACT) : strdup("");
    UNIT_CHECK(strstr(text, client) && strstr(text, "Step counter") &&
                   strstr(text, "openid profile email") && strstr(text, patient->profile),
               "%s", text);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.oauth_consent where account_id = '%s'",
                                account),
                    1);
}

/* True when the exported bundle contains the id of the reference. */
static bool names(const char *folder, const char *reference)
{
    size_t size = 0;
    TEXT text = unpacked(folder, "bundle.json", &size);

    const char *slash = strchr(reference, '/'), *id = slash ? slash + 1 : reference;

    CU_ASSERT_EQUAL(strlen(id), 36);
    return text && memmem(text, size, id, strlen(id));
}

static void a_practitioners_export_is_complete(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, "https://practitioner.demo.example");
    PERSON child = person_admin_of_child(suite, "exportchild");
    PERSON admin = person_admin(suite);
    TEXT account = suite_account(suite, admin->email);
    TEXT report =
        document_put(suite, admin->access, "report.txt", "text/plain", MARK, sizeof(MARK) - 1);
    TEXT elsewhere = document_put(suite, child->access, "other.txt", "text/plain", "other", 5);
    HTTP_ANSWER enrolled = passkey_enroll(suite, admin->access, key);
    size_t size = 0;
    char path[160];

    CHECK_STATUS(enrolled, 200);
    usleep(1500000);
    TEXT id = export_of(admin->access);
    HTTP_ANSWER zip = fetch(admin->access, id);
    CHECK_STATUS(zip, 200);
    unpack(zip, "practitioner");
    check_valid("practitioner");
    json_auto_t *bundle = bundle_of("practitioner");
    CU_ASSERT_EQUAL(resources(bundle, "Practitioner", NULL), 1);
    CU_ASSERT_EQUAL(resources(bundle, "Patient", NULL), 0);
    CU_ASSERT_EQUAL(resources(bundle, "Organization", NULL), 1);
    CU_ASSERT_EQUAL(resources(bundle, "Basic", "account"), 1);
    CU_ASSERT_EQUAL(resources(bundle, "Basic", "passkey"), 1);
    CU_ASSERT_EQUAL(resources(bundle, "Basic", "membership"), 1);
    CU_ASSERT_TRUE(suite_count(suite,
                               "select count(*) from auth.membership where account_id = '%s'",
                               account) >= 2);
    CU_ASSERT_TRUE(names("practitioner", admin->project));
    CU_ASSERT_FALSE(names("practitioner", child->project));
    CU_ASSERT_FALSE(names("practitioner", child->profile));
    CU_ASSERT_EQUAL(resources(bundle, "Basic", "session"),
                    suite_count(suite,
                                "select count(*) from auth.session where account_id = '%s' and "
                                "project_id = '%s' and ended_at is null",
                                account, strchr(admin->project, '/') + 1));
    CU_ASSERT_EQUAL(resources(bundle, "DocumentReference", NULL),
                    suite_count(suite, "select count(*) from doc.document where author_id = '%s'",
                                strchr(admin->profile, '/') + 1));
    snprintf(path, sizeof(path), "documents/%s/report.txt", report);
    TEXT bytes = unpacked("practitioner", path, &size);
    CU_ASSERT_TRUE(bytes && size == sizeof(MARK) - 1 && memcmp(bytes, MARK, size) == 0);
    snprintf(path, sizeof(path), "documents/%s/other.txt", elsewhere);
    CU_ASSERT_PTR_NULL(unpacked("practitioner", path, &size));
    UNIT_CHECK(resources(bundle, "AuditEvent", NULL) >= own_rows_of(account, admin->project),
               "%ld of %ld", resources(bundle, "AuditEvent", NULL),
               own_rows_of(account, admin->project));
}

static struct person *join(const char *code, const char *email, const char *option)
{
    PROGRAM made =
        ATRIUMCTL(suite, option ? NULL : "a password of two\n", "user", "create-admin", "--project",
                  code, "--email", email, "--name", "Toni", "--surname", "Two", option);
    struct person *self;

    CHECK_EXIT(made, 0);
    self = person_sign_in(suite, "Practitioner", email, "a password of two", code);
    CU_ASSERT_EQUAL(self->status, 200);
    return self;
}

static void an_export_names_no_other_organization(void)
{
    TEXT email = person_address();

    suite_make_open_project(suite, "exportother");
    PERSON here = join("demo", email, NULL);
    PERSON there = join("exportother", email, "--existing");
    TEXT account = suite_account(suite, email);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", there->access);
    usleep(1500000);
    TEXT id = export_of(here->access);
    CU_ASSERT_TRUE(own_rows_of(account, there->project) >= 1);
    HTTP_ANSWER zip = fetch(here->access, id);
    CHECK_STATUS(zip, 200);
    unpack(zip, "two");
    check_valid("two");
    json_auto_t *bundle = bundle_of("two");
    CU_ASSERT_EQUAL(resources(bundle, "Basic", "membership"), 1);
    CU_ASSERT_EQUAL(resources(bundle, "Basic", "session"), 1);
    CU_ASSERT_TRUE(names("two", here->project));
    CU_ASSERT_TRUE(names("two", here->profile));
    CU_ASSERT_FALSE(names("two", there->project));
    CU_ASSERT_FALSE(names("two", there->profile));
    CU_ASSERT_FALSE(names("two", http_text(me, "membership.id")));
    CU_ASSERT_FALSE(names("two", http_text(me, "security.sessions.0.id")));
}

static void the_validator_refuses_what_is_wrong(void)
{
    static const struct {
        const char *type, *member, *value; /* NULL: removed */
    } rows[] = {
        {"AuditEvent", "recorded", NULL},       {"Patient", "birthDate", "\"yesterday\""},
        {"DocumentReference", "content", NULL}, {"DocumentReference", "status", "\"lost\""},
        {"Patient", "colour", "\"red\""},       {"Basic", "code", NULL},
        {"Patient", "active", "\"perhaps\""},
    };
    char path[256];

    if (!unit_has(validator, "ATRIUM_REQUIRE_ALL"))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        json_auto_t *bundle = bundle_of("complete");
        json_t *resource = resource_of(bundle, rows[i].type);

        if (!resource) {
            CU_FAIL("the Bundle lacks a resource");
            continue;
        }
        if (rows[i].value)
            json_object_set_new(resource, rows[i].member,
                                json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
        else
            json_object_del(resource, rows[i].member);
        snprintf(path, sizeof(path), "%s/bad.json", dir.path);
        CU_ASSERT_EQUAL(json_dump_file(bundle, path, 0), 0);
        PROGRAM node = validate(path);
        UNIT_CHECK(node->code == 1, "%s.%s %s is taken", rows[i].type, rows[i].member,
                   rows[i].value ? rows[i].value : "absent");
    }
}

static void no_secret_is_in_it(void)
{
    PERSON patient = person_register(suite, NULL);
    TEXT account = suite_account(suite, patient->email);
    TEXT id = export_of(patient->access);
    HTTP_ANSWER zip = fetch(patient->access, id);
    size_t size = 0;
    char sql[256];

    unpack(zip, "secrets");
    TEXT text = unpacked("secrets", "bundle.json", &size);
    snprintf(sql, sizeof(sql), "select password_hash from auth.credential where account_id = '%s'",
             account);
    TEXT hash = suite_query(suite, sql);
    CU_ASSERT_TRUE(strlen(hash) > 20);
    if (!text)
        return;
    CU_ASSERT_PTR_NULL(strstr(text, hash));
    CU_ASSERT_PTR_NULL(strstr(text, "argon2"));
    CU_ASSERT_PTR_NULL(strstr(text, patient->password));
    CU_ASSERT_PTR_NULL(strstr(text, patient->refresh));
    CU_ASSERT_PTR_NULL(strstr(text, "hash"));
    CU_ASSERT_PTR_NULL(strstr(text, "sealed"));
}

static void a_bearer_alone_gets_nothing(void)
{
    PERSON patient = person_register(suite, NULL);
    TEXT id = export_of(patient->access);

    suite_advance_clock(suite, FRESH + 1);
    HTTP_ANSWER refused = ask(patient->access);
    CHECK_STATUS(refused, 401);
    CU_ASSERT_STRING_EQUAL(http_text(refused, "code"), "STEP_UP_REQUIRED");
    HTTP_ANSWER kept = fetch(patient->access, id);
    CHECK_STATUS(kept, 401);
    CU_ASSERT_STRING_EQUAL(http_text(kept, "code"), "STEP_UP_REQUIRED");
    HTTP_ANSWER proven = http_post(suite_url(suite), "/auth/step-up", patient->access,
                                   json_pack("{s:s}", "password", patient->password));
    CHECK_STATUS(proven, 204);
    HTTP_ANSWER given = fetch(patient->access, id);
    CHECK_STATUS(given, 200);
}

static void only_who_asked_fetches_it(void)
{
    PERSON patient = person_register(suite, NULL);
    PERSON other = person_register(suite, NULL);
    PERSON admin = person_admin(suite);
    TEXT id = export_of(patient->access);
    HTTP_ANSWER none = fetch(other->access, id);
    CHECK_STATUS(none, 404);
    HTTP_ANSWER by_admin = fetch(admin->access, id);
    CHECK_STATUS(by_admin, 404);
    HTTP_ANSWER without = fetch(NULL, id);
    CHECK_STATUS(without, 401);
    HTTP_ANSWER list = http_get(suite_url(suite), EXPORT, other->access);
    CHECK_STATUS(list, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(list, "resources")), 0);
    HTTP_ANSWER own = http_get(suite_url(suite), EXPORT, patient->access);
    CU_ASSERT_EQUAL(json_array_size(http_member(own, "resources")), 1);
    CU_ASSERT_STRING_EQUAL(http_text(own, "resources.0.state"), "ready");
    HTTP_ANSWER anonymous = http_get(suite_url(suite), EXPORT, NULL);
    CHECK_STATUS(anonymous, 401);
}

static void an_admin_exports_a_patient_with_a_reason(void)
{
    PERSON patient = person_register_settled(suite);
    PERSON admin = person_admin(suite);
    TEXT account = suite_account(suite, patient->email);
    TEXT own = suite_account(suite, admin->email);
    size_t mails;
    char path[120];

    map_template("EXPORT_MADE", "Kept until {{date}}.");
    mails = suite_mail_count(suite, patient->email);
    snprintf(path, sizeof(path), "/v1/project/accounts/%s/export", account);
    HTTP_ANSWER silent = http_post(suite_url(suite), path, admin->access, json_object());
    CHECK_PROBLEM(silent, "reason");
    HTTP_ANSWER no_admin = http_post(suite_url(suite), path, patient->access,
                                     json_pack("{s:s}", "reason", "a ticket"));
    CHECK_STATUS(no_admin, 403);
    HTTP_ANSWER answer =
        http_post(suite_url(suite), path, admin->access, json_pack("{s:s}", "reason", "a ticket"));
    CHECK_STATUS(answer, 200);
    const char *id = http_text(answer, "id");
    CU_ASSERT_TRUE(made(id));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from doc.audit where entity = 'Export/%s' and "
                                "event->>'action' = 'export.create' and "
                                "event->>'reason' = 'a ticket' and event->>'account' = '%s'",
                                id, account),
                    1);
    HTTP_ANSWER zip = fetch(admin->access, id);
    CHECK_STATUS(zip, 200);
    HTTP_ANSWER not_theirs = fetch(patient->access, id);
    CHECK_STATUS(not_theirs, 404);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, mails + 1));
    TEXT mail = suite_mail(suite, patient->email, 1000);
    CU_ASSERT_TRUE(mail && strstr(mail, "Kept until 20"));
    snprintf(path, sizeof(path), "/v1/project/accounts/%s/export", own);
    HTTP_ANSWER colleague =
        http_post(suite_url(suite), path, admin->access, json_pack("{s:s}", "reason", "a ticket"));
    CHECK_STATUS(colleague, 403);
    HTTP_ANSWER unknown = http_post(suite_url(suite),
                                    "/v1/project/accounts/"
                                    "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b/export",
                                    admin->access, json_pack("{s:s}", "reason", "a ticket"));
    CHECK_STATUS(unknown, 404);
}

static void an_admin_proves_themself_for_an_export(void)
{
    PERSON patient = person_register(suite, NULL);
    PERSON admin = person_admin(suite);
    TEXT account = suite_account(suite, patient->email);
    char path[120];

    suite_advance_clock(suite, FRESH + 1);
    snprintf(path, sizeof(path), "/v1/project/accounts/%s/export", account);
    HTTP_ANSWER refused =
        http_post(suite_url(suite), path, admin->access, json_pack("{s:s}", "reason", "a ticket"));
    CHECK_STATUS(refused, 401);
    CU_ASSERT_STRING_EQUAL(http_text(refused, "code"), "STEP_UP_REQUIRED");
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from doc.export where account_id = '%s'", account), 0);
    HTTP_ANSWER proven =
        http_post(suite_url(suite), "/auth/step-up", admin->access,
                  json_pack("{s:s}", "password", suite_text(suite, "demo.adminPassword")));
    CHECK_STATUS(proven, 204);
    HTTP_ANSWER empty =
        http_post(suite_url(suite), path, admin->access, json_pack("{s:s}", "reason", ""));
    CHECK_PROBLEM(empty, "reason");
    HTTP_ANSWER taken =
        http_post(suite_url(suite), path, admin->access, json_pack("{s:s}", "reason", "a ticket"));
    CHECK_STATUS(taken, 200);
}

static void many_at_once_make_one(void)
{
    PERSON patient = person_register(suite, NULL);
    TEXT account = suite_account(suite, patient->email);
    struct http_request requests[AT_ONCE];
    struct http_answer *answers[AT_ONCE];

    for (int i = 0; i < AT_ONCE; i++)
        requests[i] =
            (struct http_request){.method = "POST", .path = EXPORT, .bearer = patient->access};
    PGconn *held = suite_lock(suite, "auth.oauth_consent");
    http_call_many(suite_url(suite), requests, AT_ONCE, AT_ONCE, answers);
    for (int i = 0; i < AT_ONCE; i++)
        UNIT_CHECK(answers[i]->status == 200 &&
                       strcmp(http_text(answers[i], "id"), http_text(answers[0], "id")) == 0,
                   "%d %s", answers[i]->status, answers[i]->body);
    http_answers_destroy(answers, AT_ONCE);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from doc.export where account_id = '%s'", account), 1);
    suite_unlock(held);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 0, MADE_MS,
        "select count(*) from doc.export where account_id = '%s' and state <> 'ready'", account));
}

static void a_fourth_in_a_day_is_refused(void)
{
    PERSON patient = person_register(suite, NULL);

    for (int i = 0; i < 3; i++) {
        TEXT id = export_of(patient->access);
        CU_ASSERT_PTR_NOT_NULL(id);
    }
    HTTP_ANSWER fourth = ask(patient->access);
    CHECK_STATUS(fourth, 429);
    suite_advance_clock(suite, DAY + 1);
    PERSON later = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    TEXT next = export_of(later->access);
    CU_ASSERT_PTR_NOT_NULL(next);
}

/* Counts the files of the storage directory with these bytes. */
static long files_with(const char *text)
{
    char path[256];
    const char *argv[] = {"/usr/bin/env", "grep", "-rlF", text, path, NULL};
    long lines = 0;

    snprintf(path, sizeof(path), "%s/storage", suite_dir(suite));
    PROGRAM grep = program_run(argv, NULL);
    for (const char *at = grep->out; at && *at; at++)
        lines += *at == '\n';
    return lines;
}

static void it_is_sealed_where_it_lies(void)
{
    PERSON patient = person_register(suite, NULL);
    free(document_put(suite, patient->access, "a.txt", "text/plain", "only the document has this",
                      26));
    CU_ASSERT_EQUAL(files_with("only the document has this"), 1);
    size_t before = stored_files(suite);
    TEXT id = export_of(patient->access);
    CU_ASSERT_EQUAL(stored_files(suite), before + 1);
    CU_ASSERT_EQUAL(files_with("only the document has this"), 1);
    CU_ASSERT_EQUAL(files_with(patient->email), 0);
    HTTP_ANSWER zip = fetch(patient->access, id);
    CHECK_STATUS(zip, 200);
    CU_ASSERT_PTR_NOT_NULL(memmem(zip->body, zip->size, "only the document has this", 26));
}

static void it_ends_after_seven_days(void)
{
    PERSON patient = person_register(suite, NULL);
    TEXT id = export_of(patient->access);

    suite_advance_clock(suite, 7 * DAY + 60);
    PERSON later = person_sign_in(suite, "Patient", patient->email, patient->password, NULL);
    HTTP_ANSWER gone = fetch(later->access, id);
    CHECK_STATUS(gone, 404);
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 0, MADE_MS, "select count(*) from doc.export where id = '%s'", id));
}

static void it_goes_with_its_account(void)
{
    PERSON patient = person_register(suite, NULL);
    TEXT id = export_of(patient->access);
    size_t files = stored_files(suite);
    HTTP_ANSWER deleted =
        http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                           .path = "/auth/delete",
                                                           .bearer = patient->access,
                                                           .body = json_pack("{s:i}", "days", 0)});
    CHECK_STATUS(deleted, 200);
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 0, MADE_MS, "select count(*) from doc.export where id = '%s'", id));
    CU_ASSERT_TRUE(stored_files_become(suite, files - 1, MADE_MS));
}

static void it_goes_with_a_patient_who_is_removed(void)
{
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);
    TEXT id = export_of(patient->access);
    TEXT membership = membership_of(patient);
    size_t files = stored_files(suite);
    char path[80];

    snprintf(path, sizeof(path), "/v1/projects/me/members/%s", membership);
    HTTP_ANSWER removed = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(removed, 200);
    CU_ASSERT_TRUE(
        suite_comes_to(suite, 0, MADE_MS, "select count(*) from doc.export where id = '%s'", id));
    CU_ASSERT_TRUE(stored_files_become(suite, files - 1, MADE_MS));
}

/* Kills each daemon several times during a large export. The export still completes once, and no
 * failed attempt leaves files in the store. */
static void killed_daemons_leave_no_job_behind(void)
{
    static const char *const daemons[] = {"docd", "authd"};
    TEXT large = test_bytes(LARGE, 9);

    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        PERSON patient = person_register(suite, NULL);
        free(document_put(suite, patient->access, "1", "text/plain", large, LARGE));
        free(document_put(suite, patient->access, "2", "text/plain", large, LARGE));
        PGconn *held = suite_lock(suite, "auth.oauth_consent");
        HTTP_ANSWER answer = ask(patient->access);
        const char *id = http_text(answer, "id");
        char folder[16];

        CU_ASSERT_TRUE(suite_comes_to(
            suite, 1, MADE_MS,
            "select count(*) from doc.export where id = '%s' and lease is not null", id));

        CHECK_STATUS(answer, 200);
        for (int round = 0; round < 3; round++) {
            pid_t killers = suite_kill_both_later(suite, daemons[i], 40 + 150 * round);
            int status;

            waitpid(killers, &status, 0);
            if (round == 0)
                suite_unlock(held);
            suite_wait_ready(suite, 15000);
            suite_advance_clock(suite, 70); /* beyond the lease */
        }
        CU_ASSERT_TRUE(made(id));
        CU_ASSERT_TRUE(suite_count(suite, "select attempts from doc.export where id = '%s'", id) >=
                       (i == 0 ? 2 : 1));
        HTTP_ANSWER zip = fetch(patient->access, id);
        CHECK_STATUS(zip, 200);
        snprintf(folder, sizeof(folder), "killed%zu", i);
        unpack(zip, folder);
        check_valid(folder);
        CU_ASSERT_EQUAL(suite_count(suite,
                                    "select count(*) from doc.audit where entity = 'Export/%s' "
                                    "and event->>'action' = 'export.execute' and "
                                    "event->>'outcome' is distinct from 'failure'",
                                    id),
                        1);
    }
}

static void test_start(void)
{
    dir = unit_dir_make();
    suite = suite_start(
        &(struct suite_options){.instances = "authd=2,docd=2,gateway=2", .test_clock = true});
}

static void test_stop(void)
{
    suite_stop(&suite);
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(test_start),
    CASE(an_export_is_complete_and_valid),
    CASE(the_validator_refuses_what_is_wrong),
    CASE(what_applications_may_do_is_in_it),
    CASE(a_practitioners_export_is_complete),
    CASE(an_export_names_no_other_organization),
    CASE(no_secret_is_in_it),
    CASE(a_bearer_alone_gets_nothing),
    CASE(only_who_asked_fetches_it),
    CASE(an_admin_exports_a_patient_with_a_reason),
    CASE(an_admin_proves_themself_for_an_export),
    CASE(many_at_once_make_one),
    CASE(a_fourth_in_a_day_is_refused),
    CASE(it_is_sealed_where_it_lies),
    CASE(it_ends_after_seven_days),
    CASE(it_goes_with_its_account),
    CASE(it_goes_with_a_patient_who_is_removed),
    CASE(killed_daemons_leave_no_job_behind),
    CASE_ALWAYS(test_stop),
};

int main(void)
{
    return unit_run("account export", cases, ARRAY_SIZE(cases));
}
