/*
 * test_project_limits.c - the limit of 1,000 objects per project, and of 3 MiB for lists that are
 * shown whole, also with concurrent creation on two instances.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum {
    LIMIT = 1000,
    ROOM = 10,
    MAKERS = 64,
    SIZE_LIMIT = 3 * 1024 * 1024,
    LARGE = 60000, /* bytes of a row in SQL */
    OLDER = 100,   /* rows that an older release allowed beyond the limit: 8 MiB in all */
};

static struct suite *suite;
static struct person *admin;

/* fill: SQL of columns and values for rows numbered i. Where bytes are limited, each row has n
 * bytes, at least 100. rest: JSON after the name in a body; if `identified`, a unique identifier
 * follows. */
static const struct kind {
    const char *what, *path, *table;
    const char *fill;
    const char *rest;
    const char *many;
    const char *bytes, *large; /* bytes: SQL for a row's size; NULL: no limit. large: the error */
    bool is_put;               /* PUT instead of POST */
    bool identified;
} kinds[] = {
    {.what = "access policies",
     .path = "/v1/project/access-policies",
     .table = "settings.access_policy",
     .fill = "(project_id, id, name, resource, created_at, updated_at) select p.id, "
             "gen_random_uuid(), 'p', "
             "('[{\"resourceType\":\"' || repeat('x', n - 22) || '\"}]')::json, 0, 0",
     .rest = ",\"resource\":[{\"resourceType\":\"Bot\"}]",
     .many = "The project has 1,000 access policies already.",
     .bytes = "octet_length(name || resource::text || coalesce(ip_access_rule::text, ''))",
     .large = "The project's access policies have at most 3 MiB together."},
    {.what = "client applications",
     .path = "/v1/project/clients",
     .table = "settings.client",
     .fill = "(project_id, id, name, created_at) select p.id, gen_random_uuid(), 'c', 0",
     .rest = "",
     .many = "The project has 1,000 client applications already."},
    {.what = "bots",
     .path = "/v1/project/bots",
     .table = "bot.bot",
     .fill = "(project_id, id, name, kind, program, timeout_ms, warm, identifier, secret_names, "
             "secrets_sealed, created_at, updated_at) select p.id, gen_random_uuid(), 'b', "
             "'program', 'b', 1000, false, "
             "('[{\"value\":\"' || repeat('x', n - 18) || '\"}]')::json, '[]', '', 0, 0",
     .identified = true,
     .rest = ",\"kind\":\"http\","
             "\"url\":\"https://bots.example/b\",\"secrets\":{\"KEY\":\"k\"}",
     .many = "The project has 1,000 bots already.",
     .bytes = "octet_length(name || coalesce(url, program) || identifier::text || "
              "secret_names::text)",
     .large = "The project's bots have at most 3 MiB together."},
    {.what = "templates",
     .path = "/v1/project/email-templates/PATIENT_WELCOME",
     .table = "mail.template",
     .fill = "(project_id, name, language, subject, text, updated_at) select p.id, "
             "'PATIENT_WELCOME', 'en-x-f' || i, 's', repeat('x', n - 1), 0",
     .many = "The project has 1,000 templates already.",
     .bytes = "octet_length(subject || coalesce(html, '') || text)",
     .large = "The project's templates have at most 3 MiB together.",
     .is_put = true},
};

static const char *id_of(const struct person *who)
{
    return who->project + sizeof("Project/") - 1;
}

static long count_of(const struct kind *kind, const struct person *who)
{
    return suite_count(suite, "select count(*) from %s where project_id = '%s'", kind->table,
                       id_of(who));
}

static long bytes_of(const struct kind *kind, const struct person *who)
{
    return suite_count(suite, "select coalesce(sum(%s), 0) from %s where project_id = '%s'",
                       kind->bytes, kind->table, id_of(who));
}

static void fill(const struct kind *kind, const struct person *who, long first, long count,
                 long bytes)
{
    long added = suite_count(suite,
                             "with more as (insert into %s %s from settings.project p, "
                             "generate_series(%ld, %ld) i, (select %ld as n) n where p.id = '%s' "
                             "returning 1) select count(*) from more",
                             kind->table, kind->fill, first, first + count - 1, bytes, id_of(who));

    UNIT_CHECK(added == count, "%s: %ld rows of %ld bytes", kind->what, added, bytes);
}

static void fill_to(const struct kind *kind, const struct person *who, long bytes)
{
    long missing = bytes - bytes_of(kind, who), rows = missing / LARGE;

    fill(kind, who, 1, rows - 1, LARGE);
    fill(kind, who, rows, 1, missing - (rows - 1) * LARGE);
    CU_ASSERT_EQUAL(bytes_of(kind, who), bytes);
}

/* Makes the body of row `number` with a name of this many letters (caller frees). */
static char *body_of(const struct kind *kind, int number, int letters)
{
    char name[201], identifier[64] = "", *body;
    int size;

    memset(name, 'n', (size_t)letters);
    name[letters] = '\0';
    if (kind->identified) /* an identifier of the same length for all numbers */
        snprintf(identifier, sizeof(identifier),
                 ",\"identifier\":[{\"system\":\"s\",\"value\":\"v%03d\"}]", number);
    size = kind->is_put ? asprintf(&body,
                                   "{\"subject\":\"%s\",\"language\":\"en-x-n%d\","
                                   "\"text\":\"t\",\"html\":\"h\"}",
                                   name, number)
                        : asprintf(&body, "{\"name\":\"%s\"%s%s}", name, identifier, kind->rest);
    return size < 0 ? NULL : body;
}

static struct http_answer *ask(const struct kind *kind, const struct person *who,
                               const char *method, const char *id, int number, int letters)
{
    char path[160], *body = body_of(kind, number, letters);
    struct http_answer *answer;

    snprintf(path, sizeof(path), "%s%s%s", kind->path, id ? "/" : "", id ? id : "");
    answer = http_call(
        suite_url(suite),
        &(struct http_request){.method = method, .path = path, .bearer = who->access, .raw = body});
    free(body);
    return answer;
}

static struct http_answer *make(const struct kind *kind, const struct person *who, int number,
                                int letters)
{
    return ask(kind, who, kind->is_put ? "PUT" : "POST", NULL, number, letters);
}

static struct http_answer *replace(const struct kind *kind, const struct person *who,
                                   const char *id, int number, int letters)
{
    return ask(kind, who, "PUT", kind->is_put ? NULL : id, number, letters);
}

/* Adds MAKERS rows concurrently, numbered from `first` on: ROOM succeed, the others are refused. */
static void make_many(const struct kind *kind, const struct person *who, int first, int letters,
                      const char *message)
{
    struct http_request requests[MAKERS];
    struct http_answer *answers[MAKERS];
    char *bodies[MAKERS];
    int made;

    for (int i = 0; i < MAKERS; i++) {
        bodies[i] = body_of(kind, first + i, letters);
        requests[i] = (struct http_request){.method = kind->is_put ? "PUT" : "POST",
                                            .path = kind->path,
                                            .bearer = who->access,
                                            .raw = bodies[i]};
    }
    http_call_many(suite_url(suite), requests, MAKERS, MAKERS, answers);
    made = http_count_status(answers, MAKERS, 200);
    UNIT_CHECK(made == ROOM, "%s: %d of %d were made", kind->what, made, ROOM);
    for (int i = 0; i < MAKERS; i++) {
        if (answers[i]->status != 200)
            CHECK_ERROR(answers[i], 409, message);
        free(bodies[i]);
    }
    http_answers_destroy(answers, MAKERS);
}

static void a_limit_holds_at_the_same_moment(void)
{
    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        long there = count_of(&kinds[k], admin);

        fill(&kinds[k], admin, 1, LIMIT - ROOM - there, 100);
        CU_ASSERT_EQUAL(count_of(&kinds[k], admin), LIMIT - ROOM);
        make_many(&kinds[k], admin, 0, 1, kinds[k].many);
        UNIT_CHECK(count_of(&kinds[k], admin) == LIMIT, "%ld %s", count_of(&kinds[k], admin),
                   kinds[k].what);
    }
}

static long listed(const struct kind *kind, const struct person *who)
{
    const char *path = kind->is_put ? "/v1/project/email-templates" : kind->path;
    HTTP_ANSWER list = http_get(suite_url(suite), path, who->access);

    UNIT_CHECK(list->status == 200, "%s: %d", kind->what, list->status);
    return (long)json_array_size(http_member(list, "resources"));
}

/* The last byte is accepted, one more is refused, also in a replacement, and the list still
 * works. */
static void bytes_end_at(const struct kind *kind, const struct person *who)
{
    HTTP_ANSWER first = make(kind, who, 0, 1);
    long row = bytes_of(kind, who);
    char id[64];
    long rows;

    CHECK_STATUS(first, 200);
    snprintf(id, sizeof(id), "%s", http_text(first, "id"));
    fill_to(kind, who, SIZE_LIMIT - (row + 9));
    rows = count_of(kind, who);
    HTTP_ANSWER longer = make(kind, who, 1, 11);
    CHECK_ERROR(longer, 409, kind->large);
    CU_ASSERT_EQUAL(count_of(kind, who), rows);
    HTTP_ANSWER last = make(kind, who, 1, 10);
    CHECK_STATUS(last, 200);
    CU_ASSERT_EQUAL(bytes_of(kind, who), SIZE_LIMIT);
    HTTP_ANSWER grown = replace(kind, who, id, 0, 2);
    CHECK_ERROR(grown, 409, kind->large);
    HTTP_ANSWER same = replace(kind, who, id, 0, 1);
    CHECK_STATUS(same, 200);
    CU_ASSERT_EQUAL(bytes_of(kind, who), SIZE_LIMIT);
    CU_ASSERT_EQUAL(listed(kind, who), rows + 1);

    /* an older release accepted more */
    fill(kind, who, 1000, OLDER, LARGE);
    UNIT_CHECK(listed(kind, who) > 10 && listed(kind, who) < OLDER, "%s: %ld are listed",
               kind->what, listed(kind, who));
    HTTP_ANSWER still = replace(kind, who, id, 0, 1);
    CHECK_STATUS(still, 200);
    HTTP_ANSWER beyond = replace(kind, who, id, 0, 2);
    CHECK_ERROR(beyond, 409, kind->large);
}

static void a_list_is_small_enough_to_be_answered(void)
{
    PERSON there = person_admin_of_child(suite, "large-lists");

    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
        if (kinds[k].bytes)
            bytes_end_at(&kinds[k], there);
}

static void bytes_are_limited_at_the_same_moment(void)
{
    PERSON there = person_admin_of_child(suite, "large-at-once");

    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        if (!kinds[k].bytes)
            continue;
        HTTP_ANSWER first = make(&kinds[k], there, 999, 1);
        CHECK_STATUS(first, 200);
        fill_to(&kinds[k], there, SIZE_LIMIT - ROOM * bytes_of(&kinds[k], there));
        make_many(&kinds[k], there, 0, 1, kinds[k].large);
        UNIT_CHECK(bytes_of(&kinds[k], there) == SIZE_LIMIT, "%ld bytes of %s",
                   bytes_of(&kinds[k], there), kinds[k].what);
    }
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_limit_holds_at_the_same_moment),
    CASE(a_list_is_small_enough_to_be_answered),
    CASE(bytes_are_limited_at_the_same_moment),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "settingsd=2,botd=2,maild=2"});
    admin = person_admin(suite);
    return unit_run("project limits", cases, ARRAY_SIZE(cases));
}
