/*
 * test_passkey_origins.c - passkeys and origins that a tenant's application, its children's and the
 * installation accept.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/authenticator.h"
#include "tests/support/passkeys.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define PASSWORD "correct horse battery staple"

static struct suite *suite;

/* Makes a practitioner of that tenant alone. A practitioner whom demo has already becomes a member
 * of it too. */
static struct person *make_clinician(const char *email, const char *tenant)
{
    PROGRAM made = ATRIUMCTL(suite, PASSWORD "\n", "user", "create-admin", "--project", tenant,
                             "--email", email, "--name", "Lia", "--surname", "Lima");

    CHECK_EXIT(made, 0);
    return person_sign_in(suite, "Practitioner", email, PASSWORD, tenant);
}

static struct person *join_demo(const char *email)
{
    PROGRAM joined = ATRIUMCTL(suite, NULL, "user", "create-admin", "--project", "demo", "--email",
                               email, "--name", "Lia", "--surname", "Lima", "--existing");

    CHECK_EXIT(joined, 0);
    return person_sign_in(suite, "Practitioner", email, PASSWORD, "demo");
}

/* A passkey made in a tenant's session opens that tenant and its children only, even if another
 * tenant claims the same host. */
static void a_passkey_opens_its_tenant_only(void)
{
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PRACTITIONER_ORIGIN);
    AUTHENTICATOR low = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PRACTITIONER_ORIGIN);
    PERSON parent = person_admin_of_child(suite, "below");
    suite_set_value(suite, parent->access, "PRACTITIONER_APP_URL", PASSKEY_PRACTITIONER_ORIGIN);
    TEXT email = person_address();
    PERSON child = make_clinician(email, "below");
    HTTP_ANSWER lower = passkey_enroll(suite, child->access, low);
    CHECK_STATUS(lower, 200);
    PERSON admin = join_demo(email);
    HTTP_ANSWER added = passkey_enroll(suite, admin->access, key);
    CHECK_STATUS(added, 200);
    HTTP_ANSWER below = passkey_sign_in(suite, "Practitioner", "below", NULL, key);
    CHECK_STATUS(below, 200);
    HTTP_ANSWER up = passkey_sign_in(suite, "Practitioner", "demo", NULL, low);
    passkey_check_refused(up);
    HTTP_ANSWER down = passkey_sign_in(suite, "Practitioner", "below", NULL, low);
    CHECK_STATUS(down, 200);
}

static void a_childs_passkey_proves_nothing_above_it(void)
{
    static const char reach[] = "select count(*) from auth.audit where event->>'action' = '%s' and "
                                "event->>'outcome' = 'failure' and event->>'detail' = 'reach'";
    AUTHENTICATOR high = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PRACTITIONER_ORIGIN);
    AUTHENTICATOR low = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PRACTITIONER_ORIGIN);
    AUTHENTICATOR far = authenticator_new(AUTHENTICATOR_ES256, "https://beneath.example");
    PERSON parent = person_admin_of_child(suite, "beneath");
    TEXT email = person_address();
    PERSON child = make_clinician(email, "beneath");
    char path[96];
    long before;

    suite_set_value(suite, parent->access, "PRACTITIONER_APP_URL", PASSKEY_PRACTITIONER_ORIGIN);
    HTTP_ANSWER lower = passkey_enroll(suite, child->access, low);
    CHECK_STATUS(lower, 200);
    suite_set_value(suite, parent->access, "PRACTITIONER_APP_URL", "https://beneath.example");
    HTTP_ANSWER farther = passkey_enroll(suite, child->access, far);
    CHECK_STATUS(farther, 200);
    PERSON admin = join_demo(email);
    HTTP_ANSWER upper = passkey_enroll(suite, admin->access, high);
    CHECK_STATUS(upper, 200);

    HTTP_ANSWER proven = passkey_step_up(suite, admin->access, high);
    CHECK_STATUS(proven, 204);
    HTTP_ANSWER above = passkey_step_up(suite, admin->access, low);
    passkey_check_refused(above);
    CU_ASSERT_EQUAL(suite_count(suite, reach, "session.step-up"), 1);
    HTTP_ANSWER elsewhere = passkey_step_up(suite, admin->access, far);
    passkey_check_refused(elsewhere);
    PERSON again = person_sign_in(suite, "Practitioner", admin->email, admin->password, "beneath");
    HTTP_ANSWER there = passkey_step_up(suite, again->access, far);
    CHECK_STATUS(there, 204);
    suite_set_value(suite, again->access, "PRACTITIONER_APP_URL", PASSKEY_PRACTITIONER_ORIGIN);
    HTTP_ANSWER below = passkey_step_up(suite, again->access, low);
    CHECK_STATUS(below, 204);
    HTTP_ANSWER down = passkey_step_up(suite, again->access, high);
    CHECK_STATUS(down, 204);

    before = suite_count(suite, reach, "session.create");
    suite_require_mfa(suite, "practitioners");
    HTTP_ANSWER step = suite_post_fresh(suite, "/auth/tenant/Practitioner/login/start",
                                        body_login_start(admin->email, admin->password, "demo"));
    CU_ASSERT_STRING_EQUAL(http_text(step, "nextStep"), "mfa");
    struct authenticator *const wrong[] = {low, far};
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        HTTP_ANSWER start = passkey_mfa_start(suite, "Practitioner", http_text(step, "loginId"));
        HTTP_ANSWER answer =
            passkey_mfa(suite, "Practitioner", http_text(step, "loginId"),
                        authenticator_get(wrong[i], http_member(start, "options")));
        passkey_check_refused(answer);
    }
    CU_ASSERT_EQUAL(suite_count(suite, reach, "session.create"), before + 1);
    HTTP_ANSWER start = passkey_mfa_start(suite, "Practitioner", http_text(step, "loginId"));
    HTTP_ANSWER answer = passkey_mfa(suite, "Practitioner", http_text(step, "loginId"),
                                     authenticator_get(high, http_member(start, "options")));
    CHECK_STATUS(answer, 200);
    suite_require_mfa(suite, "none");
    snprintf(path, sizeof(path), "/auth/passkey/%s", http_text(farther, "id"));
    HTTP_ANSWER shared = http_delete(suite_url(suite), path, again->access);
    CHECK_STATUS(shared, 403); /* the account is shared: it belongs to the parent now */
    HTTP_ANSWER gone = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(gone, 200);
}

static struct http_answer *begin_in(const char *tenant, const struct person *person)
{
    return suite_post_fresh(suite, "/auth/tenant/Practitioner/login/start",
                            body_login_start(person->email, person->password, tenant));
}

static void move_passkeys(const char *project)
{
    CU_ASSERT_TRUE(suite_count(suite,
                               "with moved as (update auth.passkey set opens_id = %s where "
                               "account_id = (select account_id from auth.passkey where rp_id = "
                               "'under.example') and rp_id = 'under.example' returning 1) select "
                               "count(*) from moved",
                               project) == 1);
}

/* A child's application with the parent's host accepts the parent's passkeys, so they must be
 * required: a password alone must not open a session that could add another factor. */
static void a_passkey_made_above_is_demanded_below(void)
{
    static const char origin[] = "https://under.example";
    static const struct {
        const char *label, *project;
        bool demanded;
    } rows[] = {
        {"made above", NULL, true},
        {"of the installation", "'00000000-0000-0000-0000-000000000000'", true},
        {"of another project", "gen_random_uuid()", false},
    };
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, origin);
    PERSON child = person_admin_of_child(suite, "under");
    PERSON admin = person_admin(suite);

    suite_set_value(suite, child->access, "PRACTITIONER_APP_URL", origin);
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", origin);
    HTTP_ANSWER added = passkey_enroll(suite, admin->access, key);
    CHECK_STATUS(added, 200);
    PROGRAM on =
        ATRIUMCTL(suite, NULL, "project", "policy", "under", "requireMfa", "practitioners");
    CU_ASSERT_EQUAL(on->code, 0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (rows[i].project)
            move_passkeys(rows[i].project);
        HTTP_ANSWER step = begin_in("under", admin);
        UNIT_CHECK(strcmp(http_text(step, "nextStep"), rows[i].demanded ? "mfa" : "token") == 0,
                   "%s: %s", rows[i].label, http_text(step, "nextStep"));
        if (!rows[i].demanded)
            continue;
        HTTP_ANSWER start = passkey_mfa_start(suite, "Practitioner", http_text(step, "loginId"));
        HTTP_ANSWER answer = passkey_mfa(suite, "Practitioner", http_text(step, "loginId"),
                                         authenticator_get(key, http_member(start, "options")));
        CHECK_STATUS(answer, 200);
    }
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", PASSKEY_PRACTITIONER_ORIGIN);
}

/* Browsers make passkeys only on https or the local machine, and never for an IP address. */
static void an_application_without_https_has_no_passkeys(void)
{
    static const char no_application[] =
        "Passkeys need an application with an https URL. Set it in the project's settings.";
    static const struct {
        const char *url, *rp_id; /* NULL: none */
    } rows[] = {
        {"http://patient.demo.example", NULL},
        {"http://localhost.demo.example", NULL},
        {"http://notlocalhost", NULL},
        {"http://127.0.0.1:3000", NULL},
        {"https://192.0.2.1", NULL},
        {"http://localhost:3000", "localhost"},
        {"http://app.localhost", "app.localhost"},
        {"https://PATIENT.demo.example/app", "patient.demo.example"},
    };
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, PASSKEY_PATIENT_ORIGIN);
    PERSON admin = person_admin(suite);
    PERSON person = passkey_patient(suite, key);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        suite_set_value(suite, admin->access, "PATIENT_APP_URL", rows[i].url);
        HTTP_ANSWER start = passkey_sign_in_start(suite, "Patient", "demo", NULL);
        HTTP_ANSWER enrolment = passkey_enroll_start(suite, person->access);
        if (rows[i].rp_id) {
            CHECK_STATUS(start, 200);
            CHECK_STATUS(enrolment, 200);
            UNIT_CHECK(strcmp(http_text(start, "options.rpId"), rows[i].rp_id) == 0, "%s: %s",
                       rows[i].url, http_text(start, "options.rpId"));
            CU_ASSERT_STRING_EQUAL(http_text(enrolment, "options.rp.id"), rows[i].rp_id);
        } else {
            UNIT_CHECK(start->status == 400, "%s: %d", rows[i].url, start->status);
            CHECK_ERROR(start, 400, no_application);
            CHECK_ERROR(enrolment, 400, no_application);
            HTTP_ANSWER proof =
                http_post(suite_url(suite), "/auth/step-up/start", person->access, json_object());
            CHECK_ERROR(proof, 400, no_application);
        }
    }
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", rows[0].url);
    suite_require_mfa(suite, "everyone");
    passkey_check_first_step(suite, person, "token"); /* not required, as it could not be used */
    suite_require_mfa(suite, "none");
    suite_set_value(suite, admin->access, "PATIENT_APP_URL", PASSKEY_PATIENT_ORIGIN);
}

static void related_origins_are_the_configured_ones(void)
{
    suite_reconfigure(suite, "authd.account_app_url=https://account.example,"
                             "authd.passkey_origins=https://account.example.org");
    HTTP_ANSWER listed = http_get(suite_url(suite), "/.well-known/webauthn", NULL);
    CHECK_STATUS(listed, 200);
    CU_ASSERT_STRING_EQUAL(http_text(listed, "origins.0"), "https://account.example");
    CU_ASSERT_STRING_EQUAL(http_text(listed, "origins.1"), suite_text(suite, "publicUrl"));
    CU_ASSERT_STRING_EQUAL(http_text(listed, "origins.2"), "https://account.example.org");
    /* a practitioner's sign-in without a tenant */
    HTTP_ANSWER start = passkey_sign_in_start(suite, "Practitioner", NULL, NULL);
    CHECK_STATUS(start, 200);
    CU_ASSERT_STRING_EQUAL(http_text(start, "options.rpId"), "account.example");
}

static void related_origins_use_the_installations_passkeys(void)
{
    static const char *const good[] = {"https://account.example", "https://account.example.org"};
    static const char *const bad[] = {"https://account.example.net", "http://account.example.org",
                                      "https://account.example.org:8443",
                                      "https://www.account.example.org"};
    AUTHENTICATOR key = authenticator_new(AUTHENTICATOR_ES256, good[1]);
    PERSON admin = person_admin(suite);

    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", "");
    HTTP_ANSWER added = passkey_enroll(suite, admin->access, key);
    CHECK_STATUS(added, 200);
    CU_ASSERT_STRING_EQUAL(http_text(added, "rpId"), "account.example");
    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        key->origin = good[i];
        HTTP_ANSWER shown = passkey_sign_in(suite, "Practitioner", NULL, NULL, key);
        UNIT_CHECK(shown->status == 200, "%s: %d", good[i], shown->status);
        HTTP_ANSWER proven = passkey_step_up(suite, admin->access, key);
        UNIT_CHECK(proven->status == 204, "%s: %d", good[i], proven->status);
    }
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        AUTHENTICATOR other = authenticator_new(AUTHENTICATOR_ES256, bad[i]);
        HTTP_ANSWER made = passkey_enroll(suite, admin->access, other);
        passkey_check_refused(made);
        key->origin = bad[i];
        HTTP_ANSWER shown = passkey_sign_in(suite, "Practitioner", NULL, NULL, key);
        passkey_check_refused(shown);
        HTTP_ANSWER proven = passkey_step_up(suite, admin->access, key);
        passkey_check_refused(proven);
    }
    suite_set_value(suite, admin->access, "PRACTITIONER_APP_URL", PASSKEY_PRACTITIONER_ORIGIN);
}

static void wrong_related_origins_are_refused_at_start(void)
{
    static const char form[] = "passkey_origins: %s must be https://host[:port]",
                      many[] = "passkey_origins has more than 5 domains";
    static const struct {
        const char *list, *named; /* the malformed origin in the error; NULL: too many */
        bool good;
    } rows[] = {
        {"https://a.example/", "https://a.example/", false},
        {"https://a.example/path", "https://a.example/path", false},
        {"https://a.example:443", "https://a.example:443", false},
        {"https://a.example:0", "https://a.example:0", false},
        {"https://a.example:65536", "https://a.example:65536", false},
        {"https://a.example:", "https://a.example:", false},
        {"https://A.example", "https://A.example", false},
        {"https://user@a.example", "https://user@a.example", false},
        {"http://a.example", "http://a.example", false},
        {"https://192.0.2.1", "https://192.0.2.1", false},
        {"https://", "https://", false},
        {"https://a.example, b.example", "b.example", false},
        {"https://a.test, https://b.test, https://c.test, https://d.test, https://e.test, "
         "https://f.test",
         NULL, false},
        {"https://a.test, https://b.test, https://c.test, https://d.test, https://e.test", NULL,
         true},
        /* all have the same label, "a", which counts once */
        {"https://a.test, https://www.a.test, https://a.test:8443, https://a.co.uk, "
         "https://a.example, https://b.a.example",
         NULL, true},
        {"http://localhost:3000", NULL, true},
    };
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    char *authd = program_path("atrium-authd"), text[512], complaint[160];

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        snprintf(text, sizeof(text), "authd\n    passkey_origins = \"%s\"\n", rows[i].list);
        const char *config = unit_dir_write(&dir, "atrium.conf", text);
        PROGRAM check = program_run(
            (const char *const[]){authd, "--config", config, "--check-config", NULL}, NULL);

        if (rows[i].good) {
            UNIT_CHECK(check->code == 0, "%s: %s", rows[i].list, check->err);
            continue;
        }
        if (rows[i].named)
            snprintf(complaint, sizeof(complaint), form, rows[i].named);
        PROGRAM start = program_run((const char *const[]){authd, "--config", config, NULL}, NULL);
        CHECK_REFUSED(check, 1, rows[i].named ? complaint : many);
        CHECK_REFUSED(start, 1, rows[i].named ? complaint : many);
    }
    free(authd);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_passkey_opens_its_tenant_only),
    CASE(a_childs_passkey_proves_nothing_above_it),
    CASE(a_passkey_made_above_is_demanded_below),
    CASE(an_application_without_https_has_no_passkeys),
    CASE(related_origins_are_the_configured_ones),
    CASE(related_origins_use_the_installations_passkeys),
    CASE(wrong_related_origins_are_refused_at_start),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    return unit_run("passkey origins", cases, ARRAY_SIZE(cases));
}
