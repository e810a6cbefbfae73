/*
 * test_other_tenants.c - what a tenant has is not there for another one: every route with an id in
 * its path is asked, by people and keys of other tenants and of the same one, for each kind of
 * thing that the demo tenant has. Driven by the route rows, so that a new route is among them.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rows.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { THINGS = 12, ID_SIZE = 37 };

#define OWN_NAME "Marisol" /* of the patient whose things are asked for */

static struct suite *suite;
static struct person *admin, *owner, *neighbour, *foreign, *below;
static char foreign_key[128];

/* Something that the demo tenant has. */
static struct thing {
    const char *kind;
    char id[ID_SIZE];
} things[THINGS];
static size_t thing_count;

static void remember(const char *kind, const char *id)
{
    struct thing *thing = &things[thing_count];

    UNIT_REQUIRE(thing_count < THINGS && strlen(id) == ID_SIZE - 1, "%s: \"%s\"", kind, id);
    thing->kind = kind;
    snprintf(thing->id, sizeof(thing->id), "%s", id);
    thing_count++;
}

static void make(const char *kind, const char *access, const char *path, json_t *body)
{
    HTTP_ANSWER answer = http_post(suite_url(suite), path, access, body);

    CHECK_STATUS(answer, 200);
    remember(kind, http_text(answer, "id"));
}

static void find(const char *kind, const char *column, const char *from)
{
    char sql[512], *id;

    snprintf(sql, sizeof(sql),
             "select %s from auth.account a join auth.membership m on m.account_id = a.id %s where "
             "a.email = '%s' limit 1",
             column, from, owner->email);
    id = suite_query(suite, sql);
    remember(kind, id);
    free(id);
}

static void make_things(void)
{
    const char *access = admin->access;

    make("document", owner->access, "/document",
         json_pack("{s:s, s:s}", "fileName", OWN_NAME ".txt", "contentType", "text/plain"));
    make("export", owner->access, "/auth/export", json_object());
    make("key", access, "/v1/project/api-keys",
         json_pack("{s:s, s:s}", "name", OWN_NAME, "accessPolicy",
                   suite_text(suite, "demo.practitionerAccessPolicy")));
    make("bot", access, "/v1/project/bots",
         json_pack("{s:[{s:s, s:s}], s:s, s:s, s:s}", "identifier", "system", "urn:x", "value",
                   OWN_NAME, "name", OWN_NAME, "kind", "program", "program", "echo"));
    make("webhook", access, "/v1/project/webhooks",
         json_pack("{s:s, s:[s]}", "url", "https://hooks.example/" OWN_NAME, "events",
                   "account.created"));
    make("resource", access, "/v1/project/resources",
         json_pack("{s:s, s:s}", "name", OWN_NAME, "base", "https://fhir.example/r4"));
    make("client", access, "/v1/project/clients", json_pack("{s:s}", "name", OWN_NAME));
    make("policy", access, "/v1/project/access-policies",
         json_pack("{s:s, s:[{s:s}]}", "name", OWN_NAME, "resource", "resourceType", "Content"));
    find("account", "a.id", "");
    find("membership", "m.id", "");
    find("profile", "m.profile_id", "");
    find("session", "s.id", "join auth.session s on s.account_id = a.id");
}

static struct person *new_patient(const char *name)
{
    struct person *self = person_register(suite, NULL);
    char sql[256];

    snprintf(sql, sizeof(sql), "update auth.account set name = '%s' where email = '%s' returning 1",
             name, self->email);
    free(suite_query(suite, sql));
    return self;
}

static void make_callers(void)
{
    static const char email[] = "olga@elsewhere.example",
                      password[] = "correct horse battery staple";

    suite_make_open_project(suite, "elsewhere");
    PROGRAM made = suite_create_admin(suite, "elsewhere", email, password);
    CHECK_EXIT(made, 0);
    foreign = person_sign_in(suite, "Practitioner", email, password, "elsewhere");
    below = person_admin_of_child(suite, "demo-below");
    neighbour = new_patient("Other");
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

/* A body that fits more than one route; what is wrong for a route is refused with 422, which shows
 * nothing either. */
static json_t *body_for(const struct route *route)
{
    if (!rows_has_body(route))
        return NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:b, s:s, s:[s], s:[{s:s}], s:s}", "reason",
                     "a test", "name", "taken", "fileName", "taken.txt", "contentType",
                     "text/plain", "isPublic", 1, "admin", 1, "url", "https://taken.example/",
                     "events", "account.created", "resource", "resourceType", "Bot", "base",
                     "https://taken.example/r4");
}

static void ask(const struct route *route, const char *caller, const char *token,
                const struct thing *thing)
{
    char path[256], *source = fresh_source();
    const char *name = strchr(route->path, '{'), *rest = strchr(name, '}') + 1;

    snprintf(path, sizeof(path), "%.*s%s%s", (int)(name - route->path), route->path, thing->id,
             rest);
    HTTP_ANSWER answer = http_call(suite_url(suite), &(struct http_request){.method = route->method,
                                                                            .path = path,
                                                                            .bearer = token,
                                                                            .body = body_for(route),
                                                                            .source = source});
    UNIT_CHECK(answer->status == 401 || answer->status == 403 || answer->status == 404 ||
                   answer->status == 422 || answer->status == 429,
               "%s %s with the %s: %d for %s", route->method, route->path, thing->kind,
               answer->status, caller);
    UNIT_CHECK(!answer->body || !strstr(answer->body, OWN_NAME), "%s %s with the %s shows %s to %s",
               route->method, route->path, thing->kind, answer->body, caller);
    free(source);
}

/* One id at the end or before an act; what has more names in its path has no ids there. */
static bool has_id(const struct route *route)
{
    const char *name = strchr(route->path, '{');

    return name && !strchr(name + 1, '{') && !strstr(route->path, "{bucket}") &&
           route->access != ACCESS_PUBLIC;
}

/* How it stands: none of it may change by any of the requests. */
static char *state(void)
{
    return suite_query(
        suite,
        "select md5(string_agg(t, ',' order by t)) from ("
        "select (select string_agg(d::text, '' order by id) from doc.document d) t union all "
        "select (select string_agg(k.id || k.name || coalesce(k.revoked_at, 0), '' order by id) "
        "from auth.api_key k) union all "
        "select (select string_agg(b::text, '' order by id) from bot.bot b) union all "
        "select (select string_agg(w.id || w.url || w.enabled, '' order by id) from mail.webhook "
        "w) "
        "union all select (select string_agg(f::text, '' order by id) from auth.fhir_server f) "
        "union all select (select string_agg(c::text, '' order by id) from settings.client c) "
        "union all select (select string_agg(p::text, '' order by id) from settings.access_policy "
        "p) union all select (select string_agg(a::text, '' order by id) from auth.account a) "
        "union all "
        "select (select string_agg(m::text, '' order by id) from auth.membership m)) all_of_it");
}

static void a_tenant_has_some_of_everything(void)
{
    admin = person_admin(suite);
    owner = new_patient(OWN_NAME);
    make_callers();
    make_things();
}

static void nothing_is_there_for_people_of_other_tenants(void)
{
    const struct {
        const char *name, *token;
    } rows[] = {
        {"the admin of another tenant", foreign->access},
        {"a key of another tenant", foreign_key},
        {"the admin of a child", below->access},
        {"another patient", neighbour->access},
    };
    char *before, *after;

    before = state();
    for (const struct route *route = test_routes; route->method; route++) {
        for (size_t i = 0; has_id(route) && i < ARRAY_SIZE(rows); i++) {
            for (size_t j = 0; j < thing_count; j++)
                ask(route, rows[i].name, rows[i].token, &things[j]);
        }
    }
    after = state();
    UNIT_CHECK(*before != '\0' && strcmp(before, after) == 0, "something has changed");
    free(before);
    free(after);
}

static void lists_show_nothing_of_other_tenants(void)
{
    const char *tokens[] = {foreign->access, foreign_key, below->access};

    for (const struct route *route = test_routes; route->method; route++) {
        if (strcmp(route->method, "GET") != 0 || strchr(route->path, '{'))
            continue;
        for (size_t i = 0; i < ARRAY_SIZE(tokens); i++) {
            HTTP_ANSWER answer = http_get(suite_url(suite), route->path, tokens[i]);

            for (size_t j = 0; j < thing_count; j++)
                UNIT_CHECK(!answer->body || !strstr(answer->body, things[j].id),
                           "GET %s shows the %s to caller %zu", route->path, things[j].kind, i);
        }
    }
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
