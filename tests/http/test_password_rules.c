/*
 * test_password_rules.c - the account policy's rules for new passwords (length, common passwords,
 * names), which are checked after everything else, and for sign-ins with common passwords.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/daemon_log.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/trail.h"
#include "tests/support/unit.h"

#define POLICY "/v1/project/account-policy"
#define REGISTER "/auth/tenant/Patient/register"
#define CHANGE "/auth/change-password"

static struct suite *suite;

/* Consumes the body. */
static void put_policy(const struct person *admin, json_t *body)
{
    HTTP_ANSWER answer = http_put(suite_url(suite), POLICY, admin->access, body);

    CHECK_STATUS(answer, 200);
}

static void rules_off(const struct person *admin)
{
    put_policy(admin,
               json_pack("{s:i, s:i, s:b, s:s}", "passwordMinLength", 1, "passwordMinLengthWithMfa",
                         1, "refuseCommonPasswords", 0, "requireMfa", "none"));
}

static void check_refused(const struct http_answer *answer)
{
    CHECK_PROBLEM(answer, "password");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), "PASSWORD_REFUSED");
}

static json_t *body_with(const char *email, const char *password)
{
    json_t *body = body_register(email, "demo");

    json_object_set_new(body, "password", json_string(password));
    return body;
}

static struct http_answer *register_with(const char *email, const char *password)
{
    return suite_post_fresh(suite, REGISTER, body_with(email, password));
}

static void check_registers(const char *password, int want)
{
    char *email = person_address();
    HTTP_ANSWER answer = register_with(email, password);

    UNIT_CHECK(answer->status == want, "\"%s\": %d %s", password, answer->status, answer->body);
    if (want == 422)
        check_refused(answer);
    free(email);
}

static void any_text_will_do_by_default(void)
{
    check_registers("1", 200);
    check_registers("password", 200);
}

static void length_is_counted_in_code_points_of_the_normalised_text(void)
{
    PERSON admin = person_admin(suite);

    put_policy(admin, json_pack("{s:i}", "passwordMinLength", 5));
    check_registers("four", 422);
    check_registers("fiver", 200);
    check_registers("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 422);                 /* 8 bytes */
    check_registers("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xf0\x9f\x94\x91", 200); /* and a key emoji */
    check_registers("a\xcc\x88o\xcc\x88u\xcc\x88s", 422);                     /* 7, or 4 in NFC */
    rules_off(admin);
}

/* Enables a second factor and returns a recovery code that can remove it (caller frees). */
static char *enrol(const struct person *person)
{
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", person->access);
    uint8_t secret[TOTP_SECRET];
    char code[7];

    totp_read(http_text(status, "otpauthUrl"), secret);
    HTTP_ANSWER enrolled =
        http_post(suite_url(suite), "/auth/mfa/enroll", person->access,
                  json_pack("{s:s}", "token", totp_code(secret, (int64_t)time(NULL), code)));
    CHECK_STATUS(enrolled, 200);
    return strdup(http_text(enrolled, "recoveryCodes.0"));
}

/* The second length is for people whom requireMfa covers, such as the admin. */
static void the_length_depends_on_the_second_factor(void)
{
    PERSON admin = person_admin(suite);
    char *recovery = enrol(admin);

    put_policy(admin, json_pack("{s:i, s:i, s:s}", "passwordMinLength", 15,
                                "passwordMinLengthWithMfa", 8, "requireMfa", "admins"));
    check_registers("12 characters", 422);
    put_policy(admin, json_pack("{s:s}", "requireMfa", "everyone"));
    check_registers("12 characters", 200);
    check_registers("seven 7", 422);
    rules_off(admin);
    HTTP_ANSWER disabled = http_post(suite_url(suite), "/auth/mfa/disable", admin->access,
                                     json_pack("{s:s}", "token", recovery));
    CHECK_STATUS(disabled, 200);
    free(recovery);
}

static void common_passwords_and_names_are_refused(void)
{
    static const struct {
        const char *password;
        int want;
    } rows[] = {
        {"password", 422},  {"PassWord1", 422}, {"qwertyuiop", 422},      {"Prova", 422},
        {"ana prova", 422}, {"DEMO2026!", 422}, {"a quiet harbour", 200}, {"provas", 200},
    };
    PERSON admin = person_admin(suite);
    char local[64], *email = person_address();

    put_policy(admin, json_pack("{s:b}", "refuseCommonPasswords", 1));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_registers(rows[i].password, rows[i].want);
    snprintf(local, sizeof(local), "%.*s", (int)strcspn(email, "@"), email);
    HTTP_ANSWER by_local = register_with(email, local);
    check_refused(by_local);
    HTTP_ANSWER by_email = register_with(email, email);
    check_refused(by_email);
    rules_off(admin);
    free(email);
}

static void reload_authd(const char *want)
{
    size_t before = daemon_log_count(suite, "authd", want);

    suite_signal(suite, "authd", "1", SIGHUP);
    suite_signal(suite, "authd", "2", SIGHUP);
    daemon_log_wait(suite, "authd", want, before + 2);
}

/* Writes the suite's only additional configuration file; NULL removes it. */
static void write_part(const char *text)
{
    char directory[512], path[600];
    FILE *file;

    snprintf(directory, sizeof(directory), "%s/conf.d", suite_dir(suite));
    snprintf(path, sizeof(path), "%s/50-test.conf", directory);
    mkdir(directory, 0700);
    file = text ? fopen(path, "we") : NULL;
    if (file) {
        fputs(text, file);
        fclose(file);
        return;
    }
    unlink(path);
    rmdir(directory);
}

static void make_filter(const char *path, const char *list)
{
    PROGRAM made = ATRIUMCTL(suite, list, "passwords", "build", "-", path);

    CHECK_EXIT(made, 0);
}

static void alter_byte(const char *path)
{
    FILE *file = fopen(path, "r+be");
    struct stat status;
    int byte;

    CU_ASSERT_TRUE_FATAL(file && fstat(fileno(file), &status) == 0);
    CU_ASSERT_EQUAL(fseek(file, status.st_size / 2, SEEK_SET), 0);
    byte = fgetc(file);
    CU_ASSERT_EQUAL(fseek(file, -1, SEEK_CUR), 0);
    CU_ASSERT_EQUAL(fputc(byte ^ 1, file), byte ^ 1);
    CU_ASSERT_EQUAL(fclose(file), 0);
}

/* A filter made by the command works after a reload. A truncated or altered file is refused at
 * reload and at start, and the old filter stays. */
static void a_filter_of_an_operator_is_used(void)
{
    PERSON admin = person_admin(suite);
    char path[560], config[700], options[700];
    char *authd = program_path("atrium-authd");
    const char *const check[] = {authd, "--config", options, "--check-config", NULL};

    put_policy(admin, json_pack("{s:b}", "refuseCommonPasswords", 1));
    snprintf(path, sizeof(path), "%s/passwords.filter", suite_dir(suite));
    snprintf(config, sizeof(config), "authd\n    common_passwords = \"%s\"\n", path);
    snprintf(options, sizeof(options), "%s/atrium.conf", suite_dir(suite));
    make_filter(path, "an unlucky choice\n");
    write_part(config);
    reload_authd("configuration reloaded");
    check_registers("An unlucky choice", 422);
    check_registers("qwertyuiop", 200); /* the operator's filter replaces the built-in one */
    make_filter(path, "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:3\n"); /* "password" */
    reload_authd("configuration reloaded");
    check_registers("password", 422);
    check_registers("an unlucky choice", 200);
    PROGRAM good = program_run(check, NULL);
    CHECK_EXIT(good, 0);

    PROGRAM moved = program_run((const char *const[]){"/bin/sh", "-c",
                                                      "head -c 100 \"$0\" > \"$0.part\" && "
                                                      "mv \"$0.part\" \"$0\"",
                                                      path, NULL},
                                NULL);
    CHECK_EXIT(moved, 0);
    PROGRAM refused = program_run(check, NULL);
    CHECK_REFUSED(refused, 1, "passwords.filter: the filter was truncated or altered");
    reload_authd("configuration refused");
    check_registers("password", 422);
    check_registers("an unlucky choice", 200);

    make_filter(path, "an unlucky choice\n");
    alter_byte(path);
    PROGRAM altered = program_run(check, NULL);
    CHECK_REFUSED(altered, 1, "passwords.filter: the filter was altered");
    PROGRAM start = program_run((const char *const[]){authd, "--config", options, NULL}, NULL);
    CHECK_REFUSED(start, 1, "passwords.filter: the filter was altered");
    reload_authd("configuration refused");
    check_registers("password", 422);
    check_registers("an unlucky choice", 200);

    write_part(NULL);
    reload_authd("configuration reloaded");
    check_registers("qwertyuiop", 422);
    rules_off(admin);
    free(authd);
}

static json_t *body_change(const char *old, const char *new)
{
    return json_pack("{s:s, s:s}", "oldPassword", old, "newPassword", new);
}

static void words_of_the_address_and_the_name_are_refused(void)
{
    static const char *const refused[] = {
        "Maria2026",  "brook!",    "maria.brook", "mariabrook7", "hospital-west.example",
        "hospital99", "AnaProva1", "!ana-prova",
    };
    static const char email[] = "maria.brook@hospital-west.example";
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);

    put_policy(admin, json_pack("{s:b}", "refuseCommonPasswords", 1));
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        HTTP_ANSWER answer = register_with(email, refused[i]);
        UNIT_CHECK(answer->status == 422, "\"%s\": %d", refused[i], answer->status);
        check_refused(answer);
    }
    HTTP_ANSWER longer = register_with(email, "brookside in May");
    CHECK_STATUS(longer, 200);
    HTTP_ANSWER domain = http_post(suite_url(suite), CHANGE, patient->access,
                                   body_change(patient->password, strchr(patient->email, '@') + 1));
    check_refused(domain);
    HTTP_ANSWER name = http_post(suite_url(suite), CHANGE, patient->access,
                                 body_change(patient->password, "prova_ANA_2026"));
    CHECK_STATUS(name, 204); /* the name in other order, and with more text */
    rules_off(admin);
}

static void the_rules_come_last_at_a_registration(void)
{
    PERSON admin = person_admin(suite);
    PERSON known = person_register(suite, NULL);
    char *email = person_address();
    json_t *body = body_with(email, "short");

    put_policy(admin, json_pack("{s:i}", "passwordMinLength", 15));
    HTTP_ANSWER taken = register_with(known->email, "short");
    CHECK_ERROR(taken, 400, "Registration failed.");
    json_object_set_new(body, "continueAsPatientToken", json_string("x"));
    HTTP_ANSWER link = suite_post_fresh(suite, REGISTER, body);
    CHECK_ERROR(link, 400, "The continue-as-patient link is invalid or has expired.");
    HTTP_ANSWER empty = register_with(email, "");
    CHECK_PROBLEM(empty, "password");
    CU_ASSERT_STRING_NOT_EQUAL(http_text(empty, "code"), "PASSWORD_REFUSED");
    HTTP_ANSWER refused = register_with(email, "short");
    check_refused(refused);
    CU_ASSERT_TRUE(refused->seconds >= 0.99);
    /* A business sign-up discards the password, so no rule applies to it. */
    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", true);
    HTTP_ANSWER invited = register_with("eva@lakeside-rules.com", "short");
    CHECK_STATUS(invited, 200);
    CU_ASSERT_STRING_EQUAL(http_text(invited, "nextStep"), "clinician-invite");
    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", false);
    rules_off(admin);
    free(email);
}

static void a_change_and_a_link_follow_the_rules(void)
{
    PERSON admin = person_admin(suite);
    PERSON patient = person_register(suite, NULL);
    struct mail_link link;

    put_policy(admin, json_pack("{s:i}", "passwordMinLength", 8));
    HTTP_ANSWER wrong =
        http_post(suite_url(suite), CHANGE, patient->access, body_change("wrong", "short"));
    CHECK_ERROR(wrong, 400, "The old password is incorrect.");
    HTTP_ANSWER brief = http_post(suite_url(suite), CHANGE, patient->access,
                                  body_change(patient->password, "short"));
    check_refused(brief);
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", patient->email, "tenantCode", "demo"));
    CHECK_STATUS(requested, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient->email, 2));
    link = suite_mail_link(suite, patient->email, "https://patient.demo.example/set-password");
    for (int i = 0; i < 2; i++) {
        HTTP_ANSWER set =
            suite_post_fresh(suite, "/auth/set-password",
                             json_pack("{s:s, s:s, s:s}", "id", link.id, "secret", link.secret,
                                       "password", i == 0 ? "short" : "long enough"));
        if (i == 0)
            check_refused(set); /* the refusal does not consume the link */
        else
            CHECK_STATUS(set, 204);
    }
    rules_off(admin);
}

#define LOGIN_START "/auth/tenant/Patient/login/start"

static struct http_answer *start_with(const char *email, const char *password)
{
    return suite_post_fresh(suite, LOGIN_START, body_login_start(email, password, "demo"));
}

static struct http_answer *one_step_with(const char *email, const char *password)
{
    return suite_post_fresh(suite, "/v2/auth/login",
                            json_pack("{s:s, s:s, s:s}", "email", email, "password", password,
                                      "clientId", suite_text(suite, "demo.clientId")));
}

/* Registers a patient with the password, waits for the welcome email, and returns the address. */
static char *registered_with(const char *password)
{
    char *email = person_address();
    HTTP_ANSWER answer = register_with(email, password);

    CHECK_STATUS(answer, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    return email;
}

static void a_sign_in_with_a_common_password_is_mailed_once(void)
{
    PERSON admin = person_admin(suite);
    char *common = registered_with("PassWord1"), *other = registered_with("a quiet harbour"), *mail;

    for (int i = 0; i < 3; i++) {
        HTTP_ANSWER before = start_with(common, "PassWord1");
        CHECK_STATUS(before, 200);
        if (i == 0) { /* no email unless the project wants it */
            suite_mails_settle(suite);
            CU_ASSERT_EQUAL(suite_mail_count(suite, common), 1);
            put_policy(admin, json_pack("{s:s}", "onSignIn", "mail"));
        }
        HTTP_ANSWER good = start_with(other, "a quiet harbour");
        CHECK_STATUS(good, 200);
        HTTP_ANSWER wrong = start_with(other, "password");
        CHECK_STATUS(wrong, 400);
    }
    CU_ASSERT_TRUE(suite_mails_arrive(suite, common, 2));
    HTTP_ANSWER one_step = one_step_with(common, "PassWord1");
    CHECK_STATUS(one_step, 200);
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, common), 2);
    CU_ASSERT_EQUAL(suite_mail_count(suite, other), 1);
    mail = suite_mail(suite, common, 5000);
    CU_ASSERT_TRUE(mail && strstr(mail, "Subject: Please change your password for "));
    put_policy(admin, json_pack("{s:s}", "onSignIn", "ignore"));
    free(mail);
    free(common);
    free(other);
}

static void check_change_required(const struct http_answer *answer)
{
    CHECK_ERROR(answer, 403, "This password is too common. Reset it to sign in.");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "code"), "PASSWORD_CHANGE_REQUIRED");
}

static void set_by_link(const char *email, const char *password)
{
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", email, "tenantCode", "demo"));
    CHECK_STATUS(requested, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    struct mail_link link =
        suite_mail_link(suite, email, "https://patient.demo.example/set-password");
    HTTP_ANSWER set = suite_post_link(suite, "/auth/set-password", &link, NULL, password);
    CHECK_STATUS(set, 204);
}

static void a_sign_in_with_a_common_password_is_refused(void)
{
    static const char trail[] = "select count(*) from trail where event ->> 'action' = "
                                "'session.create' and event::text like '%common-password%'";
    PERSON admin = person_admin(suite);
    char *email = registered_with("qwertyuiop");
    long before = trail_number(suite, "%s", trail);

    put_policy(admin, json_pack("{s:s}", "onSignIn", "require-change"));
    HTTP_ANSWER wrong = start_with(email, "password");
    CHECK_STATUS(wrong, 400);
    HTTP_ANSWER refused = start_with(email, "qwertyuiop");
    check_change_required(refused);
    HTTP_ANSWER one_step = one_step_with(email, "qwertyuiop");
    check_change_required(one_step);
    CU_ASSERT_TRUE(trail_comes_to(suite, before + 2, trail));
    set_by_link(email, "a quieter harbour");
    HTTP_ANSWER good = start_with(email, "a quieter harbour");
    CHECK_STATUS(good, 200);
    put_policy(admin, json_pack("{s:s}", "onSignIn", "ignore"));
    free(email);
}

static void the_strictest_tenant_of_a_sign_in_decides(void)
{
    static const char start[] = "/auth/tenant/Practitioner/login/start";
    PERSON before = person_admin_of_child(suite, "sign-in-child");
    const char *email = before->email;
    PERSON admin = person_sign_in(suite, "Practitioner", email, before->password, "demo");

    HTTP_ANSWER changed = http_post(suite_url(suite), CHANGE, admin->access,
                                    body_change(before->password, "iloveyou"));
    CHECK_STATUS(changed, 204);
    PERSON child = person_sign_in(suite, "Practitioner", email, "iloveyou", "sign-in-child");
    put_policy(child, json_pack("{s:s}", "onSignIn", "require-change"));
    HTTP_ANSWER any = suite_post_fresh(suite, start, body_login_start(email, "iloveyou", NULL));
    check_change_required(any);
    HTTP_ANSWER there =
        suite_post_fresh(suite, start, body_login_start(email, "iloveyou", "sign-in-child"));
    check_change_required(there);
    HTTP_ANSWER demo = suite_post_fresh(suite, start, body_login_start(email, "iloveyou", "demo"));
    CHECK_STATUS(demo, 200);
    put_policy(child, json_pack("{s:s}", "onSignIn", "ignore"));
    put_policy(admin, json_pack("{s:s}", "onSignIn", "require-change"));
    HTTP_ANSWER either = suite_post_fresh(suite, start, body_login_start(email, "iloveyou", NULL));
    check_change_required(either);
    put_policy(admin, json_pack("{s:s}", "onSignIn", "ignore"));
    HTTP_ANSWER back = http_post(suite_url(suite), CHANGE, admin->access,
                                 body_change("iloveyou", before->password));
    CHECK_STATUS(back, 204);
}

static void the_strictest_project_decides(void)
{
    PERSON admin = person_admin(suite);
    PERSON child = person_admin_of_child(suite, "strict-child");

    put_policy(child, json_pack("{s:i, s:b}", "passwordMinLength", 12, "refuseCommonPasswords", 1));
    HTTP_ANSWER brief = http_post(suite_url(suite), CHANGE, admin->access,
                                  body_change(admin->password, "11 letters!"));
    check_refused(brief);
    HTTP_ANSWER code = http_post(suite_url(suite), CHANGE, admin->access,
                                 body_change(admin->password, "strict-child 2026"));
    check_refused(code);
    HTTP_ANSWER good = http_post(suite_url(suite), CHANGE, admin->access,
                                 body_change(admin->password, "twelve or more"));
    CHECK_STATUS(good, 204);
    HTTP_ANSWER back =
        http_post(suite_url(suite), CHANGE, admin->access, body_change("twelve or more", "short"));
    check_refused(back);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(any_text_will_do_by_default),
    CASE(length_is_counted_in_code_points_of_the_normalised_text),
    CASE(the_length_depends_on_the_second_factor),
    CASE(common_passwords_and_names_are_refused),
    CASE(a_filter_of_an_operator_is_used),
    CASE(words_of_the_address_and_the_name_are_refused),
    CASE(the_rules_come_last_at_a_registration),
    CASE(a_change_and_a_link_follow_the_rules),
    CASE(a_sign_in_with_a_common_password_is_mailed_once),
    CASE(a_sign_in_with_a_common_password_is_refused),
    CASE(the_strictest_tenant_of_a_sign_in_decides),
    CASE(the_strictest_project_decides),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2"});
    trail_open(suite);
    return unit_run("password rules", cases, ARRAY_SIZE(cases));
}
