/*
 * test_settingsd_projects.c - settingsd's handlers on a real PostgreSQL: settings and their race,
 * policies, projects. A neighbor "authd" on the bus records announcements and calls.
 */
#include <stdio.h>
#include <string.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "common/service/project_read_only.h"
#include "settingsd/policy_api.h"
#include "settingsd/project_api.h"
#include "settingsd/setting_api.h"
#include "settingsd/settingsd.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"
#include "tests/support/db_kit.h"
#include "tests/support/pg.h"

enum { CALL_MS = 5000, WRITERS = 200 };

extern const struct db_migration settingsd_migrations[];

static struct pg *server;

struct neighbour {
    int published, others, granted; /* granted: each grant once, however often it was announced */
    struct uuid granted_key, granted_account;
    bool refuse, in_use;
};

static int call_publish(void *daemon, const struct request *req UNUSED, const void *in,
                        void *out UNUSED, struct error *err)
{
    struct neighbour *self = daemon;

    self->published++;
    self->others = (int)((const struct change_publish_in *)in)->others.count;
    return self->refuse ? error_set(err, ERR_UNAVAILABLE, "Told to refuse.") : 0;
}

static int call_grant(void *daemon, const struct request *req UNUSED, const void *in,
                      void *out UNUSED, struct error *err)
{
    struct neighbour *self = daemon;
    const struct admin_grant_in *grant = in;

    self->granted += !uuid_equal(&self->granted_key, &grant->key);
    self->granted_key = grant->key;
    self->granted_account = grant->account;
    return self->refuse ? error_set(err, ERR_UNAVAILABLE, "Told to refuse.") : 0;
}

static int call_in_use(void *daemon, const struct request *req UNUSED, const void *in UNUSED,
                       void *out, struct error *err UNUSED)
{
    ((struct policy_in_use_out *)out)->inUse = ((struct neighbour *)daemon)->in_use;
    return 0;
}

static int call_shared_people(void *daemon UNUSED, const struct request *req UNUSED,
                              const void *in UNUSED, void *out, struct error *err UNUSED)
{
    ((struct shared_people_out *)out)->people = 0;
    return 0;
}

static const struct operation neighbour_operations[] = {
    {"change_publish", "settingsd", ACCESS_INTERNAL, REACH_PUBLIC, 0, &change_publish_in_table,
     &nothing_table, call_publish},
    {"admin_grant", "settingsd", ACCESS_INTERNAL, REACH_PUBLIC, 0, &admin_grant_in_table,
     &nothing_table, call_grant},
    {"policy_in_use", "settingsd", ACCESS_INTERNAL, REACH_PUBLIC, R_SAFE, &policy_in_use_in_table,
     &policy_in_use_out_table, call_in_use},
    {"shared_people", "settingsd", ACCESS_INTERNAL, REACH_PUBLIC, R_SAFE, &shared_people_in_table,
     &shared_people_out_table, call_shared_people},
    {.name = NULL},
};

static const char *const nobody[] = {NULL}, *const authd_only[] = {"authd", NULL};
static const struct operation no_operations[] = {{.name = NULL}};
static const struct bus_method *const methods[] = {&authd_change_publish_method,
                                                   &authd_admin_grant_method, NULL};

struct fixture {
    struct settingsd d;
    struct settingsd_config config;
    struct unit_dir dir;
    struct service_definition definition;
    struct db_options db_options;
    struct bus_options bus_options, neighbour_options;
    struct bus *neighbour_bus;
    struct neighbour neighbour;
    struct caller caller;
    struct request *req;
    struct error err;
};

static bool open_database(struct fixture *self, const char *schema)
{
    struct service *svc = &self->d.svc;
    char sql[80];

    snprintf(sql, sizeof(sql), "create schema %s", schema);
    pg_exec(server, sql);
    self->db_options = (struct db_options){
        .conninfo = server->conninfo,
        .schema = schema,
        .program = schema,
        .sql = settingsd_sql,
        .migrations = settingsd_migrations,
        .read_connections = 2,
        .write_connections = 8,
        .statement_timeout_ms = CALL_MS,
        .queue_max = 2048,
    };
    svc->db = db_new(svc->loop, svc->metrics, &self->db_options);
    project_read_only_extend(svc);
    return UNIT_CHECK(db_kit_prepare(svc->db, &self->err) == 0, "%s %s", self->err.message,
                      self->err.detail);
}

static bool open_buses(struct fixture *self)
{
    struct service *svc = &self->d.svc;

    self->bus_options = (struct bus_options){.service = "settingsd",
                                             .instance = "1",
                                             .version = "test",
                                             .run_dir = self->dir.path,
                                             .operations = no_operations,
                                             .daemon = self,
                                             .upstreams = authd_only,
                                             .peer_max = 512,
                                             .serve_max = 512};
    self->neighbour_options = self->bus_options;
    self->neighbour_options.service = "authd";
    self->neighbour_options.operations = neighbour_operations;
    self->neighbour_options.daemon = &self->neighbour;
    self->neighbour_options.upstreams = nobody;
    self->neighbour_bus =
        bus_new(svc->loop, svc->clock, svc->metrics, &self->neighbour_options, &self->err);
    svc->bus = bus_new(svc->loop, svc->clock, svc->metrics, &self->bus_options, &self->err);
    if (!UNIT_CHECK(self->neighbour_bus && svc->bus, "%s", self->err.message))
        return false;
    for (int i = 0; i < 200 && !bus_has_peer(svc->bus, "authd"); i++)
        (void)!fiber_sleep_until(svc->loop, clock_mono_ms() + 10, &self->err);
    return UNIT_CHECK(bus_has_peer(svc->bus, "authd"), "the neighbour is found");
}

static struct request *request_of(struct fixture *self)
{
    struct request *req = service_request_new(&self->d.svc, CALL_MS);

    req->caller = &self->caller;
    return req;
}

static bool setup(struct fixture *self, struct loop *loop, const char *schema)
{
    struct service *svc = &self->d.svc;
    struct project_child_out made = {0};
    struct project_create_in project = {.name = "Lakeside", .tenantCode = "lakeside"};

    *self = (struct fixture){.definition = {.name = "settingsd"}, .dir = unit_dir_make()};
    error_init(&self->err, NULL);
    svc->definition = &self->definition;
    self->config =
        (struct settingsd_config){.children_per_project = 100, .projects_per_root = 1000};
    svc->config = &self->config;
    svc->loop = loop;
    svc->clock = clock_new(NULL);
    svc->metrics = metrics_new();
    svc->arena = arena_new();
    svc->seal = unit_seal_keys(0);
    if (!open_database(self, schema) || !open_buses(self))
        return false;
    svc->outbox = outbox_new(loop, svc->db, svc->bus, svc->metrics, methods, &svc->seal);
    self->req = request_of(self);
    error_init(&self->err, self->req->arena);
    if (!UNIT_CHECK(project_create(&self->d, self->req, &project, &made, &self->err) == 0, "%s %s",
                    self->err.message, self->err.detail))
        return false;
    self->caller = (struct caller){.account = uuid_random(),
                                   .membership = uuid_random(),
                                   .profile = uuid_random(),
                                   .project = made.projectId,
                                   .role = ROLE_PRACTITIONER,
                                   .admin = true};
    return true;
}

static void teardown(struct fixture *self)
{
    struct service *svc = &self->d.svc;

    service_request_destroy(&self->req);
    outbox_destroy(&svc->outbox);
    bus_destroy(&svc->bus);
    bus_destroy(&self->neighbour_bus);
    db_destroy(&svc->db);
    metrics_destroy(&svc->metrics);
    clock_destroy(&svc->clock);
    arena_destroy(&svc->arena);
    unit_dir_remove(&self->dir);
}

static enum error_code code_of(struct fixture *self, int result)
{
    enum error_code code = result == 0 ? ERR_NONE : self->err.code;

    error_clear(&self->err);
    return code;
}

static enum error_code put_switch(struct fixture *self, const char *name, bool on,
                                  const char *if_match, struct settings_record *out)
{
    struct setting_switch_in in = {name, on, if_match};

    return code_of(self, setting_switch(&self->d, self->req, &in, out, &self->err));
}

static enum error_code put_value(struct fixture *self, const char *name, const char *value,
                                 struct settings_record *out)
{
    struct setting_value_in in = {name, value, NULL};

    return code_of(self, setting_value(&self->d, self->req, &in, out, &self->err));
}

static struct uuid make_policy(struct fixture *self)
{
    struct access_policy_in in = {.name = "P", .resource = "[{\"resourceType\":\"*\"}]"};
    struct access_policy out = {0};

    UNIT_CHECK(access_policy_create(&self->d, self->req, &in, &out, &self->err) == 0, "%s",
               self->err.message);
    return out.id;
}

static const char *reference_to(struct fixture *self, struct uuid policy)
{
    return arena_printf(self->req->arena, "AccessPolicy/%s", policy.text);
}

static void writes_switches_and_texts(struct loop *loop, void *arg UNUSED)
{
    struct settings_record record = {0};
    struct tenant tenant = {0};
    struct tenant_lookup_in lookup = {.tenantCode = "lakeside"};
    struct fixture self;

    if (!setup(&self, loop, "writes"))
        return;
    CU_ASSERT_EQUAL(code_of(&self, tenant_lookup(&self.d, self.req, &lookup, &tenant, &self.err)),
                    ERR_NONE);
    UNIT_CHECK(tenant.patientRegistration && tenant.patientLogin && tenant.practitionerLogin,
               "on while unset");
    UNIT_CHECK(!tenant.practitionerRegistration && !tenant.inviteOnBusinessEmail,
               "off while unset");
    CU_ASSERT_EQUAL(put_switch(&self, "PATIENT_LOGIN_ENABLED", true, NULL, &record), ERR_NONE);
    UNIT_CHECK(record.settings->PATIENT_LOGIN_ENABLED &&
                   !record.settings->PATIENT_REGISTRATION_ENABLED,
               "one is written, the unset others are false");
    CU_ASSERT_STRING_EQUAL(record.etag, "\"2\"");
    CU_ASSERT_EQUAL(put_value(&self, "PATIENT_APP_URL", "https://a.example", &record), ERR_NONE);
    CU_ASSERT_STRING_EQUAL(record.settings->PATIENT_APP_URL, "https://a.example");
    CU_ASSERT_EQUAL(put_value(&self, "PATIENT_APP_URL", "", &record), ERR_NONE);
    UNIT_CHECK(!record.settings->PATIENT_APP_URL, "an empty value clears");
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from writes.setting_history where "
                                    "membership_id is not null"),
                    3);
    teardown(&self);
}

static void refuses_names_and_values_that_mean_nothing(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *name, *value;
        enum error_code want;
    } rows[] = {
        {"NO_SUCH_SETTING", "x", ERR_NOT_FOUND},
        {"PATIENT_LOGIN_ENABLED", "x", ERR_NOT_FOUND},
        {"defaultPatientAccessPolicy", "", ERR_NOT_FOUND},
        {"PATIENT_APP_URL", "app", ERR_INVALID_SETTING_VALUE},
        {"DEFAULT_PRACTITIONER_ACCESS_POLICY", "x", ERR_INVALID_SETTING_VALUE},
        {"DEFAULT_PRACTITIONER_ACCESS_POLICY", "AccessPolicy/00000000-0000-4000-8000-000000000000",
         ERR_INVALID_SETTING_VALUE},
    };
    struct settings_record record;
    struct fixture self;

    if (!setup(&self, loop, "refusals"))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        enum error_code code = put_value(&self, rows[i].name, rows[i].value, &record);

        UNIT_CHECK(code == rows[i].want, "%s = %s: %d", rows[i].name, rows[i].value, code);
    }
    CU_ASSERT_EQUAL(put_switch(&self, "PATIENT_APP_URL", true, NULL, &record), ERR_NOT_FOUND);
    CU_ASSERT_EQUAL(put_switch(&self, "PRACTITIONER_REGISTRATION_ENABLED", true, NULL, &record),
                    ERR_INVALID_SETTING_VALUE);
    CU_ASSERT_EQUAL(put_switch(&self, "PRACTITIONER_REGISTRATION_ENABLED", false, NULL, &record),
                    ERR_NONE);
    CU_ASSERT_EQUAL(put_value(&self, "DEFAULT_PRACTITIONER_ACCESS_POLICY",
                              reference_to(&self, make_policy(&self)), &record),
                    ERR_NONE);
    CU_ASSERT_EQUAL(put_switch(&self, "PRACTITIONER_REGISTRATION_ENABLED", true, NULL, &record),
                    ERR_NONE);
    teardown(&self);
}

static void honours_if_match(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *header;
        enum error_code want;
    } rows[] = {
        {"\"1\"", ERR_NONE},
        {"*", ERR_NONE},
        {"\"1\"", ERR_CONFLICT},
        {"W/\"3\"", ERR_NONE},
        {"\"9\", \"4\"", ERR_NONE},
        {"\"55\"", ERR_CONFLICT},
        {"", ERR_CONFLICT},
        {"5", ERR_CONFLICT},
        {"\"x\" ,W/\"5\" ", ERR_NONE},
    };
    struct settings_record record;
    struct fixture self;

    if (!setup(&self, loop, "if_match"))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        enum error_code code =
            put_switch(&self, "PATIENT_LOGIN_ENABLED", i % 2, rows[i].header, &record);

        UNIT_CHECK(code == rows[i].want, "%zu: %s: %d", i, rows[i].header, code);
    }
    teardown(&self);
}

struct writer {
    struct fixture *fixture;
    const char *if_match;
    enum error_code code;
    bool done;
};

static void writer_run(void *arg)
{
    struct writer *self = arg;
    struct request *req = request_of(self->fixture);
    struct setting_switch_in in = {"PATIENT_LOGIN_ENABLED", true, self->if_match};
    struct settings_record record;
    struct error err;

    error_init(&err, req->arena);
    if (setting_switch(&self->fixture->d, req, &in, &record, &err) < 0)
        self->code = err.code;
    service_request_destroy(&req);
    self->done = true;
}

/* Runs all writers concurrently and counts the successes. The others must have lost the race and
 * have no other error. */
static long run_writers(struct fixture *self, const char *if_match)
{
    struct loop *loop = self->d.svc.loop;
    struct writer *writers = arena_calloc(self->d.svc.arena, WRITERS, sizeof(*writers));
    long won = 0, lost = 0;

    for (size_t i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){.fixture = self, .if_match = if_match};
        UNIT_CHECK(fiber_start(loop, writer_run, &writers[i], &self->err) == 0, "fiber");
    }
    for (size_t i = 0; i < WRITERS; i++) {
        while (!writers[i].done && fiber_sleep_until(loop, clock_mono_ms() + 1, &self->err) == 0)
            ;
        won += writers[i].code == ERR_NONE;
        lost += writers[i].code == ERR_CONFLICT;
    }
    UNIT_CHECK(won + lost == WRITERS, "%ld won, %ld lost", won, lost);
    return won;
}

static void lets_one_of_many_writers_win_each_version(struct loop *loop, void *arg UNUSED)
{
    long won, same;
    struct fixture self;

    if (!setup(&self, loop, "race"))
        return;
    same = run_writers(&self, "\"1\"");
    UNIT_CHECK(same == 1, "%ld won on the same version", same);
    won = same + run_writers(&self, NULL);
    UNIT_CHECK(won >= 2, "%ld", won);
    UNIT_CHECK(pg_exec(server, "select version - 1 from race.project") == won, "no update is lost");
    UNIT_CHECK(pg_exec(server, "select count(*) from race.setting_history") == 1,
               "a value written again is no change");
    teardown(&self);
}

static void protects_policies_in_use_and_announces_changes(struct loop *loop, void *arg UNUSED)
{
    struct settings_record record;
    struct access_policy policy;
    struct nothing nothing;
    struct fixture self;

    if (!setup(&self, loop, "policies"))
        return;

    struct id_in id = {make_policy(&self)};
    struct access_policy_in changed = {.id = id.id,
                                       .name = "Q",
                                       .resource = "[]",
                                       .ipAccessRule = "[{\"ip\":\"::/0\",\"action\":\"allow\"}]"};
    struct default_policy_in named = {reference_to(&self, id.id), NULL}, none = {"", NULL};

    CU_ASSERT_EQUAL(self.neighbour.published, 0);
    CU_ASSERT_EQUAL(code_of(&self,
                            access_policy_replace(&self.d, self.req, &changed, &policy, &self.err)),
                    ERR_NONE);
    CU_ASSERT_STRING_EQUAL(policy.name, "Q");
    CU_ASSERT_TRUE(self.neighbour.published >= 1);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from policies.outbox"), 0);
    CU_ASSERT_EQUAL(code_of(&self, default_policy(&self.d, self.req, &named, &record, &self.err)),
                    ERR_NONE);
    CU_ASSERT_STRING_EQUAL(record.defaultPatientAccessPolicy, named.value);
    CU_ASSERT_EQUAL(code_of(&self,
                            access_policy_delete(&self.d, self.req, &id, &nothing, &self.err)),
                    ERR_CONFLICT);
    CU_ASSERT_EQUAL(code_of(&self, default_policy(&self.d, self.req, &none, &record, &self.err)),
                    ERR_NONE);
    self.neighbour.in_use = true;
    CU_ASSERT_EQUAL(code_of(&self,
                            access_policy_delete(&self.d, self.req, &id, &nothing, &self.err)),
                    ERR_CONFLICT);
    self.neighbour.in_use = false;
    CU_ASSERT_EQUAL(code_of(&self,
                            access_policy_delete(&self.d, self.req, &id, &nothing, &self.err)),
                    ERR_NONE);
    CU_ASSERT_EQUAL(code_of(&self, access_policy_get(&self.d, self.req, &id, &policy, &self.err)),
                    ERR_NOT_FOUND);
    teardown(&self);
}

static void announces_later_what_failed_at_first(struct loop *loop, void *arg UNUSED)
{
    struct project_suspend_in in = {"lakeside", true, false};
    struct tenant tenant = {0};
    struct fixture self;

    if (!setup(&self, loop, "untold"))
        return;
    unit_expect_log(UNIT_ANY_LOG); /* one per refusal */
    self.neighbour.refuse = true;
    CU_ASSERT_EQUAL(code_of(&self, project_suspend(&self.d, self.req, &in, &tenant, &self.err)),
                    ERR_UNCERTAIN);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from untold.outbox"), 1);
    CU_ASSERT_EQUAL(pg_exec(server, "select suspended::int from untold.project"), 1);
    self.neighbour.refuse = false;
    for (int i = 0; i < 100 && pg_exec(server, "select count(*) from untold.outbox"); i++)
        (void)!fiber_sleep_until(loop, clock_mono_ms() + 50, &self.err);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from untold.outbox"), 0);
    UNIT_CHECK(self.neighbour.published >= 2, "%d", self.neighbour.published);
    teardown(&self);
}

/* A project's record names the root of its tree, at any depth, and its account policy. */
static void knows_the_top_of_a_tree_and_the_account_policy(struct loop *loop, void *arg UNUSED)
{
    struct project_child_in below = {"North", "lakeside-north"},
                            deepest = {"Deep", "lakeside-deep"};
    struct tenant_lookup_in lookup = {.tenantCode = "lakeside-deep"},
                            top = {.tenantCode = "lakeside"};
    struct account_policy_in change = {.passwordMinLength = -1,
                                       .passwordMinLengthWithMfa = -1,
                                       .refuseCommonPasswords = TRISTATE_UNSET,
                                       .requireVerifiedEmail = TRISTATE_TRUE,
                                       .requireMfa = "admins",
                                       .documentsPerAccount = -1,
                                       .bytesPerAccount = -1,
                                       .bytesPerProject = -1};
    struct project_child_out out = {0};
    struct account_policy policy;
    struct caller_context_out context = {0};
    struct tenant tenant = {0};
    struct fixture self;

    if (!setup(&self, loop, "tree"))
        return;

    struct uuid root = self.caller.project;

    CU_ASSERT_EQUAL(code_of(&self, project_child(&self.d, self.req, &below, &out, &self.err)),
                    ERR_NONE);
    self.caller.project = out.projectId;
    CU_ASSERT_EQUAL(code_of(&self, project_child(&self.d, self.req, &deepest, &out, &self.err)),
                    ERR_NONE);
    self.caller.project = out.projectId;
    CU_ASSERT_EQUAL(code_of(&self,
                            account_policy_put(&self.d, self.req, &change, &policy, &self.err)),
                    ERR_NONE);
    CU_ASSERT_EQUAL(code_of(&self, tenant_lookup(&self.d, self.req, &lookup, &tenant, &self.err)),
                    ERR_NONE);
    UNIT_CHECK(uuid_equal(&tenant.rootId, &root), "%s", tenant.rootId.text);
    UNIT_CHECK(tenant.accountPolicy && tenant.accountPolicy->requireVerifiedEmail &&
                   strcmp(tenant.accountPolicy->requireMfa, "admins") == 0 &&
                   tenant.accountPolicy->documentsPerAccount == 10000,
               "written members over the defaults");

    struct caller_context_in of_deepest = {.projectId = out.projectId};

    CU_ASSERT_EQUAL(code_of(&self,
                            caller_context(&self.d, self.req, &of_deepest, &context, &self.err)),
                    ERR_NONE);
    UNIT_CHECK(context.accountPolicy && context.accountPolicy->requireVerifiedEmail, "context");
    tenant = (struct tenant){0};
    CU_ASSERT_EQUAL(code_of(&self, tenant_lookup(&self.d, self.req, &top, &tenant, &self.err)),
                    ERR_NONE);
    UNIT_CHECK(uuid_equal(&tenant.rootId, &root) && !tenant.accountPolicy, "its own root");
    teardown(&self);
}

static enum error_code make_child(struct fixture *self, struct uuid *ret)
{
    struct project_child_in in = {"Below", NULL};
    struct project_child_out out = {0};
    enum error_code code = code_of(self, project_child(&self->d, self->req, &in, &out, &self->err));

    if (ret)
        *ret = out.projectId;
    return code;
}

static void bounds_projects_and_trees(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;
    struct uuid child;

    if (!setup(&self, loop, "limits"))
        return;
    self.config.children_per_project = 2;
    self.config.projects_per_root = 5;
    CU_ASSERT_EQUAL(make_child(&self, &child), ERR_NONE);
    CU_ASSERT_EQUAL(make_child(&self, NULL), ERR_NONE);
    CU_ASSERT_EQUAL(make_child(&self, NULL), ERR_CONFLICT);
    self.caller.project = child;
    CU_ASSERT_EQUAL(make_child(&self, NULL), ERR_NONE);
    CU_ASSERT_EQUAL(make_child(&self, &child), ERR_NONE);
    self.caller.project = child;
    CU_ASSERT_EQUAL(make_child(&self, NULL), ERR_CONFLICT); /* the tree's limit of five projects */
    self.config.children_per_project = self.config.projects_per_root = 100;
    for (int i = 4; i < 30; i++)
        CU_ASSERT_EQUAL(make_child(&self, NULL), ERR_NONE);
    CU_ASSERT_EQUAL(make_child(&self, NULL), ERR_THROTTLED);
    self.caller.account = uuid_random();
    CU_ASSERT_EQUAL(make_child(&self, NULL), ERR_NONE);
    teardown(&self);
}

/* True when the history has this many changes, and these first and last versions. */
static bool history_is(const char *project, int rows, int first, int last)
{
    char sql[400];

    snprintf(sql, sizeof(sql),
             "select (count(*) = %d and min(version) = %d and max(version) = %d)::int from "
             "history.setting_history where project_id = '%s' and name = 'TRIMMED'",
             rows, first, last, project);
    return pg_exec(server, sql) == 1;
}

static void fill_history(const char *project, int rows)
{
    char sql[400];

    snprintf(sql, sizeof(sql),
             "with h as (insert into history.setting_history (project_id, version, name, "
             "changed_at) select '%s', i, 'TRIMMED', i from generate_series(1, %d) i returning 1) "
             "select count(*) from h",
             project, rows);
    CU_ASSERT_EQUAL(pg_exec(server, sql), rows);
}

/* All changes by default; with a limit, each project's latest. */
static void keeps_the_latest_changes_of_settings(struct loop *loop, void *arg UNUSED)
{
    enum { PROJECTS = 25, ROWS = 3500 };
    struct uuid projects[PROJECTS];
    struct fixture self;

    if (!setup(&self, loop, "history"))
        return;
    for (int i = 0; i < PROJECTS; i++)
        CU_ASSERT_EQUAL(make_child(&self, &projects[i]), ERR_NONE);
    fill_history(projects[0].text, ROWS);
    fill_history(projects[1].text, 1000);
    fill_history(projects[PROJECTS - 1].text, 1001);
    CU_ASSERT_EQUAL(history_trim(&self.d, self.req, &self.err), 0);
    CU_ASSERT_TRUE(history_is(projects[0].text, ROWS, 1, ROWS));

    self.config.history_keep = 5; /* less than the configurable minimum of 1,000 */
    for (int i = 0; i < 2; i++)
        CU_ASSERT_EQUAL(history_trim(&self.d, self.req, &self.err), 0);
    CU_ASSERT_TRUE(history_is(projects[0].text, 1000, ROWS - 999, ROWS));
    CU_ASSERT_TRUE(history_is(projects[1].text, 1000, 1, 1000));
    CU_ASSERT_TRUE(history_is(projects[PROJECTS - 1].text, 1000, 2, 1001));

    /* The sweep starts again from the first project, and leaves a project alone that is being
     * moved. */
    fill_history(projects[2].text, 1100);
    self.config.history_keep = 1050;
    pg_exec(server, "insert into history.project_hold select id, id, 0 from history.project");
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(history_trim(&self.d, self.req, &self.err), 0);
    CU_ASSERT_TRUE(history_is(projects[2].text, 1100, 1, 1100));
    pg_exec(server, "delete from history.project_hold");
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(history_trim(&self.d, self.req, &self.err), 0);
    CU_ASSERT_TRUE(history_is(projects[2].text, 1050, 51, 1100));
    teardown(&self);
}

static void suspends_all_below_a_project(struct loop *loop, void *arg UNUSED)
{
    struct project_suspend_in suspend = {"lakeside", true, false};
    struct tenant_lookup_in lookup = {.tenantCode = NULL};
    struct caller_context_in where = {{""}, {""}};
    struct caller_context_out context = {0};
    struct tenant tenant = {0};
    struct fixture self;

    if (!setup(&self, loop, "suspended_tree"))
        return;
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(make_child(&self, &self.caller.project), ERR_NONE);
    lookup.projectId = where.projectId = self.caller.project;
    CU_ASSERT_EQUAL(
        code_of(&self, project_suspend(&self.d, self.req, &suspend, &tenant, &self.err)), ERR_NONE);
    UNIT_CHECK(tenant.suspended && self.neighbour.others == 3, "%d", self.neighbour.others);
    CU_ASSERT_EQUAL(code_of(&self, tenant_lookup(&self.d, self.req, &lookup, &tenant, &self.err)),
                    ERR_NONE);
    CU_ASSERT_TRUE(tenant.suspended);
    CU_ASSERT_EQUAL(code_of(&self, caller_context(&self.d, self.req, &where, &context, &self.err)),
                    ERR_NONE);
    CU_ASSERT_TRUE(context.suspended);
    suspend.suspended = false;
    CU_ASSERT_EQUAL(
        code_of(&self, project_suspend(&self.d, self.req, &suspend, &tenant, &self.err)), ERR_NONE);
    CU_ASSERT_EQUAL(code_of(&self, tenant_lookup(&self.d, self.req, &lookup, &tenant, &self.err)),
                    ERR_NONE);
    CU_ASSERT_FALSE(tenant.suspended);
    teardown(&self);
}

static void makes_child_projects_with_an_admin(struct loop *loop, void *arg UNUSED)
{
    struct project_child_in named = {"North", "lakeside-north"}, free = {"Lakeside", NULL};
    struct project_child_out first = {0}, second = {0};
    struct fixture self;

    if (!setup(&self, loop, "children"))
        return;
    CU_ASSERT_EQUAL(code_of(&self, project_child(&self.d, self.req, &named, &first, &self.err)),
                    ERR_NONE);
    CU_ASSERT_STRING_EQUAL(first.tenantCode, "lakeside-north");
    CU_ASSERT_EQUAL(self.neighbour.granted, 1);
    UNIT_CHECK(uuid_equal(&self.neighbour.granted_account, &self.caller.account), "the caller");
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from children.outbox"), 0);
    CU_ASSERT_EQUAL(code_of(&self, project_child(&self.d, self.req, &named, &second, &self.err)),
                    ERR_CONFLICT);
    CU_ASSERT_EQUAL(self.neighbour.granted, 1);
    CU_ASSERT_EQUAL(code_of(&self, project_child(&self.d, self.req, &free, &second, &self.err)),
                    ERR_NONE);
    UNIT_CHECK(strncmp(second.tenantCode, "lakeside-", 9) == 0, "%s", second.tenantCode);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from children.project where parent_id is not "
                                    "null and settings = '{\"PATIENT_REGISTRATION_ENABLED\":false,"
                                    "\"PRACTITIONER_REGISTRATION_ENABLED\":false}'"),
                    2);
    teardown(&self);
}

#define ON_FIBER(fn)             \
    static void test_##fn(void)  \
    {                            \
        unit_on_fiber(fn, NULL); \
    }
ON_FIBER(writes_switches_and_texts)
ON_FIBER(refuses_names_and_values_that_mean_nothing)
ON_FIBER(honours_if_match)
ON_FIBER(lets_one_of_many_writers_win_each_version)
ON_FIBER(protects_policies_in_use_and_announces_changes)
ON_FIBER(announces_later_what_failed_at_first)
ON_FIBER(knows_the_top_of_a_tree_and_the_account_policy)
ON_FIBER(bounds_projects_and_trees)
ON_FIBER(keeps_the_latest_changes_of_settings)
ON_FIBER(suspends_all_below_a_project)
ON_FIBER(makes_child_projects_with_an_admin)

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(test_writes_switches_and_texts),
        CASE(test_refuses_names_and_values_that_mean_nothing),
        CASE(test_honours_if_match),
        CASE(test_lets_one_of_many_writers_win_each_version),
        CASE(test_protects_policies_in_use_and_announces_changes),
        CASE(test_announces_later_what_failed_at_first),
        CASE(test_knows_the_top_of_a_tree_and_the_account_policy),
        CASE(test_bounds_projects_and_trees),
        CASE(test_keeps_the_latest_changes_of_settings),
        CASE(test_suspends_all_below_a_project),
        CASE(test_makes_child_projects_with_an_admin),
    };
    int exit_code;

    server = pg_new();
    exit_code = unit_run("settingsd projects", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return exit_code;
}
