/*
 * test_tenant_transfer.c - moves a tenant between two installations with atriumctl. The second
 * suite has its own keys and no tenant.
 */
#include <CUnit/CUnit.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/document.h"
#include "tests/support/passkeys.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define BOT_SECRET "known-bot-secret"

enum { LARGE = 3 * 1024 * 1024 + 17, SMALL = 1000 };

static struct suite *from, *to;
static struct unit_dir files;
static char file[300], key[128];
static struct person *patient, *owner; /* owner: with a second factor */
static struct authenticator *passkey;
static uint8_t secret[TOTP_SECRET];
static char recovery[16]; /* the owner's recovery code */
static char *large, *small, *large_id, *small_id;

static const char *code_now(int steps)
{
    static char code[7];

    return totp_code(secret, (int64_t)time(NULL) + (int64_t)steps * TOTP_STEP, code);
}

static void install_bot(struct suite *suite)
{
    char path[512];
    FILE *script;

    snprintf(path, sizeof(path), "%s/tell", suite_text(suite, "botDir"));
    script = fopen(path, "w");
    if (!script || fputs("#!/bin/sh\nexec cat\n", script) < 0 || fclose(script) != 0)
        abort();
}

static void enrol_passkey(void)
{
    HTTP_ANSWER done = passkey_enroll(from, patient->access, passkey);

    CHECK_STATUS(done, 200);
}

static void enrol_factor(void)
{
    HTTP_ANSWER status = http_get(suite_url(from), "/auth/mfa/status", owner->access);
    totp_read(http_text(status, "otpauthUrl"), secret);
    HTTP_ANSWER done = http_post(suite_url(from), "/auth/mfa/enroll", owner->access,
                                 json_pack("{s:s}", "token", code_now(-1)));

    CHECK_STATUS(done, 200);
    snprintf(recovery, sizeof(recovery), "%s", http_text(done, "recoveryCodes.0"));
}

static void a_tenant_lives(void)
{
    from = suite_start(&(struct suite_options){.no_demo = false});
    to = suite_start(&(struct suite_options){.no_demo = true, .first_start = true});
    files = unit_dir_make();
    PERSON admin = person_admin(from);
    patient = person_register(from, NULL);
    owner = person_register(from, NULL);
    passkey = authenticator_new(AUTHENTICATOR_ES256, "https://patient.demo.example");
    enrol_passkey();
    enrol_factor();
    large = test_bytes(LARGE, 1);
    small = test_bytes(SMALL, 2);
    large_id =
        document_put(from, patient->access, "large.bin", "application/octet-stream", large, LARGE);
    small_id =
        document_put(from, patient->access, "small.bin", "application/octet-stream", small, SMALL);
    free(document_put(from, patient->access, "empty.bin", "application/octet-stream", "", 0));
    install_bot(from);
    install_bot(to);
    HTTP_ANSWER bot =
        http_post(suite_url(from), "/v1/project/bots", admin->access,
                  json_pack("{s:[{s:s, s:s}], s:s, s:s, s:s, s:{s:s}}", "identifier", "system",
                            "urn:t", "value", "tell", "name", "tell", "kind", "program", "program",
                            "tell", "secrets", "KEY", BOT_SECRET));
    CHECK_STATUS(bot, 200);
    PROGRAM shown = ATRIUMCTL(to, NULL, "tenant", "key");
    CHECK_EXIT(shown, 0);
    snprintf(key, sizeof(key), "%.*s", (int)strcspn(shown->out, "\n"), shown->out);
    snprintf(file, sizeof(file), "%s/demo.tenant", files.path);
}

static const char *other_file(const char *name)
{
    static char path[300];

    snprintf(path, sizeof(path), "%s/%s", files.path, name);
    return path;
}

static void an_open_tenant_is_read_for_a_rehearsal_only(void)
{
    PROGRAM refused = ATRIUMCTL(from, NULL, "tenant", "export", "demo", file, "--to", key);
    CHECK_REFUSED(refused, 1, "demo is in use");
    PROGRAM wrong = ATRIUMCTL(from, NULL, "tenant", "export", "demo", file, "--to",
                              "atrium-tenant-x", "--live");
    CHECK_EXIT(wrong, 1);
    PROGRAM live = ATRIUMCTL(from, NULL, "tenant", "export", "demo", other_file("live"), "--to",
                             key, "--live", "--json");
    CHECK_EXIT(live, 0);
    CU_ASSERT_TRUE(json_is_true(json_object_get(live->json, "live")));
    HTTP_ANSWER still = http_get(suite_url(from), "/auth/me", patient->access);
    CHECK_STATUS(still, 200);
    CU_ASSERT_NOT_EQUAL(access(file, F_OK), 0);
}

static int64_t rows_of(const json_t *json, const char *table)
{
    size_t i;
    json_t *each;

    json_array_foreach(json_object_get(json, "tables"), i,
                       each) if (strcmp(json_string_value(json_object_get(each, "table")), table) ==
                                 0) return json_integer_value(json_object_get(each, "rows"));
    return -1;
}

static void check_nothing_is_open(void)
{
    static const char *const words[] = {BOT_SECRET, "$argon2id$", "large.bin", "patients.example"};
    struct stat status;
    FILE *in = fopen(file, "re");
    char *bytes;

    CU_ASSERT_TRUE_FATAL(in && fstat(fileno(in), &status) == 0);
    CU_ASSERT_EQUAL(status.st_mode & 0777, 0600);
    bytes = malloc((size_t)status.st_size);
    CU_ASSERT_EQUAL(fread(bytes, 1, (size_t)status.st_size, in), (size_t)status.st_size);
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        UNIT_CHECK(!memmem(bytes, (size_t)status.st_size, words[i], strlen(words[i])), "%s",
                   words[i]);
    CU_ASSERT_PTR_NULL(memmem(bytes, (size_t)status.st_size, large + 100, 64));
    CU_ASSERT_PTR_NULL(memmem(bytes, (size_t)status.st_size, secret, sizeof(secret)));
    fclose(in);
    free(bytes);
}

static void a_read_only_tenant_is_exported_whole(void)
{
    PROGRAM held = ATRIUMCTL(from, NULL, "project", "suspend", "demo", "--read-only");
    CHECK_EXIT(held, 0);
    PROGRAM done = ATRIUMCTL(from, NULL, "tenant", "export", "demo", file, "--to", key, "--json");
    CHECK_EXIT(done, 0);
    CU_ASSERT_EQUAL(rows_of(done->json, "authd.account"), 3);
    CU_ASSERT_EQUAL(rows_of(done->json, "authd.mfa_factor"), 1);
    CU_ASSERT_EQUAL(rows_of(done->json, "authd.mfa_recovery"), 10);
    CU_ASSERT_EQUAL(rows_of(done->json, "authd.passkey"), 1);
    CU_ASSERT_EQUAL(rows_of(done->json, "docd.document"), 3);
    CU_ASSERT_EQUAL(rows_of(done->json, "docd.bytes"), 4 + 1 + 1); /* pieces of a mebibyte */
    CU_ASSERT_EQUAL(rows_of(done->json, "botd.bot"), 2);
    PROGRAM again = ATRIUMCTL(from, NULL, "tenant", "export", "demo", file, "--to", key);
    CHECK_EXIT(again, 1); /* already exists */
    check_nothing_is_open();
}

/* Exports with a file size limit of `kib` KiB, at which the command is killed or fails as on a full
 * disk. */
static struct program *export_up_to(int kib, bool killed, const char *resume)
{
    char *path = program_path("atriumctl"), command[1024];
    struct program *done;

    snprintf(command, sizeof(command),
             "%sulimit -c 0 -f %d; exec '%s' --dir '%s' tenant export demo '%s' --to '%s' %s",
             killed ? "" : "trap '' XFSZ; ", kib, path, suite_dir(from), file, key, resume);
    free(path);
    done = program_run((const char *const[]){"/bin/bash", "-c", command, NULL}, NULL);
    UNIT_CHECK(killed ? done->code != 1 : done->code == 1, "at %d KiB: %d %s", kib, done->code,
               done->err);
    CU_ASSERT_NOT_EQUAL(access(file, F_OK), 0);
    return done;
}

/* The export is interrupted in the first chunk, in the rows and in the content. Existing parts are
 * neither written nor requested again. The result is imported below. */
static void an_interrupted_export_goes_on(void)
{
    PROGRAM own = ATRIUMCTL(from, NULL, "tenant", "key", "--json");
    CHECK_EXIT(own, 0);
    CU_ASSERT_EQUAL(unlink(file), 0);
    PROGRAM live =
        ATRIUMCTL(from, NULL, "tenant", "export", "demo", file, "--to", key, "--live", "--resume");
    CHECK_REFUSED(live, 1, "exclude each other");
    PROGRAM first = export_up_to(30, true, "");
    PROGRAM anew = export_up_to(1200, false, "--resume");
    CU_ASSERT_PTR_NOT_NULL(strstr(anew->out, "starts again"));
    CU_ASSERT_PTR_NOT_NULL(strstr(anew->out, "is kept"));
    PROGRAM other = ATRIUMCTL(from, NULL, "tenant", "export", "demo", file, "--to",
                              json_string_value(json_object_get(own->json, "key")), "--resume");
    CHECK_REFUSED(other, 1, "another receiver");
    PROGRAM cut = export_up_to(2400, true, "--resume");
    PROGRAM second = export_up_to(2900, false, "--resume");
    CU_ASSERT_PTR_NOT_NULL(strstr(second->out, "continues after 2.4 MB"));
    PROGRAM done =
        ATRIUMCTL(from, NULL, "tenant", "export", "demo", file, "--to", key, "--resume", "--json");
    CHECK_EXIT(done, 0);
    CU_ASSERT_TRUE(json_integer_value(json_object_get(done->json, "resumedBytes")) > 2900 * 1000);
    CU_ASSERT_EQUAL(rows_of(done->json, "docd.bytes"), 4 + 1 + 1); /* pieces of a mebibyte */
    CU_ASSERT_NOT_EQUAL(access(other_file("demo.tenant.part"), F_OK), 0);
    CU_ASSERT_NOT_EQUAL(access(other_file("demo.tenant.part.key"), F_OK), 0);
}

/* Copies the file with one byte changed, or truncated there (`cut`). */
static const char *spoiled(off_t at, bool cut)
{
    const char *path = other_file("spoiled");
    char command[1024], byte;
    int fd;

    snprintf(command, sizeof(command), "cp '%s' '%s'", file, path);
    CU_ASSERT_EQUAL(system(command), 0);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (at < 0)
        at += lseek(fd, 0, SEEK_END);
    if (cut)
        CU_ASSERT_EQUAL(ftruncate(fd, at), 0);
    CU_ASSERT_EQUAL(cut ? 1 : pread(fd, &byte, 1, at), 1);
    byte = (char)(cut ? 0 : byte ^ 1);
    CU_ASSERT_EQUAL(cut ? 1 : pwrite(fd, &byte, 1, at), 1);
    close(fd);
    return path;
}

static long project_rows(void)
{
    return suite_count(to, "select (select count(*) from settings.project) + (select count(*) from "
                           "auth.account) + (select count(*) from doc.document)");
}

static void a_spoiled_file_adds_nothing(void)
{
    static const struct {
        off_t at;
        bool cut;
    } rows[] = {{0, false},  {30, false},     {100, false}, {5000, false},   {1000000, false},
                {-1, false}, {-70000, false}, {-1, true},   {1000000, true}, {200, true}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM refused = ATRIUMCTL(to, NULL, "tenant", "import", spoiled(rows[i].at, rows[i].cut));
        UNIT_CHECK(refused->code == 1, "%ld: %s", (long)rows[i].at, refused->out);
        CU_ASSERT_EQUAL(project_rows(), 0);
    }
    PROGRAM elsewhere = ATRIUMCTL(from, NULL, "tenant", "import", file);
    CHECK_EXIT(elsewhere, 1); /* for another key */
    PROGRAM whole = ATRIUMCTL(to, NULL, "tenant", "import", file, "--dry-run");
    CHECK_EXIT(whole, 0);
    CU_ASSERT_EQUAL(project_rows(), 0);
}

static void a_taken_code_is_told_first(void)
{
    PROGRAM made = ATRIUMCTL(to, NULL, "project", "create", "Taken", "--code", "demo");
    CHECK_EXIT(made, 0);
    PROGRAM refused = ATRIUMCTL(to, NULL, "tenant", "import", file);
    CHECK_REFUSED(refused, 1, "tenant code demo is already used");
    CU_ASSERT_EQUAL(project_rows(), 1);
    PROGRAM gone = ATRIUMCTL(to, NULL, "project", "delete", "demo", "--force", "--yes");
    CHECK_EXIT(gone, 0);
}

static struct program *import_start(void)
{
    char *path = program_path("atriumctl");
    struct program *self =
        program_start((const char *const[]){path, "--dir", suite_dir(to), "tenant", "import", file,
                                            "--resume", NULL},
                      NULL);

    free(path);
    return self;
}

static void an_interrupted_import_goes_on(void)
{
    static const char *const daemons[] = {"authd", "docd", "settingsd", "botd", "maild"};

    for (int ms = 5; ms < 80; ms += 10) {
        PROGRAM cut = import_start();

        usleep((useconds_t)ms * 1000);
        kill(cut->pid, SIGKILL);
        CU_ASSERT_TRUE(program_wait_end(cut, 5000));
    }
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        PROGRAM beside = import_start();

        usleep(10000);
        suite_signal(to, daemons[i], "1", SIGKILL);
        CU_ASSERT_TRUE(program_wait_end(beside, 90000));
        UNIT_CHECK(beside->code == 0, "%s killed: %s", daemons[i], beside->err);
    }
    PROGRAM fresh = ATRIUMCTL(to, NULL, "tenant", "import", file);
    CHECK_REFUSED(fresh, 1, "--resume");
    PROGRAM again = ATRIUMCTL(to, NULL, "tenant", "import", file, "--resume", "--json");
    CHECK_EXIT(again, 0);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(again->json, "added")), 0);
}

static void what_came_is_verified(void)
{
    PROGRAM same = ATRIUMCTL(to, NULL, "tenant", "verify", file);
    CHECK_EXIT(same, 0);
    CU_ASSERT_EQUAL(suite_count(to, "with u as (update settings.client set name = name || '!' "
                                    "returning 1) select count(*) from u"),
                    1);
    PROGRAM other = ATRIUMCTL(to, NULL, "tenant", "verify", file, "--json");
    CHECK_EXIT(other, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(other->out, "\"settingsd.client\""));
    CU_ASSERT_EQUAL(suite_count(to, "with u as (update settings.client set name = rtrim(name, '!') "
                                    "returning 1) select count(*) from u"),
                    1);
    HTTP_ANSWER closed =
        suite_post_fresh(to, "/auth/tenant/Patient/login/start",
                         body_login_start(patient->email, patient->password, "demo"));
    CHECK_STATUS(closed, 404); /* until an operator opens it */
}

static struct http_answer *exchange(const struct http_answer *step)
{
    return suite_post_fresh(to, "/auth/tenant/Patient/login/token",
                            body_login_token(http_text(step, "sessionCode"), NULL));
}

static void people_sign_in_there(void)
{
    PROGRAM opened = ATRIUMCTL(to, NULL, "project", "suspend", "demo", "--resume");
    CHECK_EXIT(opened, 0);
    HTTP_ANSWER first = suite_post_fresh(to, "/auth/tenant/Patient/login/start",
                                         body_login_start(owner->email, owner->password, "demo"));
    CHECK_STATUS(first, 200);
    CU_ASSERT_STRING_EQUAL(http_text(first, "nextStep"), "mfa");
    HTTP_ANSWER second = suite_post_fresh(
        to, "/auth/tenant/Patient/login/mfa",
        json_pack("{s:s, s:s}", "loginId", http_text(first, "loginId"), "mfaToken", code_now(1)));
    CHECK_STATUS(second, 200);
    HTTP_ANSWER tokens = exchange(second);
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_STRING_EQUAL(http_text(tokens, "profile.reference"), owner->profile);
    HTTP_ANSWER lost = suite_post_fresh(to, "/auth/tenant/Patient/login/start",
                                        body_login_start(owner->email, owner->password, "demo"));
    HTTP_ANSWER recovered = suite_post_fresh(
        to, "/auth/tenant/Patient/login/mfa",
        json_pack("{s:s, s:s}", "loginId", http_text(lost, "loginId"), "mfaToken", recovery));
    CHECK_STATUS(recovered, 200);
    HTTP_ANSWER shown = passkey_sign_in(to, "Patient", "demo", NULL, passkey);
    CHECK_STATUS(shown, 200);
    HTTP_ANSWER old = http_get(suite_url(to), "/auth/me", patient->access);
    CHECK_STATUS(old, 401); /* sessions are not moved */
}

static void documents_and_bots_are_there(void)
{
    PERSON here = person_sign_in(to, "Patient", patient->email, patient->password, "demo");
    HTTP_ANSWER list = http_get(suite_url(to), "/document", here->access);
    CHECK_STATUS(list, 200);
    HTTP_ANSWER first = document_get(to, here->access, large_id);
    CHECK_BYTES(first, large, LARGE);
    HTTP_ANSWER second = document_get(to, here->access, small_id);
    CHECK_BYTES(second, small, SMALL);
    CU_ASSERT_EQUAL(suite_count(to, "select sum(bytes) from doc.document_usage"), LARGE + SMALL);
    HTTP_ANSWER told =
        http_post(suite_url(to), "/bots?identifier=urn:t%7Ctell", here->access, json_object());
    CHECK_STATUS(told, 200);
    CU_ASSERT_STRING_EQUAL(http_text(told, "secrets.KEY"), BOT_SECRET);
    PROGRAM sound = ATRIUMCTL(to, NULL, "documents", "verify", "--hash", "--json");
    CHECK_EXIT(sound, 0);
}

static void an_open_tenant_takes_nothing_from_a_file(void)
{
    PROGRAM refused = ATRIUMCTL(to, NULL, "tenant", "import", file, "--resume");
    CHECK_REFUSED(refused, 1, "is in use here");
}

/* A deletion repeats for a day and would delete newly imported data. */
static void a_deleted_tenant_does_not_come_back_at_once(void)
{
    PROGRAM gone = ATRIUMCTL(to, NULL, "project", "delete", "demo", "--force", "--yes");
    CHECK_EXIT(gone, 0);
    PROGRAM refused = ATRIUMCTL(to, NULL, "tenant", "import", file, "--dry-run");
    CHECK_REFUSED(refused, 1, "deleted here less than a day ago");
    CU_ASSERT_EQUAL(project_rows(), 0);
}

static void the_suites_end(void)
{
    free(large);
    free(small);
    free(large_id);
    free(small_id);
    authenticator_destroy(&passkey);
    person_destroy(&patient);
    person_destroy(&owner);
    unit_dir_remove(&files);
    suite_stop(&from);
    suite_stop(&to);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(a_tenant_lives),
    CASE(an_open_tenant_is_read_for_a_rehearsal_only),
    CASE(a_read_only_tenant_is_exported_whole),
    CASE(an_interrupted_export_goes_on),
    CASE(a_spoiled_file_adds_nothing),
    CASE(a_taken_code_is_told_first),
    CASE(an_interrupted_import_goes_on),
    CASE(what_came_is_verified),
    CASE(people_sign_in_there),
    CASE(documents_and_bots_are_there),
    CASE(an_open_tenant_takes_nothing_from_a_file),
    CASE(a_deleted_tenant_does_not_come_back_at_once),
    CASE_ALWAYS(the_suites_end),
};

int main(void)
{
    return unit_run("moving a tenant", cases, ARRAY_SIZE(cases));
}
