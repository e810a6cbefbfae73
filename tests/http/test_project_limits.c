/*
 * test_project_limits.c - what a project may have 1,000 of: no more, however many are made at the
 * same moment.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum { LIMIT = 1000, ROOM = 10, MAKERS = 64 };

static struct suite *suite;
static struct person *admin;

static const struct kind {
    const char *what, *path, *table, *fill; /* fill: rows by SQL, of numbers i */
    const char *body;                       /* JSON */
    const char *message;
} kinds[] = {
    {"access policies", "/v1/project/access-policies", "settings.access_policy",
     "(project_id, id, name, resource, created_at, updated_at) "
     "select p.id, gen_random_uuid(), 'p', '[]', 0, 0",
     "{\"name\":\"p\",\"resource\":[]}", "The project has 1,000 access policies already."},
    {"client applications", "/v1/project/clients", "settings.client",
     "(project_id, id, name, created_at) select p.id, gen_random_uuid(), 'c', 0",
     "{\"name\":\"c\"}", "The project has 1,000 client applications already."},
    {"bots", "/v1/project/bots", "bot.bot",
     "(project_id, id, name, kind, program, timeout_ms, warm, identifier, secret_names, "
     "secrets_sealed, created_at, updated_at) "
     "select p.id, gen_random_uuid(), 'b', 'program', 'b', 1000, false, '[]', '[]', '', 0, 0",
     "{\"identifier\":[{\"system\":\"s\",\"value\":\"v\"}],\"name\":\"b\",\"kind\":\"program\","
     "\"program\":\"b\"}",
     "The project has 1,000 bots already."},
};

struct maker {
    pthread_t thread;
    const struct kind *kind;
    int status;
};

static void *maker_main(void *arg)
{
    struct maker *self = arg;
    HTTP_ANSWER answer = http_post(suite_url(suite), self->kind->path, admin->access,
                                   json_loads(self->kind->body, 0, NULL));

    self->status = answer->status;
    if (self->status != 200)
        CHECK_ERROR(answer, 409, self->kind->message);
    return NULL;
}

static long count_of(const struct kind *kind)
{
    return suite_count(suite, "select count(*) from %s where project_id = '%s'", kind->table,
                       admin->project + sizeof("Project/") - 1);
}

static void fill(const struct kind *kind)
{
    char sql[600];

    snprintf(sql, sizeof(sql),
             "insert into %s %s from settings.project p, generate_series(%ld, %d) "
             "where p.id = '%s' returning 1",
             kind->table, kind->fill, count_of(kind) + 1, LIMIT - ROOM,
             admin->project + sizeof("Project/") - 1);
    free(suite_query(suite, sql));
    CU_ASSERT_EQUAL(count_of(kind), LIMIT - ROOM);
}

static void a_limit_holds_at_the_same_moment(void)
{
    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        struct maker makers[MAKERS];
        long made = 0;

        fill(&kinds[k]);
        for (size_t i = 0; i < MAKERS; i++) {
            makers[i] = (struct maker){.kind = &kinds[k]};
            if (pthread_create(&makers[i].thread, NULL, maker_main, &makers[i]) != 0)
                abort();
        }
        for (size_t i = 0; i < MAKERS; i++) {
            pthread_join(makers[i].thread, NULL);
            made += makers[i].status == 200;
        }
        UNIT_CHECK(made == ROOM, "%s: %ld of %d were made", kinds[k].what, made, ROOM);
        UNIT_CHECK(count_of(&kinds[k]) == LIMIT, "%ld %s", count_of(&kinds[k]), kinds[k].what);
    }
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(a_limit_holds_at_the_same_moment),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "settingsd=2,botd=2"});
    admin = person_admin(suite);
    return unit_run("project limits", cases, ARRAY_SIZE(cases));
}
