/*
 * test_password_hashes.c - accounts with imported hashes sign in on every route, which replaces the
 * hash, and nothing distinguishes them from other accounts.
 *
 * tier: time
 */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define START "/auth/tenant/Patient/login/start"
#define LOGIN "/v2/auth/login"

enum { TRIES = 5 }; /* a sign-in's time is their median */

static const char bad_login[] = "Username or password is incorrect.";

/* PBKDF2 with 900,000 iterations; bcrypt of "passwort" with an a umlaut in NFD and NFC, and of 100
 * times "x". */
#define HASH_PBKDF2                                                                    \
    "$pbkdf2-sha256$i=900000$Lj/Od8+MTHR4qW0gfBw5cQ==$3lC0ka+5IUGvoZ2KCoq182CencNrb9t" \
    "TXpgPSvYo53A="
#define HASH_NFD "$2b$05$Jh9Mb68KRFP2oUyed/u3aORH4pH3O.ggeMJDbgOMQ4xLhxM.oIdL6"
#define HASH_NFC "$2b$05$Jh9Mb68KRFP2oUyed/u3aOiaVZg64sdMy1VYy8acXigVAd7GQX//O"
#define HASH_LONG "$2b$05$Jh9Mb68KRFP2oUyed/u3aOt5hT0ozqqjcBY7ml8nAIG2oc/JXnj32"

/* Hashes of "imported", each from an implementation in tests/passwords/make.sh. */
static const char *const hashes[] = {
    "$argon2id$v=19$m=16384,t=2,p=4$Lj/Od8+MTHR4qW0gfBw5cQ$ugXhOSaSHm1ObbNUu4NfbjiqINm"
    "ZW3zgTAxhjXxx/Q0",
    "$argon2d$v=19$m=4096,t=3,p=1$Lj/Od8+MTHR4qW0gfBw5cQ$+N+zRArSSLxTnfwJXGTyaXqsOi/Zl"
    "X9rdl4ey+E874M",
    "$argon2i$v=19$m=4096,t=3,p=1$Lj/Od8+MTHR4qW0gfBw5cQ$j2/bQcApLj6nx3T2u5gAyb6hhS4v7"
    "Ub5YSZCF/tlGPk",
    "$2a$06$Jh9Mb68KRFP2oUyed/u3aOY6lbYm90VZn1dJoK9KaKqQGJYBo4VtC",
    "$2b$06$Jh9Mb68KRFP2oUyed/u3aOY6lbYm90VZn1dJoK9KaKqQGJYBo4VtC",
    "$2y$06$Jh9Mb68KRFP2oUyed/u3aOY6lbYm90VZn1dJoK9KaKqQGJYBo4VtC",
    "$scrypt$ln=14,r=8,p=1$Lj/Od8+MTHR4qW0gfBw5cQ$4G7Mg/m9fF61fo+qA1A9Smc7R6hGodj0YB7k"
    "oeOhDGE",
    "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=Lj/Od8+MTHR4qW0gfBw5cViSyshKGMvsm2NPS8IrOQt"
    "IzTCk3y5+u67mXDRqZixb4tEkQTIvekusgho4LErwkQ==$Lj/Od8+MTHR4qW0gfBw5cQ==$zidaVSJSXD"
    "LNFoe1QH8uS2o4ZEAgRYMI31NpSy1yw8mpXKp2NTMcixbhHfllvS6vfrTAPgvfQtOymoeqa0wtTA==",
    "$pbkdf2-sha1$i=50000$Lj/Od8+MTHR4qW0gfBw5cQ==$pjZM4MrxI+wYfBuQXKxoQE9x7KE=",
    "$pbkdf2-sha256$i=27500$Lj/Od8+MTHR4qW0gfBw5cQ==$/2xmIzJOOOaSz8ONRMScT3u27ZaKR7THK"
    "D0jhZHuQ2QeD22e//ju8MWmK7baGgcAwY3SpZ7UWIQUJLcpB97q/w==",
    "$pbkdf2-sha512$i=30000$Lj/Od8+MTHR4qW0gfBw5cQ==$hpZyKug87VEWdZS0ptIZrC+51xkHGKla/"
    "CWVJx/qx2dY/cVV5wX65oNKojsFVeODExbUYaV2UlUn5VdahXYG7w==",
    "$6$abcdefgh$TTr0Sh3CNIZ8tUnOic//r51t.fdOANiEwbbTUrDBpwgK54wcrkQAvPu./q7Dr4i1FfSX"
    "4Xu7HJM5HNk/gSKEa0",
    "$pbkdf2-sha256$29000$jzHmXEspxVir1ZqTUgrhvA$AVVIKzghVveyPwf5qW6RIXlKEf495ReSy1hJ"
    "T5FI1WI",
    "pbkdf2_sha256$30000$aSaltOfDjango$/dFYhghd09nsMrdyUwt8NEPynn+GgtdXMNIq1I85jI8=",
};

static struct suite *suite;

static void note_import(void)
{
    free(suite_query(suite, "update auth.import_state set changed_at = changed_at + 1"));
}

static bool has_own_hash(const char *email)
{
    return suite_count(suite,
                       "select count(*) from auth.credential c join auth.account a on a.id = "
                       "c.account_id where a.email = '%s' and c.password_hash like "
                       "'$argon2id$v=19$m=19456,t=2,p=1$%%'",
                       email) == 1;
}

static int start_status(const char *email, const char *password)
{
    HTTP_ANSWER answer = suite_post_fresh(suite, START, body_login_start(email, password, "demo"));

    return answer->status;
}

static json_t *body_login(const char *email, const char *password)
{
    return json_pack("{s:s, s:s, s:s}", "email", email, "password", password, "clientId",
                     suite_text(suite, "demo.clientId"));
}

static long metric(const char *name)
{
    HTTP_ANSWER answer = http_get(suite_admin_url(suite), "/metrics", NULL);
    const char *found = NULL;
    size_t length = strlen(name);

    for (const char *line = answer->body; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && (line[length] == ' ' || line[length] == '{'))
            found = strchr(line, ' ');
    }
    return found ? strtol(found, NULL, 10) : -1;
}

static void the_suite_starts(void)
{
    suite = suite_start(&(struct suite_options){.test_clock = true});
}

static void each_scheme_signs_in_and_is_replaced(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(hashes); i++) {
        PERSON patient = person_register(suite, NULL);

        person_set_hash(suite, patient->email, hashes[i]);
        UNIT_CHECK(start_status(patient->email, "another") == 400, "%s", hashes[i]);
        UNIT_CHECK(start_status(patient->email, patient->password) == 400, "%s", hashes[i]);
        UNIT_CHECK(!has_own_hash(patient->email), "%s", hashes[i]);
        UNIT_CHECK(start_status(patient->email, "imported") == 200, "%s", hashes[i]);
        UNIT_CHECK(has_own_hash(patient->email), "%s", hashes[i]);
        UNIT_CHECK(start_status(patient->email, "imported") == 200, "%s", hashes[i]);
        UNIT_CHECK(start_status(patient->email, "another") == 400, "%s", hashes[i]);
    }
}

static void the_one_step_route_takes_them(void)
{
    PERSON patient = person_register(suite, NULL);

    person_set_hash(suite, patient->email, hashes[0]);
    HTTP_ANSWER wrong = suite_post_fresh(suite, LOGIN, body_login(patient->email, "another"));
    CHECK_ERROR(wrong, 400, bad_login);
    HTTP_ANSWER right = suite_post_fresh(suite, LOGIN, body_login(patient->email, "imported"));
    CHECK_STATUS(right, 200);
    CU_ASSERT_TRUE(has_own_hash(patient->email));
}

/* All concurrent sign-ins verify the old hash before one of them replaces it, and all succeed. */
static void of_many_at_once_one_replaces_the_hash(void)
{
    enum { AT_ONCE = 16 };
    static const char *const paths[] = {START, LOGIN};
    char sql[256];
    pid_t holder;

    for (size_t p = 0; p < ARRAY_SIZE(paths); p++) {
        PERSON patient = person_register(suite, NULL);
        struct http_request requests[AT_ONCE];
        struct http_answer *answers[AT_ONCE];
        char *sources[AT_ONCE];
        long before = metric("atrium_auth_passwords_renewed_total");

        person_set_hash(suite, patient->email, hashes[0]);
        snprintf(sql, sizeof(sql),
                 "select from auth.credential c join auth.account a on a.id = c.account_id where "
                 "a.email = '%s' for share of c",
                 patient->email);
        holder = suite_hold(suite, sql);
        for (size_t i = 0; i < AT_ONCE; i++) {
            sources[i] = fresh_source();
            requests[i] = (struct http_request){
                .method = "POST",
                .path = paths[p],
                .source = sources[i],
                .body = p == 0 ? body_login_start(patient->email, "imported", "demo")
                               : body_login(patient->email, "imported")};
        }
        http_call_many(suite_url(suite), requests, AT_ONCE, AT_ONCE, answers);
        waitpid(holder, NULL, 0);
        for (size_t i = 0; i < AT_ONCE; i++) {
            CHECK_STATUS(answers[i], 200);
            free(sources[i]);
        }
        http_answers_destroy(answers, AT_ONCE);
        CU_ASSERT_TRUE(has_own_hash(patient->email));
        CU_ASSERT_EQUAL(metric("atrium_auth_passwords_renewed_total"), before + 1);
    }
}

static void wrong_passwords_count(void)
{
    PERSON patient = person_register(suite, NULL);
    char *source = fresh_source();

    person_set_hash(suite, patient->email, hashes[0]);
    for (int i = 0; i < 10; i++) {
        HTTP_ANSWER wrong = suite_post_from(suite, source, START,
                                            body_login_start(patient->email, "another", "demo"));
        CHECK_ERROR(wrong, 400, bad_login);
    }
    HTTP_ANSWER locked =
        suite_post_from(suite, source, START, body_login_start(patient->email, "imported", "demo"));
    CHECK_STATUS(locked, 429);
    CU_ASSERT_FALSE(has_own_hash(patient->email));
    free(source);
}

static void a_password_is_changed_from_an_imported_one(void)
{
    PERSON patient = person_register(suite, NULL);

    person_set_hash(suite, patient->email, hashes[1]);
    HTTP_ANSWER wrong = http_post(suite_url(suite), "/auth/change-password", patient->access,
                                  json_pack("{s:s, s:s}", "oldPassword", "another", "newPassword",
                                            "quite another one"));
    CHECK_STATUS(wrong, 400);
    HTTP_ANSWER right = http_post(suite_url(suite), "/auth/change-password", patient->access,
                                  json_pack("{s:s, s:s}", "oldPassword", "imported", "newPassword",
                                            "quite another one"));
    CHECK_STATUS(right, 204);
    CU_ASSERT_TRUE(has_own_hash(patient->email));
    CU_ASSERT_EQUAL(start_status(patient->email, "imported"), 400);
    CU_ASSERT_EQUAL(start_status(patient->email, "quite another one"), 200);
}

/* The password is tried both as typed and normalized. The imported hash is that of the typed
 * form. */
static void a_password_that_is_not_normal_is_right_as_typed(void)
{
    static const char decomposed[] = "pa\xcc\x88sswort", composed[] = "p\xc3\xa4sswort";
    PERSON patient = person_register(suite, NULL);

    person_set_hash(suite, patient->email, HASH_NFD);
    CU_ASSERT_EQUAL(start_status(patient->email, composed), 400);
    CU_ASSERT_EQUAL(start_status(patient->email, decomposed), 200);
    CU_ASSERT_TRUE(has_own_hash(patient->email));
    CU_ASSERT_EQUAL(start_status(patient->email, composed), 200);
    person_set_hash(suite, patient->email, HASH_NFC);
    CU_ASSERT_EQUAL(start_status(patient->email, decomposed), 200);
}

/* bcrypt reads only 72 bytes; from the first sign-in on, the whole password counts. */
static void all_of_a_long_password_counts_after_bcrypt(void)
{
    PERSON patient = person_register(suite, NULL);
    char typed[101], other[101];

    memset(typed, 'x', 100);
    typed[100] = '\0';
    memcpy(other, typed, sizeof(other));
    other[99] = 'y';
    person_set_hash(suite, patient->email, HASH_LONG);
    CU_ASSERT_EQUAL(start_status(patient->email, typed), 200);
    CU_ASSERT_TRUE(has_own_hash(patient->email));
    CU_ASSERT_EQUAL(start_status(patient->email, other), 400);
    CU_ASSERT_EQUAL(start_status(patient->email, typed), 200);
}

static void a_hash_of_no_known_form_is_wrong(void)
{
    PERSON patient = person_register(suite, NULL);

    person_set_hash(suite, patient->email, "$2b$31$nothing");
    CU_ASSERT_EQUAL(start_status(patient->email, "imported"), 400);
    CU_ASSERT_EQUAL(start_status(patient->email, ""), 400);
}

static double try_ms(const char *role, const char *email)
{
    char path[64];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/start", role);
    HTTP_ANSWER answer = suite_post_fresh(suite, path, body_login_start(email, "wrong", "demo"));
    CHECK_ERROR(answer, 400, bad_login);
    return answer->seconds * 1000;
}

static double median_ms(const char *role, const char *email)
{
    double ms[TRIES];

    for (int i = 0; i < TRIES; i++)
        ms[i] = try_ms(role, email);
    return unit_median(ms, TRIES);
}

/* True when the median of TRIES times is above the threshold. Stops early when more than half of
 * them are on one side. */
static bool is_slow(const char *role, const char *email, double threshold)
{
    int slow = 0, quick = 0;

    while (slow <= TRIES / 2 && quick <= TRIES / 2) {
        if (try_ms(role, email) > threshold)
            slow++;
        else
            quick++;
    }
    return slow > quick;
}

/* Waits for the next count, and returns the number of imported hashes. */
static long wait_counted(void)
{
    long want = suite_count(suite, "select count(*) from auth.credential where password_hash not "
                                   "like '$argon2id$v=19$m=19456,t=2,p=1$%%'");

    note_import();
    for (int i = 0; i < 150 && metric("atrium_auth_imported_passwords") != want; i++)
        CU_ASSERT_TRUE(suite_comes_to(suite, 1, 1000, "select 1 from pg_sleep(0.1)"));
    CU_ASSERT_EQUAL(metric("atrium_auth_imported_passwords"), want);
    return want;
}

/* Checks that about half of the unknown addresses, always the same ones, take as long as an address
 * with an imported hash, and the others as long as one with a native hash. The threshold is the
 * geometric mean of the two times, so that varying load moves no address across. */
static void check_half_are_slow(const char *role, const char *imported, const char *ordinary)
{
    enum { UNKNOWN = 24 };
    char *unknown[UNKNOWN];
    bool slow[UNKNOWN];
    double imported_ms = median_ms(role, imported), ordinary_ms = median_ms(role, ordinary),
           threshold = sqrt(imported_ms * ordinary_ms);
    int count = 0;

    UNIT_CHECK(imported_ms > ordinary_ms * 2, "imported %.1f ms, ordinary %.1f ms", imported_ms,
               ordinary_ms);
    for (int i = 0; i < UNKNOWN; i++) {
        unknown[i] = person_address();
        slow[i] = is_slow(role, unknown[i], threshold);
        count += slow[i];
    }
    UNIT_CHECK(count >= 4 && count <= UNKNOWN - 4, "%s: %d of %d", role, count, UNKNOWN);
    for (int i = 0; i < UNKNOWN; i++) {
        UNIT_CHECK(is_slow(role, unknown[i], threshold) == slow[i], "%s changes", unknown[i]);
        free(unknown[i]);
    }
}

static void time_does_not_tell_who_was_imported(void)
{
    PERSON imported = person_register(suite, NULL);
    PERSON ordinary = person_register(suite, NULL);

    for (int i = 0; i < 6; i++) {
        PERSON other = person_register(suite, NULL);

        CU_ASSERT_PTR_NOT_NULL(other->access);
    }
    CU_ASSERT_TRUE(suite_count(suite,
                               "with half as (select c.account_id, row_number() over () %% 2 as "
                               "odd from auth.credential c join auth.account a on a.id = "
                               "c.account_id where a.role = 'Patient' and a.email <> '%s' and "
                               "a.email <> '%s'), done as (update auth.credential c set "
                               "password_hash = '%s' from half h where h.account_id = "
                               "c.account_id and h.odd = 1 returning 1) select count(*) from done",
                               imported->email, ordinary->email, HASH_PBKDF2) >= 3);
    person_set_hash(suite, imported->email, HASH_PBKDF2);
    CU_ASSERT_TRUE(wait_counted() >= 4);
    check_half_are_slow("Patient", imported->email, ordinary->email);
}

/* Practitioners belong to no project, so the share of imported hashes is that of all practitioners,
 * without patients. */
static void time_does_not_tell_which_practitioner_was_imported(void)
{
    enum { IMPORTED = 8 };
    static const char add[] =
        "with a as (insert into auth.account (id, role, email, name, surname, created_at) select "
        "gen_random_uuid(), 'Practitioner', '%s-' || n || '@practitioners.example', 'Ada', "
        "'Lovelace', 0 from generate_series(1, %ld) n returning id), c as (insert into "
        "auth.credential (account_id, password_hash, updated_at) select id, %s, 0 from a), m as "
        "(insert into auth.membership (project_id, id, account_id, profile_id, created_at) select "
        "p.id, gen_random_uuid(), a.id, gen_random_uuid(), 0 from a, (select project_id as id "
        "from auth.membership limit 1) p returning 1) select count(*) from m";
    static const char own[] = "(select password_hash from auth.credential where password_hash "
                              "like '$argon2id$v=19$m=19456,t=2,p=1$%' limit 1)";
    long there =
        suite_count(suite, "select count(*) from auth.account where role = 'Practitioner'");

    CU_ASSERT_TRUE_FATAL(there < IMPORTED);
    CU_ASSERT_EQUAL(suite_count(suite, add, "imported", (long)IMPORTED, "'" HASH_PBKDF2 "'"),
                    IMPORTED);
    CU_ASSERT_EQUAL(suite_count(suite, add, "ordinary", IMPORTED - there, own), IMPORTED - there);
    CU_ASSERT_TRUE(wait_counted() >= IMPORTED);
    check_half_are_slow("Practitioner", "imported-1@practitioners.example",
                        "ordinary-1@practitioners.example");
}

static void doctor_and_a_metric_count_them(void)
{
    long want = wait_counted();
    char text[128];
    PROGRAM run = ATRIUMCTL(suite, NULL, "doctor", "--json");

    snprintf(text, sizeof(text), "%ld accounts have another system's hash", want);
    UNIT_CHECK(strstr(run->out, text) != NULL, "%s: %s", text, run->out);
}

static void the_suite_ends(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_suite_starts),
    CASE(each_scheme_signs_in_and_is_replaced),
    CASE(the_one_step_route_takes_them),
    CASE(of_many_at_once_one_replaces_the_hash),
    CASE(wrong_passwords_count),
    CASE(a_password_is_changed_from_an_imported_one),
    CASE(a_password_that_is_not_normal_is_right_as_typed),
    CASE(all_of_a_long_password_counts_after_bcrypt),
    CASE(a_hash_of_no_known_form_is_wrong),
    CASE(time_does_not_tell_who_was_imported),
    CASE(time_does_not_tell_which_practitioner_was_imported),
    CASE(doctor_and_a_metric_count_them),
    CASE_ALWAYS(the_suite_ends),
};

int main(void)
{
    return unit_run("password hashes", cases, ARRAY_SIZE(cases));
}
