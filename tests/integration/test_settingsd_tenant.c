/*
 * test_settingsd_tenant.c - moves settingsd's rows of a project to another installation.
 */
#include <stdio.h>
#include <string.h>

#include "settingsd/sql_part.h"
#include "settingsd/tenant.h"
#include "tests/support/tenant_kit.h"
#include "tests/support/unit.h"

extern const struct db_migration settingsd_migrations[];

/* Rows with JSON texts that can be written in several ways: members in another order, and nulls. */
#define ROWS_OF(project_, code_, digit_)                                                   \
    "insert into project (id, name, settings, created_at, languages, default_language, "   \
    "account_policy, branding, brand_logo) values ('" project_                             \
    "', E'Quote \" slash \\\\ tab \\t \\u00e9 \\u2028', "                                  \
    "'{\"enableX\": true, \"name\": \"a\"}', 1700000000001, '{en,\"pt-BR\"}', 'pt-BR', "   \
    "'{\"requireMfa\":\"admins\"}', '{\"name\":\"N\",\"logo\":\"00ff\"}', '\\x00ff0a');\n" \
    "insert into tenant_code values ('" code_ "', '" project_ "');\n"                      \
    "insert into access_policy select '" project_ "', ('0190a00" digit_                    \
    "-0000-7000-8000-00000000000' "                                                        \
    "|| i)::uuid, 'P', '[{\"readonly\" : true, \"resourceType\":\"\\u0042ot\"}]', "        \
    "case i when 1 then '[ ]'::json "                                                      \
    "end, "                                                                                \
    "9007199254740993, i from generate_series(1, 5) i;\n"                                  \
    "insert into client select '" project_ "', ('0190a00" digit_                           \
    "-0000-7000-8000-00000000001' || i)::uuid, "                                           \
    "'C', i from generate_series(1, 4) i;\n"                                               \
    "insert into setting_history select '" project_                                        \
    "', v, n, 'null', '\"x\"', 5, null, null, 'D' "                                        \
    "from generate_series(1, 3) v, unnest('{a,b,c}'::text[]) n;\n"

static const char *project_row(struct tenant_kit_case *self, const char *members)
{
    char sql[512];

    snprintf(sql, sizeof(sql),
             "select row_to_json(json_populate_record(p, '{%s}')) from project p "
             "where id = '" TENANT_KIT_PROJECT "'",
             members);
    return tenant_kit_text(self, TENANT_KIT_SENDER, sql);
}

static void arrive(struct tenant_kit_case *self)
{
    static const char *const refused[] = {
        "\"suspended\":true,\"parent_id\":\"" TENANT_KIT_OTHER "\"",
        "\"suspended\":false,\"parent_id\":null",
        "\"suspended\":true,\"parent_id\":null,\"deleting_at\":1",
        "\"suspended\":true,\"parent_id\":null,\"settings\":{\"PATIENT_LOGIN_ENABLED\":\"x\"}",
        "\"suspended\":true,\"parent_id\":null,\"settings\":"
        "{\"CLINICIAN_INVITE_ON_BUSINESS_EMAIL\":3}",
        "\"suspended\":true,\"parent_id\":null,\"settings\":"
        "{\"defaultPatientAccessPolicy\":\"AccessPolicy/x\"}",
        "\"suspended\":true,\"parent_id\":null,\"settings\":"
        "{\"DEFAULT_PRACTITIONER_ACCESS_POLICY\":\"\"}",
    };

    tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                   "insert into project (id, name, created_at) values ('" TENANT_KIT_OTHER
                   "', 'of others', 1); select 1");
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
        UNIT_CHECK(tenant_kit_add(self, "project", project_row(self, refused[i])) < 0 &&
                       tenant_kit_error(self)->code == ERR_CONFLICT,
                   "{%s} is added", refused[i]);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select count(*) from project"), 1);
    UNIT_CHECK(tenant_kit_add(self, "project",
                              project_row(self, "\"suspended\":true,\"parent_id\":null")) == 1,
               "%s", tenant_kit_error(self)->message);
}

static void a_project_arrives_suspended_below_none_and_readable(void)
{
    tenant_kit_run(arrive);
}

static int64_t add_policy(struct tenant_kit_case *self, const char *resource, const char *rules)
{
    char sql[512];

    snprintf(sql, sizeof(sql),
             "select row_to_json(json_populate_record(p, json_build_object('resource', %s, "
             "'ip_access_rule', %s))) from access_policy p where project_id = '" TENANT_KIT_PROJECT
             "' limit 1",
             resource, rules);
    return tenant_kit_add(self, "access_policy", tenant_kit_text(self, TENANT_KIT_SENDER, sql));
}

static void policies_arrive(struct tenant_kit_case *self)
{
    static const char rule[] = "'[{\"resourceType\":\"Bot\"}]'::json";
    static const char many[] =
        "(select json_agg(json_build_object('resourceType', 'Bot')) from generate_series(1, 101))";
    static const char *const refused[][2] = {
        {many, "null"},
        {"'{}'::json", "null"},
        {"'[7]'::json", "null"},
        {"'[{\"resourceType\":\"Patient\"}]'::json", "null"},
        {"'[{\"resourceType\":\"DocumentReference\",\"criteria\":\"DocumentReference\"}]'::json",
         "null"},
        {rule, "'[{\"ip\":\"x\",\"action\":\"allow\"}]'::json"},
        {rule, "'{}'::json"},
    };

    CU_ASSERT_EQUAL(tenant_kit_add(self, "project",
                                   project_row(self, "\"suspended\":true,\"parent_id\":null")),
                    1);
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        int64_t added = add_policy(self, refused[i][0], refused[i][1]);

        UNIT_CHECK(added < 0 && tenant_kit_error(self)->code == ERR_CONFLICT &&
                       strstr(tenant_kit_error(self)->message, "Row 1 of access_policy: "),
                   "%s, %s: %s", refused[i][0], refused[i][1], tenant_kit_error(self)->message);
    }
    CU_ASSERT_TRUE(tenant_kit_add(self, "access_policy", "{},{}") < 0);
    UNIT_CHECK(add_policy(self, rule, "null") == 1, "%s", tenant_kit_error(self)->message);
}

static void policies_arrive_as_routes_take_them(void)
{
    tenant_kit_run(policies_arrive);
}

static const struct unit_case more[] = {CASE(a_project_arrives_suspended_below_none_and_readable),
                                        CASE(policies_arrive_as_routes_take_them),
                                        {.fn = NULL}};

/* The deletion's own row is kept for 30 days. */
static const char *const unpurged[] = {"project_deletion", NULL};

static const struct tenant_kit kit = {
    .unpurged = unpurged,
    .cases = more,
    .migrations = settingsd_migrations,
    .sql = settingsd_sql,
    .tables = settingsd_tenant_tables,
    .seed = ROWS_OF(TENANT_KIT_PROJECT, "travels", "1")
        ROWS_OF(TENANT_KIT_OTHER, "stays", "2") "update project set parent_id = '" TENANT_KIT_OTHER
                                                "' where id = '" TENANT_KIT_PROJECT "'",
    .arrives = "select count(*) from project where suspended and parent_id is null",
    .opens = "update project set suspended = false",
    .conflict = "update client set name = 'other'",
};

int main(void)
{
    return tenant_kit_main("settingsd tenant", &kit);
}
