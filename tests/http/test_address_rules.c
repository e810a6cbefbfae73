/*
 * test_address_rules.c - the networks of an access policy (ipAccessRule) at registration, sign-in
 * and refresh. Clients come from addresses of 127/8, or from any address through a third gateway,
 * which trusts a proxy.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/second_gateway.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define RULE(ip, action) "{\"ip\":\"" ip "\",\"action\":\"" action "\"}"
#define INSIDE "127.9.0.7"  /* in the network that most cases allow */
#define OUTSIDE "127.8.0.7" /* outside it */
#define ONLY_INSIDE "[" RULE("127.9.0.0/16", "allow") "]"

static const char refused[] = "Sign-in is not allowed from this address.";
static const char password[] = "correct horse battery staple";

static struct suite *suite;
static struct person *boss; /* demo's admin, whom no policy restricts */
static char policy[37];     /* the default for patients and practitioners */

static json_t *body_policy(const char *rules)
{
    return json_pack("{s:s, s:[{s:s}], s:o}", "name", "Guarded", "resource", "resourceType", "*",
                     "ipAccessRule", rules ? json_loads(rules, 0, NULL) : json_null());
}

static void set_rules(const char *rules)
{
    char path[96];

    snprintf(path, sizeof(path), "/v1/project/access-policies/%s", policy);
    HTTP_ANSWER answer = http_put(suite_url(suite), path, boss->access, body_policy(rules));
    CHECK_STATUS(answer, 200);
}

static void put_setting(const char *path, const char *value)
{
    HTTP_ANSWER answer =
        http_put(suite_url(suite), path, boss->access, json_pack("{s:s}", "value", value));
    CHECK_STATUS(answer, 200);
}

static void the_policy_is_made(void)
{
    char value[64];

    boss = person_admin(suite);
    CU_ASSERT_EQUAL(boss->status, 200);
    HTTP_ANSWER made =
        http_post(suite_url(suite), "/v1/project/access-policies", boss->access, body_policy(NULL));
    CHECK_STATUS(made, 200);
    snprintf(policy, sizeof(policy), "%s", http_text(made, "id"));
    snprintf(value, sizeof(value), "AccessPolicy/%s", policy);
    put_setting("/v1/project/default-patient-access-policy", value);
    put_setting("/v1/project/settings/values/DEFAULT_PRACTITIONER_ACCESS_POLICY", value);
    suite_set_switch(suite, boss->access, "PRACTITIONER_REGISTRATION_ENABLED", true);
}

static struct http_answer *join(const char *role, const char *email, const char *source)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/register", role);
    return suite_post_from(suite, source, path, body_register(email, "demo"));
}

static struct person *newcomer(const char *role)
{
    struct person *self = calloc(1, sizeof(*self));
    char *source = fresh_source();

    self->email = person_address();
    self->password = strdup(password);
    set_rules(NULL);
    HTTP_ANSWER answer = join(role, self->email, source);
    CHECK_STATUS(answer, 200);
    self->access = strdup(http_text(answer, "accessToken"));
    self->refresh = strdup(http_text(answer, "refreshToken"));
    self->profile = strdup(http_text(answer, "profile.reference"));
    free(source);
    return self;
}

static struct http_answer *step(const char *role, const char *name, const char *source,
                                json_t *body)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/%s", role, name);
    return suite_post_from(suite, source, path, body);
}

static char *code_of(const char *role, const char *email)
{
    HTTP_ANSWER answer = step(role, "start", OUTSIDE, body_login_start(email, password, "demo"));

    CHECK_STATUS(answer, 200);
    return strdup(http_text(answer, "sessionCode"));
}

static struct http_answer *exchange(const char *role, const char *code, const char *source)
{
    return step(role, "token", source, body_login_token(code, NULL));
}

static struct http_answer *refresh_at(const char *url, const char *token, const char *source)
{
    return http_call(url,
                     &(struct http_request){.method = "POST",
                                            .path = "/auth/refresh-token",
                                            .source = source,
                                            .body = json_pack("{s:s}", "refresh_token", token)});
}

static struct http_answer *refresh_from(const char *token, const char *source)
{
    return refresh_at(suite_url(suite), token, source);
}

static struct http_answer *one_step_from(const char *path, const char *email, const char *source)
{
    return suite_post_from(suite, source, path,
                           json_pack("{s:s, s:s, s:s, s:s}", "email", email, "password", password,
                                     "clientId", suite_text(suite, "demo.clientId"), "tenantId",
                                     suite_text(suite, "demo.projectId")));
}

/* Counts the audit log's refused attempts for an account, or for no account if person is NULL. */
static int audited(const char *action, const struct person *person)
{
    char sql[1024], *text;
    int count;

    snprintf(sql, sizeof(sql),
             "select count(*) from auth.audit u left join auth.membership m "
             "on m.account_id = (u.event->>'account')::uuid "
             "where u.event->>'action' = '%s' and u.event->>'outcome' = 'failure' "
             "and u.event->>'detail' = 'address' "
             "and (u.event->>'address' is not distinct from '" OUTSIDE "') "
             "= (u.event->>'account' is null) "
             "and (u.event->>'addressSealed' is null) = (u.event->>'account' is null) "
             "and u.project_id = '%s' and coalesce(m.profile_id::text, '') = '%s'",
             action, suite_text(suite, "demo.projectId"),
             person ? strchr(person->profile, '/') + 1 : "");
    text = suite_query(suite, sql);
    count = atoi(text);
    free(text);
    return count;
}

static void registration_needs_an_address_that_is_let_in(void)
{
    static const struct {
        const char *label, *rules;
        int want;
    } rows[] = {
        {"allowed elsewhere only", ONLY_INSIDE, 403},
        {"blocked", "[" RULE("127.8.0.0/16", "block") "]", 403},
        {"the first match blocks",
         "[" RULE("127.8.0.0/16", "block") "," RULE("0.0.0.0/0", "allow") "]", 403},
        {"IPv6 only", "[" RULE("::/0", "allow") "]", 403},
        {"others are blocked", "[" RULE("127.9.0.0/16", "block") "]", 200},
        {"the first match allows",
         "[" RULE("127.8.0.0/16", "allow") "," RULE("127.0.0.0/8", "block") "]", 200},
        {"an empty list", "[]", 200},
        {"no rule", NULL, 200},
    };
    char *email = person_address(), source[32];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        set_rules(rows[i].rules);
        snprintf(source, sizeof(source), "127.8.%zu.1", i);
        HTTP_ANSWER answer = join("Patient", email, source);
        UNIT_CHECK(answer->status == rows[i].want, "%s: %d", rows[i].label, answer->status);
        if (rows[i].want == 200) {
            free(email);
            email = person_address();
            continue;
        }
        CHECK_ERROR(answer, 403, refused);
        CU_ASSERT_TRUE(answer->seconds >= 1);
    }
    free(email);
}

static void every_registration_route_checks_the_address(void)
{
    static const char *const paths[] = {"/auth/tenant/Practitioner/register", "/auth/register",
                                        "/auth/b2b/register"};
    char source[32];

    set_rules(ONLY_INSIDE);
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        for (int inside = 0; inside < 2; inside++) {
            char *email = person_address();
            json_t *body = body_register(email, "demo");

            json_object_set_new(body, "clientId", json_string(suite_text(suite, "demo.clientId")));
            json_object_set_new(body, "tenantId", json_string(suite_text(suite, "demo.projectId")));
            snprintf(source, sizeof(source), "127.%d.1.%zu", 8 + inside, i + 1);
            HTTP_ANSWER answer = suite_post_from(suite, source, paths[i], body);
            if (inside)
                CHECK_STATUS(answer, 200);
            else
                CHECK_ERROR(answer, 403, refused);
            free(email);
        }
    }
}

static void other_checks_precede_the_address_rules(void)
{
    PERSON patient = newcomer("Patient");

    set_rules(ONLY_INSIDE);
    HTTP_ANSWER taken = join("Patient", patient->email, OUTSIDE);
    CHECK_ERROR(taken, 400, "Registration failed.");
    suite_set_switch(suite, boss->access, "PATIENT_REGISTRATION_ENABLED", false);
    HTTP_ANSWER closed = join("Patient", patient->email, OUTSIDE);
    CHECK_ERROR(closed, 403, "Registration is not enabled for this project.");
    suite_set_switch(suite, boss->access, "PATIENT_REGISTRATION_ENABLED", true);
    HTTP_ANSWER wrong = step("Patient", "start", OUTSIDE,
                             body_login_start(patient->email, "wrong password", "demo"));
    CHECK_ERROR(wrong, 400, "Username or password is incorrect.");
}

/* A refusal does not consume the code: it still works once from an allowed address. */
static void check_code(const char *role)
{
    PERSON person = newcomer(role);
    char *code = code_of(role, person->email);

    set_rules(ONLY_INSIDE);
    for (int i = 0; i < 3; i++) {
        HTTP_ANSWER outside = exchange(role, code, OUTSIDE);
        CHECK_ERROR(outside, 403, refused);
    }
    HTTP_ANSWER inside = exchange(role, code, INSIDE);
    CHECK_STATUS(inside, 200);
    HTTP_ANSWER again = exchange(role, code, INSIDE);
    CHECK_ERROR(again, 400, "Login session is invalid or has expired.");
    CU_ASSERT_EQUAL(audited("session.create", person), 3);
    free(code);
}

static void a_patients_code_survives_a_refusal(void)
{
    check_code("Patient");
}

static void a_practitioners_code_survives_a_refusal(void)
{
    check_code("Practitioner");
}

static void one_step_sign_ins_check_the_address(void)
{
    PERSON practitioner = newcomer("Practitioner");
    PERSON patient = newcomer("Patient");
    const struct {
        const char *path;
        const struct person *who;
    } rows[] = {{"/v2/auth/login", patient},
                {"/v2/auth/login", practitioner},
                {"/auth/b2b/login", practitioner}};

    set_rules(ONLY_INSIDE);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER outside = one_step_from(rows[i].path, rows[i].who->email, OUTSIDE);
        CHECK_ERROR(outside, 403, refused);
        HTTP_ANSWER inside = one_step_from(rows[i].path, rows[i].who->email, INSIDE);
        CHECK_STATUS(inside, 200);
    }
    CU_ASSERT_EQUAL(audited("session.create", patient), 1);
    CU_ASSERT_EQUAL(audited("session.create", practitioner), 2);
}

static void admins_are_exempt_from_address_rules(void)
{
    PROGRAM made =
        ATRIUMCTL(suite, "correct horse battery staple\n", "user", "create-admin", "--project",
                  "demo", "--email", "second@demo.example", "--name", "Eva", "--surname", "Sole");
    char *bound, *code;

    CHECK_EXIT(made, 0);
    bound = suite_query(suite, "select m.policy_id from auth.membership m join auth.account a on "
                               "a.id = m.account_id where a.email = 'second@demo.example'");
    CU_ASSERT_STRING_EQUAL(bound, policy);
    set_rules(ONLY_INSIDE);
    code = code_of("Practitioner", "second@demo.example");
    HTTP_ANSWER tokens = exchange("Practitioner", code, OUTSIDE);
    CHECK_STATUS(tokens, 200);
    HTTP_ANSWER renewed = refresh_from(http_text(tokens, "refreshToken"), OUTSIDE);
    CHECK_STATUS(renewed, 200);
    HTTP_ANSWER one_step = one_step_from("/auth/b2b/login", "second@demo.example", OUTSIDE);
    CHECK_STATUS(one_step, 200);
    free(bound);
    free(code);
}

/* A refused refresh neither rotates the token nor ends the session, and does not repeat the
 * previous response. */
static void a_refused_refresh_leaves_the_token(void)
{
    PERSON patient = newcomer("Patient");

    set_rules(ONLY_INSIDE);
    for (int i = 0; i < 3; i++) {
        HTTP_ANSWER outside = refresh_from(patient->refresh, OUTSIDE);
        CHECK_ERROR(outside, 403, refused);
    }
    HTTP_ANSWER open = http_get(suite_url(suite), "/auth/me", patient->access);
    CHECK_STATUS(open, 200);
    HTTP_ANSWER inside = refresh_from(patient->refresh, INSIDE);
    CHECK_STATUS(inside, 200);
    HTTP_ANSWER repeated = refresh_from(patient->refresh, OUTSIDE);
    CHECK_ERROR(repeated, 403, refused);
    HTTP_ANSWER lost = refresh_from(patient->refresh, INSIDE);
    CHECK_STATUS(lost, 200);
    CU_ASSERT_STRING_EQUAL(http_text(lost, "refresh_token"), http_text(inside, "refresh_token"));
    HTTP_ANSWER next = refresh_from(http_text(inside, "refresh_token"), INSIDE);
    CHECK_STATUS(next, 200);
    CU_ASSERT_EQUAL(audited("session.refresh", patient), 4);
}

static void the_address_does_not_hide_a_theft(void)
{
    PERSON patient = newcomer("Patient");
    HTTP_ANSWER first = refresh_from(patient->refresh, OUTSIDE);
    HTTP_ANSWER second = refresh_from(http_text(first, "refresh_token"), OUTSIDE);

    CHECK_STATUS(second, 200);
    set_rules(ONLY_INSIDE);
    HTTP_ANSWER stolen = refresh_from(patient->refresh, OUTSIDE);
    CHECK_ERROR(stolen, 401, "Refresh token is invalid or has expired.");
    HTTP_ANSWER victim = refresh_from(http_text(second, "refresh_token"), OUTSIDE);
    CHECK_ERROR(victim, 401, "Refresh token is invalid or has expired.");
}

/* Sends many refreshes with one token to every gateway and counts those with the status. */
static int refresh_everywhere(const char *token, int status)
{
    enum { MANY = 32 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    int count = 0;

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/auth/refresh-token",
                                            .source = OUTSIDE,
                                            .body = json_pack("{s:s}", "refresh_token", token)};
    http_call_many(suite_url(suite), requests, MANY, 8, answers);
    for (int i = 0; i < MANY; i++)
        count += answers[i]->status == status;
    http_answers_destroy(answers, MANY);
    return MANY - count;
}

static void a_changed_rule_applies_everywhere_at_once(void)
{
    PERSON patient = newcomer("Patient");

    for (int i = 0; i < 6; i++) {
        set_rules(ONLY_INSIDE);
        CU_ASSERT_EQUAL(refresh_everywhere(patient->refresh, 403), 0);
        set_rules(i % 2 ? "[" RULE("127.0.0.0/8", "allow") "]" : NULL);
        HTTP_ANSWER next = refresh_from(patient->refresh, OUTSIDE);
        CHECK_STATUS(next, 200);
        CU_ASSERT_EQUAL(refresh_everywhere(patient->refresh, 200), 0);
        free(patient->refresh);
        patient->refresh = strdup(http_text(next, "refresh_token"));
    }
}

static void a_changed_membership_applies_everywhere_at_once(void)
{
    PERSON patient = newcomer("Patient");
    char sql[256];
    HTTP_ANSWER strict = http_post(suite_url(suite), "/v1/project/access-policies", boss->access,
                                   body_policy(ONLY_INSIDE));

    CHECK_STATUS(strict, 200);
    for (int i = 0; i < 4; i++) {
        HTTP_ANSWER next = refresh_from(patient->refresh, OUTSIDE);
        CHECK_STATUS(next, 200);
        CU_ASSERT_EQUAL(refresh_everywhere(patient->refresh, 200), 0);
        snprintf(sql, sizeof(sql),
                 "update auth.membership set policy_id = '%s' where profile_id = '%s'",
                 http_text(strict, "id"), strchr(patient->profile, '/') + 1);
        free(suite_query(suite, sql));
        CU_ASSERT_EQUAL(refresh_everywhere(http_text(next, "refresh_token"), 403), 0);
        snprintf(sql, sizeof(sql),
                 "update auth.membership set policy_id = '%s' where profile_id = '%s'", policy,
                 strchr(patient->profile, '/') + 1);
        free(suite_query(suite, sql));
        free(patient->refresh);
        patient->refresh = strdup(http_text(next, "refresh_token"));
    }
}

/* Checks the outcome of the step "address" of `explain sign-in`. */
static void check_explained(const char *email, const char *address, const char *outcome)
{
    PROGRAM run = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                            email, "--json", address ? "--address" : NULL, address);
    bool found = false;
    json_t *each;
    size_t i;

    CHECK_EXIT(run, strcmp(outcome, "fail") == 0 ? 1 : 0);
    json_array_foreach(json_object_get(run->json, "steps"), i, each)
    {
        if (strcmp(json_string_value(json_object_get(each, "check")), "address") != 0)
            continue;
        found = true;
        UNIT_CHECK(strcmp(json_string_value(json_object_get(each, "outcome")), outcome) == 0,
                   "%s: want %s: %s", address, outcome, run->out);
    }
    CU_ASSERT_TRUE(found);
    CU_ASSERT_EQUAL(json_is_true(json_object_get(run->json, "wouldSucceed")),
                    strcmp(outcome, "fail") != 0);
}

static void explain_names_the_address(void)
{
    PERSON patient = newcomer("Patient");

    check_explained(patient->email, OUTSIDE, "pass");
    check_explained(patient->email, NULL, "pass");
    set_rules(ONLY_INSIDE);
    check_explained(patient->email, OUTSIDE, "fail");
    check_explained(patient->email, INSIDE, "pass");
    check_explained(patient->email, NULL, "skipped");
    PROGRAM wrong = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                              patient->email, "--address", "somewhere");
    CHECK_REFUSED(wrong, 1, "address");
    PROGRAM admin =
        ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                  "second@demo.example", "--role", "Practitioner", "--address", OUTSIDE);
    CHECK_EXIT(admin, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(admin->out, "the sign-in succeeds."));
}

static void unreadable_rules_refuse_every_address(void)
{
    static const char *const rows[] = {"[{\"ip\":\"somewhere\",\"action\":\"allow\"}]",
                                       "[{\"ip\":\"127.0.0.0/8\",\"action\":\"maybe\"}]", "{}"};
    PERSON patient = newcomer("Patient");
    char path[96], sql[256], *done;

    snprintf(path, sizeof(path), "/v1/project/access-policies/%s", policy);
    HTTP_ANSWER network =
        http_put(suite_url(suite), path, boss->access, body_policy("[" RULE("10/99", "block") "]"));
    CHECK_PROBLEM(network, "ipAccessRule.0.ip");
    HTTP_ANSWER action =
        http_put(suite_url(suite), path, boss->access, body_policy("[" RULE("::1", "perhaps") "]"));
    CHECK_PROBLEM(action, "ipAccessRule.0.action");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        snprintf(sql, sizeof(sql),
                 "update settings.access_policy set ip_access_rule = '%s' where id = '%s'", rows[i],
                 policy);
        done = suite_query(suite, sql);
        free(done);
        HTTP_ANSWER answer = refresh_from(patient->refresh, INSIDE);
        CHECK_ERROR(answer, 403, refused);
    }
    set_rules(NULL);
    HTTP_ANSWER fine = refresh_from(patient->refresh, INSIDE);
    CHECK_STATUS(fine, 200);
}

static struct http_answer *refresh_behind(const char *url, const char *token, const char *client)
{
    char header[128];

    snprintf(header, sizeof(header), "X-Forwarded-For: %s", client);
    return http_call(url,
                     &(struct http_request){.method = "POST",
                                            .path = "/auth/refresh-token",
                                            .headers = {header},
                                            .body = json_pack("{s:s}", "refresh_token", token)});
}

static void a_client_behind_a_trusted_proxy_counts(void)
{
    static const struct {
        const char *client;
        int want;
    } rows[] = {
        {"2001:db8:7::1", 200},
        {"2001:db8:8::1", 403},
        {"2001:db8:7:bad::1", 403},
        {"192.0.2.9", 200},
        {"::ffff:192.0.2.9", 200},
        {"192.0.3.9", 403},
        {"2001:db8:7::1, 192.0.3.9", 403},
        {"192.0.3.9, 2001:db8:7::1, 127.0.0.5", 200},
    };
    PERSON patient = newcomer("Patient");
    char url[64];

    set_rules("[" RULE("2001:db8:7:bad::/64", "block") "," RULE(
        "2001:db8:7::/48", "allow") "," RULE("192.0.2.0/24", "allow") "]");
    PROGRAM gateway = second_gateway_start(suite, "    trusted_proxies = \"127.0.0.0/8\"\n", url);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER answer = refresh_behind(url, patient->refresh, rows[i].client);
        UNIT_CHECK(answer->status == rows[i].want, "%s: %d", rows[i].client, answer->status);
    }
    HTTP_ANSWER untrusting = refresh_behind(suite_url(suite), patient->refresh, rows[0].client);
    CHECK_ERROR(untrusting, 403, refused);
    second_gateway_stop(gateway);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&boss);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(the_policy_is_made),
    CASE(registration_needs_an_address_that_is_let_in),
    CASE(every_registration_route_checks_the_address),
    CASE(other_checks_precede_the_address_rules),
    CASE(a_patients_code_survives_a_refusal),
    CASE(a_practitioners_code_survives_a_refusal),
    CASE(one_step_sign_ins_check_the_address),
    CASE(admins_are_exempt_from_address_rules),
    CASE(a_refused_refresh_leaves_the_token),
    CASE(the_address_does_not_hide_a_theft),
    CASE(a_changed_rule_applies_everywhere_at_once),
    CASE(a_changed_membership_applies_everywhere_at_once),
    CASE(explain_names_the_address),
    CASE(unreadable_rules_refuse_every_address),
    CASE(a_client_behind_a_trusted_proxy_counts),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2"});
    return unit_run("address rules", cases, ARRAY_SIZE(cases));
}
