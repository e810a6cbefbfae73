/*
 * test_business.c - sign-up with a business address: conditions for an invitation, its emails, both
 * links, and atomicity.
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define REGISTER "/auth/tenant/Patient/register"
#define INVITATION "https://practitioner.demo.example/invitation"
#define CONTINUE "https://patient.demo.example/continue-as-patient?token="
#define TEMPLATE "/v1/project/email-templates/CLINICIAN_SIGNUP_INVITE"

enum { WEEK = 7 * 24 * 3600, LEAD_MS = 60000, SWEPT_MS = 30000, TOKEN_SIZE = 128 };

static const char failed[] = "Registration failed.";
static const char bad_link[] = "The continue-as-patient link is invalid or has expired.";

static struct suite *suite;
static struct person *admin;

static char *business_address(void)
{
    char *person = person_address(), *text = NULL;

    if (asprintf(&text, "%.*s@ward.lakeside.example", (int)strcspn(person, "@"), person) < 0)
        abort();
    free(person);
    return text;
}

static json_t *with_token(json_t *body, const char *token)
{
    json_object_set_new(body, "continueAsPatientToken", json_string(token));
    return body;
}

static struct http_answer *sign_up(const char *email)
{
    return suite_post_fresh(suite, REGISTER, body_register(email, "demo"));
}

static struct http_answer *go_on(const char *email, const char *token)
{
    return suite_post_fresh(suite, REGISTER, with_token(body_register(email, "demo"), token));
}

static void check_invited(const struct http_answer *answer)
{
    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "nextStep"), "clinician-invite");
    CU_ASSERT_EQUAL(json_object_size(answer->json), 1);
}

static void check_patient(const struct http_answer *answer)
{
    CHECK_STATUS(answer, 200);
    CU_ASSERT_PTR_NULL(http_member(answer, "nextStep"));
    CU_ASSERT_EQUAL(strncmp(http_text(answer, "profile.reference"), "Patient/", 8), 0);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", http_text(answer, "accessToken"));
    CHECK_STATUS(me, 200);
}

static int rows_of(const char *table, const char *email)
{
    char sql[256], *text;
    int count;

    snprintf(sql, sizeof(sql), "select count(*) from auth.%s where email = '%s'", table, email);
    text = suite_query(suite, sql);
    count = atoi(text);
    free(text);
    return count;
}

struct token {
    char text[TOKEN_SIZE];
};

static struct token token_of(const char *email)
{
    char *mail = suite_mail(suite, email, 10000);
    const char *at = mail ? strstr(mail, CONTINUE) : NULL;
    struct token token = {""};

    if (!at || sscanf(at + strlen(CONTINUE), "%127[A-Za-z0-9_-]", token.text) != 1)
        UNIT_CHECK(false, "no token in: %s", mail ? mail : "(no mail)");
    free(mail);
    return token;
}

static struct token invite(const char *email)
{
    HTTP_ANSWER answer = sign_up(email);

    check_invited(answer);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    return token_of(email);
}

static struct http_answer *accept_link(struct mail_link link, const char *password)
{
    return suite_post_fresh(suite, "/auth/set-password",
                            json_pack("{s:s, s:s, s:s}", "id", link.id, "secret", link.secret,
                                      "password", password));
}

/* Signs up with a business address and checks that it makes a patient; the response reveals
 * nothing. */
static void check_registered_without(const char *condition)
{
    char *email = business_address();
    HTTP_ANSWER answer = sign_up(email);

    UNIT_CHECK(answer->status == 200, "%s: %d", condition, answer->status);
    check_patient(answer);
    UNIT_CHECK(rows_of("invitation", email) == 0, "%s", condition);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    char *mail = suite_mail(suite, email, 0);
    UNIT_CHECK(mail && strstr(mail, "Subject: Welcome to"), "%s: %s", condition, mail ? mail : "");
    free(mail);
    free(email);
}

static void sign_ups_invite_only_if_the_project_allows_it(void)
{
    admin = person_admin(suite);
    check_registered_without("switch");
    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", true);
}

static void a_complete_sign_up_is_an_invitation(void)
{
    static const char own[] = "my own password";
    char *email = business_address();
    HTTP_ANSWER answer = sign_up(email);

    check_invited(answer);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    char *mail = suite_mail(suite, email, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(mail, "Subject: Finish your sign-up at"));
    CU_ASSERT_PTR_NOT_NULL(strstr(mail, "Ana Prova"));
    CU_ASSERT_PTR_NOT_NULL(strstr(mail, CONTINUE));
    CU_ASSERT_PTR_NULL(strstr(mail, "correct horse"));
    free(mail);

    /* No account exists yet, so the password does not sign in. */
    CU_ASSERT_EQUAL(rows_of("invitation", email), 1);
    CU_ASSERT_EQUAL(rows_of("account", email), 0);
    PERSON patient = person_sign_in(suite, "Patient", email, "correct horse battery staple", NULL);
    CU_ASSERT_EQUAL(patient->status, 400);

    HTTP_ANSWER set = accept_link(suite_mail_link(suite, email, INVITATION), own);
    CHECK_STATUS(set, 204);
    PERSON old = person_sign_in(suite, "Practitioner", email, "correct horse battery staple", NULL);
    CU_ASSERT_EQUAL(old->status, 400);
    PERSON clinician = person_sign_in(suite, "Practitioner", email, own, NULL);
    CU_ASSERT_EQUAL(clinician->status, 200);
    CU_ASSERT_EQUAL(strncmp(clinician->profile, "Practitioner/", 13), 0);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", clinician->access);
    CHECK_STATUS(me, 200);
    CU_ASSERT_STRING_EQUAL(http_text(me, "profile.name.0.given.0"), "Ana");
    CU_ASSERT_STRING_EQUAL(http_text(me, "profile.name.0.family"), "Prova");
    CU_ASSERT_FALSE(json_is_true(http_member(me, "membership.admin")));
    CU_ASSERT_STRING_EQUAL(http_text(me, "accessPolicy.id"),
                           suite_text(suite, "demo.practitionerAccessPolicy") +
                               strlen("AccessPolicy/"));
    HTTP_ANSWER again = sign_up(email);
    CHECK_ERROR(again, 400, failed);
    CU_ASSERT_TRUE(again->seconds >= 1.0);
    free(email);
}

static void each_condition_missing_makes_a_patient(void)
{
    static const char *const texts[] = {"DEFAULT_PRACTITIONER_ACCESS_POLICY",
                                        "PRACTITIONER_APP_URL", "PATIENT_APP_URL"};
    const char *const values[] = {suite_text(suite, "demo.practitionerAccessPolicy"),
                                  "https://practitioner.demo.example",
                                  "https://patient.demo.example"};
    char *policy = strdup(values[0]);

    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", false);
    check_registered_without("switch");
    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", true);
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        suite_set_value(suite, admin->access, texts[i], "");
        check_registered_without(texts[i]);
        suite_set_value(suite, admin->access, texts[i], i == 0 ? policy : values[i]);
    }
    HTTP_ANSWER gone = http_delete(suite_url(suite), TEMPLATE, admin->access);
    CHECK_STATUS(gone, 204);
    check_registered_without("template");
    HTTP_ANSWER back = http_put(
        suite_url(suite), TEMPLATE, admin->access,
        json_pack("{s:s, s:s}", "subject", "Finish your sign-up at {{projectName}}", "text",
                  "{{recipientName}}\n{{invitationUrl}}\n{{continueAsPatientUrl}}\n"));
    CHECK_STATUS(back, 200);
    suite_set_switch(suite, admin->access, "PRACTITIONER_INVITATION_ENABLED", false);
    check_registered_without("invitations");
    suite_set_switch(suite, admin->access, "PRACTITIONER_INVITATION_ENABLED", true);
    free(policy);
}

static void other_addresses_make_patients(void)
{
    static const char *const domains[] = {"gmail.com",      "mail.gmail.com",
                                          "mailinator.com", "in.mailinator.com",
                                          "co.uk",          "x.l\xc3\xa1ndwirt.com"};
    char email[64];

    for (size_t i = 0; i < ARRAY_SIZE(domains); i++) {
        snprintf(email, sizeof(email), "p%zu-%d@%s", i, (int)getpid(), domains[i]);
        HTTP_ANSWER answer = sign_up(email);
        UNIT_CHECK(answer->status == 200, "%s: %d", email, answer->status);
        check_patient(answer);
    }
    snprintf(email, sizeof(email), "U%d@GMAIL.COM", (int)getpid());
    HTTP_ANSWER upper = sign_up(email);
    check_patient(upper);
}

/* Routes with a client application can only respond with tokens. */
static void other_routes_make_patients(void)
{
    char *email = business_address();
    HTTP_ANSWER answer = suite_post_fresh(
        suite, "/auth/register",
        json_pack("{s:s, s:s, s:s, s:s, s:s}", "email", email, "password", "x", "name", "Ana",
                  "surname", "Prova", "clientId", suite_text(suite, "demo.clientId")));

    check_patient(answer);
    CU_ASSERT_EQUAL(rows_of("invitation", email), 0);
    free(email);
}

/* Without maild's response a practitioner would become a patient for good, so the request fails. */
static void sign_ups_fail_while_maild_is_silent(void)
{
    char *email = business_address();

    suite_signal(suite, "maild", "1", SIGSTOP);
    HTTP_ANSWER silent = sign_up(email);
    suite_signal(suite, "maild", "1", SIGCONT);
    UNIT_CHECK(silent->status == 503 || silent->status == 504, "status %d", silent->status);
    CU_ASSERT_EQUAL(rows_of("account", email), 0);
    CU_ASSERT_EQUAL(rows_of("invitation", email), 0);
    /* retry until both authd have noticed maild again; refused requests leave nothing */
    struct http_answer *again = sign_up(email);
    for (int i = 0; again->status == 503 && i < 150; i++) {
        http_answer_destroy(&again);
        usleep(100000);
        again = sign_up(email);
    }
    check_invited(again);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 1));
    http_answer_destroy(&again);
    free(email);
}

/* Makes a second tenant with open registration and the setting disabled. */
static void make_side_tenant(void)
{
    PERSON side = person_admin_of_child(suite, "side");
    HTTP_ANSWER policy =
        http_post(suite_url(suite), "/v1/project/access-policies", side->access,
                  json_pack("{s:s, s:[{s:s}]}", "name", "All", "resource", "resourceType", "*"));
    char value[64];

    CHECK_STATUS(policy, 200);
    snprintf(value, sizeof(value), "AccessPolicy/%s", http_text(policy, "id"));
    HTTP_ANSWER set = http_put(suite_url(suite), "/v1/project/default-patient-access-policy",
                               side->access, json_pack("{s:s}", "value", value));
    CHECK_STATUS(set, 200);
    suite_set_switch(suite, side->access, "PATIENT_REGISTRATION_ENABLED", true);
}

static void an_account_anywhere_is_refused(void)
{
    char *email = business_address();

    make_side_tenant();
    HTTP_ANSWER there = suite_post_fresh(suite, REGISTER, body_register(email, "side"));
    check_patient(there);
    HTTP_ANSWER here = sign_up(email);
    CHECK_ERROR(here, 400, failed);
    CU_ASSERT_TRUE(here->seconds >= 1.0);
    HTTP_ANSWER practitioner = sign_up(admin->email);
    CHECK_ERROR(practitioner, 400, failed);
    CU_ASSERT_EQUAL(rows_of("invitation", email), 0);
    CU_ASSERT_EQUAL(rows_of("invitation", admin->email), 0);
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, email), 0); /* "side" has no templates */

    /* While the setting is disabled, sign-ups make patients, whatever accounts the address has
     * elsewhere. */
    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", false);
    HTTP_ANSWER patient = sign_up(email);
    check_patient(patient);
    HTTP_ANSWER both = sign_up(admin->email);
    check_patient(both);
    suite_set_switch(suite, admin->access, "CLINICIAN_INVITE_ON_BUSINESS_EMAIL", true);
    free(email);
}

static void signing_up_again_sends_it_anew(void)
{
    char *email = business_address();
    struct token first = invite(email);
    struct mail_link old = suite_mail_link(suite, email, INVITATION);

    HTTP_ANSWER again = sign_up(email);
    check_invited(again);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
    CU_ASSERT_EQUAL(rows_of("invitation", email), 1);
    struct mail_link new = suite_mail_link(suite, email, INVITATION);
    CU_ASSERT_STRING_EQUAL(old.id, new.id);
    CU_ASSERT_STRING_NOT_EQUAL(old.secret, new.secret);
    HTTP_ANSWER dead = accept_link(old, "x");
    CHECK_ERROR(dead, 400, "The link is invalid or has expired.");
    HTTP_ANSWER live = accept_link(new, "x");
    CHECK_STATUS(live, 204);

    /* A practitioner can also be a patient, so the link to continue as a patient works too. */
    HTTP_ANSWER patient = go_on(email, first.text);
    check_patient(patient);
    free(email);
}

static void the_link_leads_back_once(void)
{
    char *email = business_address(), *other = business_address(), upper[96], sql[128];
    struct token token = invite(email), altered = token;

    altered.text[20] = altered.text[20] == 'A' ? 'B' : 'A';
    HTTP_ANSWER wrong = go_on(email, altered.text);
    CHECK_ERROR(wrong, 400, bad_link);
    CU_ASSERT_TRUE(wrong->seconds >= 1.0);
    HTTP_ANSWER empty = go_on(email, "");
    CHECK_ERROR(empty, 400, bad_link);
    HTTP_ANSWER stranger = go_on(other, token.text);
    CHECK_ERROR(stranger, 400, bad_link);
    HTTP_ANSWER elsewhere =
        suite_post_fresh(suite, REGISTER, with_token(body_register(email, "side"), token.text));
    CHECK_ERROR(elsewhere, 400, bad_link);
    suite_set_switch(suite, admin->access, "PATIENT_REGISTRATION_ENABLED", false);
    HTTP_ANSWER off = go_on(email, token.text);
    CHECK_ERROR(off, 403, "Registration is not enabled for this project.");
    suite_set_switch(suite, admin->access, "PATIENT_REGISTRATION_ENABLED", true);
    CU_ASSERT_EQUAL(rows_of("account", email), 0);

    /* None of these refusals consumed the token. */
    snprintf(upper, sizeof(upper), " %s", email);
    upper[1] = 'P';
    HTTP_ANSWER good = go_on(upper, token.text);
    check_patient(good);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2)); /* including the welcome */
    PERSON patient = person_sign_in(suite, "Patient", email, "correct horse battery staple", NULL);
    CU_ASSERT_EQUAL(patient->status, 200);

    HTTP_ANSWER exists = go_on(email, token.text);
    CHECK_ERROR(exists, 400, failed);
    snprintf(sql, sizeof(sql), "delete from auth.account where email = '%s' returning 1", email);
    free(suite_query(suite, sql));
    HTTP_ANSWER spent = go_on(email, token.text);
    CHECK_ERROR(spent, 400, bad_link);
    CU_ASSERT_EQUAL(rows_of("account", email), 0);

    /* The invitation survived, so the person can sign up again. */
    HTTP_ANSWER again = sign_up(email);
    check_invited(again);
    free(email);
    free(other);
}

static void the_link_lives_seven_days(void)
{
    char *in_time = business_address(), *late = business_address();
    int64_t before = suite_now_ms(suite), after;
    struct token good = invite(in_time), over = invite(late);

    after = suite_now_ms(suite);
    suite_go_before(suite, before + WEEK * 1000, LEAD_MS);
    HTTP_ANSWER registered = go_on(in_time, good.text);
    check_patient(registered);
    suite_go_past(suite, after + WEEK * 1000);
    HTTP_ANSWER expired = go_on(late, over.text);
    CHECK_ERROR(expired, 400, bad_link);
    HTTP_ANSWER link = accept_link(suite_mail_link(suite, late, INVITATION), "x");
    CHECK_ERROR(link, 400, "The link is invalid or has expired.");

    /* Signing up again works; the row of the consumed token is deleted. */
    HTTP_ANSWER again = sign_up(late);
    check_invited(again);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, SWEPT_MS, "select count(*) from auth.continue_spent"));
    suite_set_clock(suite, 0);
    free(in_time);
    free(late);
}

static void one_wins_a_race_for_the_link(void)
{
    enum { MANY = 4 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    char *email = business_address(), *sources[MANY];
    struct token token = invite(email);
    int won = 0, at_the_link = 0;
    pid_t holder;

    for (int i = 0; i < MANY; i++)
        requests[i] =
            (struct http_request){.method = "POST",
                                  .path = REGISTER,
                                  .source = sources[i] = fresh_source(),
                                  .body = with_token(body_register(email, "demo"), token.text)};
    holder = suite_hold_until(suite, "lock table auth.account in exclusive mode", "authd", 2);
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    waitpid(holder, NULL, 0);
    for (int i = 0; i < MANY; i++) {
        if (answers[i]->status == 200) {
            won++;
            check_patient(answers[i]);
        } else if (strcmp(http_text(answers[i], "message"), bad_link) == 0) {
            at_the_link++;
            CHECK_ERROR(answers[i], 400, bad_link);
        } else {
            CHECK_ERROR(answers[i], 400, failed);
        }
        free(sources[i]);
    }
    CU_ASSERT_EQUAL(won, 1);
    CU_ASSERT_TRUE(at_the_link > 0);
    CU_ASSERT_EQUAL(rows_of("account", email), 1);
    suite_mails_settle(suite);
    UNIT_CHECK(suite_mail_count(suite, email) == 2, "%zu mails", suite_mail_count(suite, email));
    http_answers_destroy(answers, MANY);
    free(email);
}

static void many_sign_ups_make_one_invitation(void)
{
    enum { MANY = 4 };
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    char *email = business_address(), *sources[MANY];

    for (int i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = REGISTER,
                                            .source = sources[i] = fresh_source(),
                                            .body = body_register(email, "demo")};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (int i = 0; i < MANY; i++) {
        check_invited(answers[i]);
        free(sources[i]);
    }
    CU_ASSERT_EQUAL(rows_of("invitation", email), 1);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, MANY));
    http_answers_destroy(answers, MANY);
    free(email);
}

static void limits_hold(void)
{
    char *email = business_address(), *source = fresh_source(), path[128];

    /* Five per address and minute, invited or not. */
    for (int i = 0; i < 5; i++) {
        HTTP_ANSWER answer = suite_post_from(suite, source, REGISTER, body_register(email, "demo"));
        check_invited(answer);
    }
    HTTP_ANSWER sixth = suite_post_from(suite, source, REGISTER, body_register(email, "demo"));
    CHECK_STATUS(sixth, 429);
    CU_ASSERT_TRUE(sixth->seconds >= 1.0);

    /* Ten emails per mailbox and hour from all clients. Later responses are the same. */
    for (int i = 5; i < 10; i++) {
        HTTP_ANSWER answer = sign_up(email);
        check_invited(answer);
    }
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 10));
    struct mail_link link = suite_mail_link(suite, email, INVITATION);
    HTTP_ANSWER eleventh = sign_up(email);
    check_invited(eleventh);
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, email), 10);
    HTTP_ANSWER seen = http_post(suite_url(suite), "/auth/invitation", NULL,
                                 json_pack("{s:s, s:s}", "id", link.id, "secret", link.secret));
    CHECK_STATUS(seen, 200); /* the tenth link works */

    /* Emails caused by sign-ups do not count against the admin's limit for resending. */
    snprintf(path, sizeof(path), "/v1/projects/me/members/%s/resend", link.id);
    HTTP_ANSWER resent = http_post(suite_url(suite), path, admin->access, NULL);
    CHECK_STATUS(resent, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 11));
    free(source);
    free(email);
}

/* Kills both authd while the body is served from a fresh address, and returns when they run
 * again. */
static struct http_answer *post_to_the_dying(json_t *body, int delay_ms)
{
    pid_t first = suite_pid(suite, "authd", "1"), second = suite_pid(suite, "authd", "2");
    pid_t killer = fork();
    struct http_answer *answer;

    if (killer == 0) {
        usleep((useconds_t)delay_ms * 1000);
        kill(first, SIGKILL);
        kill(second, SIGKILL);
        _exit(0);
    }
    answer = suite_post_fresh(suite, REGISTER, body);
    waitpid(killer, NULL, 0);
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "1", first));
    CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", "2", second));
    return answer;
}

static void a_kill_leaves_no_half_invitation(void)
{
    for (int round = 0; round < 5; round++) {
        char *email = business_address();
        HTTP_ANSWER answer = post_to_the_dying(body_register(email, "demo"), 2 + round * 3);
        bool invited = rows_of("invitation", email) == 1;

        UNIT_CHECK(answer->status == 200 || answer->status == 503, "status %d", answer->status);
        CU_ASSERT_TRUE(invited || answer->status == 503);
        CU_ASSERT_EQUAL(rows_of("account", email), 0);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, email, invited));
        HTTP_ANSWER again = sign_up(email);
        check_invited(again);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, email, (size_t)invited + 1));
        HTTP_ANSWER set = accept_link(suite_mail_link(suite, email, INVITATION), "x");
        CHECK_STATUS(set, 204);
        free(email);
    }
}

static void a_kill_spends_no_link_for_nothing(void)
{
    for (int round = 0; round < 5; round++) {
        char *email = business_address();
        struct token token = invite(email);
        HTTP_ANSWER answer = post_to_the_dying(with_token(body_register(email, "demo"), token.text),
                                               15 + round * 12);
        bool registered = rows_of("account", email) == 1;

        UNIT_CHECK(answer->status == 200 || answer->status == 503, "status %d", answer->status);
        CU_ASSERT_TRUE(registered || answer->status == 503);
        HTTP_ANSWER again = go_on(email, token.text);
        if (registered)
            CHECK_ERROR(again, 400, failed);
        else
            check_patient(again);
        CU_ASSERT_TRUE(suite_mails_arrive(suite, email, 2));
        free(email);
    }
}

static struct program *run_authd(const char *config, const char *option)
{
    char *path = program_path("atrium-authd");
    struct program *run =
        program_run((const char *const[]){path, "--config", config, option, NULL}, NULL);

    free(path);
    return run;
}

static void wrong_lists_are_refused_at_start(void)
{
    static const struct {
        const char *key, *list, *complaint;
    } rows[] = {
        {"free_mail_file", "", ": names no domain"},
        {"throwaway_file", "", ": names no domain"},
        {"throwaway_file", "# none\n", ": names no domain"},
        {"free_mail_file", "b.example\na.example\n", ":2: not in order"},
        {"throwaway_file", NULL, ": No such file or directory"},
    };
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char path[96], text[256], complaint[160];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        snprintf(path, sizeof(path), "%s/list%zu", dir.path, i);
        if (rows[i].list)
            unit_dir_write(&dir, strrchr(path, '/') + 1, rows[i].list);
        snprintf(text, sizeof(text), "authd\n    %s = \"%s\"\n", rows[i].key, path);
        snprintf(complaint, sizeof(complaint), "%s%s", path, rows[i].complaint);
        const char *config = unit_dir_write(&dir, "atrium.conf", text);
        PROGRAM check = run_authd(config, "--check-config");
        PROGRAM start = run_authd(config, NULL);

        CHECK_REFUSED(check, 1, complaint);
        CHECK_REFUSED(start, 1, complaint);
    }
    const char *config =
        unit_dir_write(&dir, "atrium.conf", "authd\n    business_domains = \"a.example, co.uk\"\n");
    PROGRAM suffix = run_authd(config, "--check-config");
    CHECK_REFUSED(suffix, 1, "business_domains: \\\"co.uk\\\" is not a domain");
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(sign_ups_invite_only_if_the_project_allows_it),
    CASE(a_complete_sign_up_is_an_invitation),
    CASE(each_condition_missing_makes_a_patient),
    CASE(other_addresses_make_patients),
    CASE(other_routes_make_patients),
    CASE(an_account_anywhere_is_refused),
    CASE(signing_up_again_sends_it_anew),
    CASE(the_link_leads_back_once),
    CASE(the_link_lives_seven_days),
    CASE(one_wins_a_race_for_the_link),
    CASE(many_sign_ups_make_one_invitation),
    CASE(limits_hold),
    CASE(sign_ups_fail_while_maild_is_silent),
    CASE(a_kill_leaves_no_half_invitation),
    CASE(a_kill_spends_no_link_for_nothing),
    CASE(wrong_lists_are_refused_at_start),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("business sign-up", cases, ARRAY_SIZE(cases));
}
