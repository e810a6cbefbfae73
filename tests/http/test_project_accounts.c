/*
 * test_project_accounts.c - a project's people as admins see them: keyset lists, prefix search of
 * addresses and names, and one person's details.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define ACCOUNTS "/v1/project/accounts"
#define UNKNOWN "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

enum {
    DAY = 86400,
    PATIENTS = 1250, /* patients of demo: so many that reading them takes more than one statement */
    ELSEWHERE = 2500, /* practitioners without a membership in demo */
    COLLEAGUES = 30,  /* practitioners with a membership in demo */
    PAGES_MAX = 200,
};

static struct suite *suite;
static struct person *admin, *child;

static struct http_answer *get(const struct person *who, const char *query)
{
    char path[5200];

    snprintf(path, sizeof(path), ACCOUNTS "%s", query);
    return http_get(suite_url(suite), path, who->access);
}

static struct http_answer *of_account(const struct person *who, const char *id, const char *rest)
{
    char path[5000];

    snprintf(path, sizeof(path), "/%s%s", id, rest);
    return get(who, path);
}

static struct http_answer *page_of(const struct person *who, const char *query, const char *cursor)
{
    char text[4500];

    snprintf(text, sizeof(text), "?%s%s%s", query, *cursor ? "&_cursor=" : "", cursor);
    return get(who, text);
}

/* Collects the ids of all pages. Returns a new reference, or NULL after a duplicate or an error. */
static json_t *walk(const struct person *who, const char *query)
{
    json_t *ids = json_object(), *each;
    char cursor[4200] = "";
    bool good = true;
    size_t i;

    for (int page = 0; good; page++) {
        HTTP_ANSWER answer = page_of(who, query, cursor);

        good = CHECK_STATUS(answer, 200) && page < PAGES_MAX;
        json_array_foreach(http_member(answer, "resources"), i, each)
        {
            const char *id = json_string_value(json_object_get(each, "id"));

            good = good && !json_object_get(ids, id);
            json_object_set_new(ids, id, json_true());
        }
        if (!good || json_is_null(http_member(answer, "next")))
            break;
        snprintf(cursor, sizeof(cursor), "%s", http_text(answer, "next"));
    }
    CU_ASSERT_TRUE(good);
    if (!good)
        json_decref(ids);
    return good ? ids : NULL;
}

static void check_walk(const char *query, size_t want)
{
    json_t *ids = walk(admin, query);

    UNIT_CHECK(json_object_size(ids) == want, "%s: %zu, not %zu", query, json_object_size(ids),
               want);
    json_decref(ids);
}

static long audited(const char *account, const char *action, const char *detail)
{
    return suite_count(suite,
                       "select count(*) from auth.audit where entity = 'Account/%s' and "
                       "event->>'action' = '%s' and coalesce(event->>'detail', '') = '%s' and "
                       "event->'agent'->>'profile' = '%s'",
                       account, action, detail, admin->profile);
}

/* Adds people with a unique prefix: patients and practitioners of demo, and practitioners of other
 * projects. */
static void seed(void)
{
    char sql[2000];

    snprintf(sql, sizeof(sql),
             "with project as (select '%s'::uuid as id), "
             "people as (insert into auth.account (id, role, project_id, email, name, surname, "
             "created_at) "
             "select gen_random_uuid(), 'Patient', p.id, 'zq' || n || '@seed.example', "
             "'Zora' || n, 'Quint\xc3\xa9n' || n, 1 from project p, generate_series(1, %d) n "
             "union all select gen_random_uuid(), 'Practitioner', null, 'zp' || n || "
             "'@seed.example', 'Zeno' || n, 'Prat' || n, 1 from generate_series(1, %d) n "
             "returning id, role, email) "
             "insert into auth.membership (project_id, id, account_id, profile_id, created_at) "
             "select p.id, gen_random_uuid(), a.id, gen_random_uuid(), 1 from project p, people a "
             "where a.role = 'Patient' or substr(a.email, 3, 2) = '77'",
             suite_text(suite, "demo.projectId"), PATIENTS, ELSEWHERE);
    free(suite_query(suite, sql));
}

static void a_list_is_walked_to_its_end(void)
{
    long members =
        suite_count(suite, "select count(*) from auth.membership where project_id = '%s'",
                    suite_text(suite, "demo.projectId"));

    CU_ASSERT_TRUE(members > PATIENTS);
    check_walk("_count=100", (size_t)members);
    check_walk("role=Patient&_count=100",
               (size_t)suite_count(suite,
                                   "select count(*) from auth.account where project_id = '%s'",
                                   suite_text(suite, "demo.projectId")));
    HTTP_ANSWER first = get(admin, "");
    CHECK_STATUS(first, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(first, "resources")), 50);
    HTTP_ANSWER many = get(admin, "?_count=101");
    CHECK_PROBLEM(many, "_count");
    HTTP_ANSWER role = get(admin, "?role=Robot");
    CHECK_PROBLEM(role, "role");
    HTTP_ANSWER state = get(admin, "?state=happy");
    CHECK_PROBLEM(state, "state");
}

static void a_search_finds_what_begins_so(void)
{
    long colleagues = suite_count(suite,
                                  "select count(*) from auth.membership m join auth.account a on "
                                  "a.id = m.account_id where a.email like 'zp%%' and "
                                  "m.project_id = '%s'",
                                  suite_text(suite, "demo.projectId"));

    CU_ASSERT_TRUE(colleagues > 0 && colleagues <= COLLEAGUES);
    check_walk("search=zq77", 11); /* numbers 77 and 770 to 779 */
    check_walk("search=ZQ77", 11);
    check_walk("search=zq77&_count=3", 11);
    check_walk("search=zora77", 11);
    check_walk("search=Zora77%20quint", 1);
    check_walk("search=quint%C3%89n77", 11);
    check_walk("search=z&_count=100", PATIENTS + (size_t)colleagues);
    check_walk("search=zp", (size_t)colleagues);
    check_walk("search=zeno&role=Practitioner", (size_t)colleagues);
    check_walk("search=zeno&role=Patient", 0);
    check_walk("search=z%2577", 0); /* "%" is no wildcard */
    check_walk("search=%40&_count=100", 0);
    check_walk("search=ora7", 0);
    HTTP_ANSWER empty = get(admin, "?search=");
    CHECK_PROBLEM(empty, "search");
}

#define DUE "select count(*) from auth.member_search_due"

/* Checks that a search finds exactly this person; NULL: none. */
static void check_found(const char *search, const char *email)
{
    char query[512] = "search=", *to = query + strlen(query);
    TEXT account = email ? suite_account(suite, email) : NULL;
    json_t *ids;

    for (const char *at = search; *at; at++)
        to += sprintf(to, "%%%02X", (unsigned char)*at);
    ids = walk(admin, query);
    UNIT_CHECK(json_object_size(ids) == (account != NULL) &&
                   (!account || json_object_get(ids, account)),
               "%s: %zu people", search, json_object_size(ids));
    json_decref(ids);
}

static void name_account(const struct person *who, const char *name, const char *surname)
{
    PGconn *conn = suite_database(suite);
    const char *const values[] = {name, surname, who->email};
    PGresult *named =
        PQexecParams(conn, "update auth.account set name = $1, surname = $2 where email = $3", 3,
                     NULL, values, NULL, NULL, 0);

    CU_ASSERT_STRING_EQUAL(PQcmdTuples(named), "1");
    PQclear(named);
    PQfinish(conn);
}

static void people_are_found_by_any_name(void)
{
    static const struct {
        const char *name, *surname;
    } people[] = {
        {"Zoë María", "Çelik-Łukasiewicz"},
        {"Siobhán", "O’Brien"},
        {"Jean-Luc", "d'Anjou"},
        {"太郎", "山田"},
        {"مُحَمَّد", "علی"},
        {"Þórður", "Ærø"},
        {"Анна", "Королёва"},
    };
    static const struct {
        const char *search;
        int found; /* index of the person; -1: none */
    } rows[] = {
        {"zoe", 0},
        {"ZOË", 0},
        {"zoe\u0308 maria", 0},
        {"maria", 0},
        {"maria celik", 0},
        {"celik", 0},
        {"Çelik-Łuk", 0},
        {"lukasiewicz zoe", 0},
        {"łukas", 0},
        {"lukasiewicz zoe m", 0},
        {"aria", -1},
        {"o'brien", 1},
        {"O’Brien", 1},
        {"obrien", 1},
        {"brien", 1},
        {"o brien", -1},
        {"siobhan o'b", 1},
        {"luc", 2},
        {"jean luc", 2},
        {"anjou", 2},
        {"danjou", 2},
        {"d'anjou jean", 2},
        {"山田", 3},
        {"太郎", 3},
        {"山田太郎", 3},
        {"山田 太郎", 3},
        {"田", 3},
        {"محمد", 4},
        {"علي", 4},
        {"thordur", 5},
        {"aero", 5},
        {"королева", 6},
        {"КОРОЛЁВА анна", 6},
        {"...", -1},
        {"zoe@", -1},
    };
    struct person *all[ARRAY_SIZE(people)];

    for (size_t i = 0; i < ARRAY_SIZE(people); i++) {
        all[i] = person_register(suite, NULL);
        name_account(all[i], people[i].name, people[i].surname);
    }
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 20000, DUE));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_found(rows[i].search, rows[i].found < 0 ? NULL : all[rows[i].found]->email);
    for (size_t i = 0; i < ARRAY_SIZE(people); i++)
        person_destroy(&all[i]);
}

static void people_are_found_by_any_part_of_their_address(void)
{
    PERSON who = person_register(suite, NULL);
    TEXT id = suite_account(suite, who->email);
    char sql[256];

    snprintf(sql, sizeof(sql),
             "update auth.account set email = 'Odo.Quill+news@Xylo-clinic.example' where id = '%s'",
             id);
    free(suite_query(suite, sql));
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 20000, DUE));
    check_walk("search=odo.quill%2Bnews%40xylo-clinic.example", 1);
    check_walk("search=quill", 1);
    check_walk("search=NEWS%40xylo", 1);
    check_walk("search=xylo-cl", 1);
    check_walk("search=clinic.example", 1);
    check_walk("search=%40xylo", 1);
    check_walk("search=odo%40", 0);
    check_walk("search=uill", 0);
}

static void states_are_told_and_filtered(void)
{
    PERSON one = person_register(suite, NULL);
    PERSON two = person_register(suite, NULL);
    PERSON three = person_register(suite, NULL);
    TEXT id = suite_account(suite, one->email);
    TEXT second = suite_account(suite, two->email);
    TEXT third = suite_account(suite, three->email);
    PROGRAM lock = ATRIUMCTL(suite, NULL, "user", "lock", one->email, "--json");
    char sql[256];

    CHECK_EXIT(lock, 0);
    snprintf(sql, sizeof(sql), "update auth.membership set locked_at = 7 where account_id = '%s'",
             second);
    free(suite_query(suite, sql));
    HTTP_ANSWER deleted =
        http_call(suite_url(suite), &(struct http_request){.method = "DELETE",
                                                           .path = "/auth/delete",
                                                           .bearer = three->access,
                                                           .body = json_pack("{s:i}", "days", 9)});
    CHECK_STATUS(deleted, 200);
    check_walk("state=locked", 2);
    check_walk("state=locked&role=Practitioner", 0);
    check_walk("state=deleting", 1);
    check_walk("state=active&_count=100",
               (size_t)suite_count(suite,
                                   "select count(*) from auth.membership where project_id = '%s'",
                                   suite_text(suite, "demo.projectId")) -
                   3);
    HTTP_ANSWER operators = of_account(admin, id, "");
    CU_ASSERT_STRING_EQUAL(http_text(operators, "state"), "locked");
    CU_ASSERT_STRING_EQUAL(http_text(operators, "lockedBy"), "operator");
    HTTP_ANSWER admins = of_account(admin, second, "");
    CU_ASSERT_STRING_EQUAL(http_text(admins, "lockedBy"), "admin");
    HTTP_ANSWER going = of_account(admin, third, "");
    CU_ASSERT_STRING_EQUAL(http_text(going, "state"), "deleting");
    CU_ASSERT_STRING_EQUAL(http_text(going, "deletionAt"), http_text(deleted, "scheduled"));
    snprintf(sql, sizeof(sql),
             "update auth.membership set locked_at = null where account_id = '%s'", second);
    free(suite_query(suite, sql));
    PROGRAM unlock = ATRIUMCTL(suite, NULL, "user", "unlock", one->email, "--json");
    CHECK_EXIT(unlock, 0);
}

/* Checks that a list has the people of the statement, in that order. Returns their number. */
static size_t check_sorted(const char *query, const char *sql)
{
    char cursor[4200] = "", *ids = NULL;
    size_t count = 0, size = 0;
    bool more = true;
    FILE *all = open_memstream(&ids, &size);

    for (int page = 0; more && page < PAGES_MAX; page++) {
        HTTP_ANSWER answer = page_of(admin, query, cursor);
        json_t *each;
        size_t i;

        CHECK_STATUS(answer, 200);
        json_array_foreach(http_member(answer, "resources"), i, each)
        {
            fprintf(all, "%s%s", count++ > 0 ? "," : "",
                    json_string_value(json_object_get(each, "id")));
        }
        more = !json_is_null(http_member(answer, "next"));
        snprintf(cursor, sizeof(cursor), "%s", http_text(answer, "next"));
    }
    fclose(all);
    TEXT wanted = suite_query(suite, sql);
    UNIT_CHECK(strcmp(ids, wanted) == 0, "%s: another order than %s", query, sql);
    free(ids);
    return count;
}

#define ORDERED(role, order)                                                                      \
    "select string_agg(a.id::text, ',' order by " order ") from auth.membership m join "          \
    "auth.account a on a.id = m.account_id where a.role = '" role "' and m.project_id = (select " \
    "project_id from settings.tenant_code where code = 'demo')"
#define BY_NAME "lower(a.surname || ' ' || a.name) collate \"C\", a.id"

static void lists_are_sorted_on_request(void)
{
    PERSON moved = person_register(suite, NULL);

    CU_ASSERT_TRUE(check_sorted("role=Practitioner&sort=newest&_count=7",
                                ORDERED("Practitioner", "m.id desc")) > 7);
    check_sorted("role=Patient&sort=newest&_count=100", ORDERED("Patient", "m.id desc"));
    CU_ASSERT_TRUE(
        check_sorted("role=Practitioner&sort=name&_count=7", ORDERED("Practitioner", BY_NAME)) > 7);
    check_walk("sort=name&_count=100",
               (size_t)suite_count(suite,
                                   "select count(*) from auth.membership where project_id = '%s'",
                                   suite_text(suite, "demo.projectId")));
    name_account(moved, "Zoë", "Áaaron");
    HTTP_ANSWER first = get(admin, "?role=Patient&sort=name&_count=1");
    CU_ASSERT_STRING_EQUAL(http_text(first, "resources.0.lastName"), "Áaaron");
    name_account(moved, "Ana", "Zzzyx");
    HTTP_ANSWER next = get(admin, "?role=Patient&sort=name&_count=1");
    CU_ASSERT_STRING_NOT_EQUAL(http_text(next, "resources.0.lastName"), "Zzzyx");
    HTTP_ANSWER both = get(admin, "?search=zq&sort=name");
    CHECK_PROBLEM(both, "sort");
    HTTP_ANSWER unknown = get(admin, "?sort=age");
    CHECK_PROBLEM(unknown, "sort");
}

static void people_are_filtered_by_right_factor_and_policy(void)
{
    PERSON person = person_register(suite, NULL);
    TEXT id = suite_account(suite, person->email);
    const char *project = suite_text(suite, "demo.projectId");
    const char *policy = suite_text(suite, "demo.patientAccessPolicy");
    uint8_t secret[TOTP_SECRET];
    char query[160];
    size_t admins = (size_t)suite_count(
        suite, "select count(*) from auth.membership where project_id = '%s' and admin", project);
    size_t holders = (size_t)suite_count(
        suite, "select count(*) from auth.membership where project_id = '%s' and policy_id = '%s'",
        project, strchr(policy, '/') + 1);
    size_t members = (size_t)suite_count(
        suite, "select count(*) from auth.membership where project_id = '%s'", project);

    CU_ASSERT_TRUE(admins > 0 && holders > 0 && holders < members);
    check_walk("admin=true", admins);
    check_walk("admin=true&sort=name", admins);
    check_walk("admin=true&role=Patient", 0);
    check_walk("admin=false&_count=100", members - admins);
    snprintf(query, sizeof(query), "accessPolicy=%s", policy);
    check_walk(query, holders);
    snprintf(query, sizeof(query), "_count=1&accessPolicy=%s", policy);
    check_walk(query, holders);
    snprintf(query, sizeof(query), "sort=name&accessPolicy=%s", policy);
    check_walk(query, holders);
    check_walk("accessPolicy=AccessPolicy/" UNKNOWN, 0);
    check_walk("secondFactor=true", 0);
    totp_enrol(suite, person, suite_now(suite), secret);
    check_walk("secondFactor=true", 1);
    check_walk("secondFactor=true&role=Patient&sort=newest", 1);
    check_walk("secondFactor=false&_count=100", members - 1);
    HTTP_ANSWER shown = of_account(admin, id, "");
    CU_ASSERT_STRING_EQUAL(http_text(shown, "accessPolicy"), policy);
    HTTP_ANSWER word = get(admin, "?accessPolicy=mine");
    CHECK_PROBLEM(word, "accessPolicy");
    HTTP_ANSWER maybe = get(admin, "?secondFactor=maybe");
    CHECK_PROBLEM(maybe, "secondFactor");
}

static void check_cursor(const struct person *who, const char *query, const char *cursor)
{
    HTTP_ANSWER answer = page_of(who, query, cursor);

    CHECK_PROBLEM(answer, "_cursor");
}

static void a_cursor_is_good_for_its_list_and_a_day(void)
{
    HTTP_ANSWER first = get(admin, "?_count=2&search=zq");
    char cursor[4200], changed[4200], path[4600];

    CHECK_STATUS(first, 200);
    snprintf(cursor, sizeof(cursor), "%s", http_text(first, "next"));
    CU_ASSERT_TRUE(strlen(cursor) > 0);
    check_cursor(admin, "search=zp", cursor);
    check_cursor(admin, "search=zq&role=Patient", cursor);
    check_cursor(admin, "search=zq&state=active", cursor);
    check_cursor(admin, "search=zq&admin=true", cursor);
    check_cursor(admin, "search=zq&secondFactor=false", cursor);
    check_cursor(admin, "search=zq&accessPolicy=AccessPolicy/" UNKNOWN, cursor);
    check_cursor(admin, "sort=newest", cursor);
    check_cursor(child, "search=zq", cursor);
    check_cursor(admin, "search=zq", "x");
    snprintf(changed, sizeof(changed), "%s", cursor);
    changed[strlen(changed) / 2] = changed[strlen(changed) / 2] == 'A' ? 'B' : 'A';
    check_cursor(admin, "search=zq", changed);
    TEXT id =
        suite_account(suite, admin->email ? admin->email : suite_text(suite, "demo.adminEmail"));
    snprintf(path, sizeof(path), "/sessions?_cursor=%s", cursor);
    HTTP_ANSWER sessions = of_account(admin, id, path);
    CHECK_PROBLEM(sessions, "_cursor");
    HTTP_ANSWER other_size = page_of(admin, "search=zq&_count=7", cursor);
    CHECK_STATUS(other_size, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(other_size, "resources")), 7);
    suite_advance_clock(suite, DAY - 60);
    PERSON later = person_admin(suite);
    HTTP_ANSWER still = page_of(later, "search=zq", cursor);
    CHECK_STATUS(still, 200);
    suite_advance_clock(suite, 120);
    check_cursor(later, "search=zq", cursor);
}

static void one_person_is_shown_and_the_reading_recorded(void)
{
    PERSON person = person_register(suite, NULL);
    TEXT id = suite_account(suite, person->email);
    HTTP_ANSWER answer = of_account(admin, id, "");

    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "id"), id);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "email"), person->email);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "role"), "Patient");
    CU_ASSERT_STRING_EQUAL(http_text(answer, "profileId"), person->profile + strlen("Patient/"));
    CU_ASSERT_STRING_EQUAL(http_text(answer, "state"), "active");
    CU_ASSERT_TRUE(json_is_false(http_member(answer, "admin")));
    CU_ASSERT_TRUE(json_is_null(http_member(answer, "lockedAt")));
    CU_ASSERT_TRUE(json_is_null(http_member(answer, "deletionAt")));
    CU_ASSERT_EQUAL(json_array_size(http_member(answer, "factors")), 0);
    CU_ASSERT_EQUAL(strlen(http_text(answer, "lastSignInAt")), 24);
    CU_ASSERT_EQUAL(audited(id, "account.read", ""), 1);

    /* The time of the last sign-in is still shown when that sign-in's session has ended. */
    suite_advance_clock(suite, 60);
    PERSON again = person_sign_in(suite, "Patient", person->email, person->password, NULL);
    HTTP_ANSWER out = http_post(suite_url(suite), "/auth/logout", again->access, NULL);
    CHECK_STATUS(out, 204);
    HTTP_ANSWER after = of_account(admin, id, "");
    CU_ASSERT_TRUE(strcmp(http_text(after, "lastSignInAt"), http_text(answer, "lastSignInAt")) > 0);
    CU_ASSERT_EQUAL(audited(id, "account.read", ""), 2);
}

static void other_projects_and_other_roles_see_nothing(void)
{
    PERSON person = person_register(suite, NULL);
    TEXT id = suite_account(suite, person->email);
    static const char *const rests[] = {"", "/sessions", "/explain"};

    for (size_t i = 0; i < ARRAY_SIZE(rests); i++) {
        HTTP_ANSWER foreign = of_account(child, id, rests[i]);
        CHECK_ERROR(foreign, 404, "Account not found.");
        HTTP_ANSWER unknown = of_account(admin, UNKNOWN, rests[i]);
        CHECK_ERROR(unknown, 404, "Account not found.");
        HTTP_ANSWER word = of_account(admin, "me", rests[i]);
        CHECK_PROBLEM(word, "id");
        HTTP_ANSWER patient = of_account(person, id, rests[i]);
        CHECK_STATUS(patient, 403);
    }
    HTTP_ANSWER list = get(person, "");
    CHECK_STATUS(list, 403);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where event->>'action' = "
                                "'account.read' and entity = 'Account/%s'",
                                id),
                    0);
}

static void sessions_are_paged(void)
{
    PERSON person = person_register(suite, NULL);
    TEXT id = suite_account(suite, person->email);
    char rest[4400];

    for (int i = 0; i < 4; i++) {
        PERSON next = person_sign_in(suite, "Patient", person->email, person->password, NULL);
        CU_ASSERT_EQUAL(next->status, 200);
    }
    HTTP_ANSWER first = of_account(admin, id, "/sessions?_count=3");
    CHECK_STATUS(first, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(first, "resources")), 3);
    snprintf(rest, sizeof(rest), "/sessions?_count=3&_cursor=%s", http_text(first, "next"));
    HTTP_ANSWER second = of_account(admin, id, rest);
    CHECK_STATUS(second, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(second, "resources")), 2);
    CU_ASSERT_TRUE(json_is_null(http_member(second, "next")));
    CU_ASSERT_STRING_NOT_EQUAL(http_text(first, "resources.2.id"),
                               http_text(second, "resources.0.id"));
    CU_ASSERT_EQUAL(audited(id, "account.read", "sessions"), 2);
    TEXT other = suite_account(suite, "zq77@seed.example");
    snprintf(rest, sizeof(rest), "/sessions?_cursor=%s", http_text(first, "next"));
    HTTP_ANSWER foreign = of_account(admin, other, rest);
    CHECK_PROBLEM(foreign, "_cursor");
}

static void the_checks_of_a_sign_in_are_explained(void)
{
    PERSON person = person_register(suite, NULL);
    TEXT id = suite_account(suite, person->email);
    HTTP_ANSWER good = of_account(admin, id, "/explain?address=192.0.2.7");

    CHECK_STATUS(good, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(good, "wouldSucceed")));
    PROGRAM lock = ATRIUMCTL(suite, NULL, "user", "lock", person->email, "--json");
    CHECK_EXIT(lock, 0);
    HTTP_ANSWER bad = of_account(admin, id, "/explain");
    CHECK_STATUS(bad, 200);
    CU_ASSERT_TRUE(json_is_false(http_member(bad, "wouldSucceed")));
    CU_ASSERT_PTR_NOT_NULL(strstr(bad->body, "An operator has locked the account"));
    CU_ASSERT_EQUAL(audited(id, "account.read", "explain"), 2);
    PROGRAM unlock = ATRIUMCTL(suite, NULL, "user", "unlock", person->email, "--json");
    CHECK_EXIT(unlock, 0);
}

static void test_start(void)
{
    suite =
        suite_start(&(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true});
    admin = person_admin(suite);
    child = person_admin_of_child(suite, "accountschild");
    seed();
}

static void test_stop(void)
{
    person_destroy(&child);
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(test_start),
    CASE(a_list_is_walked_to_its_end),
    CASE(a_search_finds_what_begins_so),
    CASE(people_are_found_by_any_name),
    CASE(people_are_found_by_any_part_of_their_address),
    CASE(one_person_is_shown_and_the_reading_recorded),
    CASE(other_projects_and_other_roles_see_nothing),
    CASE(sessions_are_paged),
    CASE(the_checks_of_a_sign_in_are_explained),
    CASE(states_are_told_and_filtered),
    CASE(people_are_filtered_by_right_factor_and_policy),
    CASE(lists_are_sorted_on_request),
    CASE(a_cursor_is_good_for_its_list_and_a_day),
    CASE_ALWAYS(test_stop),
};

int main(void)
{
    return unit_run("project_accounts", cases, ARRAY_SIZE(cases));
}
