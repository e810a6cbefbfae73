/*
 * test_audit_trail.c - who did what: each change of state and each sign-in leaves one row of the
 * audit trail, nothing else does, and no row says what it must not.
 *
 * A request's rows are found by its X-Request-Id.
 */
#include <CUnit/CUnit.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/authenticator.h"
#include "tests/support/document.h"
#include "tests/support/rows.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/trail.h"
#include "tests/support/unit.h"

#define TENANT "/auth/tenant/"
#define MEMBERS "/v1/projects/me/members"
#define ACCOUNTS "/v1/project/accounts"
#define POLICIES "/v1/project/access-policies"
#define KEYS "/v1/project/api-keys"
#define RESOURCES "/v1/project/resources"
#define CLIENTS "/v1/project/clients"
#define TEMPLATES "/v1/project/email-templates"
#define WEBHOOKS "/v1/project/webhooks"
#define NOBODY "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

enum { KEPT_MAX = 128, PATH_SIZE = 160 };

static struct suite *suite;
static struct person *admin;

/* What requests are made from: freed at the end. */
static struct person *people[KEPT_MAX];
static char *texts[KEPT_MAX];
static size_t people_count, text_count;

static struct person *keep(struct person *person)
{
    return people[people_count++] = person;
}

static const char *keep_text(char *text)
{
    return texts[text_count++] = text;
}

static void let_go(void)
{
    while (people_count > 0)
        person_destroy(&people[--people_count]);
    while (text_count > 0)
        free(texts[--text_count]);
}

/* ---- the trail of all daemons ---- */

/* "<number of rows> <action> <outcome> <type of the entity> <detail>" of a request in a daemon. */
static char *rows_of(const char *daemon, const char *trace)
{
    char sql[400];

    snprintf(sql, sizeof(sql),
             "select concat_ws(' ', count(*), min(event->>'action'), min(event->>'outcome'), "
             "min(split_part(entity, '/', 1)), min(event->>'detail')) from trail "
             "where daemon = '%s' and event->>'trace' = '%s'",
             daemon, trace);
    return suite_query(suite, sql);
}

/* ---- making requests ---- */

static const char *path_of(const char *format, ...) PRINTF_LIKE(1, 2);
static const char *path_of(const char *format, ...)
{
    char *path;
    va_list args;

    va_start(args, format);
    if (vasprintf(&path, format, args) < 0)
        abort();
    va_end(args);
    return keep_text(path);
}

/* A call without a token, from an address of its own. */
static struct http_request post(const char *path, json_t *body)
{
    return (struct http_request){
        .method = "POST", .path = path, .body = body, .source = keep_text(fresh_source())};
}

static struct http_request by(const struct person *person, const char *method, const char *path,
                              json_t *body)
{
    return (struct http_request){
        .method = method, .path = path, .bearer = person->access, .body = body};
}

static struct person *patient(void)
{
    return keep(person_register(suite, NULL));
}

static const char *client(void)
{
    return suite_text(suite, "demo.clientId");
}

static const char *project(void)
{
    return suite_text(suite, "demo.projectId");
}

static json_t *body_one_step(const char *email, const char *password)
{
    return json_pack("{s:s, s:s, s:s}", "email", email, "password", password, "clientId", client());
}

static json_t *body_b2b(const char *email, const char *password)
{
    json_t *body = body_one_step(email, password);

    json_object_set_new(body, "tenantId", json_string(project()));
    return body;
}

static json_t *named(json_t *body)
{
    json_object_set_new(body, "name", json_string("Ana"));
    json_object_set_new(body, "surname", json_string("Prova"));
    return body;
}

static struct person *practitioner(void)
{
    struct person *self = calloc(1, sizeof(*self));

    self->email = person_address();
    self->password = strdup("a password");
    HTTP_ANSWER answer =
        suite_post_fresh(suite, "/auth/b2b/register", named(body_b2b(self->email, self->password)));
    CHECK_STATUS(answer, 200);
    self->access = strdup(http_text(answer, "accessToken"));
    return keep(self);
}

/* The session code of a sign-in that was begun. */
static const char *begin(const char *role, const struct person *person)
{
    HTTP_ANSWER answer =
        suite_post_fresh(suite, path_of(TENANT "%s/login/start", role),
                         body_login_start(person->email, person->password, "demo"));

    CHECK_STATUS(answer, 200);
    return keep_text(strdup(*http_text(answer, "sessionCode") ? http_text(answer, "sessionCode")
                                                              : http_text(answer, "loginId")));
}

/* ---- second factors ---- */

struct factor {
    uint8_t key[TOTP_SECRET];
    char recovery[16], code[7];
};

/* To a time step that no code was shown in. */
static void move_on(void)
{
    suite_advance_clock(suite, 4 * TOTP_STEP);
}

static void prepare(const struct person *person, struct factor *ret)
{
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", person->access);

    totp_read(http_text(status, "otpauthUrl"), ret->key);
    totp_code(ret->key, suite_now(suite), ret->code);
}

static void enroll(const struct person *person, struct factor *ret)
{
    prepare(person, ret);
    HTTP_ANSWER answer = http_post(suite_url(suite), "/auth/mfa/enroll", person->access,
                                   json_pack("{s:s}", "token", ret->code));
    CHECK_STATUS(answer, 200);
    snprintf(ret->recovery, sizeof(ret->recovery), "%s", http_text(answer, "recoveryCodes.0"));
    move_on();
    totp_code(ret->key, suite_now(suite), ret->code);
}

static struct http_request show(const char *role, const char *login, const char *token)
{
    return post(path_of(TENANT "%s/login/mfa", role),
                json_pack("{s:s, s:s}", "loginId", login, "mfaToken", token));
}

/* ---- a request for each route that is no read ---- */

static struct http_request patient_register(void)
{
    return post(TENANT "Patient/register", body_register(keep_text(person_address()), "demo"));
}

static struct http_request practitioner_register(void)
{
    return post(TENANT "Practitioner/register", body_register(keep_text(person_address()), "demo"));
}

static struct http_request client_register(void)
{
    return post("/auth/register", named(body_one_step(keep_text(person_address()), "p")));
}

static struct http_request b2b_register(void)
{
    return post("/auth/b2b/register", named(body_b2b(keep_text(person_address()), "p")));
}

static struct http_request patient_start(void)
{
    const struct person *who = patient();

    return post(TENANT "Patient/login/start", body_login_start(who->email, who->password, "demo"));
}

static struct http_request practitioner_start(void)
{
    const struct person *who = practitioner();

    return post(TENANT "Practitioner/login/start",
                body_login_start(who->email, who->password, "demo"));
}

static struct http_request patient_token(void)
{
    return post(TENANT "Patient/login/token", body_login_token(begin("Patient", patient()), NULL));
}

static struct http_request practitioner_token(void)
{
    return post(TENANT "Practitioner/login/token",
                body_login_token(begin("Practitioner", practitioner()), "demo"));
}

static struct http_request patient_mfa(void)
{
    const struct person *who = patient();
    struct factor factor;

    enroll(who, &factor);
    return show("Patient", begin("Patient", who), factor.code);
}

static struct http_request practitioner_mfa(void)
{
    const struct person *who = practitioner();
    struct factor factor;

    enroll(who, &factor);
    return show("Practitioner", begin("Practitioner", who), factor.recovery);
}

static struct http_request client_login(void)
{
    const struct person *who = patient();

    return post("/v2/auth/login", body_one_step(who->email, who->password));
}

static struct http_request b2b_login(void)
{
    const struct person *who = practitioner();

    return post("/auth/b2b/login", body_b2b(who->email, who->password));
}

static struct http_request refresh(void)
{
    return post("/auth/refresh-token", json_pack("{s:s}", "refresh_token", patient()->refresh));
}

static struct http_request change_password(void)
{
    const struct person *who = patient();

    return by(who, "POST", "/auth/change-password",
              json_pack("{s:s, s:s}", "oldPassword", who->password, "newPassword", "another one"));
}

static struct http_request step_up(void)
{
    const struct person *who = patient();

    return by(who, "POST", "/auth/step-up", json_pack("{s:s}", "password", who->password));
}

static struct http_request step_up_wrong(void)
{
    return by(patient(), "POST", "/auth/step-up", json_pack("{s:s}", "password", "wrong"));
}

/* ---- passkeys ---- */

static struct authenticator *passkey_key(const char *role)
{
    return authenticator_new(AUTHENTICATOR_ES256, strcmp(role, "Patient") == 0
                                                      ? "https://patient.demo.example"
                                                      : "https://practitioner.demo.example");
}

static struct http_answer *passkey_start(const struct person *who, const char *path)
{
    struct http_answer *answer = http_post(suite_url(suite), path, who->access, json_object());

    CHECK_STATUS(answer, 200);
    return answer;
}

static struct http_request passkey_finish(const struct person *who, struct authenticator *key)
{
    HTTP_ANSWER start = passkey_start(who, "/auth/passkey/enroll/start");

    return by(who, "POST", "/auth/passkey/enroll/finish",
              json_pack("{s:s, s:o}", "enrollmentId", http_text(start, "enrollmentId"),
                        "credential", authenticator_create(key, http_member(start, "options"))));
}

/* Adds a passkey; its path. */
static const char *passkey_add(const struct person *who, struct authenticator *key)
{
    struct http_request request = passkey_finish(who, key);
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);

    CHECK_STATUS(answer, 200);
    return path_of("/auth/passkey/%s", http_text(answer, "id"));
}

static struct http_request passkey_sign_in(const char *role)
{
    return post(path_of(TENANT "%s/passkey/start", role),
                json_pack("{s:s, s:s}", "tenantCode", "demo", "codeChallenge", pkce_challenge));
}

static struct http_request passkey_show(const char *role, const struct person *who,
                                        const char *origin)
{
    AUTHENTICATOR key = passkey_key(role);
    struct http_request request = passkey_sign_in(role);

    passkey_add(who, key);
    HTTP_ANSWER start = http_call(suite_url(suite), &request);
    CHECK_STATUS(start, 200);
    key->origin = origin ? origin : key->origin;
    return post(path_of(TENANT "%s/passkey/finish", role),
                json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                          authenticator_get(key, http_member(start, "options"))));
}

static struct http_request patient_passkey_start(void)
{
    return passkey_sign_in("Patient");
}

static struct http_request practitioner_passkey_start(void)
{
    return passkey_sign_in("Practitioner");
}

static struct http_request patient_passkey(void)
{
    return passkey_show("Patient", patient(), NULL);
}

static struct http_request practitioner_passkey(void)
{
    return passkey_show("Practitioner", practitioner(), NULL);
}

static struct http_request passkey_elsewhere(void)
{
    return passkey_show("Patient", patient(), "https://evil.example");
}

/* ---- mailed codes ---- */

/* Its address is proven: the code changes nothing. */
static struct http_request code_start(const char *role, const struct person *who)
{
    CU_ASSERT_EQUAL(suite_count(suite,
                                "with proven as (insert into auth.email_verified select id, "
                                "'00000000-0000-0000-0000-000000000000', 0 from auth.account where "
                                "email = '%s' on conflict do nothing returning 1) select "
                                "count(*) from proven",
                                who->email),
                    1);
    return post(path_of(TENANT "%s/code/start", role),
                json_pack("{s:s, s:s, s:s}", "email", who->email, "tenantCode", "demo",
                          "codeChallenge", pkce_challenge));
}

static struct http_request patient_code_start(void)
{
    return code_start("Patient", patient());
}

static struct http_request practitioner_code_start(void)
{
    return code_start("Practitioner", practitioner());
}

static struct http_request code_start_unknown(void)
{
    return post(TENANT "Patient/code/start",
                json_pack("{s:s, s:s, s:s}", "email", keep_text(person_address()), "tenantCode",
                          "demo", "codeChallenge", pkce_challenge));
}

static struct http_request code_enter(const char *role, const struct person *who, bool right)
{
    struct http_request request = code_start(role, who);
    HTTP_ANSWER start = http_call(suite_url(suite), &request);
    const char *code = suite_mail_code(suite, who->email);

    CHECK_STATUS(start, 200);
    return post(path_of(TENANT "%s/login/code", role),
                json_pack("{s:s, s:s}", "loginId", http_text(start, "loginId"), "code",
                          right                         ? code
                          : strcmp(code, "123456") == 0 ? "123457"
                                                        : "123456"));
}

static struct http_request patient_code(void)
{
    return code_enter("Patient", patient(), true);
}

static struct http_request practitioner_code(void)
{
    return code_enter("Practitioner", practitioner(), true);
}

static struct http_request code_wrong(void)
{
    return code_enter("Patient", patient(), false);
}

/* A sign-in by password that waits for a second factor, and the challenge for a passkey. */
static struct http_request factor_start(const char *role, const struct person *who,
                                        struct authenticator *key)
{
    struct factor factor;

    enroll(who, &factor);
    passkey_add(who, key);
    return post(path_of(TENANT "%s/login/mfa/start", role),
                json_pack("{s:s}", "loginId", begin(role, who)));
}

static struct http_request patient_factor_start(void)
{
    AUTHENTICATOR key = passkey_key("Patient");

    return factor_start("Patient", patient(), key);
}

static struct http_request practitioner_factor_start(void)
{
    AUTHENTICATOR key = passkey_key("Practitioner");

    return factor_start("Practitioner", practitioner(), key);
}

static struct http_request factor_shown(const char *role, const struct person *who,
                                        const char *origin)
{
    AUTHENTICATOR key = passkey_key(role);
    struct http_request request = factor_start(role, who, key);

    HTTP_ANSWER start = http_call(suite_url(suite), &request);
    CHECK_STATUS(start, 200);
    key->origin = origin ? origin : key->origin;
    return post(path_of(TENANT "%s/login/mfa", role),
                json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                          authenticator_get(key, http_member(start, "options"))));
}

static struct http_request patient_mfa_passkey(void)
{
    return factor_shown("Patient", patient(), NULL);
}

static struct http_request practitioner_mfa_passkey(void)
{
    return factor_shown("Practitioner", practitioner(), NULL);
}

static struct http_request mfa_elsewhere(void)
{
    return factor_shown("Patient", patient(), "https://evil.example");
}

static struct http_request enroll_start(void)
{
    return by(patient(), "POST", "/auth/passkey/enroll/start", json_object());
}

static struct http_request enroll_finish(void)
{
    AUTHENTICATOR key = passkey_key("Patient");

    return passkey_finish(patient(), key);
}

static struct http_request enroll_unverified(void)
{
    AUTHENTICATOR key = passkey_key("Patient");

    key->flags = AUTHENTICATOR_PRESENT;
    return passkey_finish(patient(), key);
}

static struct http_request passkey_rename(void)
{
    AUTHENTICATOR key = passkey_key("Patient");
    const struct person *who = patient();

    return by(who, "PATCH", passkey_add(who, key), json_pack("{s:s}", "name", "Key ring"));
}

static struct http_request passkey_delete(void)
{
    AUTHENTICATOR key = passkey_key("Patient");
    const struct person *who = patient();

    return by(who, "DELETE", passkey_add(who, key), NULL);
}

static struct http_request step_up_start(void)
{
    AUTHENTICATOR key = passkey_key("Patient");
    const struct person *who = patient();

    passkey_add(who, key);
    return by(who, "POST", "/auth/step-up/start", json_object());
}

static struct http_request step_up_by(const char *origin)
{
    AUTHENTICATOR key = passkey_key("Patient");
    const struct person *who = patient();

    passkey_add(who, key);
    key->origin = origin ? origin : key->origin;
    HTTP_ANSWER start = passkey_start(who, "/auth/step-up/start");
    return by(who, "POST", "/auth/step-up",
              json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                        authenticator_get(key, http_member(start, "options"))));
}

static struct http_request step_up_passkey(void)
{
    return step_up_by(NULL);
}

static struct http_request step_up_elsewhere(void)
{
    return step_up_by("https://evil.example");
}

static struct http_request reset_password(void)
{
    return post("/auth/reset-password",
                json_pack("{s:s, s:s}", "email", patient()->email, "tenantCode", "demo"));
}

static struct http_request set_password(void)
{
    const struct person *who = patient();
    HTTP_ANSWER requested =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", who->email, "tenantCode", "demo"));
    struct mail_link link;

    CHECK_STATUS(requested, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, who->email, 2));
    link = suite_mail_link(suite, who->email, "https://patient.demo.example/set-password");
    /* so that no session is left that the new password would end */
    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", who->access, NULL);
    CHECK_STATUS(out, 204);
    /* and its address is verified, so that the link verifies nothing more */
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "with made as (insert into auth.email_verified select id, "
                    "'00000000-0000-0000-0000-000000000000', 0 from auth.account where email = "
                    "'%s' returning 1) select count(*) from made",
                    who->email),
        1);
    return post("/auth/set-password", json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                link.secret, "password", "another one"));
}

static struct http_request email_verify_send(void)
{
    return by(patient(), "POST", "/auth/verify-email/send", NULL);
}

static struct http_request email_change(void)
{
    return by(patient(), "POST", "/auth/change-email",
              json_pack("{s:s}", "email", keep_text(person_address())));
}

/* The link that a patient got who requested for another address. */
static struct mail_link change_link(const struct person *who, const char *email)
{
    HTTP_ANSWER requested = http_post(suite_url(suite), "/auth/change-email", who->access,
                                      json_pack("{s:s}", "email", email));

    CHECK_STATUS(requested, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    return suite_mail_link(suite, email, "https://patient.demo.example/verify-email");
}

static json_t *body_link(const struct mail_link *link)
{
    return json_pack("{s:s, s:s}", "id", link->id, "secret", link->secret);
}

static struct http_request email_verify(void)
{
    const struct person *who = patient();
    struct mail_link link = change_link(who, keep_text(person_address()));

    return by(who, "POST", "/auth/verify-email", body_link(&link));
}

static struct http_request email_undo(void)
{
    const struct person *who = patient();
    struct mail_link link = change_link(who, keep_text(person_address()));
    HTTP_ANSWER changed =
        http_post(suite_url(suite), "/auth/verify-email", who->access, body_link(&link));

    CHECK_STATUS(changed, 204);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, who->email, 2));
    link = suite_mail_link(suite, who->email, "https://patient.demo.example/undo-email");
    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", who->access, NULL);
    CHECK_STATUS(out, 204);
    return post("/auth/undo-email", body_link(&link));
}

static struct http_request mfa_enroll(void)
{
    const struct person *who = patient();
    struct factor factor;

    prepare(who, &factor);
    return by(who, "POST", "/auth/mfa/enroll", json_pack("{s:s}", "token", factor.code));
}

static struct http_request mfa_disable(void)
{
    const struct person *who = patient();
    struct factor factor;

    enroll(who, &factor);
    return by(who, "POST", "/auth/mfa/disable", json_pack("{s:s}", "token", factor.code));
}

static struct http_request logout(void)
{
    return by(patient(), "POST", "/auth/logout", NULL);
}

static struct http_request session_revoke(void)
{
    return by(patient(), "DELETE", "/auth/session/current", NULL);
}

static struct http_request deletion(void)
{
    return by(patient(), "DELETE", "/auth/delete", NULL);
}

static struct http_request member_create(void)
{
    return by(admin, "POST", MEMBERS,
              json_pack("{s:s, s:s, s:s}", "email", keep_text(person_address()), "firstName", "Rui",
                        "lastName", "Costa"));
}

static struct http_request account_import(void)
{
    return by(admin, "POST", "/v1/projects/me/imports",
              json_pack("{s:[{s:s, s:s, s:s}]}", "accounts", "email", keep_text(person_address()),
                        "firstName", "Ana", "lastName", "Lima"));
}

/* A member who is invited to be an admin, and accepts. */
static struct http_request invitation_accept(void)
{
    const char *email = keep_text(person_address());
    HTTP_ANSWER invited = http_post(suite_url(suite), MEMBERS, admin->access,
                                    json_pack("{s:s, s:s, s:s}", "email", email, "firstName", "Rui",
                                              "lastName", "Costa"));
    struct mail_link link =
        suite_mail_link(suite, email, "https://practitioner.demo.example/invitation");
    struct person *who;

    CHECK_STATUS(invited, 200);
    HTTP_ANSWER set = suite_post_fresh(suite, "/auth/set-password",
                                       json_pack("{s:s, s:s, s:s}", "id", link.id, "secret",
                                                 link.secret, "password", "chosen"));
    CHECK_STATUS(set, 204);
    PROGRAM again = ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", "demo", "--email",
                              email, "--name", "Rui", "--surname", "Costa", "--mail");
    CHECK_EXIT(again, 0);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    link = suite_mail_link(suite, email, "https://practitioner.demo.example/invitation");
    who = keep(person_sign_in(suite, "Practitioner", email, "chosen", NULL));
    return by(who, "POST", "/auth/invitation/accept",
              json_pack("{s:s, s:s}", "id", link.id, "secret", link.secret));
}

/* The id of one that was made just now. */
static const char *made(struct http_request request)
{
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);

    CHECK_STATUS(answer, 200);
    return keep_text(strdup(http_text(answer, "id")));
}

static struct http_request member_patch(void)
{
    return by(admin, "PATCH", path_of(MEMBERS "/%s", made(member_create())),
              json_pack("{s:b}", "admin", true));
}

static struct http_request member_delete(void)
{
    return by(admin, "DELETE", path_of(MEMBERS "/%s", made(member_create())), NULL);
}

static struct http_request member_resend(void)
{
    return by(admin, "POST", path_of(MEMBERS "/%s/resend", made(member_create())), NULL);
}

static const char *account_of(const struct person *who)
{
    return keep_text(
        suite_query(suite, path_of("select id from auth.account where email = '%s'", who->email)));
}

static struct http_request account_read(void)
{
    return by(admin, "GET", path_of(ACCOUNTS "/%s", account_of(patient())), NULL);
}

static struct http_request account_sessions(void)
{
    return by(admin, "GET", path_of(ACCOUNTS "/%s/sessions", account_of(patient())), NULL);
}

static struct http_request account_explain(void)
{
    return by(admin, "GET", path_of(ACCOUNTS "/%s/explain", account_of(patient())), NULL);
}

/* By an admin who has proven again who that is: the clock has moved since the sign-in. */
static struct http_request account_act(const struct person *who, const char *act)
{
    HTTP_ANSWER proven =
        http_post(suite_url(suite), "/auth/step-up", admin->access,
                  json_pack("{s:s}", "password", suite_text(suite, "demo.adminPassword")));

    CHECK_STATUS(proven, 204);
    return by(admin, "POST", path_of(ACCOUNTS "/%s/%s", account_of(who), act),
              json_pack("{s:s}", "reason", "a ticket"));
}

/* The act before another one. */
static void act_first(const struct person *who, const char *act)
{
    struct http_request request = account_act(who, act);
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);

    CHECK_STATUS(answer, 204);
}

/* Without a session, whose end would be a row too. */
static const struct person *signed_out(void)
{
    const struct person *who = patient();

    act_first(who, "end-sessions");
    return who;
}

static struct http_request account_lock(void)
{
    return account_act(signed_out(), "lock");
}

static struct http_request account_unlock(void)
{
    const struct person *who = patient();

    act_first(who, "lock");
    return account_act(who, "unlock");
}

static struct http_request account_end_sessions(void)
{
    return account_act(signed_out(), "end-sessions");
}

static struct http_request account_reset_mfa(void)
{
    const struct person *who = patient();
    struct factor factor;

    enroll(who, &factor);
    act_first(who, "end-sessions");
    return account_act(who, "reset-mfa");
}

static struct http_request account_send_reset(void)
{
    return account_act(patient(), "send-reset");
}

static struct http_request account_schedule_deletion(void)
{
    return account_act(patient(), "schedule-deletion");
}

static struct http_request account_cancel_deletion(void)
{
    const struct person *who = patient();

    act_first(who, "schedule-deletion");
    return account_act(who, "cancel-deletion");
}

static struct http_request code_email(void)
{
    return by(admin, "POST", "/organizations/code/email",
              json_pack("{s:s}", "email", "somebody@patients.example"));
}

static struct http_request locales(void)
{
    return by(admin, "PATCH", "/locales", json_pack("{s:s}", "defaultLanguage", "de"));
}

static struct http_request setting_switch(void)
{
    return by(admin, "PUT", "/v1/project/settings/PATIENT_INVITATION_ENABLED",
              json_pack("{s:b}", "enabled", true));
}

static struct http_request setting_value(void)
{
    return by(admin, "PUT", "/v1/project/settings/values/PATIENT_APP_URL",
              json_pack("{s:s}", "value", "https://patient.demo.example"));
}

static struct http_request account_policy(void)
{
    return by(admin, "PUT", "/v1/project/account-policy",
              json_pack("{s:i}", "documentsPerAccount", 20000));
}

static struct http_request branding(void)
{
    return by(admin, "PUT", "/v1/project/branding", json_pack("{s:s}", "name", "Demo"));
}

static struct http_request brand_logo(void)
{
    size_t size;
    char *png = test_png(8, 8, &size), text[4096];

    sodium_bin2base64(text, sizeof(text), (const uint8_t *)png, size,
                      sodium_base64_VARIANT_ORIGINAL);
    free(png);
    return by(admin, "PUT", "/v1/project/branding/logo", json_pack("{s:s}", "image", text));
}

static struct http_request brand_logo_gone(void)
{
    return by(admin, "DELETE", "/v1/project/branding/logo", NULL);
}

static struct http_request default_policy(void)
{
    return by(admin, "PUT", "/v1/project/default-patient-access-policy",
              json_pack("{s:s}", "value", suite_text(suite, "demo.patientAccessPolicy")));
}

static struct http_request project_child(void)
{
    return by(admin, "POST", "/v1/slim/project/child", json_pack("{s:s}", "name", "A child"));
}

static json_t *body_policy(void)
{
    return json_pack("{s:s, s:[{s:s}]}", "name", "All", "resource", "resourceType", "*");
}

static struct http_request policy_create(void)
{
    return by(admin, "POST", POLICIES, body_policy());
}

static struct http_request policy_replace(void)
{
    return by(admin, "PUT", path_of(POLICIES "/%s", made(policy_create())), body_policy());
}

static struct http_request policy_delete(void)
{
    return by(admin, "DELETE", path_of(POLICIES "/%s", made(policy_create())), NULL);
}

static struct http_request key_create(void)
{
    return by(admin, "POST", KEYS,
              json_pack("{s:s, s:s}", "name", "Laboratory", "accessPolicy",
                        path_of("AccessPolicy/%s", made(policy_create()))));
}

static struct http_request key_delete(void)
{
    return by(admin, "DELETE", path_of(KEYS "/%s", made(key_create())), NULL);
}

static json_t *body_fhir_server(void)
{
    static int number;

    return json_pack("{s:s, s:o}", "name", "Records", "base",
                     json_sprintf("https://fhir%d.example/r4", number++));
}

static struct http_request fhir_server_create(void)
{
    return by(admin, "POST", RESOURCES, body_fhir_server());
}

static struct http_request fhir_server_replace(void)
{
    return by(admin, "PUT", path_of(RESOURCES "/%s", made(fhir_server_create())),
              body_fhir_server());
}

static struct http_request fhir_server_delete(void)
{
    return by(admin, "DELETE", path_of(RESOURCES "/%s", made(fhir_server_create())), NULL);
}

static char launch_row[128]; /* what launch_create() leaves: it names the client */

static struct http_request launch_create(void)
{
    const struct person *who = patient();
    HTTP_ANSWER server = http_post(suite_url(suite), RESOURCES, admin->access, body_fhir_server());
    HTTP_ANSWER client =
        http_post(suite_url(suite), CLIENTS, admin->access,
                  json_pack("{s:s, s:[s], s:[s], s:[s], s:[s]}", "name", "Chart", "redirectUris",
                            "https://app.example/cb", "grantTypes", "authorization_code", "scopes",
                            "launch", "audiences", http_text(server, "base")));

    snprintf(launch_row, sizeof(launch_row), "launch.create success Patient %s",
             http_text(client, "id"));
    return by(admin, "POST", "/v1/launch",
              json_pack("{s:s, s:s, s:s}", "clientId", http_text(client, "id"), "resource",
                        http_text(server, "id"), "patient", strchr(who->profile, '/') + 1));
}

static struct http_request client_create(void)
{
    return by(admin, "POST", CLIENTS, json_pack("{s:s}", "name", "Portal"));
}

static json_t *body_client(void)
{
    return json_pack("{s:s, s:s, s:s, s:[s]}", "name", "Portal", "type", "confidential",
                     "authMethod", "client_secret_basic", "grantTypes", "client_credentials");
}

static struct http_request client_replace(void)
{
    return by(admin, "PUT", path_of(CLIENTS "/%s", made(client_create())), body_client());
}

static struct http_request client_secret(void)
{
    return by(admin, "POST",
              path_of(CLIENTS "/%s/secret", made(by(admin, "POST", CLIENTS, body_client()))),
              json_object());
}

static struct http_request client_delete(void)
{
    return by(admin, "DELETE", path_of(CLIENTS "/%s", made(client_create())), NULL);
}

static struct http_request template_put(void)
{
    return by(admin, "PUT", TEMPLATES "/PATIENT_INVITE",
              json_pack("{s:s, s:s, s:s}", "subject", "Bonjour", "text", "{{invitationUrl}}",
                        "language", "fr"));
}

static struct http_request template_delete(void)
{
    HTTP_ANSWER answer =
        http_put(suite_url(suite), TEMPLATES "/PATIENT_INVITE", admin->access,
                 json_pack("{s:s, s:s, s:s}", "subject", "Ciao", "text", "t", "language", "it"));

    CHECK_STATUS(answer, 200);
    return by(admin, "DELETE", TEMPLATES "/PATIENT_INVITE?language=it", NULL);
}

static json_t *body_webhook(void)
{
    return json_pack("{s:s, s:[s]}", "url", "https://hooks.example/", "events", "session.created");
}

static struct http_request webhook_create(void)
{
    return by(admin, "POST", WEBHOOKS, body_webhook());
}

static struct http_request webhook_replace(void)
{
    return by(admin, "PUT", path_of(WEBHOOKS "/%s", made(webhook_create())), body_webhook());
}

static struct http_request webhook_exchange(void)
{
    return by(admin, "POST", path_of(WEBHOOKS "/%s/secret", made(webhook_create())), json_object());
}

static struct http_request webhook_redeliver(void)
{
    return by(admin, "POST", path_of(WEBHOOKS "/%s/redeliver", made(webhook_create())),
              json_object());
}

static struct http_request webhook_delete(void)
{
    return by(admin, "DELETE", path_of(WEBHOOKS "/%s", made(webhook_create())), NULL);
}

/* ---- what fails ---- */

static struct http_request patient_start_wrong(void)
{
    return post(TENANT "Patient/login/start", body_login_start(patient()->email, "wrong", "demo"));
}

static struct http_request practitioner_start_wrong(void)
{
    return post(TENANT "Practitioner/login/start",
                body_login_start(practitioner()->email, "wrong", NULL));
}

static struct http_request start_unknown(void)
{
    return post(TENANT "Patient/login/start",
                body_login_start("nobody@patients.example", "wrong", "demo"));
}

static struct http_request one_step_wrong(void)
{
    return post("/v2/auth/login", body_one_step(practitioner()->email, "wrong"));
}

static struct http_request b2b_wrong(void)
{
    return post("/auth/b2b/login", body_b2b(practitioner()->email, "wrong"));
}

static struct http_request one_step_half(void)
{
    const struct person *who = patient();
    struct factor factor;

    enroll(who, &factor);
    return post("/v2/auth/login", body_one_step(who->email, who->password));
}

static struct http_request token_wrong_verifier(void)
{
    json_t *body = body_login_token(begin("Patient", patient()), NULL);

    json_object_set_new(body, "codeVerifier",
                        json_string("0123456789012345678901234567890123456789012"));
    return post(TENANT "Patient/login/token", body);
}

static struct http_request token_elsewhere(void)
{
    return post(TENANT "Practitioner/login/token",
                body_login_token(begin("Practitioner", practitioner()), "closed"));
}

static struct http_request token_unknown(void)
{
    return post(TENANT "Patient/login/token",
                body_login_token("00000000000000000000000000000000", NULL));
}

static struct http_request mfa_wrong(void)
{
    const struct person *who = patient();
    struct factor factor;

    enroll(who, &factor);
    return show("Patient", begin("Patient", who), "not-a-code");
}

static struct http_request enroll_wrong(void)
{
    const struct person *who = patient();
    struct factor factor;

    prepare(who, &factor);
    return by(who, "POST", "/auth/mfa/enroll", json_pack("{s:s}", "token", "not-a-code"));
}

static struct http_request disable_wrong(void)
{
    const struct person *who = patient();
    struct factor factor;

    enroll(who, &factor);
    return by(who, "POST", "/auth/mfa/disable", json_pack("{s:s}", "token", "not-a-code"));
}

static struct http_request change_wrong(void)
{
    return by(patient(), "POST", "/auth/change-password",
              json_pack("{s:s, s:s}", "oldPassword", "wrong", "newPassword", "another one"));
}

static struct http_request register_again(void)
{
    return post(TENANT "Patient/register", body_register(patient()->email, "demo"));
}

static struct http_request reset_unknown(void)
{
    return post("/auth/reset-password",
                json_pack("{s:s, s:s}", "email", "nobody@patients.example", "tenantCode", "demo"));
}

static struct http_request setting_lost(void)
{
    struct http_request request = setting_switch();

    request.headers[1] = "If-Match: \"0\"";
    return request;
}

static struct http_request setting_bad(void)
{
    return by(admin, "PUT", "/v1/project/settings/values/PATIENT_APP_URL",
              json_pack("{s:s}", "value", "no url"));
}

static struct http_request policy_in_use(void)
{
    return by(admin, "DELETE",
              path_of(POLICIES "/%s",
                      strchr(suite_text(suite, "demo.patientAccessPolicy"), '/') + 1),
              NULL);
}

static struct http_request policy_absent(void)
{
    return by(admin, "PUT", POLICIES "/" NOBODY, body_policy());
}

static struct http_request client_absent(void)
{
    return by(admin, "DELETE", CLIENTS "/" NOBODY, NULL);
}

static struct http_request template_absent(void)
{
    return by(admin, "DELETE", TEMPLATES "/PATIENT_INVITE?language=xx", NULL);
}

static struct http_request session_absent(void)
{
    return by(patient(), "DELETE", "/auth/session/" NOBODY, NULL);
}

static struct http_request consent_withdraw(void)
{
    free(suite_query(suite, "insert into auth.oauth_consent (project_id, account_id, client_id, "
                            "client_name, scope, resource, tos_version, created_at, updated_at) "
                            "select m.project_id, m.account_id, 'diary', 'Diary', 'openid', '', "
                            "'', 1, 1 from auth.membership m join auth.account a on a.id = "
                            "m.account_id where a.email = 'admin@demo.example' and m.admin "
                            "on conflict do nothing"));
    return by(admin, "DELETE", "/auth/consent?clientId=diary", NULL);
}

static struct http_request consent_absent(void)
{
    return by(admin, "DELETE", "/auth/consent?clientId=nothing", NULL);
}

/* ---- one row each ---- */

static const struct audited {
    const char *operation; /* of the route: in the trail of its daemon */
    struct http_request (*request)(void);
    int status;
    const char *want; /* as rows_of() has it behind the number; NULL: no row at all */
} audited[] = {
    {"patient_register", patient_register, 200, "account.register success Session password"},
    {"practitioner_register", practitioner_register, 200,
     "account.register success Session password"},
    {"client_register", client_register, 200, "account.register success Session password"},
    {"b2b_register", b2b_register, 200, "account.register success Session password"},
    {"patient_login_start", patient_start, 200, NULL}, /* a sign-in under way */
    {"practitioner_login_start", practitioner_start, 200, NULL},
    {"patient_login_token", patient_token, 200, "session.create success Session password"},
    {"practitioner_login_token", practitioner_token, 200,
     "session.create success Session password"},
    {"patient_login_mfa", patient_mfa, 200, NULL}, /* still under way */
    {"practitioner_login_mfa", practitioner_mfa, 200, "mfa.recover success Account"},
    {"client_login", client_login, 200, "session.create success Session password"},
    {"b2b_login", b2b_login, 200, "session.create success Session password"},
    {"refresh_token", refresh, 200, NULL}, /* the session goes on */
    {"change_password", change_password, 204, "password.change success Account"},
    {"reset_password", reset_password, 200, "password.link success Account"},
    {"set_password", set_password, 204, "password.set success Account"},
    {"email_verify_send", email_verify_send, 200, "email.link success Account"},
    {"email_change", email_change, 200, "email.link success Account"},
    {"email_verify", email_verify, 204, "email.change success Account"},
    {"email_undo", email_undo, 204, "email.undo success Account"},
    {"mfa_enroll", mfa_enroll, 200, "mfa.enroll success Account"},
    {"mfa_disable", mfa_disable, 200, "mfa.disable success Account"},
    {"step_up", step_up, 204, "session.step-up success Session password"},
    {"step_up", step_up_passkey, 204, "session.step-up success Session passkey"},
    {"step_up_start", step_up_start, 200, NULL}, /* a challenge */
    {"patient_passkey_start", patient_passkey_start, 200, NULL},
    {"practitioner_passkey_start", practitioner_passkey_start, 200, NULL},
    {"patient_passkey_finish", patient_passkey, 200, NULL}, /* still under way */
    {"practitioner_passkey_finish", practitioner_passkey, 200, NULL},
    {"patient_code_start", patient_code_start, 200, "mail-code.send success Account"},
    {"practitioner_code_start", practitioner_code_start, 200, "mail-code.send success Account"},
    {"patient_login_code", patient_code, 200, NULL}, /* still under way */
    {"practitioner_login_code", practitioner_code, 200, NULL},
    {"patient_login_mfa_start", patient_factor_start, 200, NULL},
    {"practitioner_login_mfa_start", practitioner_factor_start, 200, NULL},
    {"patient_login_mfa", patient_mfa_passkey, 200, NULL}, /* still under way */
    {"practitioner_login_mfa", practitioner_mfa_passkey, 200, NULL},
    {"passkey_enroll_start", enroll_start, 200, NULL},
    {"passkey_enroll_finish", enroll_finish, 200, "passkey.add success Passkey"},
    {"passkey_rename", passkey_rename, 200, "passkey.rename success Passkey"},
    {"passkey_delete", passkey_delete, 200, "passkey.remove success Passkey"},
    {"logout", logout, 204, "session.end success Session logout"},
    {"sessions_revoke", session_revoke, 200, "session.end success Session revoked"},
    {"consent_withdraw", consent_withdraw, 200, "consent.withdraw success diary"},
    {"deletion_schedule", deletion, 200, "deletion.schedule success Account"},
    {"invitation_accept", invitation_accept, 204, "invitation.accept success Invitation"},
    {"member_create", member_create, 200, "invitation.create success Invitation Practitioner"},
    {"account_import", account_import, 200, "account.import success Account"},
    {"member_patch", member_patch, 200, "invitation.update success Invitation admin"},
    {"member_delete", member_delete, 200, "invitation.withdraw success Invitation"},
    {"member_resend", member_resend, 200, "invitation.renew success Invitation Practitioner"},
    {"project_account_get", account_read, 200, "account.read success Account"},
    {"project_account_sessions", account_sessions, 200, "account.read success Account sessions"},
    {"project_account_explain", account_explain, 200, "account.read success Account explain"},
    {"project_account_lock", account_lock, 204, "membership.lock success ProjectMembership"},
    {"project_account_unlock", account_unlock, 204, "membership.unlock success ProjectMembership"},
    {"project_account_end_sessions", account_end_sessions, 204,
     "account.end-sessions success Account"},
    {"project_account_reset_mfa", account_reset_mfa, 204, "mfa.reset success Account"},
    {"project_account_send_reset", account_send_reset, 204, "password.link success Account"},
    {"project_account_schedule_deletion", account_schedule_deletion, 204,
     "deletion.schedule success Account"},
    {"project_account_cancel_deletion", account_cancel_deletion, 204,
     "deletion.abort success Account"},
    {"organization_code_email", code_email, 200, "code.mail success Project"},
    {"locales_patch", locales, 200, "locales.write success Project"},
    {"setting_switch", setting_switch, 200,
     "setting.write success Project PATIENT_INVITATION_ENABLED"},
    {"setting_value", setting_value, 200, "setting.write success Project PATIENT_APP_URL"},
    {"account_policy_put", account_policy, 200, "account-policy.write success Project"},
    {"branding_put", branding, 200, "branding.write success Project"},
    {"brand_logo_put", brand_logo, 200, "branding.logo success Project"},
    {"brand_logo_delete", brand_logo_gone, 200, "branding.logo-delete success Project"},
    {"default_policy", default_policy, 200,
     "setting.write success Project defaultPatientAccessPolicy"},
    {"project_child", project_child, 200, "project.create success Project"},
    {"access_policy_create", policy_create, 200, "policy.create success AccessPolicy"},
    {"access_policy_replace", policy_replace, 200, "policy.replace success AccessPolicy"},
    {"access_policy_delete", policy_delete, 204, "policy.delete success AccessPolicy"},
    {"api_key_create", key_create, 200, "api-key.create success ApiKey"},
    {"api_key_delete", key_delete, 204, "api-key.delete success ApiKey"},
    {"fhir_server_create", fhir_server_create, 200, "fhir-server.create success FhirServer"},
    {"fhir_server_replace", fhir_server_replace, 200, "fhir-server.replace success FhirServer"},
    {"fhir_server_delete", fhir_server_delete, 204, "fhir-server.delete success FhirServer"},
    {"launch_create", launch_create, 200, launch_row},
    {"client_create", client_create, 200, "client.create success ClientApplication"},
    {"client_replace", client_replace, 200, "client.replace success ClientApplication"},
    {"client_secret", client_secret, 200, "client.secret success ClientApplication"},
    {"client_delete", client_delete, 204, "client.delete success ClientApplication"},
    {"email_template_put", template_put, 200, "template.write success Project PATIENT_INVITE"},
    {"email_template_delete", template_delete, 204,
     "template.delete success Project PATIENT_INVITE"},
    {"webhook_create", webhook_create, 200, "webhook.create success Webhook"},
    {"webhook_replace", webhook_replace, 200, "webhook.replace success Webhook"},
    {"webhook_exchange", webhook_exchange, 200, "webhook.exchange success Webhook"},
    {"webhook_redeliver", webhook_redeliver, 200, "webhook.redeliver success Webhook"},
    {"webhook_delete", webhook_delete, 204, "webhook.delete success Webhook"},

    {"patient_login_start", patient_start_wrong, 400, "session.create failure password"},
    {"practitioner_login_start", practitioner_start_wrong, 400, "session.create failure password"},
    {"patient_login_start", start_unknown, 400, "session.create failure password"},
    {"client_login", one_step_wrong, 400, "session.create failure password"},
    {"client_login", one_step_half, 401, "session.create failure second-factor"},
    {"b2b_login", b2b_wrong, 400, "session.create failure password"},
    {"patient_login_token", token_wrong_verifier, 400, "session.create failure verifier"},
    {"practitioner_login_token", token_elsewhere, 400, "session.create failure not-a-member"},
    {"patient_login_token", token_unknown, 400, NULL}, /* no account */
    {"patient_login_mfa", mfa_wrong, 400, "session.create failure code"},
    {"patient_login_mfa", mfa_elsewhere, 400, "session.create failure origin"},
    {"patient_code_start", code_start_unknown, 200, NULL}, /* no account */
    {"patient_login_code", code_wrong, 400, "session.create failure mail-code"},
    {"mfa_enroll", enroll_wrong, 400, "mfa.enroll failure Account code"},
    {"mfa_disable", disable_wrong, 400, "mfa.disable failure Account code"},
    {"step_up", step_up_wrong, 400, "session.step-up failure Account password"},
    {"step_up", step_up_elsewhere, 400, "session.step-up failure Session origin"},
    {"patient_passkey_finish", passkey_elsewhere, 400, "session.create failure origin"},
    {"passkey_enroll_finish", enroll_unverified, 400, "passkey.add failure Account verification"},
    {"change_password", change_wrong, 400, "password.change failure Account password"},
    {"patient_register", register_again, 400, NULL}, /* what was refused changed nothing */
    {"reset_password", reset_unknown, 200, NULL},
    {"setting_switch", setting_lost, 409, NULL},
    {"setting_value", setting_bad, 422, NULL},
    {"access_policy_delete", policy_in_use, 409, NULL},
    {"access_policy_replace", policy_absent, 404, NULL},
    {"client_delete", client_absent, 404, NULL},
    {"email_template_delete", template_absent, 404, NULL},
    {"sessions_revoke", session_absent, 404, NULL},
    {"consent_withdraw", consent_absent, 404, NULL},
};

/* An admin, registration open to practitioners, another tenant. */
static void the_scene_is_set(void)
{
    PERSON closed = person_admin_of_child(suite, "closed");

    CU_ASSERT_EQUAL(closed->status, 200);
    admin = person_admin(suite);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    PROGRAM policy = ATRIUMCTL(suite, NULL, "project", "policy", "demo", "mailCode", "true");
    CU_ASSERT_EQUAL(policy->code, 0);
    trail_open(suite);
}

static const struct route *route_of(const char *operation)
{
    const struct route *route = test_routes;

    while (route->method && strcmp(route->operation, operation) != 0)
        route++;
    return route;
}

static void each_request_leaves_its_row(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(audited); i++) {
        const struct audited *row = &audited[i];
        struct http_request request = row->request();
        char trace[32], header[64], want[160];

        snprintf(trace, sizeof(trace), "audited-%zu", i);
        snprintf(header, sizeof(header), "X-Request-Id: %s", trace);
        request.headers[0] = header;
        HTTP_ANSWER answer = http_call(suite_url(suite), &request);
        UNIT_CHECK(answer->status == row->status, "%s: %d %s", row->operation, answer->status,
                   answer->body);
        snprintf(want, sizeof(want), "%d%s%s", row->want != NULL, row->want ? " " : "",
                 row->want ? row->want : "");
        char *found = rows_of(route_of(row->operation)->service, trace);
        UNIT_CHECK(strcmp(found, want) == 0, "%s (%zu): \"%s\", not \"%s\"", row->operation, i,
                   found, want);
        free(found);
        let_go();
    }
}

/* A route that changes something and is not above would make its changes unseen. */
static void no_route_is_left_out(void)
{
    static const char *const daemons[] = {"authd", "settingsd", "maild"};

    for (const struct route *route = test_routes; route->method; route++) {
        bool here = false, shown = false;

        for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
            here = here || strcmp(route->service, daemons[i]) == 0;
        if (!here || route->flags & R_SAFE)
            continue;
        for (size_t i = 0; i < ARRAY_SIZE(audited); i++)
            shown = shown || (strcmp(audited[i].operation, route->operation) == 0 &&
                              audited[i].status < 300);
        UNIT_CHECK(shown, "%s %s: which row does it leave? (table `audited`)", route->method,
                   route->path);
    }
}

/* ---- what a row says ---- */

static void a_row_says_who_and_where_from(void)
{
    struct http_request request = client_create();
    char sql[512];

    request.headers[0] = "X-Request-Id: who";
    request.source = "127.8.8.8";
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);
    CHECK_STATUS(answer, 200);
    snprintf(sql, sizeof(sql),
             "select concat_ws(' ', project_id = '%s', entity = 'ClientApplication/%s', "
             "event->'agent'->>'profile' = '%s', length(event->>'addressSealed'), "
             "event->>'account' = event->'agent'->>'account', "
             "exists (select from auth.membership m where m.id = "
             "(event->'agent'->>'membership')::uuid and m.account_id = (event->>'account')::uuid)) "
             "from trail where event->>'trace' = 'who'",
             project(), http_text(answer, "id"), admin->profile);
    char *found = suite_query(suite, sql);
    CU_ASSERT_STRING_EQUAL(found, "t t t 86 t t");
    free(found);
    let_go();
}

/* Of a failure: whose account it was, where there is one; the project in any case. */
static void a_failure_names_account_and_project(void)
{
    const struct person *who = patient();
    HTTP_ANSWER wrong = suite_post_fresh(suite, TENANT "Patient/login/start",
                                         body_login_start(who->email, "wrong", "demo"));
    HTTP_ANSWER unknown =
        suite_post_fresh(suite, TENANT "Patient/login/start",
                         body_login_start("nobody.else@patients.example", "wrong", "demo"));

    CHECK_STATUS(wrong, 400);
    CHECK_STATUS(unknown, 400);
    CU_ASSERT_EQUAL(trail_number(suite,
                                 "select count(*) from trail where event->>'outcome' = 'failure' "
                                 "and event->>'role' = 'Patient' and project_id = '%s' and "
                                 "event->>'account' = (select id::text from auth.account "
                                 "where email = '%s')",
                                 project(), who->email),
                    1);
    CU_ASSERT_EQUAL(trail_number(suite,
                                 "select count(*) from (select * from trail where daemon = 'authd' "
                                 "order by id desc limit 1) last where event->>'account' is null "
                                 "and project_id = '%s'",
                                 project()),
                    1);
    let_go();
}

/* Both roles were tried: it is one sign-in, of the account that there is. */
static void a_disabled_switch_is_recorded(void)
{
    const struct person *who = practitioner();
    const char *code = begin("Practitioner", who);

    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", false);
    HTTP_ANSWER token =
        suite_post_fresh(suite, TENANT "Practitioner/login/token", body_login_token(code, "demo"));
    CHECK_STATUS(token, 403);
    HTTP_ANSWER one =
        suite_post_fresh(suite, "/v2/auth/login", body_one_step(who->email, who->password));
    CHECK_STATUS(one, 403);
    HTTP_ANSWER b2b =
        suite_post_fresh(suite, "/auth/b2b/login", body_b2b(who->email, who->password));
    CHECK_STATUS(b2b, 403);
    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", true);
    CU_ASSERT_EQUAL(
        trail_number(suite,
                     "select count(*) from trail where event->>'detail' = 'not-enabled' and "
                     "event->>'role' = 'Practitioner' and event->>'account' = "
                     "(select id::text from auth.account where email = '%s')",
                     who->email),
        3);
    let_go();
}

static void a_replay_and_the_sessions_it_ends_are_recorded(void)
{
    const char *code = begin("Patient", patient());
    HTTP_ANSWER good =
        suite_post_fresh(suite, TENANT "Patient/login/token", body_login_token(code, NULL));
    HTTP_ANSWER again =
        suite_post_fresh(suite, TENANT "Patient/login/token", body_login_token(code, NULL));
    HTTP_ANSWER third =
        suite_post_fresh(suite, TENANT "Patient/login/token", body_login_token(code, NULL));

    CHECK_STATUS(good, 200);
    CHECK_STATUS(again, 400);
    CHECK_STATUS(third, 400);
    CU_ASSERT_EQUAL(
        trail_number(suite, "select count(*) from trail where event->>'detail' = 'replay'"), 2);
    CU_ASSERT_EQUAL(
        trail_number(suite, "select count(*) from trail where event->>'detail' = 'login-replay'"),
        1);
    let_go();
}

/* What is refused before it is tried leaves no row; the tries before do. */
static void a_throttled_try_leaves_no_row(void)
{
    const struct person *who = patient();
    const char *source = keep_text(fresh_source());
    long tries = trail_number(suite,
                              "select count(*) from trail where event->>'outcome' = 'failure' "
                              "and event->>'addressSealed' is not null and event->>'account' = "
                              "(select id::text from auth.account where email = '%s')",
                              who->email);
    int throttled = 0;

    for (int i = 0; i < 14; i++) {
        HTTP_ANSWER answer = suite_post_from(suite, source, TENANT "Patient/login/start",
                                             body_login_start(who->email, "wrong", "demo"));

        throttled += answer->status == 429;
    }
    CU_ASSERT_EQUAL(throttled, 4);
    CU_ASSERT_EQUAL(trail_number(suite,
                                 "select count(*) from trail where event->>'outcome' = 'failure' "
                                 "and event->>'addressSealed' is not null and event->>'account' = "
                                 "(select id::text from auth.account where email = '%s')",
                                 who->email),
                    tries + 10);
    let_go();
}

/* A child project's admin is made by authd: that is a change of its own there. */
static void changes_in_another_daemon_are_recorded_there(void)
{
    struct http_request request = project_child();

    request.headers[0] = "X-Request-Id: child";
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);
    CHECK_STATUS(answer, 200);
    char *found = rows_of("authd", "child");
    CU_ASSERT_STRING_EQUAL(found, "1 admin.grant success ProjectMembership");
    free(found);
    CU_ASSERT_EQUAL(trail_number(suite,
                                 "select count(*) from trail where event->>'trace' = 'child' "
                                 "and project_id = '%s'",
                                 http_text(answer, "projectId")),
                    2);
}

/* One mail that was sent, and one that was dropped for its age. Attempts have no row of their
 * own: the result has one. */
static void mails_are_recorded_with_their_result(void)
{
    static const char insert[] =
        "insert into mail.message (id, project_id, template, language, sealed, due_at, created_at, "
        "default_language) select '" NOBODY "', '%s', 'PATIENT_WELCOME', '', '\\x00', "
        "extract(epoch from clock_timestamp())::bigint * 1000, "
        "(extract(epoch from clock_timestamp())::bigint - 4 * 86400) * 1000, '' returning 1";

    CU_ASSERT_TRUE(suite_mails_arrive(suite, patient()->email, 1));
    CU_ASSERT_TRUE(
        trail_comes_to(suite, 1,
                       "select (count(*) > 0)::int from trail where daemon = 'maild' and "
                       "event->>'action' = 'mail.send' and event->>'outcome' = 'success' and "
                       "event->>'detail' = 'PATIENT_WELCOME'"));
    CU_ASSERT_EQUAL(trail_number(suite, insert, project()), 1);
    CU_ASSERT_TRUE(trail_comes_to(suite, 1,
                                  "select count(*) from trail where event->>'action' = 'mail.send' "
                                  "and event->>'outcome' = 'failure' "
                                  "and entity = 'Message/" NOBODY "'"));
    let_go();
}

/* ---- the operator ---- */

static void operator_actions_are_recorded(void)
{
    const struct person *who = patient(), *other = patient();
    struct unit_dir dir = unit_dir_make();
    struct factor factor;
    const char *policy =
        path_of("%s", unit_dir_write(&dir, "policy.json",
                                     "{\"name\":\"All\",\"resource\":[{\"resourceType\":\"*\"}]}"));
    const char *given = path_of("%s", suite_text(suite, "demo.patientAccessPolicy"));
    const char *words_file = path_of("%s", unit_dir_write(&dir, "words.txt", "Welcome"));
    const struct {
        const char *daemon, *action;
        const char *input;
        const char *words[16];
    } rows[] = {
        {"settingsd", "project.create", NULL, {"project", "create", "Ops", "--code", "ops"}},
        {"settingsd", "project.suspend", NULL, {"project", "suspend", "ops"}},
        {"settingsd", "project.resume", NULL, {"project", "suspend", "ops", "--resume"}},
        {"settingsd",
         "setting.write",
         NULL,
         {"project", "set", "demo", "default-patient-access-policy", given}},
        {"authd",
         "admin.create",
         "a password\n",
         {"user", "create-admin", "--project", "ops", "--email", "ops@practice.example", "--name",
          "Olga", "--surname", "Petrova"}},
        {"settingsd", "policy.create", NULL, {"policy", "put", "--project", "ops", policy}},
        {"settingsd", "client.create", NULL, {"client", "create", "--project", "ops", "Portal"}},
        {"maild",
         "template.write",
         NULL,
         {"template", "put", "--project", "ops", "PATIENT_WELCOME", "--subject", "Hi", "--text",
          words_file}},
        {"authd", "key.create", NULL, {"keys", "rotate"}},
        {"authd",
         "mfa.reset",
         NULL,
         {"user", "reset-mfa", "--project", "demo", "--email", other->email}},
        {"authd", "session.end", NULL, {"session", "revoke", "--email", who->email}},
        {"maild", "mail.drop", NULL, {"mail", "drop", NOBODY}}, /* the one given up above */
    };

    enroll(other, &factor);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        static const char count[] = "select count(*) from trail where daemon = '%s' and "
                                    "event->>'action' = '%s' and event->'agent'->>'service' = "
                                    "'ctl'";
        long before = trail_number(suite, count, rows[i].daemon, rows[i].action);
        PROGRAM done = suite_command(suite, rows[i].input, rows[i].words);

        CHECK_EXIT(done, 0);
        UNIT_CHECK(trail_number(suite, count, rows[i].daemon, rows[i].action) == before + 1, "%s",
                   rows[i].action);
    }
    unit_dir_remove(&dir);
    let_go();
}

static void a_retry_by_the_operator_is_recorded(void)
{
    static const char id[] = "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4c";

    CU_ASSERT_EQUAL(
        trail_number(suite,
                     "insert into mail.message (id, project_id, template, language, sealed, "
                     "due_at, created_at, default_language) values ('%s', '%s', "
                     "'PATIENT_WELCOME', '', '\\x00', 9000000000000, 1, '') returning 1",
                     id, project()),
        1);
    PROGRAM done = ATRIUMCTL(suite, NULL, "mail", "retry", id);
    CHECK_EXIT(done, 0);
    CU_ASSERT_EQUAL(
        trail_number(suite,
                     "select count(*) from trail where event->>'action' = 'mail.retry' and "
                     "entity = 'Message/%s' and project_id = '%s'",
                     id, project()),
        1);
}

/* ---- what is not in it ---- */

static void nothing_secret_is_in_it(void)
{
    static const char name[] = "Markername", password[] = "Marker-Passw0rd", url[] = "marker-value";
    char *email = person_address();
    json_t *body = body_register(email, "demo");
    struct factor factor;

    json_object_set_new(body, "name", json_string(name));
    json_object_set_new(body, "password", json_string(password));
    HTTP_ANSWER registered = suite_post_fresh(suite, TENANT "Patient/register", body);
    CHECK_STATUS(registered, 200);
    struct person *who = keep(person_sign_in(suite, "Patient", email, password, NULL));
    HTTP_ANSWER wrong = suite_post_fresh(suite, TENANT "Patient/login/start",
                                         body_login_start(email, "Wrong-Marker", "demo"));
    CHECK_STATUS(wrong, 400);
    enroll(who, &factor);
    const char *login = begin("Patient", who);
    struct http_request shown = show("Patient", login, factor.recovery);
    HTTP_ANSWER mfa = http_call(suite_url(suite), &shown);
    CHECK_STATUS(mfa, 200);
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", "https://marker-value.example");
    HTTP_ANSWER policy =
        http_post(suite_url(suite), POLICIES, admin->access,
                  json_pack("{s:s, s:[{s:s}]}", "name", name, "resource", "resourceType", "Bot"));
    CHECK_STATUS(policy, 200);

    const char *const secrets[] = {
        "@",
        email,
        password,
        "Wrong-Marker",
        name,
        url,
        who->access,
        who->refresh,
        factor.recovery,
        factor.code,
        pkce_verifier,
        pkce_challenge,
        http_text(mfa, "sessionCode"),
        http_text(registered, "accessToken"),
        http_text(registered, "refreshToken"),
        "argon2",
    };
    char *all = suite_query(suite, "select string_agg(concat_ws(' ', entity, event), E'\\n') "
                                   "from trail");
    CU_ASSERT_TRUE(strlen(all) > 10000);
    for (size_t i = 0; i < ARRAY_SIZE(secrets); i++)
        UNIT_CHECK(*secrets[i] && !strstr(all, secrets[i]), "%s is in the trail", secrets[i]);
    free(all);
    free(email);
    let_go();
}

/* ---- races: what was rolled back left nothing ---- */

enum { MANY = 8 };

static void the_loser_of_a_race_leaves_no_row(void)
{
    static const char registered[] =
        "select count(*) from trail where event->>'action' = 'account.register'";
    static const char written[] =
        "select count(*) from trail where event->>'action' = 'setting.write'";
    HTTP_ANSWER record = http_get(suite_url(suite), "/v1/project/settings", admin->access);
    char *etag = http_header(record, "ETag"), *email = person_address(), match[80];
    struct http_request requests[2 * MANY];
    struct http_answer *answers[2 * MANY];
    long before[2] = {trail_number(suite, registered), trail_number(suite, written)},
         good[2] = {0, 0};

    snprintf(match, sizeof(match), "If-Match: %s", etag);
    for (int i = 0; i < MANY; i++) {
        requests[i] = post(TENANT "Patient/register", body_register(email, "demo"));
        requests[MANY + i] = setting_switch();
        requests[MANY + i].headers[0] = match;
    }
    http_call_many(suite_url(suite), requests, 2 * MANY, 2 * MANY, answers);
    for (int i = 0; i < 2 * MANY; i++)
        good[i / MANY] += answers[i]->status == 200;
    CU_ASSERT_EQUAL(good[0], 1);
    CU_ASSERT_EQUAL(good[1], 1);
    CU_ASSERT_EQUAL(trail_number(suite, registered) - before[0], 1);
    CU_ASSERT_EQUAL(trail_number(suite, written) - before[1], 1);
    http_answers_destroy(answers, 2 * MANY);
    free(etag);
    free(email);
    let_go();
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(each_request_leaves_its_row),
    CASE(no_route_is_left_out),
    CASE(a_row_says_who_and_where_from),
    CASE(a_failure_names_account_and_project),
    CASE(a_disabled_switch_is_recorded),
    CASE(a_replay_and_the_sessions_it_ends_are_recorded),
    CASE(a_throttled_try_leaves_no_row),
    CASE(changes_in_another_daemon_are_recorded_there),
    CASE(mails_are_recorded_with_their_result),
    CASE(operator_actions_are_recorded),
    CASE(a_retry_by_the_operator_is_recorded),
    CASE(nothing_secret_is_in_it),
    CASE(the_loser_of_a_race_leaves_no_row),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.test_clock = true});
    return unit_run("audit trail", cases, ARRAY_SIZE(cases));
}
