/*
 * test_import.c - imports by `atriumctl user import` and POST /v1/projects/me/imports: sign-in
 * afterwards, rejected lines, unchanged existing accounts, and interruptions. See test_import_peers
 * for exports of other systems.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/passkeys.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define IMPORTS "/v1/projects/me/imports"
#define CREATED "select count(*) from auth.account where email like '%s-%%'"

static const char password[] = "a password from elsewhere",
                  incorrect[] = "Username or password is incorrect.";

enum { MANY = 4000, HELD = 3000, KILL_MS = 90000, LONG_MS = 120000 };

static struct suite *suite;
static char file[96], report[96];
static char hash[crypto_pwhash_STRBYTES]; /* hash with parameters that Atrium does not use */

/* ---- files ---- */

static char *address(void)
{
    return person_address();
}

/* Makes a minimal line with optional further members in `more`. */
static json_t *line_of(const char *email, json_t *more)
{
    json_t *line = json_pack("{s:s, s:s, s:s, s:s}", "email", email, "firstName", "Ana", "lastName",
                             "Lima", "passwordHash", hash);

    if (more)
        json_object_update(line, more);
    json_decref(more);
    return line;
}

static FILE *open_file(void)
{
    FILE *out = fopen(file, "w");

    if (!out) {
        perror(file);
        abort();
    }
    return out;
}

/* Consumes the line. */
static void write_line(FILE *out, json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT);

    fprintf(out, "%s\n", text);
    free(text);
    json_decref(line);
}

static void write_file(json_t *line)
{
    FILE *out = open_file();

    write_line(out, line);
    fclose(out);
}

static void write_many(const char *prefix, int count)
{
    FILE *out = open_file();

    for (int i = 0; i < count; i++)
        fprintf(out,
                "{\"email\":\"%s-%d@import.example\",\"firstName\":\"Ana\",\"lastName\":\"Lima\","
                "\"passwordHash\":\"%s\"}\n",
                prefix, i, hash);
    fclose(out);
}

/* ---- commands ---- */

static struct program *import(const char *option)
{
    return option ? ATRIUMCTL(suite, NULL, "user", "import", file, "--project", "demo", "--json",
                              "--report", report, option)
                  : ATRIUMCTL(suite, NULL, "user", "import", file, "--project", "demo", "--json",
                              "--report", report);
}

static void check_counts(const struct program *program, long imported, long refused, long existing)
{
    CHECK_EXIT(program, refused > 0);
    UNIT_CHECK(json_integer_value(json_object_get(program->json, "imported")) == imported &&
                   json_integer_value(json_object_get(program->json, "refused")) == refused &&
                   json_integer_value(json_object_get(program->json, "existing")) == existing,
               "%s", program->out);
}

/* The report has email addresses, so only the operator can read it. */
static char *read_report(void)
{
    static char text[65536];
    FILE *in = fopen(report, "r");
    size_t size = in ? fread(text, 1, sizeof(text) - 1, in) : 0;
    struct stat status;

    text[size] = '\0';
    UNIT_CHECK(stat(report, &status) == 0 && (status.st_mode & 077) == 0, "%s is open to others",
               report);
    if (in)
        fclose(in);
    return text;
}

static struct http_answer *sign_in(const char *role, const char *email, const char *with)
{
    char path[64];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/start", role);
    return suite_post_fresh(suite, path,
                            body_login_start(email, with, suite_text(suite, "demo.tenantCode")));
}

static void signs_in(const char *role, const char *email)
{
    HTTP_ANSWER answer = sign_in(role, email, password);

    CHECK_STATUS(answer, 200);
}

static bool verified(const char *email, const char *role)
{
    PROGRAM shown = ATRIUMCTL(suite, NULL, "user", "show", email, "--role", role, "--json");

    CHECK_EXIT(shown, 0);
    return json_is_true(json_object_get(shown->json, "emailVerified"));
}

static long audited(const char *email)
{
    return suite_count(suite,
                       "select count(*) from auth.audit u join auth.account a on u.entity = "
                       "'Account/' || a.id and u.event->>'account' = a.id::text where a.email = "
                       "'%s' and u.event->>'action' = 'account.import'",
                       email);
}

/* ---- accounts ---- */

static void imported_accounts_sign_in(void)
{
    char *patient = address(), *practitioner = address(), *plain = address();
    FILE *out = open_file();

    write_line(out, line_of(patient, json_pack("{s:s}", "createdAt", "2020-02-29T12:00:00Z")));
    fputs(" \n", out); /* skipped */
    write_line(out, line_of(practitioner, json_pack("{s:s}", "role", "Practitioner")));
    write_line(out, json_pack("{s:s, s:s, s:s}", "email", plain, "firstName", "Ana", "lastName",
                              "Lima"));
    fclose(out);
    PROGRAM done = import(NULL);
    check_counts(done, 3, 0, 0);
    CU_ASSERT_STRING_EQUAL(read_report(), "");
    signs_in("Patient", patient);
    signs_in("Practitioner", practitioner);
    HTTP_ANSWER wrong = sign_in("Patient", patient, "another");
    CHECK_ERROR(wrong, 400, incorrect);
    HTTP_ANSWER none = sign_in("Patient", plain, password);
    CHECK_ERROR(none, 400, incorrect);
    CU_ASSERT_FALSE(verified(patient, "Patient"));
    CU_ASSERT_FALSE(verified(practitioner, "Practitioner"));
    CU_ASSERT_EQUAL(audited(patient), 1);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.account where email = '%s' and "
                                "created_at = 1582977600000",
                                patient),
                    1);
    /* the owner of an account without a password sets one with a link */
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", plain, "tenantCode", "demo"));
    CHECK_STATUS(requested, 200);
    struct mail_link link = suite_mail_link(suite, plain, "set-password");
    HTTP_ANSWER set = suite_post_link(suite, "/auth/set-password", &link, NULL, password);
    CHECK_STATUS(set, 204);
    signs_in("Patient", plain);
    free(patient);
    free(practitioner);
    free(plain);
}

/* Editors add byte order marks, and joined files have them inside. */
static void byte_order_marks_are_no_part_of_lines(void)
{
    static const char mark[] = "\xef\xbb\xbf";
    char *first = address(), *second = address();
    FILE *out = open_file();

    fputs(mark, out);
    write_line(out, line_of(first, NULL));
    fputs(mark, out);
    write_line(out, line_of(second, NULL));
    fclose(out);
    PROGRAM rehearsal = import("--dry-run");
    check_counts(rehearsal, 2, 0, 0);
    PROGRAM done = import(NULL);
    check_counts(done, 2, 0, 0);
    signs_in("Patient", first);
    signs_in("Patient", second);
    out = open_file();
    fputs(mark, out);
    fclose(out);
    PROGRAM empty = import(NULL);
    check_counts(empty, 0, 0, 0);
    free(first);
    free(second);
}

static void an_account_that_is_there_stays(void)
{
    PERSON person = person_register_settled(suite);
    const char *admin = suite_text(suite, "demo.adminEmail");
    FILE *out = open_file();

    write_line(out, line_of(person->email, NULL));
    write_line(out, line_of(admin, json_pack("{s:s}", "role", "Practitioner")));
    fclose(out);
    PROGRAM done = import("--verified");
    check_counts(done, 0, 0, 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(read_report(), "there is an account with this address"));
    HTTP_ANSWER theirs = sign_in("Patient", person->email, person->password);
    CHECK_STATUS(theirs, 200);
    HTTP_ANSWER ours = sign_in("Patient", person->email, password);
    CHECK_ERROR(ours, 400, incorrect);
    CU_ASSERT_FALSE(verified(person->email, "Patient"));
    HTTP_ANSWER boss = sign_in("Practitioner", admin, password);
    CHECK_ERROR(boss, 400, incorrect);
    CU_ASSERT_EQUAL(audited(person->email), 0);
}

/* A former address is reserved for its owner for seven days. */
static void an_address_that_may_be_taken_back_stays(void)
{
    PERSON person = person_register_settled(suite);
    char *next = address();
    HTTP_ANSWER requested = http_post(suite_url(suite), "/auth/change-email", person->access,
                                      json_pack("{s:s}", "email", next));
    CHECK_STATUS(requested, 200);
    struct mail_link link =
        suite_mail_link(suite, next, "https://patient.demo.example/verify-email");
    HTTP_ANSWER changed = suite_post_link(suite, "/auth/verify-email", &link, person->access, NULL);

    CHECK_STATUS(changed, 204);
    char *before = address(), *behind = address();
    FILE *out = open_file();
    write_line(out, line_of(before, NULL));
    write_line(out, line_of(person->email, NULL));
    write_line(out, line_of(behind, NULL));
    fclose(out);
    PROGRAM refused = import("--verified");
    check_counts(refused, 2, 0, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(read_report(), "{\"line\":2,"));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.account where email = '%s'",
                                person->email),
                    0);
    free(next);
    free(before);
    free(behind);
}

/* An importer knows the password of an unverified account. When the mailbox's owner verifies the
 * address later, that password stops working. */
static void an_unproven_account_is_its_mailbox_s(void)
{
    PERSON admin = person_admin(suite);
    char *unproven = address(), *proven = address();

    write_file(line_of(unproven, NULL));
    PROGRAM first = import(NULL);
    check_counts(first, 1, 0, 0);
    write_file(line_of(proven, NULL));
    PROGRAM second = import("--verified");
    check_counts(second, 1, 0, 0);
    CU_ASSERT_TRUE(verified(proven, "Patient"));
    suite_require_proofs(suite, admin, true);
    HTTP_ANSWER refused = sign_in("Patient", unproven, password);
    CHECK_STATUS(refused, 403);
    CU_ASSERT_STRING_EQUAL(http_text(refused, "code"), "EMAIL_NOT_VERIFIED");
    signs_in("Patient", proven);
    suite_require_proofs(suite, admin, false);
    signs_in("Patient", unproven);
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", unproven, "tenantCode", "demo"));
    CHECK_STATUS(requested, 200);
    struct mail_link link = suite_mail_link(suite, unproven, "set-password");
    HTTP_ANSWER set = suite_post_link(suite, "/auth/set-password", &link, NULL, "the owner's");
    CHECK_STATUS(set, 204);
    HTTP_ANSWER theirs = sign_in("Patient", unproven, password);
    CHECK_ERROR(theirs, 400, incorrect);
    CU_ASSERT_TRUE(verified(unproven, "Patient"));
    free(unproven);
    free(proven);
}

/* The imported key has ten bytes; trailing zeros do not change an HMAC key. */
static void a_second_factor_comes_along(void)
{
    static const uint8_t secret[TOTP_SECRET] =
        "Hello!\xde\xad\xbe\xef"; /* in base32: JBSWY3DPEHPK3PXP */
    char *email = address(), code[7];
    json_t *totp = json_pack("{s:{s:s}}", "totp", "secret", "JBSWY3DPEHPK3PXP");

    write_file(line_of(email, json_incref(totp)));
    PROGRAM refused = import(NULL);
    check_counts(refused, 0, 1, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(read_report(), "totp is taken by"));
    write_file(line_of(email, totp));
    PROGRAM done = import("--verified");
    check_counts(done, 1, 0, 0);
    HTTP_ANSWER step = sign_in("Patient", email, password);
    CHECK_STATUS(step, 200);
    CU_ASSERT_STRING_EQUAL(http_text(step, "nextStep"), "mfa");
    HTTP_ANSWER in = suite_post_fresh(suite, "/auth/tenant/Patient/login/mfa",
                                      json_pack("{s:s, s:s}", "loginId", http_text(step, "loginId"),
                                                "mfaToken", totp_code(secret, time(NULL), code)));
    CHECK_STATUS(in, 200);
    CU_ASSERT_STRING_EQUAL(http_text(in, "nextStep"), "token");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.mfa_factor where "
                                       "position('Hello!'::bytea in secret_sealed) > 0"),
                    0);
    free(email);
}

static char *base64url(const void *bytes, size_t size)
{
    char *text = malloc(2 * size + 5);

    return sodium_bin2base64(text, 2 * size + 5, bytes, size,
                             sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static json_t *passkey_of(const struct authenticator *key, const char *rp_id)
{
    struct authenticator_bytes cose;
    char *id = base64url(key->id, sizeof(key->id)), *public;
    json_t *json;

    authenticator_public_key(key, &cose);
    public = base64url(cose.bytes, cose.size);
    json = json_pack("{s:[{s:s, s:s, s:s, s:s, s:i, s:[s]}]}", "passkeys", "credentialId", id,
                     "publicKey", public, "userHandle", key->handle, "rpId", rp_id, "signCount", 3,
                     "transports", "internal");
    free(id);
    free(public);
    return json;
}

static void passkeys_come_along(void)
{
    static const int algorithms[] = {AUTHENTICATOR_ES256, AUTHENTICATOR_EDDSA, AUTHENTICATOR_RS256};

    for (size_t i = 0; i < ARRAY_SIZE(algorithms); i++) {
        AUTHENTICATOR key = authenticator_new(algorithms[i], "https://patient.demo.example");
        char *email = address(), *other = address();

        snprintf(key->handle, sizeof(key->handle), "AQIDBAUGBwg%c", (char)('A' + i));
        write_file(line_of(email, passkey_of(key, "elsewhere.example")));
        PROGRAM refused = import("--verified");
        check_counts(refused, 0, 1, 0);
        CU_ASSERT_PTR_NOT_NULL(strstr(read_report(), "passkeys.0.rpId must be"));
        write_file(line_of(email, passkey_of(key, "patient.demo.example")));
        PROGRAM done = import("--verified");
        check_counts(done, 1, 0, 0);
        write_file(line_of(other, passkey_of(key, "patient.demo.example")));
        PROGRAM again = import("--verified");
        check_counts(again, 0, 1, 0);
        CU_ASSERT_PTR_NOT_NULL(strstr(read_report(), "in use already"));
        key->count = 4;
        HTTP_ANSWER in = passkey_sign_in(suite, "Patient", "demo", NULL, key);
        CHECK_STATUS(in, 200);
        CU_ASSERT_STRING_EQUAL(http_text(in, "nextStep"), "token");
        free(email);
        free(other);
    }
}

/* ---- refusals ---- */

static const struct {
    const char *line, *why;
} refusals[] = {
    {"not JSON", "Invalid JSON"},
    {"[]", "is not a JSON object"},
    {"{\"email\":\"a@b.example\",\"email\":\"c@b.example\"}", "Invalid JSON"},
    {"{}", "email "},
    {"{\"email\":\"nobody\",\"firstName\":\"A\",\"lastName\":\"B\"}", "email "},
    {"{\"email\":\"r1@import.example\",\"lastName\":\"B\"}", "firstName "},
    {"{\"email\":\"r1@import.example\",\"firstName\":\"\\u202e\",\"lastName\":\"B\"}",
     "firstName "},
    {"{\"email\":\"r1@import.example\",\"firstName\":\"A\",\"lastName\":\"B\",\"phone\":\"1\"}",
     "phone is not a known key"},
    {"{\"email\":\"r1@import.example\",\"firstName\":\"A\",\"lastName\":\"B\",\"totp\":"
     "{\"secret\":\"JBSWY3DPEHPK3PXP\",\"issuer\":\"x\"}}",
     "totp.issuer is not a known key"},
    {"{\"email\":\"r1@import.example\",\"firstName\":\"A\",\"lastName\":\"B\",\"role\":\"Admin\"}",
     "role "},
    {"{\"email\":\"r1@import.example\",\"firstName\":\"A\",\"lastName\":\"B\",\"passwordHash\":"
     "\"5f4dcc3b5aa765d61d8327deb882cf99\"}",
     "passwordHash "},
    {"{\"email\":\"r1@import.example\",\"firstName\":\"A\",\"lastName\":\"B\",\"passwordHash\":"
     "\"$2b$31$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy\"}",
     "passwordHash "},
    {"{\"email\":\"r1@import.example\",\"firstName\":\"A\",\"lastName\":\"B\",\"createdAt\":"
     "\"2999-01-01T00:00:00Z\"}",
     "createdAt "},
    {"{\"email\":\"r1@import.example\",\"firstName\":\"A\",\"lastName\":\"B\",\"totp\":"
     "{\"secret\":\"18181818181818181818\"}}",
     "totp.secret must be"},
    {"{\"email\":\"r1@import.example\",\"firstName\":\"A\",\"lastName\":\"B\",\"totp\":"
     "{\"secret\":\"JBSWY3DPEHPK3PXP\",\"digits\":8}}",
     "totp.digits "},
    {"{\"email\":\"r1@import.example\",\"firstName\":\"A\",\"lastName\":\"B\",\"passkeys\":[{"
     "\"credentialId\":\"AQ\",\"publicKey\":\"AQ\",\"userHandle\":\"AQ\",\"rpId\":"
     "\"patient.demo.example\"}]}",
     "passkeys.0.publicKey must be"},
};

static void each_refused_line_is_reported(void)
{
    long before = suite_count(suite, "select count(*) from auth.account");
    FILE *out = open_file();
    char *rehearsed;
    const char *at;

    for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
        fprintf(out, "%s\n", refusals[i].line);
    fprintf(out, "{\"email\":\"%070000d@import.example\"}", 1); /* and no newline */
    fclose(out);
    PROGRAM dry = ATRIUMCTL(suite, NULL, "user", "import", file, "--project", "demo", "--json",
                            "--report", report, "--verified", "--dry-run");
    check_counts(dry, 0, ARRAY_SIZE(refusals) + 1, 0);
    rehearsed = strdup(read_report());
    PROGRAM done = import("--verified");
    check_counts(done, 0, ARRAY_SIZE(refusals) + 1, 0);
    CU_ASSERT_STRING_EQUAL(rehearsed, read_report());
    at = rehearsed;
    for (size_t i = 0; i <= ARRAY_SIZE(refusals) && at; i++) {
        json_auto_t *line = json_loads(at, JSON_DISABLE_EOF_CHECK, NULL);
        const char *want = i < ARRAY_SIZE(refusals) ? refusals[i].why : "is longer than 64 KiB";
        const char *why = json_string_value(json_object_get(line, "why"));

        UNIT_CHECK(json_integer_value(json_object_get(line, "line")) == (json_int_t)i + 1 && why &&
                       strncmp(why, want, strlen(want)) == 0,
                   "line %zu: %.*s", i + 1, (int)strcspn(at, "\n"), at);
        at = strchr(at, '\n') + 1;
    }
    free(rehearsed);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.account"), before);
}

static void a_rehearsal_writes_nothing(void)
{
    char *email = address(), *rehearsed;
    PERSON person = person_register(suite, NULL);
    FILE *out = open_file();

    write_line(out, line_of(email, NULL));
    write_line(out, line_of(email, NULL)); /* duplicate */
    write_line(out, line_of(person->email, NULL));
    fclose(out);
    PROGRAM dry = import("--dry-run");
    check_counts(dry, 1, 0, 2);
    rehearsed = strdup(read_report());
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.account where email = '%s'", email), 0);
    PROGRAM done = import(NULL);
    check_counts(done, 1, 0, 2);
    CU_ASSERT_STRING_EQUAL(rehearsed, read_report());
    free(rehearsed);
    free(email);
}

static void names_are_kept_as_they_are(void)
{
    static const char *const names[] = {"O\"Neil", "a\\", "{b,c}", "NULL", "d'e; --", "\xc3\x89va"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char *email = address();

        write_file(line_of(email, json_pack("{s:s}", "firstName", names[i])));
        PROGRAM done = import(NULL);
        check_counts(done, 1, 0, 0);
        UNIT_CHECK(suite_count(suite,
                               "select count(*) from auth.account where email = '%s' and "
                               "name = $name$%s$name$",
                               email, names[i]) == 1,
                   "%s", names[i]);
        free(email);
    }
}

static void the_command_says_what_it_lacks(void)
{
    PROGRAM missing = ATRIUMCTL(suite, NULL, "user", "import", "/nowhere", "--project", "demo");
    PROGRAM folder = ATRIUMCTL(suite, NULL, "user", "import", "/tmp", "--project", "demo");
    PROGRAM nowhere = ATRIUMCTL(suite, NULL, "user", "import", file, "--project", "nowhere");

    CHECK_REFUSED(missing, 1, "/nowhere: No such file");
    CHECK_REFUSED(folder, 1, "must be a file");
    CHECK_REFUSED(nowhere, 1, "Tenant not found.");
}

/* Starts a large import and returns when one batch is written and another is blocked by a
 * transaction that holds the address of line HELD. PQfinish(*ret_holder) ends that transaction. */
static struct program *begin(const char *prefix, PGconn **ret_holder)
{
    char *ctl = program_path("atriumctl"), sql[512];
    struct program *self;

    snprintf(sql, sizeof(sql),
             "insert into auth.account (id, role, project_id, email, name, surname, created_at) "
             "select gen_random_uuid(), role, project_id, '%s-%d@import.example', 'N', 'S', 1 "
             "from auth.account where role = 'Patient' limit 1",
             prefix, HELD);
    *ret_holder = suite_lock_rows(suite, sql);
    write_many(prefix, MANY);
    self = program_start((const char *const[]){ctl, "--dir", suite_dir(suite), "user", "import",
                                               file, "--project", "demo", "--json", "--report",
                                               report, NULL},
                         NULL);
    free(ctl);
    CU_ASSERT_TRUE(suite_comes_to(
        suite, 1, KILL_MS,
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
        "application_name like 'atrium-authd.%%' and exists (select 1 from auth.account where "
        "email like '%s-%%')",
        prefix));
    return self;
}

static void an_import_that_was_killed_goes_on(void)
{
    PGconn *holder;
    PROGRAM first = begin("killed", &holder);

    kill(first->pid, SIGKILL);
    CU_ASSERT_TRUE(program_wait_end(first, KILL_MS));
    long some = suite_count(suite, CREATED, "killed");
    UNIT_CHECK(some > 0 && some < MANY, "%ld were there when it was killed", some);
    PQfinish(holder);
    PROGRAM second = import(NULL);
    check_counts(second, MANY, 0, 0);
    CU_ASSERT_EQUAL(suite_count(suite, CREATED, "killed"), MANY);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.import_batch"), 0);
    PROGRAM third = import(NULL);
    check_counts(third, 0, 0, MANY);
}

static void an_authd_that_is_killed_loses_nothing(void)
{
    pid_t old = suite_pid(suite, "authd", "1"), other = suite_pid(suite, "authd", "2");
    PGconn *holder;
    PROGRAM run = begin("restarted", &holder);

    suite_signal(suite, "authd", "1", SIGKILL);
    suite_signal(suite, "authd", "2", SIGKILL);
    PQfinish(holder);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", old));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", other));
    CU_ASSERT_TRUE(program_wait_end(run, LONG_MS));
    check_counts(run, MANY, 0, 0);
    CU_ASSERT_EQUAL(suite_count(suite, CREATED, "restarted"), MANY);
}

static void two_at_once_make_each_account_once(void)
{
    PGconn *holder;
    PROGRAM first = begin("twice", &holder);
    char *ctl = program_path("atriumctl");
    PROGRAM second =
        program_start((const char *const[]){ctl, "--dir", suite_dir(suite), "user", "import", file,
                                            "--project", "demo", "--json", NULL},
                      NULL);

    free(ctl);
    PQfinish(holder);
    CU_ASSERT_TRUE(program_wait_end(first, LONG_MS));
    CU_ASSERT_TRUE(program_wait_end(second, LONG_MS));
    CHECK_EXIT(first, 0);
    CHECK_EXIT(second, 0);
    CU_ASSERT_EQUAL(suite_count(suite, CREATED, "twice"), MANY);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.audit where "
                                       "event->>'action' = 'account.import' and entity in (select "
                                       "'Account/' || id from auth.account where email like "
                                       "'twice-%%')"),
                    MANY);
}

/* ---- admins ---- */

static struct http_answer *post(const char *access, json_t *accounts)
{
    return http_post(suite_url(suite), IMPORTS, access, json_pack("{s:o}", "accounts", accounts));
}

static void an_admin_imports_patients(void)
{
    PERSON admin = person_admin(suite);
    PERSON there = person_register(suite, NULL);
    char *patient = address(), *practitioner = address(), *factor = address();
    json_t *totp = json_pack("{s:{s:s}}", "totp", "secret", "JBSWY3DPEHPK3PXP");
    HTTP_ANSWER answer = post(
        admin->access, json_pack("[o, o, o, o, i]", line_of(patient, NULL),
                                 line_of(practitioner, json_pack("{s:s}", "role", "Practitioner")),
                                 line_of(there->email, NULL), line_of(factor, totp), 5));

    CHECK_STATUS(answer, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "imported")), 1);
    CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "invited")), 1);
    CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "existing")), 1);
    CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "refused")), 2);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "lines.0.email"), there->email);
    CU_ASSERT_TRUE(json_is_true(http_member(answer, "lines.0.existing")));
    CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "lines.1.line")), 4);
    CU_ASSERT_PTR_NOT_NULL(strstr(http_text(answer, "lines.1.why"), "totp is taken by"));
    CU_ASSERT_STRING_EQUAL(http_text(answer, "lines.2.why"), "is not a JSON object");
    signs_in("Patient", patient);
    CU_ASSERT_FALSE(verified(patient, "Patient"));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit u join auth.account a on u.entity "
                                "= 'Account/' || a.id where a.email = '%s' and u.event->'agent'->>"
                                "'membership' is not null and u.event->>'action' = "
                                "'account.import'",
                                patient),
                    1);
    /* no account exists until the owner accepts the invitation and sets a password */
    HTTP_ANSWER early = sign_in("Practitioner", practitioner, password);
    CHECK_ERROR(early, 400, incorrect);
    struct mail_link link = suite_mail_link(suite, practitioner, "invitation");
    HTTP_ANSWER accepted =
        suite_post_link(suite, "/auth/set-password", &link, NULL, "one of their own");
    CHECK_STATUS(accepted, 204);
    HTTP_ANSWER still = sign_in("Practitioner", practitioner, password);
    CHECK_ERROR(still, 400, incorrect);
    HTTP_ANSWER theirs = sign_in("Practitioner", practitioner, "one of their own");
    CHECK_STATUS(theirs, 200);
    free(patient);
    free(practitioner);
    free(factor);
}

/* Returns the number of imported hashes that an instance of authd knows, -1 if it does not
 * respond. */
static long known_imported(const char *instance)
{
    HTTP_ANSWER answer = http_get(suite_admin_url(suite), "/metrics", NULL);
    char line[128];
    const char *found;

    snprintf(line, sizeof(line),
             "atrium_auth_imported_passwords{service=\"authd\",instance=\"%s\"} ", instance);
    found = answer->body ? strstr(answer->body, line) : NULL;
    return found ? strtol(found + strlen(line), NULL, 10) : -1;
}

/* After either import, unknown addresses take as long as imported ones. */
static void every_instance_notices_an_import(void)
{
    PERSON admin = person_admin(suite);

    for (int by_admin = 0; by_admin < 2; by_admin++) {
        char *email = address();
        long want;

        if (by_admin) {
            HTTP_ANSWER answer = post(admin->access, json_pack("[o]", line_of(email, NULL)));
            CHECK_STATUS(answer, 200);
        } else {
            write_file(line_of(email, NULL));
            PROGRAM done = import(NULL);
            CHECK_EXIT(done, 0);
        }
        want = suite_count(suite, "select count(*) from auth.credential where password_hash not "
                                  "like '$argon2id$v=19$m=19456,t=2,p=1$%%'");
        for (int i = 0; i < 600 && (known_imported("1") != want || known_imported("2") != want);
             i++)
            usleep(100000);
        UNIT_CHECK(known_imported("1") == want && known_imported("2") == want, "%ld and %ld of %ld",
                   known_imported("1"), known_imported("2"), want);
        free(email);
    }
}

static void an_admins_import_is_bounded(void)
{
    PERSON admin = person_admin(suite);
    json_t *many = json_array(), *practitioners = json_array();
    HTTP_ANSWER object =
        http_post(suite_url(suite), IMPORTS, admin->access, json_pack("{s:{}}", "accounts"));
    CHECK_PROBLEM(object, "accounts");
    for (int i = 0; i < 2001; i++)
        json_array_append_new(many, json_object());
    HTTP_ANSWER over = post(admin->access, many);
    CHECK_PROBLEM(over, "accounts");
    for (int i = 0; i < 22; i++) {
        char *email = address();

        json_array_append_new(practitioners,
                              line_of(email, json_pack("{s:s}", "role", "Practitioner")));
        free(email);
    }
    HTTP_ANSWER invited = post(admin->access, practitioners);
    CHECK_STATUS(invited, 200);
    CU_ASSERT_EQUAL(json_integer_value(http_member(invited, "invited")), 20);
    CU_ASSERT_EQUAL(json_integer_value(http_member(invited, "refused")), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(http_text(invited, "lines.0.why"), "20 practitioners at most"));
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER theirs = post(patient->access, json_array());
    CHECK_STATUS(theirs, 403);
}

static void an_admins_import_needs_a_fresh_proof(void)
{
    PERSON admin = person_admin(suite);
    char *email = address();
    long changed;

    changed =
        suite_count(suite, "with old as (update auth.session set proven_at = 1 where ended_at is "
                           "null and role = 'Practitioner' returning 1) select count(*) from old");
    CU_ASSERT_TRUE(changed > 0);
    HTTP_ANSWER refused = post(admin->access, json_pack("[o]", line_of(email, NULL)));
    CHECK_STATUS(refused, 401);
    CU_ASSERT_STRING_EQUAL(http_text(refused, "code"), "STEP_UP_REQUIRED");
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.account where email = '%s'", email), 0);
    free(email);
}

static void an_admins_imports_are_limited(void)
{
    PERSON admin = person_admin(suite);
    int status = 200, count = 0;

    while (status == 200 && count <= 60) {
        HTTP_ANSWER answer = post(admin->access, json_array());

        status = answer->status;
        count++;
    }
    CU_ASSERT_EQUAL(status, 429);
    CU_ASSERT_TRUE(count > 50);
}

static void the_audit_trail_holds_together(void)
{
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, LONG_MS,
                                  "select count(*) from auth.audit where sequence is null"));
    PROGRAM sealed = ATRIUMCTL(suite, NULL, "audit", "verify");
    CHECK_EXIT(sealed, 0);
}

static void suite_shuts_down_cleanly(void)
{
    unlink(file);
    unlink(report);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(imported_accounts_sign_in),
    CASE(byte_order_marks_are_no_part_of_lines),
    CASE(an_account_that_is_there_stays),
    CASE(an_address_that_may_be_taken_back_stays),
    CASE(an_unproven_account_is_its_mailbox_s),
    CASE(a_second_factor_comes_along),
    CASE(passkeys_come_along),
    CASE(each_refused_line_is_reported),
    CASE(a_rehearsal_writes_nothing),
    CASE(names_are_kept_as_they_are),
    CASE(the_command_says_what_it_lacks),
    CASE(an_import_that_was_killed_goes_on),
    CASE(an_authd_that_is_killed_loses_nothing),
    CASE(two_at_once_make_each_account_once),
    CASE(an_admin_imports_patients),
    CASE(every_instance_notices_an_import),
    CASE(an_admins_import_is_bounded),
    CASE(an_admins_import_needs_a_fresh_proof),
    CASE(an_admins_imports_are_limited),
    CASE(the_audit_trail_holds_together),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    if (crypto_pwhash_str(hash, password, strlen(password), 3, 8 * 1024 * 1024) != 0)
        return 1;
    snprintf(file, sizeof(file), "/tmp/atrium-import-%d.ndjson", (int)getpid());
    snprintf(report, sizeof(report), "/tmp/atrium-import-%d.report", (int)getpid());
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2"});
    return unit_run("imports", cases, ARRAY_SIZE(cases));
}
