/*
 * test_one_step.c - sign-in and registration in one request with a client application:
 * /v2/auth/login, /auth/register, /auth/b2b/login, /auth/b2b/register.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define LOGIN "/v2/auth/login"
#define REGISTER "/auth/register"
#define B2B_LOGIN "/auth/b2b/login"
#define B2B_REGISTER "/auth/b2b/register"
#define NOBODY "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

static const char password[] = "correct horse battery staple";
static const char wrong_login[] = "Username or password is incorrect.";

static struct suite *suite;

static const char *client(void)
{
    return suite_text(suite, "demo.clientId");
}

static const char *project(void)
{
    return suite_text(suite, "demo.projectId");
}

static json_t *body_login(const char *email, const char *secret, const char *client_id)
{
    return json_pack("{s:s, s:s, s:s}", "email", email, "password", secret, "clientId", client_id);
}

static json_t *body_join(const char *email, const char *type, const char *client_id)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s*, s:s}", "email", email, "password", password,
                     "name", "Rui", "surname", "Costa", "type", type, "clientId", client_id);
}

static json_t *with_tenant(json_t *body, const char *tenant)
{
    json_object_set_new(body, "tenantId", json_string(tenant));
    return body;
}

static void set_practitioner_policy(const char *access, const char *value)
{
    HTTP_ANSWER answer =
        http_put(suite_url(suite), "/v1/project/settings/values/DEFAULT_PRACTITIONER_ACCESS_POLICY",
                 access, json_pack("{s:s}", "value", value));
    CHECK_STATUS(answer, 200);
}

static bool is_role(const struct http_answer *answer, const char *role)
{
    const char *profile = http_text(answer, "profile.reference");

    return strncmp(profile, role, strlen(role)) == 0 && profile[strlen(role)] == '/';
}

/* Checks that the tokens work and that the session is listed. */
static void check_signed_in(const struct http_answer *answer, const char *role)
{
    CHECK_STATUS(answer, 200);
    CU_ASSERT_TRUE(is_role(answer, role));
    CU_ASSERT_EQUAL(json_integer_value(http_member(answer, "expiresIn")), 3600);
    CU_ASSERT_TRUE(*http_text(answer, "project.display") != '\0');
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", http_text(answer, "accessToken"));
    CHECK_STATUS(me, 200);
    CU_ASSERT_STRING_EQUAL(http_text(me, "security.sessions.0.authMethod"), "password");
    HTTP_ANSWER next =
        http_post(suite_url(suite), "/auth/refresh-token", NULL,
                  json_pack("{s:s}", "refresh_token", http_text(answer, "refreshToken")));
    CHECK_STATUS(next, 200);
}

static void a_patient_registers_and_signs_in(void)
{
    char *email = person_address();
    HTTP_ANSWER joined = suite_post_fresh(suite, REGISTER, body_join(email, NULL, client()));
    check_signed_in(joined, "Patient");
    CU_ASSERT_STRING_EQUAL(http_text(joined, "profile.display"), "Rui Costa");
    HTTP_ANSWER again = suite_post_fresh(suite, REGISTER, body_join(email, "Patient", client()));
    CHECK_ERROR(again, 400, "Registration failed.");
    CU_ASSERT_TRUE(again->seconds >= 1.0);
    HTTP_ANSWER in = suite_post_fresh(suite, LOGIN, body_login(email, password, client()));
    check_signed_in(in, "Patient");
    CU_ASSERT_STRING_EQUAL(http_text(in, "profile.reference"),
                           http_text(joined, "profile.reference"));

    PERSON same = person_sign_in(suite, "Patient", email, password, NULL);
    CU_ASSERT_STRING_EQUAL(same->profile, http_text(joined, "profile.reference"));
    char *mail = suite_mail(suite, email, 5000);
    CU_ASSERT_PTR_NOT_NULL(mail);
    free(mail);
    free(email);
}

static void the_admin_signs_in(void)
{
    HTTP_ANSWER in =
        suite_post_fresh(suite, LOGIN,
                         body_login(suite_text(suite, "demo.adminEmail"),
                                    suite_text(suite, "demo.adminPassword"), client()));
    check_signed_in(in, "Practitioner");
    HTTP_ANSWER list =
        http_get(suite_url(suite), "/v1/project/clients", http_text(in, "accessToken"));
    CHECK_STATUS(list, 200);
}

static void unknown_clients_and_tenants_are_404(void)
{
    PERSON admin = person_admin(suite);
    HTTP_ANSWER child =
        http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                  json_pack("{s:s, s:s}", "name", "Elsewhere", "tenantCode", "elsewhere"));
    CHECK_STATUS(child, 200);
    const char *elsewhere = http_text(child, "projectId");
    const struct {
        const char *path, *client, *tenant, *message;
    } rows[] = {
        {LOGIN, NOBODY, NULL, "Client not found."},
        {REGISTER, NOBODY, NULL, "Client not found."},
        {B2B_LOGIN, NOBODY, project(), "Client not found."},
        {B2B_LOGIN, client(), NOBODY, "Tenant not found."},
        {B2B_LOGIN, client(), elsewhere, "Client not found."},
        {B2B_REGISTER, NOBODY, project(), "Client not found."},
        {B2B_REGISTER, client(), NOBODY, "Tenant not found."},
        {B2B_REGISTER, client(), elsewhere, "Client not found."},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        json_t *body = body_join("nobody@example.org", NULL, rows[i].client);

        HTTP_ANSWER answer = suite_post_fresh(
            suite, rows[i].path, rows[i].tenant ? with_tenant(body, rows[i].tenant) : body);
        CHECK_ERROR(answer, 404, rows[i].message);
    }
}

static void fields_are_checked(void)
{
    static const char *const paths[] = {LOGIN, REGISTER, B2B_LOGIN, B2B_REGISTER};
    char text[130];

    memset(text, 'x', 129);
    text[129] = '\0';
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        HTTP_ANSWER wrong = suite_post_fresh(suite, paths[i], body_login("nobody", "x", "web"));
        CHECK_PROBLEM(wrong, "email");
        CHECK_PROBLEM(wrong, "clientId");
    }
    HTTP_ANSWER type =
        suite_post_fresh(suite, REGISTER, body_join("a@example.org", "Robot", client()));
    CHECK_PROBLEM(type, "type");
    HTTP_ANSWER over = suite_post_fresh(suite, LOGIN, body_login("a@example.org", text, client()));
    CHECK_PROBLEM(over, "password");
    HTTP_ANSWER empty = suite_post_fresh(suite, LOGIN, body_login("a@example.org", "", client()));
    CHECK_PROBLEM(empty, "password");
    HTTP_ANSWER fits =
        suite_post_fresh(suite, LOGIN, body_login("a@example.org", text + 1, client()));
    CHECK_ERROR(fits, 400, wrong_login);
    json_t *body = body_join("a@example.org", NULL, client());
    json_object_set_new(body, "password", json_string(text));
    HTTP_ANSWER longer = suite_post_fresh(suite, REGISTER, body);
    CHECK_PROBLEM(longer, "password");
}

/* One address, two accounts: the practitioner is tried first, and the password decides. */
static void the_practitioner_comes_before_the_patient(void)
{
    PERSON admin = person_admin(suite);
    char *email = person_address();
    json_t *patient = body_join(email, NULL, client());

    json_object_set_new(patient, "password", json_string("the patient's own"));
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    HTTP_ANSWER staff =
        suite_post_fresh(suite, REGISTER, body_join(email, "Practitioner", client()));
    check_signed_in(staff, "Practitioner");
    HTTP_ANSWER joined = suite_post_fresh(suite, REGISTER, patient);
    check_signed_in(joined, "Patient");
    HTTP_ANSWER as_staff = suite_post_fresh(suite, LOGIN, body_login(email, password, client()));
    check_signed_in(as_staff, "Practitioner");
    HTTP_ANSWER as_patient =
        suite_post_fresh(suite, LOGIN, body_login(email, "the patient's own", client()));
    check_signed_in(as_patient, "Patient");
    HTTP_ANSWER neither = suite_post_fresh(suite, LOGIN, body_login(email, "neither", client()));
    CHECK_ERROR(neither, 400, wrong_login);

    /* Each role has its own setting. Only the right password reveals a disabled one, and nothing
     * does if both are disabled. */
    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", false);
    HTTP_ANSWER off = suite_post_fresh(suite, LOGIN, body_login(email, password, client()));
    CHECK_ERROR(off, 403, "Login is not enabled.");
    HTTP_ANSWER on =
        suite_post_fresh(suite, LOGIN, body_login(email, "the patient's own", client()));
    CHECK_STATUS(on, 200);
    HTTP_ANSWER wrong = suite_post_fresh(suite, LOGIN, body_login(email, "neither", client()));
    CHECK_ERROR(wrong, 400, wrong_login);
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", false);
    HTTP_ANSWER all_off = suite_post_fresh(suite, LOGIN, body_login(email, "neither", client()));
    CHECK_ERROR(all_off, 403, "Login is not enabled.");
    suite_set_switch(suite, admin->access, "PRACTITIONER_LOGIN_ENABLED", true);
    HTTP_ANSWER patient_off =
        suite_post_fresh(suite, LOGIN, body_login(email, "the patient's own", client()));
    CHECK_ERROR(patient_off, 403, "Login is not enabled.");
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", true);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", false);
    free(email);
}

/* A failure counts once for an email address and client address, whatever the role, and also on the
 * tenant's routes. */
static void the_tenth_failure_locks_the_pair(void)
{
    PERSON patient = person_register(suite, NULL);
    char *source = fresh_source();

    for (int i = 0; i < 10; i++) {
        HTTP_ANSWER wrong =
            suite_post_from(suite, source, LOGIN, body_login(patient->email, "wrong", client()));
        CHECK_ERROR(wrong, 400, wrong_login);
    }
    HTTP_ANSWER locked = suite_post_from(suite, source, LOGIN,
                                         body_login(patient->email, patient->password, client()));
    CHECK_STATUS(locked, 429);
    CU_ASSERT_TRUE(http_retry_after(locked) > 0 && http_retry_after(locked) <= 900);
    HTTP_ANSWER tenant =
        suite_post_from(suite, source, "/auth/tenant/Patient/login/start",
                        body_login_start(patient->email, patient->password, "demo"));
    CHECK_STATUS(tenant, 429);
    HTTP_ANSWER staff = suite_post_from(suite, source, "/auth/tenant/Practitioner/login/start",
                                        body_login_start(patient->email, patient->password, NULL));
    CHECK_STATUS(staff, 429);
    HTTP_ANSWER owner =
        suite_post_fresh(suite, LOGIN, body_login(patient->email, patient->password, client()));
    CHECK_STATUS(owner, 200);
    free(source);
}

static void a_locked_role_does_not_lock_the_other(void)
{
    PERSON patient = person_register(suite, NULL);
    char *source = fresh_source();

    for (int i = 0; i < 10; i++) {
        HTTP_ANSWER wrong = suite_post_from(suite, source, "/auth/tenant/Practitioner/login/start",
                                            body_login_start(patient->email, "wrong", NULL));
        CHECK_ERROR(wrong, 400, wrong_login);
    }
    HTTP_ANSWER wrong =
        suite_post_from(suite, source, LOGIN, body_login(patient->email, "wrong", client()));
    CHECK_STATUS(wrong, 429);
    HTTP_ANSWER in = suite_post_from(suite, source, LOGIN,
                                     body_login(patient->email, patient->password, client()));
    check_signed_in(in, "Patient");
    free(source);
}

static void guesses_cannot_race_past_the_limit(void)
{
    enum { MANY = 64 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    PERSON patient = person_register(suite, NULL);
    char *source = fresh_source();
    int told = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = LOGIN,
                                            .source = source,
                                            .body = body_login(patient->email, "wrong", client())};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        CU_ASSERT_TRUE(answers[i]->status == 400 || answers[i]->status == 429 ||
                       answers[i]->status == 503);
        told += answers[i]->status == 400;
    }
    CU_ASSERT_TRUE(told >= 1 && told <= 10);
    http_answers_destroy(answers, MANY);
    free(source);
}

static void registration_keeps_to_the_switches(void)
{
    PERSON admin = person_admin(suite);
    char *email = person_address();
    HTTP_ANSWER unset =
        suite_post_fresh(suite, REGISTER, body_join(email, "Practitioner", client()));
    CHECK_ERROR(unset, 403, "Registration is not enabled for this project.");
    CU_ASSERT_TRUE(unset->seconds >= 1.0);
    HTTP_ANSWER business = suite_post_fresh(
        suite, B2B_REGISTER, with_tenant(body_join(email, NULL, client()), project()));
    CHECK_ERROR(business, 403, "Registration is not enabled for this project.");
    CU_ASSERT_TRUE(business->seconds >= 1.0);
    suite_set_switch(suite, admin->access, "PATIENT_REGISTRATION_ENABLED", false);
    HTTP_ANSWER off = suite_post_fresh(suite, REGISTER, body_join(email, NULL, client()));
    CHECK_ERROR(off, 403, "Registration is not enabled for this project.");
    suite_set_switch(suite, admin->access, "PATIENT_REGISTRATION_ENABLED", true);
    free(email);
}

static void the_sixth_in_a_minute_is_refused(void)
{
    static const char *const paths[] = {REGISTER, B2B_REGISTER, "/auth/tenant/Patient/register",
                                        "/auth/tenant/Practitioner/register", REGISTER};
    char *source = fresh_source();

    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        HTTP_ANSWER counted = suite_post_from(suite, source, paths[i], json_object());
        CHECK_STATUS(counted, 422);
        CU_ASSERT_TRUE(counted->seconds >= 1.0);
    }
    for (size_t i = 0; i < 2; i++) {
        HTTP_ANSWER refused = suite_post_from(suite, source, paths[i], json_object());
        CHECK_STATUS(refused, 429);
        CU_ASSERT_TRUE(refused->seconds >= 1.0);
    }
    free(source);
}

static void one_wins_a_race_for_an_address(void)
{
    enum { MANY = 12 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    char *email = person_address(), *sources[MANY];
    int won = 0;

    for (int i = 0; i < MANY; i++) {
        sources[i] = fresh_source();
        requests[i] = (struct http_request){.method = "POST",
                                            .path = REGISTER,
                                            .source = sources[i],
                                            .body = body_join(email, NULL, client())};
    }
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        won += answers[i]->status == 200;
        if (answers[i]->status != 200)
            CHECK_ERROR(answers[i], 400, "Registration failed.");
        free(sources[i]);
    }
    CU_ASSERT_EQUAL(won, 1);
    http_answers_destroy(answers, MANY);
    free(email);
}

struct branch {
    char *project, *access, *client;
};

static struct branch branch_make(const struct person *admin, const char *code)
{
    struct branch self = {NULL, NULL, NULL};
    char reference[64];
    HTTP_ANSWER child = http_post(suite_url(suite), "/v1/slim/project/child", admin->access,
                                  json_pack("{s:s, s:s}", "name", "Branch", "tenantCode", code));
    CHECK_STATUS(child, 200);
    PERSON owner = person_sign_in(suite, "Practitioner", admin->email, admin->password, code);
    HTTP_ANSWER policy =
        http_post(suite_url(suite), "/v1/project/access-policies", owner->access,
                  json_pack("{s:s, s:[{s:s}]}", "name", "Staff", "resource", "resourceType", "*"));
    HTTP_ANSWER application = http_post(suite_url(suite), "/v1/project/clients", owner->access,
                                        json_pack("{s:s}", "name", "Branch"));
    CHECK_STATUS(application, 200);
    snprintf(reference, sizeof(reference), "AccessPolicy/%s", http_text(policy, "id"));
    set_practitioner_policy(owner->access, reference);
    suite_set_switch(suite, owner->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    self.project = strdup(http_text(child, "projectId"));
    self.access = strdup(owner->access);
    self.client = strdup(http_text(application, "id"));
    return self;
}

static void branch_free(struct branch *self)
{
    free(self->project);
    free(self->access);
    free(self->client);
}
#define BRANCH CLEANUP(branch_free) struct branch

static struct http_answer *b2b_login(const char *email, const char *client_id, const char *tenant)
{
    return suite_post_fresh(suite, B2B_LOGIN,
                            with_tenant(body_login(email, password, client_id), tenant));
}

static void business_signs_in_to_the_parent_or_its_only_child(void)
{
    PERSON admin = person_admin(suite);
    BRANCH north = branch_make(admin, "north"), south = branch_make(admin, "south");
    char *member = person_address(), *child = person_address(), reference[64];

    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
    HTTP_ANSWER joined = suite_post_fresh(
        suite, B2B_REGISTER, with_tenant(body_join(member, NULL, client()), project()));
    check_signed_in(joined, "Practitioner");
    HTTP_ANSWER again = suite_post_fresh(suite, B2B_REGISTER,
                                         with_tenant(body_join(member, NULL, client()), project()));
    CHECK_ERROR(again, 400, "Registration failed.");
    HTTP_ANSWER in_parent = b2b_login(member, client(), project());
    check_signed_in(in_parent, "Practitioner");
    snprintf(reference, sizeof(reference), "Project/%s", project());
    CU_ASSERT_STRING_EQUAL(http_text(in_parent, "project.reference"), reference);

    HTTP_ANSWER of_child = suite_post_fresh(
        suite, B2B_REGISTER, with_tenant(body_join(child, NULL, north.client), north.project));
    check_signed_in(of_child, "Practitioner");
    HTTP_ANSWER in_child = b2b_login(child, client(), project());
    check_signed_in(in_child, "Practitioner");
    snprintf(reference, sizeof(reference), "Project/%s", north.project);
    CU_ASSERT_STRING_EQUAL(http_text(in_child, "project.reference"), reference);

    /* The child's own setting applies. */
    suite_set_switch(suite, north.access, "PRACTITIONER_LOGIN_ENABLED", false);
    HTTP_ANSWER off = b2b_login(child, client(), project());
    CHECK_ERROR(off, 403, "Login is not enabled.");
    HTTP_ANSWER parent_on = b2b_login(member, client(), project());
    CHECK_STATUS(parent_on, 200);
    suite_set_switch(suite, north.access, "PRACTITIONER_LOGIN_ENABLED", true);

    /* Members of the parent or a sibling cannot sign in to a child, and patients cannot sign in to
     * any. */
    HTTP_ANSWER stranger = b2b_login(member, south.client, south.project);
    CHECK_ERROR(stranger, 400, wrong_login);
    HTTP_ANSWER sibling = b2b_login(child, south.client, south.project);
    CHECK_ERROR(sibling, 400, wrong_login);
    PERSON patient = person_register(suite, NULL);
    HTTP_ANSWER no_staff = b2b_login(patient->email, client(), project());
    CHECK_ERROR(no_staff, 400, wrong_login);
    HTTP_ANSWER wrong = suite_post_fresh(
        suite, B2B_LOGIN, with_tenant(body_login(child, "wrong", client()), project()));
    CHECK_ERROR(wrong, 400, wrong_login);

    /* As a member of two children, the account no longer determines the project. */
    char *sql = NULL;
    if (asprintf(&sql,
                 "insert into auth.membership (project_id, id, account_id, profile_id, created_at) "
                 "select '%s', gen_random_uuid(), id, gen_random_uuid(), 0 from auth.account "
                 "where email = '%s' returning id",
                 south.project, child) < 0)
        abort();
    free(suite_query(suite, sql));
    free(sql);
    HTTP_ANSWER two = b2b_login(child, client(), project());
    CHECK_ERROR(two, 400, wrong_login);
    HTTP_ANSWER named = b2b_login(child, south.client, south.project);
    CHECK_STATUS(named, 200);
    suite_set_switch(suite, admin->access, "PRACTITIONER_REGISTRATION_ENABLED", false);
    free(member);
    free(child);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_patient_registers_and_signs_in),
    CASE(the_admin_signs_in),
    CASE(unknown_clients_and_tenants_are_404),
    CASE(fields_are_checked),
    CASE(registration_keeps_to_the_switches),
    CASE(the_practitioner_comes_before_the_patient),
    CASE(the_tenth_failure_locks_the_pair),
    CASE(a_locked_role_does_not_lock_the_other),
    CASE(guesses_cannot_race_past_the_limit),
    CASE(the_sixth_in_a_minute_is_refused),
    CASE(one_wins_a_race_for_an_address),
    CASE(business_signs_in_to_the_parent_or_its_only_child),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2", .test_clock = true});
    return unit_run("one-step sign-in", cases, ARRAY_SIZE(cases));
}
