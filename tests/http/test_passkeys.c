/*
 * test_passkeys.c - passkeys of a software authenticator: enrollment, sign-in of both roles,
 * step-up and attacks. See also test_passkey_factor, test_passkey_origins and
 * test_passkeys_browser.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/authenticator.h"
#include "tests/support/passkeys.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { FRESH = 900, LIFE = 300 }; /* seconds */

static struct suite *suite;

static void a_patient_enrols_a_passkey_and_signs_in(void)
{
    static const int algorithms[] = {AUTHENTICATOR_ES256, AUTHENTICATOR_EDDSA, AUTHENTICATOR_RS256};

    for (size_t i = 0; i < ARRAY_SIZE(algorithms); i++) {
        AUTHENTICATOR key = authenticator_new(algorithms[i], PASSKEY_PATIENT_ORIGIN);
        PERSON person = passkey_patient(suite, key);
        HTTP_ANSWER step = passkey_sign_in(suite, "Patient", "demo", NULL, key);
        CHECK_STATUS(step, 200);
        CU_ASSERT_STRING_EQUAL(http_text(step, "nextStep"), "token");
        HTTP_ANSWER tokens = passkey_exchange(suite, "Patient", step, NULL);
        CHECK_STATUS(tokens, 200);
        CU_ASSERT_STRING_EQUAL(http_text(tokens, "profile.reference"), person->profile);
        HTTP_ANSWER sessions =
            http_get(suite_url(suite), "/auth/session", http_text(tokens, "accessToken"));
        CU_ASSERT_STRING_EQUAL(http_text(sessions, "sessions.0.authMethod"), "passkey");
    }
}

static void a_practitioner_signs_in_to_a_tenant(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PRACTITIONER_ORIGIN);
    PERSON admin = person_admin(suite);
    HTTP_ANSWER added = passkey_enroll(suite, admin->access, key);
    CHECK_STATUS(added, 200);
    HTTP_ANSWER step = passkey_sign_in(suite, "Practitioner", "demo", admin->email, key);
    CHECK_STATUS(step, 200);
    CU_ASSERT_STRING_EQUAL(http_text(step, "tenants.0.tenantCode"), "demo");
    HTTP_ANSWER tokens = passkey_exchange(suite, "Practitioner", step, "demo");
    CHECK_STATUS(tokens, 200);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", http_text(tokens, "accessToken"));
    CHECK_STATUS(me, 200);
}

static struct http_answer *rename_passkey(const char *access, const char *path)
{
    return http_call(suite_url(suite),
                     &(struct http_request){.method = "PATCH",
                                            .path = path,
                                            .bearer = access,
                                            .body = json_pack("{s:s}", "name", "Key ring")});
}

static void the_list_shows_names_and_uses(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);
    char path[96];

    HTTP_ANSWER before = http_get(suite_url(suite), "/auth/passkey", person->access);
    CHECK_STATUS(before, 200);
    CU_ASSERT_STRING_EQUAL(http_text(before, "passkeys.0.name"), "My phone");
    CU_ASSERT_STRING_EQUAL(http_text(before, "passkeys.0.rpId"), "patient.demo.example");
    CU_ASSERT_TRUE(json_is_null(http_member(before, "passkeys.0.lastUsedAt")));
    HTTP_ANSWER step = passkey_sign_in(suite, "Patient", "demo", NULL, key);
    CHECK_STATUS(step, 200);
    snprintf(path, sizeof(path), "/auth/passkey/%s", http_text(before, "passkeys.0.id"));
    HTTP_ANSWER renamed = rename_passkey(person->access, path);
    CHECK_STATUS(renamed, 200);
    CU_ASSERT_STRING_EQUAL(http_text(renamed, "name"), "Key ring");
    HTTP_ANSWER after = http_get(suite_url(suite), "/auth/passkey", person->access);
    CU_ASSERT_STRING_EQUAL(http_text(after, "passkeys.0.name"), "Key ring");
    CU_ASSERT_TRUE(json_is_string(http_member(after, "passkeys.0.lastUsedAt")));
}

static void other_sessions_end_and_the_owner_gets_a_mail(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = person_register_settled(suite);
    PERSON other = person_sign_in(suite, "Patient", person->email, person->password, NULL);
    size_t mails = suite_mail_count(suite, person->email);
    char path[96];

    HTTP_ANSWER added = passkey_enroll(suite, person->access, key);
    CHECK_STATUS(added, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, other->access, 401));
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 200));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, person->email, mails + 1));
    HTTP_ANSWER step = passkey_sign_in(suite, "Patient", "demo", NULL, key);
    HTTP_ANSWER tokens = passkey_exchange(suite, "Patient", step, NULL);
    snprintf(path, sizeof(path), "/auth/passkey/%s", http_text(added, "id"));
    HTTP_ANSWER removed = http_delete(suite_url(suite), path, person->access);
    CHECK_STATUS(removed, 200);
    CU_ASSERT_TRUE(suite_everywhere(suite, http_text(tokens, "accessToken"), 401));
    CU_ASSERT_TRUE(suite_mails_arrive(suite, person->email, mails + 2));
    HTTP_ANSWER twice = http_delete(suite_url(suite), path, person->access);
    CHECK_ERROR(twice, 404, "Passkey not found.");
    HTTP_ANSWER gone = passkey_sign_in(suite, "Patient", "demo", NULL, key);
    passkey_check_refused(gone);
}

static void a_passkey_proves_again(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    AUTHENTICATOR second = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);
    HTTP_ANSWER list = http_get(suite_url(suite), "/auth/passkey", person->access);
    char path[96];

    snprintf(path, sizeof(path), "/auth/passkey/%s", http_text(list, "passkeys.0.id"));
    suite_advance_clock(suite, FRESH + 60);
    HTTP_ANSWER late = passkey_enroll(suite, person->access, second);
    CHECK_STATUS(late, 401);
    CU_ASSERT_STRING_EQUAL(http_text(late, "code"), "STEP_UP_REQUIRED");
    HTTP_ANSWER renamed = rename_passkey(person->access, path);
    CHECK_STATUS(renamed, 401);
    CU_ASSERT_STRING_EQUAL(http_text(renamed, "code"), "STEP_UP_REQUIRED");
    HTTP_ANSWER removed = http_delete(suite_url(suite), path, person->access);
    CHECK_STATUS(removed, 401);
    CU_ASSERT_STRING_EQUAL(http_text(removed, "code"), "STEP_UP_REQUIRED");
    HTTP_ANSWER same = http_get(suite_url(suite), "/auth/passkey", person->access);
    CU_ASSERT_STRING_EQUAL(http_text(same, "passkeys.0.name"), "My phone");
    HTTP_ANSWER start =
        http_post(suite_url(suite), "/auth/step-up/start", person->access, json_object());
    CHECK_STATUS(start, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(start, "options.allowCredentials")), 1);
    HTTP_ANSWER proven =
        http_post(suite_url(suite), "/auth/step-up", person->access,
                  json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                            authenticator_get(key, http_member(start, "options"))));
    CHECK_STATUS(proven, 204);
    HTTP_ANSWER added = passkey_enroll(suite, person->access, second);
    CHECK_STATUS(added, 200);
    HTTP_ANSWER gone = http_delete(suite_url(suite), path, person->access);
    CHECK_STATUS(gone, 200);
}

static long shown_passkeys(const char *result)
{
    HTTP_ANSWER answer = http_get(suite_admin_url(suite), "/metrics", NULL);
    char label[32];
    long sum = 0;

    snprintf(label, sizeof(label), "result=\"%s\"", result);
    for (const char *line = answer->body; line; line = strchr(line, '\n')) {
        const char *end = strchr(++line, ' '), *found = strstr(line, label);

        if (strncmp(line, "atrium_auth_passkeys_total{", 27) == 0 && found && found < end)
            sum += strtol(end, NULL, 10);
    }
    return sum;
}

static void doctor_and_metrics_know_passkeys(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON admin = person_admin(suite);
    PERSON person = passkey_patient(suite, key);
    long good = shown_passkeys("good"), bad = shown_passkeys("bad");
    PROGRAM before = ATRIUMCTL(suite, NULL, "doctor");

    CU_ASSERT_PTR_NULL(strstr(before->out, "longer match any application's host name"));
    HTTP_ANSWER shown = passkey_sign_in(suite, "Patient", "demo", NULL, key);
    CHECK_STATUS(shown, 200);
    CU_ASSERT_EQUAL(shown_passkeys("good"), good + 1);
    HTTP_ANSWER gone = http_delete(suite_url(suite), "/auth/delete", person->access);
    CHECK_STATUS(gone, 200);
    free(suite_query(suite, "delete from auth.passkey where credential_id in (select "
                            "credential_id from auth.passkey order by created_at desc limit 1)"));
    HTTP_ANSWER unknown = passkey_sign_in(suite, "Patient", "demo", NULL, key);
    CHECK_STATUS(unknown, 400);
    CU_ASSERT_EQUAL(shown_passkeys("bad"), bad + 1);
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", "https://moved.example");
    PROGRAM after = ATRIUMCTL(suite, NULL, "doctor");
    CU_ASSERT_PTR_NOT_NULL(strstr(after->out, "longer match any application's host name"));
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", PASSKEY_PATIENT_ORIGIN);
}

static void a_wrong_page_or_authenticator_is_refused(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);
    static const char *const origins[] = {"https://evil.example", "http://patient.demo.example",
                                          "https://patient.demo.example:8443",
                                          "https://practitioner.demo.example"};

    for (size_t i = 0; i < ARRAY_SIZE(origins); i++) {
        key->origin = origins[i];
        HTTP_ANSWER answer = passkey_sign_in(suite, "Patient", "demo", NULL, key);
        passkey_check_refused(answer);
    }
    key->origin = PASSKEY_PATIENT_ORIGIN;
    key->flags = AUTHENTICATOR_PRESENT;
    HTTP_ANSWER unverified = passkey_sign_in(suite, "Patient", "demo", NULL, key);
    passkey_check_refused(unverified);
    HTTP_ANSWER start = passkey_enroll_start(suite, person->access);
    key->id[0] ^= 1;
    HTTP_ANSWER added =
        passkey_enroll_finish(suite, person->access, http_text(start, "enrollmentId"),
                              authenticator_create(key, http_member(start, "options")));
    passkey_check_refused(added);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.audit where event->>'action' = "
                                       "'passkey.add' and event->>'detail' = 'verification'"),
                    1);
}

static void a_challenge_is_good_once_and_for_five_minutes(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    UNUSED PERSON person = passkey_patient(suite, key);

    HTTP_ANSWER start = passkey_sign_in_start(suite, "Patient", "demo", NULL);
    json_t *credential = authenticator_get(key, http_member(start, "options"));
    HTTP_ANSWER first = passkey_sign_in_finish(suite, "Patient", http_text(start, "loginId"),
                                               json_incref(credential));
    CHECK_STATUS(first, 200);
    HTTP_ANSWER replayed = passkey_sign_in_finish(suite, "Patient", http_text(start, "loginId"),
                                                  json_incref(credential));
    CHECK_ERROR(replayed, 400, "The challenge is invalid or has expired. Start again.");
    HTTP_ANSWER other = passkey_sign_in_start(suite, "Patient", "demo", NULL);
    HTTP_ANSWER moved =
        passkey_sign_in_finish(suite, "Patient", http_text(other, "loginId"), credential);
    passkey_check_refused(moved);
    HTTP_ANSWER last = passkey_sign_in_start(suite, "Patient", "demo", NULL);
    suite_advance_clock(suite, LIFE + 1);
    HTTP_ANSWER late = passkey_sign_in_finish(suite, "Patient", http_text(last, "loginId"),
                                              authenticator_get(key, http_member(last, "options")));
    CHECK_ERROR(late, 400, "The challenge is invalid or has expired. Start again.");
}

/* A session has at most one challenge of each kind, so an enrollment and a fresh proof can be
 * concurrent. */
static void a_session_has_one_challenge_of_a_kind(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    AUTHENTICATOR second = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);
    HTTP_ANSWER early = passkey_enroll_start(suite, person->access);

    CHECK_STATUS(early, 200);
    for (int i = 0; i < 30; i++) {
        HTTP_ANSWER more = passkey_enroll_start(suite, person->access);
        HTTP_ANSWER proof =
            http_post(suite_url(suite), "/auth/step-up/start", person->access, json_object());
        CHECK_STATUS(more, 200);
        CHECK_STATUS(proof, 200);
    }
    HTTP_ANSWER last = passkey_enroll_start(suite, person->access);
    CHECK_STATUS(last, 200);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.passkey_ceremony c "
                                "join auth.membership m on m.account_id = c.account_id "
                                "where m.profile_id = '%s'",
                                strchr(person->profile, '/') + 1),
                    2);
    HTTP_ANSWER late =
        passkey_enroll_finish(suite, person->access, http_text(early, "enrollmentId"),
                              authenticator_create(second, http_member(early, "options")));
    CHECK_ERROR(late, 400, "The challenge is invalid or has expired. Start again.");
    HTTP_ANSWER done =
        passkey_enroll_finish(suite, person->access, http_text(last, "enrollmentId"),
                              authenticator_create(second, http_member(last, "options")));
    CHECK_STATUS(done, 200);
}

static void a_challenge_outlives_every_authd(void)
{
    static const char *const instances[] = {"1", "2"};
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);
    pid_t pids[ARRAY_SIZE(instances)];

    HTTP_ANSWER start = passkey_sign_in_start(suite, "Patient", "demo", NULL);
    CHECK_STATUS(start, 200);
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++) {
        pids[i] = suite_pid(suite, "authd", instances[i]);
        suite_signal(suite, "authd", instances[i], SIGKILL);
    }
    for (size_t i = 0; i < ARRAY_SIZE(instances); i++)
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, "authd", instances[i], pids[i]));
    HTTP_ANSWER step =
        passkey_sign_in_finish(suite, "Patient", http_text(start, "loginId"),
                               authenticator_get(key, http_member(start, "options")));
    CHECK_STATUS(step, 200);
    HTTP_ANSWER tokens = passkey_exchange(suite, "Patient", step, NULL);
    CHECK_STATUS(tokens, 200);
    CU_ASSERT_STRING_EQUAL(http_text(tokens, "profile.reference"), person->profile);
}

static void an_altered_login_id_is_none(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    UNUSED PERSON person = passkey_patient(suite, key);

    HTTP_ANSWER start = passkey_sign_in_start(suite, "Patient", "demo", NULL);
    const char *login_id = http_text(start, "loginId");
    for (size_t at = 0; at < strlen(login_id); at += strlen(login_id) / 8) {
        char *altered = strdup(login_id);

        altered[at] = altered[at] == 'A' ? 'B' : 'A';
        HTTP_ANSWER answer = passkey_sign_in_finish(
            suite, "Patient", altered, authenticator_get(key, http_member(start, "options")));
        CHECK_ERROR(answer, 400, "The challenge is invalid or has expired. Start again.");
        free(altered);
    }
    HTTP_ANSWER good = passkey_sign_in_finish(
        suite, "Patient", login_id, authenticator_get(key, http_member(start, "options")));
    CHECK_STATUS(good, 200);
}

static void a_challenge_serves_its_own_purpose(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    AUTHENTICATOR thief_key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);
    PERSON thief = person_register(suite, NULL);

    HTTP_ANSWER start = passkey_sign_in_start(suite, "Patient", "demo", NULL);
    HTTP_ANSWER role =
        passkey_sign_in_finish(suite, "Practitioner", http_text(start, "loginId"),
                               authenticator_get(key, http_member(start, "options")));
    CHECK_STATUS(role, 400);
    HTTP_ANSWER step =
        http_post(suite_url(suite), "/auth/step-up", person->access,
                  json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                            authenticator_get(key, http_member(start, "options"))));
    CHECK_STATUS(step, 422);
    HTTP_ANSWER enrolment = passkey_enroll_start(suite, person->access);
    HTTP_ANSWER stolen =
        passkey_enroll_finish(suite, thief->access, http_text(enrolment, "enrollmentId"),
                              authenticator_create(thief_key, http_member(enrolment, "options")));
    CHECK_ERROR(stolen, 400, "The challenge is invalid or has expired. Start again.");
}

static void of_many_answers_to_one_challenge_one_counts(void)
{
    enum { MANY = 16 };
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    UNUSED PERSON person = passkey_patient(suite, key);
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    size_t good = 0;

    HTTP_ANSWER start = passkey_sign_in_start(suite, "Patient", "demo", NULL);
    json_t *credential = authenticator_get(key, http_member(start, "options"));
    for (size_t i = 0; i < MANY; i++)
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/auth/tenant/Patient/passkey/finish",
                                            .body = json_pack("{s:s, s:O}", "loginId",
                                                              http_text(start, "loginId"),
                                                              "credential", credential)};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (size_t i = 0; i < MANY; i++)
        good += answers[i]->status == 200;
    CU_ASSERT_EQUAL(good, 1);
    http_answers_destroy(answers, MANY);
    json_decref(credential);
}

/* Hides an account's challenges from its next start, then shows them again. The result is that of
 * concurrent starts, which do not see each other's challenge. */
static void hide_challenges(const struct person *person, bool hide)
{
    char sql[512];

    snprintf(
        sql, sizeof(sql),
        "with c as (update auth.passkey_ceremony set %s from auth.membership m "
        "where m.account_id = passkey_ceremony.account_id and m.profile_id = '%s' returning 1) "
        "select count(*) from c",
        hide ? "tenant_id = coalesce(tenant_id, session_id), session_id = null"
             : "session_id = tenant_id, tenant_id = null",
        strchr(person->profile, '/') + 1);
    free(suite_query(suite, sql));
}

static void an_account_has_at_most_twenty(void)
{
    enum { MOST = 20, MANY = 6 };
    PERSON person = person_register(suite, NULL);
    struct http_request requests[MANY];
    struct http_answer *answers[MANY], *starts[MANY];
    struct authenticator *keys[MANY];
    size_t good = 0;

    for (size_t i = 0; i + 3 < MOST; i++) {
        AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_EDDSA, PASSKEY_PATIENT_ORIGIN);
        HTTP_ANSWER added = passkey_enroll(suite, person->access, key);
        CHECK_STATUS(added, 200);
    }
    for (size_t i = 0; i < MANY; i++) {
        keys[i] = authenticator_new(AUTHENTICATOR_EDDSA, PASSKEY_PATIENT_ORIGIN);
        starts[i] = passkey_enroll_start(suite, person->access);
        hide_challenges(person, true);
        requests[i] = (struct http_request){
            .method = "POST",
            .path = "/auth/passkey/enroll/finish",
            .bearer = person->access,
            .body = json_pack("{s:s, s:o}", "enrollmentId", http_text(starts[i], "enrollmentId"),
                              "credential",
                              authenticator_create(keys[i], http_member(starts[i], "options")))};
    }
    hide_challenges(person, false);
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (size_t i = 0; i < MANY; i++) {
        good += answers[i]->status == 200;
        UNIT_CHECK(answers[i]->status == 200 || answers[i]->status == 409, "%d",
                   answers[i]->status);
        authenticator_destroy(&keys[i]);
        http_answer_destroy(&starts[i]);
    }
    CU_ASSERT_EQUAL(good, 3);
    http_answers_destroy(answers, MANY);
    HTTP_ANSWER full = passkey_enroll_start(suite, person->access);
    CHECK_ERROR(full, 409, "You can have at most 20 passkeys. Remove one first.");
}

static void a_passkey_belongs_to_one_account(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON one = passkey_patient(suite, key);
    PERSON two = person_register(suite, NULL);

    HTTP_ANSWER taken = passkey_enroll(suite, two->access, key);
    CHECK_ERROR(taken, 409, "This passkey is already registered.");
    HTTP_ANSWER mine = http_get(suite_url(suite), "/auth/passkey", one->access);
    char path[96];
    snprintf(path, sizeof(path), "/auth/passkey/%s", http_text(mine, "passkeys.0.id"));
    HTTP_ANSWER removed = http_delete(suite_url(suite), path, two->access);
    CHECK_ERROR(removed, 404, "Passkey not found.");
    HTTP_ANSWER other = passkey_sign_in(suite, "Patient", "demo", two->email, key);
    passkey_check_refused(other);
}

/* A start writes nothing, but refusals are stored, so a client can cause a hundred in ten
 * seconds. */
static void refusals_of_one_client_are_limited(void)
{
    enum { STARTS = 130, MOST = 100 };
    static const char rows[] = "select (select count(*) from auth.passkey_start_spent) + "
                               "(select count(*) from auth.passkey_ceremony) + "
                               "(select count(*) from auth.throttle)";
    AUTHENTICATOR unknown = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    struct http_request requests[STARTS];
    struct http_answer *answers[STARTS];
    char *source = fresh_source();
    int told = 0, refusals = 0;
    int64_t before = suite_count(suite, rows);

    for (size_t i = 0; i < STARTS; i++) {
        HTTP_ANSWER start = passkey_sign_in_start(suite, "Patient", "demo", NULL);
        json_t *body = json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                                 authenticator_get(unknown, http_member(start, "options")));
        requests[i] = (struct http_request){.method = "POST",
                                            .path = "/auth/tenant/Patient/passkey/finish",
                                            .body = body,
                                            .source = source};
    }
    CU_ASSERT_EQUAL(suite_count(suite, rows), before);
    http_call_many(suite_url(suite), requests, STARTS, 8, answers);
    for (size_t i = 0; i < STARTS; i++) {
        told += answers[i]->status == 400;
        refusals += answers[i]->status == 429;
    }
    UNIT_CHECK(told == MOST && refusals == STARTS - MOST, "%d told, %d refused", told, refusals);
    http_answers_destroy(answers, STARTS);
    free(source);
}

static void a_start_leaves_one_refusal(void)
{
    enum { MANY = 16 };
    static const char refused_rows[] = "select count(*) from auth.audit where event->>'detail' = "
                                       "'credential' and event->>'outcome' <> 'ok'";
    AUTHENTICATOR unknown = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    struct http_request requests[MANY];
    struct http_answer *answers[MANY];
    int64_t before = suite_count(suite, refused_rows);

    HTTP_ANSWER start = passkey_sign_in_start(suite, "Patient", "demo", NULL);
    for (size_t i = 0; i < MANY; i++)
        requests[i] = (struct http_request){
            .method = "POST",
            .path = "/auth/tenant/Patient/passkey/finish",
            .body = json_pack("{s:s, s:o}", "loginId", http_text(start, "loginId"), "credential",
                              authenticator_get(unknown, http_member(start, "options")))};
    http_call_many(suite_url(suite), requests, MANY, MANY, answers);
    for (size_t i = 0; i < MANY; i++)
        CHECK_STATUS(answers[i], 400);
    http_answers_destroy(answers, MANY);
    CU_ASSERT_EQUAL(suite_count(suite, refused_rows), before + 1);
}

static void known_and_unknown_addresses_get_the_same_options(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);
    const char *const emails[] = {person->email, "not-there@patients.example"};
    char *texts[2];

    for (size_t i = 0; i < 2; i++) {
        HTTP_ANSWER start = passkey_sign_in_start(suite, "Patient", "demo", emails[i]);
        CHECK_STATUS(start, 200);
        json_object_del(start->json, "loginId");
        json_object_del(http_member(start, "options"), "challenge");
        texts[i] = json_dumps(start->json, JSON_SORT_KEYS);
    }
    CU_ASSERT_STRING_EQUAL(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

static void check_counter(const struct person *person, const char *passkey, size_t mails)
{
    CU_ASSERT_TRUE(suite_mails_arrive(suite, person->email, mails));
    char *mail = suite_mail(suite, person->email, 1000);
    CU_ASSERT_PTR_NOT_NULL(mail ? strstr(mail, "My phone") : NULL);
    free(mail);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where event->>'action' = "
                                "'passkey.counter' and entity = 'Passkey/%s'",
                                passkey),
                    1);
    CU_ASSERT_EQUAL(
        suite_count(suite, "select sign_count from auth.passkey where id = '%s'", passkey), 100);
}

/* Uses the key with counter 100, then with 50 in `use`, which must return that status. */
static void check_counter_falls(struct authenticator *key, const struct person *person,
                                struct http_answer *(*use)(const struct person *person,
                                                           struct authenticator *key),
                                int status)
{
    HTTP_ANSWER added = passkey_enroll(suite, person->access, key);
    CHECK_STATUS(added, 200);
    suite_mails_settle(suite);
    size_t mails = suite_mail_count(suite, person->email);

    key->count = 100;
    HTTP_ANSWER first = use(person, key);
    CHECK_STATUS(first, status);
    suite_advance_clock(suite, FRESH + 60);
    key->count = 50;
    HTTP_ANSWER copy = use(person, key);
    CHECK_STATUS(copy, status);
    check_counter(person, http_text(added, "id"), mails + 1);
}

static struct http_answer *by_sign_in(const struct person *person UNUSED, struct authenticator *key)
{
    return passkey_sign_in(suite, "Patient", "demo", NULL, key);
}

static struct http_answer *by_step_up(const struct person *person, struct authenticator *key)
{
    return passkey_step_up(suite, person->access, key);
}

static void a_counter_that_falls_is_reported(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = person_register_settled(suite);

    check_counter_falls(key, person, by_sign_in, 200);
}

/* The proof still works, because the owner's authenticator may have lost its count. */
static void a_counter_that_falls_at_a_step_up_is_reported(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    AUTHENTICATOR second = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = person_register_settled(suite);

    check_counter_falls(key, person, by_step_up, 204);
    HTTP_ANSWER shown = by_sign_in(person, key); /* its counter is still below 100 */
    CHECK_STATUS(shown, 200);
    HTTP_ANSWER fresh = passkey_enroll(suite, person->access, second);
    CHECK_STATUS(fresh, 200);
}

static void switches_and_locks_hold(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON admin = person_admin(suite);
    UNUSED PERSON person = passkey_patient(suite, key);

    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", false);
    HTTP_ANSWER closed = passkey_sign_in_start(suite, "Patient", "demo", NULL);
    CHECK_ERROR(closed, 403, "Login is not enabled.");
    suite_set_switch(suite, admin->access, "PATIENT_LOGIN_ENABLED", true);
    HTTP_ANSWER none = passkey_sign_in_start(suite, "Patient", "no-such-tenant", NULL);
    CHECK_ERROR(none, 404, "Tenant not found.");
    char *locked = suite_query(suite, "update auth.account set locked_at = 1 where id = (select "
                                      "account_id from auth.passkey order by created_at desc, id "
                                      "desc limit 1) returning 1");
    HTTP_ANSWER refusal = passkey_sign_in(suite, "Patient", "demo", NULL, key);
    CHECK_ERROR(refusal, 403, "Login is not enabled.");
    CU_ASSERT_STRING_EQUAL(http_text(refusal, "code"), "ACCOUNT_LOCKED");
    free(locked);
}

static struct mail_link ask_reset(const struct person *person)
{
    suite_mails_settle(suite);
    HTTP_ANSWER sent =
        suite_post_fresh(suite, "/auth/reset-password",
                         json_pack("{s:s, s:s}", "email", person->email, "tenantCode", "demo"));
    CHECK_STATUS(sent, 200);
    suite_mails_settle(suite);
    return suite_mail_link(suite, person->email, "set-password");
}

static void reset_password(const struct person *person)
{
    struct mail_link link = ask_reset(person);
    HTTP_ANSWER set = suite_post_link(suite, "/auth/set-password", &link, NULL, person->password);
    CHECK_STATUS(set, 204);
}

static void the_first_proof_of_the_address_drops_every_passkey(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);

    suite_advance_clock(suite, 8 * 86400);
    reset_password(person);
    HTTP_ANSWER dropped = passkey_sign_in(suite, "Patient", "demo", NULL, key);
    passkey_check_refused(dropped);
}

static void a_reset_drops_passkeys_of_the_last_week(void)
{
    AUTHENTICATOR older = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    AUTHENTICATOR newer = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = person_register_settled(suite);

    for (int round = 0; round < 2; round++) { /* only the first reset verifies the address */
        reset_password(person);
        PERSON again = person_sign_in(suite, "Patient", person->email, person->password, NULL);
        if (round == 0) {
            HTTP_ANSWER one = passkey_enroll(suite, again->access, older);
            CHECK_STATUS(one, 200);
            suite_advance_clock(suite, 8 * 86400);
            PERSON later = person_sign_in(suite, "Patient", person->email, person->password, NULL);
            HTTP_ANSWER two = passkey_enroll(suite, later->access, newer);
            CHECK_STATUS(two, 200);
        }
    }
    HTTP_ANSWER kept = passkey_sign_in(suite, "Patient", "demo", NULL, older);
    CHECK_STATUS(kept, 200);
    HTTP_ANSWER dropped = passkey_sign_in(suite, "Patient", "demo", NULL, newer);
    passkey_check_refused(dropped);
}

struct call {
    struct http_request request;
    struct http_answer *answer;
};

static void *perform(void *arg)
{
    struct call *call = arg;

    call->answer = http_call(suite_url(suite), &call->request);
    return NULL;
}

/* Both wait for the account's credential, the reset first. The enrolling session has ended when the
 * enrollment continues. */
static void an_enrolment_that_waits_for_a_reset_adds_nothing(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = person_register_settled(suite);
    PGconn *holder = suite_database(suite);
    struct call reset = {.request = {.method = "POST", .path = "/auth/set-password"}};
    struct call enrol = {.request = {.method = "POST", .path = "/auth/passkey/enroll/finish"}};
    pthread_t threads[2];
    char sql[256];

    reset_password(person); /* verifies the address: the next reset is then by the known owner */
    PERSON thief = person_sign_in(suite, "Patient", person->email, person->password, NULL);
    struct mail_link link = ask_reset(person);
    HTTP_ANSWER start = passkey_enroll_start(suite, thief->access);
    CHECK_STATUS(start, 200);
    enrol.request.bearer = thief->access;
    enrol.request.body =
        json_pack("{s:s, s:o}", "enrollmentId", http_text(start, "enrollmentId"), "credential",
                  authenticator_create(key, http_member(start, "options")));
    reset.request.body = json_pack("{s:s, s:s, s:s}", "id", link.id, "secret", link.secret,
                                   "password", "another long password of theirs");
    snprintf(sql, sizeof(sql),
             "select from auth.credential where account_id = (select id from auth.account where "
             "email = '%s') for update",
             person->email);
    PQclear(PQexec(holder, "begin"));
    PQclear(PQexec(holder, sql));
    CU_ASSERT_EQUAL(pthread_create(&threads[0], NULL, perform, &reset), 0);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 1));
    CU_ASSERT_EQUAL(pthread_create(&threads[1], NULL, perform, &enrol), 0);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "authd", 2));
    PQclear(PQexec(holder, "commit"));
    PQfinish(holder);
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
        pthread_join(threads[i], NULL);
    CHECK_STATUS(reset.answer, 204);
    CHECK_STATUS(enrol.answer, 401);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.passkey p join auth.account a on a.id = "
                                "p.account_id where a.email = '%s'",
                                person->email),
                    0);
    http_answer_destroy(&reset.answer);
    http_answer_destroy(&enrol.answer);
}

static void an_operator_takes_passkeys_away(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON person = passkey_patient(suite, key);

    PROGRAM before =
        ATRIUMCTL(suite, NULL, "user", "show", person->email, "--project", "demo", "--json");
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(before->json, "passkeys")), 1);
    PROGRAM reset =
        ATRIUMCTL(suite, NULL, "user", "reset-mfa", "--project", "demo", "--email", person->email);
    CHECK_EXIT(reset, 0);
    CU_ASSERT_TRUE(suite_everywhere(suite, person->access, 401));
    HTTP_ANSWER gone = passkey_sign_in(suite, "Patient", "demo", NULL, key);
    passkey_check_refused(gone);
    PROGRAM twice =
        ATRIUMCTL(suite, NULL, "user", "reset-mfa", "--project", "demo", "--email", person->email);
    CHECK_EXIT(twice, 1);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_patient_enrols_a_passkey_and_signs_in),
    CASE(a_practitioner_signs_in_to_a_tenant),
    CASE(the_list_shows_names_and_uses),
    CASE(other_sessions_end_and_the_owner_gets_a_mail),
    CASE(a_wrong_page_or_authenticator_is_refused),
    CASE(a_challenge_is_good_once_and_for_five_minutes),
    CASE(a_session_has_one_challenge_of_a_kind),
    CASE(a_challenge_outlives_every_authd),
    CASE(an_altered_login_id_is_none),
    CASE(a_challenge_serves_its_own_purpose),
    CASE(of_many_answers_to_one_challenge_one_counts),
    CASE(an_account_has_at_most_twenty),
    CASE(a_passkey_belongs_to_one_account),
    CASE(refusals_of_one_client_are_limited),
    CASE(a_start_leaves_one_refusal),
    CASE(known_and_unknown_addresses_get_the_same_options),
    CASE(a_counter_that_falls_is_reported),
    CASE(a_counter_that_falls_at_a_step_up_is_reported),
    CASE(switches_and_locks_hold),
    CASE(a_passkey_proves_again),
    CASE(the_first_proof_of_the_address_drops_every_passkey),
    CASE(a_reset_drops_passkeys_of_the_last_week),
    CASE(an_enrolment_that_waits_for_a_reset_adds_nothing),
    CASE(an_operator_takes_passkeys_away),
    CASE(doctor_and_metrics_know_passkeys),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("passkeys", cases, ARRAY_SIZE(cases));
}
