/*
 * test_other_tenants.c - objects of a tenant do not exist for other tenants. People and API keys of
 * the same and other tenants call each route row that has an id in its path, for each kind of
 * object in demo.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/things.h"
#include "tests/support/unit.h"

static struct suite *suite;
static struct person *admin, *owner, *neighbour, *foreign, *below;
static char foreign_key[128];
static struct things things;

static void make_callers(void)
{
    static const char email[] = "olga@elsewhere.example",
                      password[] = "correct horse battery staple";

    suite_make_open_project(suite, "elsewhere");
    PROGRAM made = suite_create_admin(suite, "elsewhere", email, password);
    CHECK_EXIT(made, 0);
    foreign = person_sign_in(suite, "Practitioner", email, password, "elsewhere");
    below = person_admin_of_child(suite, "demo-below");
    neighbour = things_patient(suite, "Other");
    HTTP_ANSWER policy = http_post(suite_url(suite), "/v1/project/access-policies", foreign->access,
                                   json_loads(suite_all_policy, 0, NULL));
    CHECK_STATUS(policy, 200);
    char reference[64];
    snprintf(reference, sizeof(reference), "AccessPolicy/%s", http_text(policy, "id"));
    HTTP_ANSWER key = http_post(suite_url(suite), "/v1/project/api-keys", foreign->access,
                                json_pack("{s:s, s:s}", "name", "All", "accessPolicy", reference));
    CHECK_STATUS(key, 200);
    snprintf(foreign_key, sizeof(foreign_key), "%s", http_text(key, "key"));
}

static void a_tenant_has_some_of_everything(void)
{
    admin = person_admin(suite);
    owner = things_patient(suite, THINGS_NAME);
    make_callers();
    things = things_make(suite, admin, owner);
}

static void nothing_is_there_for_people_of_other_tenants(void)
{
    const struct things_caller callers[] = {
        {"the admin of another tenant", foreign->access},
        {"a key of another tenant", foreign_key},
        {"the admin of a child", below->access},
        {"another patient", neighbour->access},
    };

    things_check_closed(&things, callers, ARRAY_SIZE(callers));
}

static void lists_show_nothing_of_other_tenants(void)
{
    const struct things_caller callers[] = {
        {"the admin of another tenant", foreign->access},
        {"a key of another tenant", foreign_key},
        {"the admin of a child", below->access},
    };

    things_check_lists(&things, callers, ARRAY_SIZE(callers));
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&admin);
    person_destroy(&owner);
    person_destroy(&neighbour);
    person_destroy(&foreign);
    person_destroy(&below);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(a_tenant_has_some_of_everything),
    CASE(nothing_is_there_for_people_of_other_tenants),
    CASE(lists_show_nothing_of_other_tenants),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){0});
    return unit_run("other tenants", cases, ARRAY_SIZE(cases));
}
