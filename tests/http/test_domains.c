/*
 * test_domains.c - the email domains that a project verifies by a DNS record, with BIND.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/name_server.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define DOMAINS "/v1/project/domains"
#define CLINIC "clinic.example"
#define OTHER "other.example"

enum { DAY = 86400, FRESH = 900, LIMIT = 20, CHECKED_MS = 60000 };

static struct suite *suite;
static struct name_server dns;
static struct person *admin, *child;

static struct http_answer *add(const struct person *who, const char *domain)
{
    return http_post(suite_url(suite), DOMAINS, who->access, json_pack("{s:s}", "domain", domain));
}

static struct http_answer *verify(const struct person *who, const char *domain)
{
    char path[400];

    snprintf(path, sizeof(path), DOMAINS "/%s/verify", domain);
    return http_post(suite_url(suite), path, who->access, json_object());
}

static void delete (const struct person *who, const char *domain, int want)
{
    char path[400];

    snprintf(path, sizeof(path), DOMAINS "/%s", domain);
    HTTP_ANSWER done = http_delete(suite_url(suite), path, who->access);
    CHECK_STATUS(done, want);
}

/* Makes the TXT records of _atrium in the zone: these values, NULL-ended. */
static void publish(const char *zone, const char *const *values)
{
    char records[1024] = "";

    for (; *values; values++)
        snprintf(records + strlen(records), sizeof(records) - strlen(records),
                 "_atrium TXT \"%s\"\n", *values);
    name_server_set(&dns, zone, records);
}

/* Adds a domain and returns the value of its record. */
static void added(const struct person *who, const char *domain, char ret[static 128])
{
    HTTP_ANSWER made = add(who, domain);

    CHECK_STATUS(made, 200);
    snprintf(ret, 128, "%s", http_text(made, "recordValue"));
}

static void check_state(const struct person *who, const char *domain, const char *want)
{
    HTTP_ANSWER list = http_get(suite_url(suite), DOMAINS, who->access);
    const char *state = "none";
    json_t *row;
    size_t i;

    json_array_foreach(http_member(list, "resources"), i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "domain")), domain) == 0)
            state = json_string_value(json_object_get(row, "state"));
    }
    UNIT_CHECK(strcmp(state, want) == 0, "%s is %s, not %s", domain, state, want);
}

/* Verification fails with this status and a message that begins so. */
static void check_refused(const char *domain, int status, const char *message)
{
    HTTP_ANSWER refused = verify(admin, domain);

    CHECK_STATUS(refused, status);
    UNIT_CHECK(strncmp(http_text(refused, "message"), message, strlen(message)) == 0, "%s",
               http_text(refused, "message"));
}

static void sign_in_again(void)
{
    person_destroy(&admin);
    person_destroy(&child);
    admin = person_admin(suite);
    child = person_sign_in(suite, "Practitioner", admin->email, admin->password, "domains-child");
}

static void a_domain_is_verified_by_its_record(void)
{
    char value[128];

    HTTP_ANSWER made = add(admin, "CLINIC.Example");
    CHECK_STATUS(made, 200);
    CU_ASSERT_STRING_EQUAL(http_text(made, "domain"), CLINIC);
    CU_ASSERT_STRING_EQUAL(http_text(made, "recordName"), "_atrium." CLINIC);
    CU_ASSERT_STRING_EQUAL(http_text(made, "state"), "pending");
    snprintf(value, sizeof(value), "%s", http_text(made, "recordValue"));
    check_refused(CLINIC, 409, "The record was not found.");
    publish(CLINIC, (const char *const[]){"v=spf1 -all", value, NULL});
    HTTP_ANSWER done = verify(admin, CLINIC);
    CHECK_STATUS(done, 200);
    CU_ASSERT_STRING_EQUAL(http_text(done, "state"), "verified");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.audit where event::text like "
                                       "'%%domain.verify%%'"),
                    1);
    HTTP_ANSWER again = verify(admin, CLINIC);
    CHECK_STATUS(again, 200);
    HTTP_ANSWER twice = add(admin, CLINIC);
    CHECK_STATUS(twice, 409);
    delete (admin, CLINIC, 204);
    delete (admin, CLINIC, 404);
    check_state(admin, CLINIC, "none");
}

static void another_answer_verifies_nothing(void)
{
    char value[128], records[512];

    added(admin, CLINIC, value);
    publish(CLINIC,
            (const char *const[]){"atrium-domain-verification=AAAAAAAAAAAAAAAAAAAAAA", NULL});
    check_refused(CLINIC, 409, "The record has another value.");
    publish(CLINIC, (const char *const[]){
                        value, "atrium-domain-verification=AAAAAAAAAAAAAAAAAAAAAA", NULL});
    check_refused(CLINIC, 409, "The name has several such records.");
    snprintf(records, sizeof(records), "_atrium CNAME elsewhere\nelsewhere TXT \"%s\"\n", value);
    name_server_set(&dns, CLINIC, records);
    check_refused(CLINIC, 409, "The name is an alias");
    snprintf(records, sizeof(records), "*.x TXT \"%s\"\n@ TXT \"%s\"\n", value, value);
    name_server_set(&dns, CLINIC, records);
    check_refused(CLINIC, 409, "The record was not found.");
    check_state(admin, CLINIC, "pending");
    /* One record can be several strings, which belong together. */
    snprintf(records, sizeof(records), "_atrium TXT \"%.30s\" \"%s\"\n", value, value + 30);
    name_server_set(&dns, CLINIC, records);
    HTTP_ANSWER done = verify(admin, CLINIC);
    CHECK_STATUS(done, 200);
    delete (admin, CLINIC, 204);
}

static void servers_that_fail_change_nothing(void)
{
    char value[128];

    added(admin, "broken.example", value);
    check_refused("broken.example", 503, "The domain's name servers gave no answer.");
    check_state(admin, "broken.example", "pending");
    delete (admin, "broken.example", 204);
    added(admin, CLINIC, value);
    publish(CLINIC, (const char *const[]){value, NULL});
    name_server_hush(&dns, true);
    check_refused(CLINIC, 503, "The domain's name servers gave no answer.");
    name_server_hush(&dns, false);
    HTTP_ANSWER done = verify(admin, CLINIC);
    CHECK_STATUS(done, 200);
    /* A daily check without an answer keeps the domain. */
    name_server_hush(&dns, true);
    suite_advance_clock(suite, DAY + 1);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, CHECKED_MS,
                                  "select count(*) from auth.project_domain where verified_at is "
                                  "not null and checked_at < %lld",
                                  (long long)suite_now_ms(suite) - 60000));
    name_server_hush(&dns, false);
    sign_in_again();
    check_state(admin, CLINIC, "verified");
    delete (admin, CLINIC, 204);
}

static void the_newest_success_takes_it(void)
{
    char first[128], second[128];

    added(admin, CLINIC, first);
    added(child, CLINIC, second);
    CU_ASSERT_STRING_NOT_EQUAL(first, second);
    publish(CLINIC, (const char *const[]){first, NULL});
    HTTP_ANSWER mine = verify(admin, CLINIC);
    CHECK_STATUS(mine, 200);
    HTTP_ANSWER early = verify(child, CLINIC);
    CHECK_STATUS(early, 409);
    check_state(admin, CLINIC, "verified");
    publish(CLINIC, (const char *const[]){second, NULL});
    HTTP_ANSWER taken = verify(child, CLINIC);
    CHECK_STATUS(taken, 200);
    check_state(child, CLINIC, "verified");
    check_state(admin, CLINIC, "lost");
    TEXT told = suite_mail(suite, suite_text(suite, "demo.adminEmail"), CHECKED_MS);
    UNIT_CHECK(told && strstr(told, CLINIC " is no longer verified"), "%s", told ? told : "");
    /* The old record is of no use: its project needs a new one. */
    publish(CLINIC, (const char *const[]){first, NULL});
    check_refused(CLINIC, 409, "The record can no longer be used.");
    delete (child, CLINIC, 204);
    delete (admin, CLINIC, 204);
}

static void a_record_is_good_for_seven_days(void)
{
    char first[128], second[128];

    added(admin, CLINIC, first);
    publish(CLINIC, (const char *const[]){first, NULL});
    suite_advance_clock(suite, 7 * DAY + 1);
    sign_in_again();
    check_state(admin, CLINIC, "expired");
    check_refused(CLINIC, 409, "The record can no longer be used.");
    added(admin, CLINIC, second);
    check_refused(CLINIC, 409, "The record has another value.");
    publish(CLINIC, (const char *const[]){second, NULL});
    HTTP_ANSWER done = verify(admin, CLINIC);
    CHECK_STATUS(done, 200);
    delete (admin, CLINIC, 204);
}

static bool comes_to_state(const char *condition)
{
    return suite_comes_to(suite, 1, CHECKED_MS,
                          "select count(*) from auth.project_domain where domain = '" CLINIC
                          "' and %s",
                          condition);
}

static void a_record_that_goes_ends_the_trust_after_seven_days(void)
{
    char value[128];

    added(admin, CLINIC, value);
    publish(CLINIC, (const char *const[]){value, NULL});
    HTTP_ANSWER done = verify(admin, CLINIC);
    CHECK_STATUS(done, 200);
    name_server_set(&dns, CLINIC, "");
    suite_advance_clock(suite, DAY + 1);
    CU_ASSERT_TRUE(comes_to_state("missing_since is not null"));
    TEXT told = suite_mail(suite, suite_text(suite, "demo.adminEmail"), CHECKED_MS);
    UNIT_CHECK(told && strstr(told, "The DNS record of " CLINIC " is missing"), "%s",
               told ? told : "");
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor", "--json");
    UNIT_CHECK(strstr(doctor->out, "records of 1 verified domains are missing") != NULL, "%s",
               doctor->out);
    publish(CLINIC, (const char *const[]){value, NULL});
    suite_advance_clock(suite, DAY + 1);
    CU_ASSERT_TRUE(comes_to_state("missing_since is null and verified_at is not null"));
    name_server_set(&dns, CLINIC, "");
    suite_advance_clock(suite, DAY + 1);
    CU_ASSERT_TRUE(comes_to_state("missing_since is not null"));
    suite_advance_clock(suite, 7 * DAY + 1);
    CU_ASSERT_TRUE(comes_to_state("verified_at is null and token is null"));
    sign_in_again();
    check_state(admin, CLINIC, "lost");
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where event::text like "
                                "'%%domain.lose%%' and project_id = '%s'",
                                suite_text(suite, "demo.projectId")),
                    2);
    /* The daily check never verifies again. */
    publish(CLINIC, (const char *const[]){value, NULL});
    check_refused(CLINIC, 409, "The record can no longer be used.");
    delete (admin, CLINIC, 204);
}

static void domains_of_many_are_refused(void)
{
    static const char *const wrong[] = {"example",          "co.uk",        "gmail.com",
                                        "mailinator.com",   "a..b.example", "192.0.2.1",
                                        "a@clinic.example", "github.io"};

    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        HTTP_ANSWER refused = add(admin, wrong[i]);

        UNIT_CHECK(refused->status == 422, "%s: %d", wrong[i], refused->status);
    }
    HTTP_ANSWER own = verify(admin, "never-added.example");
    CHECK_STATUS(own, 404);
}

static void a_project_has_twenty_at_most(void)
{
    char domain[64];

    for (int i = 0; i < LIMIT; i++) {
        snprintf(domain, sizeof(domain), "clinic-%d.example", i);
        HTTP_ANSWER made = add(admin, domain);
        CHECK_STATUS(made, 200);
    }
    HTTP_ANSWER more = add(admin, "one-more.example");
    CHECK_STATUS(more, 409);
    HTTP_ANSWER again = add(admin, "clinic-3.example"); /* a new record needs no room */
    CHECK_STATUS(again, 200);
    for (int i = 0; i < LIMIT; i++) {
        snprintf(domain, sizeof(domain), "clinic-%d.example", i);
        delete (admin, domain, 204);
    }
}

static void an_operator_vouches_for_one(void)
{
    char value[128];

    added(child, OTHER, value);
    publish(OTHER, (const char *const[]){value, NULL});
    HTTP_ANSWER done = verify(child, OTHER);
    CHECK_STATUS(done, 200);
    PROGRAM vouched = ATRIUMCTL(suite, NULL, "domain", "verify", "--project", "demo", OTHER);
    CHECK_EXIT(vouched, 0);
    check_state(admin, OTHER, "verified");
    check_state(child, OTHER, "lost");
    PROGRAM list = ATRIUMCTL(suite, NULL, "domain", "list", "--project", "demo", "--json");
    UNIT_CHECK(strstr(list->out, "\"byOperator\": true") != NULL, "%s", list->out);
    PROGRAM wrong = ATRIUMCTL(suite, NULL, "domain", "verify", "--project", "demo", "gmail.com");
    CHECK_EXIT(wrong, 1);
    delete (admin, OTHER, 204);
    delete (child, OTHER, 204);
}

static void changes_need_a_fresh_proof(void)
{
    char value[128];

    added(admin, CLINIC, value);
    publish(CLINIC, (const char *const[]){value, NULL});
    suite_advance_clock(suite, FRESH + 1);
    HTTP_ANSWER more = add(admin, OTHER);
    CHECK_STATUS(more, 401);
    CU_ASSERT_STRING_EQUAL(http_text(more, "code"), "STEP_UP_REQUIRED");
    HTTP_ANSWER done = verify(admin, CLINIC);
    CHECK_STATUS(done, 401);
    delete (admin, CLINIC, 401);
    check_state(admin, CLINIC, "pending");
    sign_in_again();
    delete (admin, CLINIC, 204);
}

static void suite_starts(void)
{
    char set[64];

    dns = name_server_start();
    snprintf(set, sizeof(set), "authd.dns_servers=127.0.0.1:%d", dns.port);
    suite = suite_start(
        &(struct suite_options){.instances = "authd=2", .test_clock = true, .set = set});
    suite_advance_clock(suite, 0);
    admin = person_admin(suite);
    child = person_admin_of_child(suite, "domains-child");
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&child);
    person_destroy(&admin);
    suite_stop(&suite);
    name_server_stop(&dns);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(suite_starts),
    CASE(a_domain_is_verified_by_its_record),
    CASE(another_answer_verifies_nothing),
    CASE(servers_that_fail_change_nothing),
    CASE(the_newest_success_takes_it),
    CASE(a_record_is_good_for_seven_days),
    CASE(a_record_that_goes_ends_the_trust_after_seven_days),
    CASE(domains_of_many_are_refused),
    CASE(a_project_has_twenty_at_most),
    CASE(an_operator_vouches_for_one),
    CASE(changes_need_a_fresh_proof),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("domains", cases, ARRAY_SIZE(cases));
}
