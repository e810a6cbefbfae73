/*
 * things.c - see things.h.
 */
#include "tests/support/things.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rows.h"
#include "tests/support/unit.h"

static void remember(struct things *self, const char *kind, const char *id)
{
    UNIT_REQUIRE(self->count < THINGS && strlen(id) == THING_ID_SIZE - 1, "%s: \"%s\"", kind, id);
    self->all[self->count].kind = kind;
    snprintf(self->all[self->count].id, THING_ID_SIZE, "%s", id);
    self->count++;
}

static void make(struct things *self, const char *kind, const char *access, const char *path,
                 json_t *body)
{
    HTTP_ANSWER answer = http_post(suite_url(self->suite), path, access, body);

    CHECK_STATUS(answer, 200);
    remember(self, kind, http_text(answer, "id"));
}

static void find(struct things *self, const char *kind, const char *column, const char *from)
{
    char sql[512], *id;

    snprintf(sql, sizeof(sql),
             "select %s from auth.account a join auth.membership m on m.account_id = a.id %s where "
             "a.email = '%s' limit 1",
             column, from, self->owner->email);
    id = suite_query(self->suite, sql);
    remember(self, kind, id);
    free(id);
}

struct person *things_patient(struct suite *suite, const char *name)
{
    struct person *self = person_register(suite, NULL);
    char sql[256];

    snprintf(sql, sizeof(sql), "update auth.account set name = '%s' where email = '%s' returning 1",
             name, self->email);
    free(suite_query(suite, sql));
    return self;
}

static void make_all(struct things *self, const char *access)
{
    make(self, "document", self->owner->access, "/document",
         json_pack("{s:s, s:s}", "fileName", THINGS_NAME ".txt", "contentType", "text/plain"));
    make(self, "export", self->owner->access, "/auth/export", json_object());
    make(self, "key", access, "/v1/project/api-keys",
         json_pack("{s:s, s:s}", "name", THINGS_NAME, "accessPolicy",
                   suite_text(self->suite, "demo.practitionerAccessPolicy")));
    make(self, "bot", access, "/v1/project/bots",
         json_pack("{s:[{s:s, s:s}], s:s, s:s, s:s}", "identifier", "system", "urn:x", "value",
                   THINGS_NAME, "name", THINGS_NAME, "kind", "program", "program", "echo"));
    make(self, "webhook", access, "/v1/project/webhooks",
         json_pack("{s:s, s:[s]}", "url", "https://hooks.example/" THINGS_NAME, "events",
                   "account.created"));
    make(self, "resource", access, "/v1/project/resources",
         json_pack("{s:s, s:s}", "name", THINGS_NAME, "base", "https://fhir.example/r4"));
    make(self, "provider", access, "/v1/project/identity-providers",
         json_pack("{s:s, s:s, s:s, s:s, s:[s]}", "name", THINGS_NAME, "preset", "oidc", "issuer",
                   "https://login.example", "clientId", "c", "roles", "patients"));
    make(self, "client", access, "/v1/project/clients", json_pack("{s:s}", "name", THINGS_NAME));
    make(self, "policy", access, "/v1/project/access-policies",
         json_pack("{s:s, s:[{s:s}]}", "name", THINGS_NAME, "resource", "resourceType", "Content"));
    find(self, "account", "a.id", "");
    find(self, "membership", "m.id", "");
    find(self, "profile", "m.profile_id", "");
    find(self, "session", "s.id", "join auth.session s on s.account_id = a.id");
}

struct things things_make(struct suite *suite, const struct person *admin,
                          const struct person *owner)
{
    struct things self = {.suite = suite, .owner = owner};

    make_all(&self, admin->access);
    return self;
}

const char *things_id(const struct things *self, const char *kind)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->all[i].kind, kind) == 0)
            return self->all[i].id;
    UNIT_CHECK(false, "there is no %s", kind);
    return "";
}

/* Makes a body that fits most routes. Other routes refuse it with 422, which reveals nothing
 * either. */
static json_t *body_for(const struct route *route)
{
    if (!rows_has_body(route))
        return NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:b, s:s, s:[s], s:[{s:s}], s:s, s:s, s:s, s:s, "
                     "s:[s]}",
                     "reason", "a test", "name", "taken", "fileName", "taken.txt", "contentType",
                     "text/plain", "isPublic", 1, "admin", 1, "url", "https://taken.example/",
                     "events", "account.created", "resource", "resourceType", "Bot", "base",
                     "https://taken.example/r4", "preset", "oidc", "issuer",
                     "https://taken.example", "clientId", "taken", "roles", "patients");
}

static void ask(const struct things *self, const struct route *route,
                const struct things_caller *caller, size_t thing)
{
    const char *kind = self->all[thing].kind;
    char path[256], *source = fresh_source();
    const char *name = strchr(route->path, '{'), *rest = strchr(name, '}') + 1;

    snprintf(path, sizeof(path), "%.*s%s%s", (int)(name - route->path), route->path,
             self->all[thing].id, rest);
    HTTP_ANSWER answer =
        http_call(suite_url(self->suite), &(struct http_request){.method = route->method,
                                                                 .path = path,
                                                                 .bearer = caller->token,
                                                                 .body = body_for(route),
                                                                 .source = source});
    UNIT_CHECK(answer->status == 401 || answer->status == 403 || answer->status == 404 ||
                   answer->status == 422 || answer->status == 429,
               "%s %s with the %s: %d for %s", route->method, route->path, kind, answer->status,
               caller->name);
    UNIT_CHECK(!answer->body || !strstr(answer->body, THINGS_NAME),
               "%s %s with the %s shows %s to %s", route->method, route->path, kind, answer->body,
               caller->name);
    free(source);
}

/* True when the path has one id, at its end or before an action. */
static bool has_id(const struct route *route)
{
    const char *name = strchr(route->path, '{');

    return name && !strchr(name + 1, '{') && !strstr(route->path, "{bucket}") &&
           route->access != ACCESS_PUBLIC;
}

/* Describes the current state, which no request may change. */
static char *state(struct suite *suite)
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
        "union all select (select string_agg(i::text, '' order by id) from auth.identity_provider "
        "i) "
        "union all select (select string_agg(c::text, '' order by id) from settings.client c) "
        "union all select (select string_agg(p::text, '' order by id) from settings.access_policy "
        "p) union all select (select string_agg(a::text, '' order by id) from auth.account a) "
        "union all "
        "select (select string_agg(m::text, '' order by id) from auth.membership m)) all_of_it");
}

void things_check_closed(const struct things *self, const struct things_caller *callers,
                         size_t count)
{
    char *before = state(self->suite), *after;

    for (const struct route *route = test_routes; route->method; route++) {
        for (size_t i = 0; has_id(route) && i < count; i++) {
            for (size_t j = 0; j < self->count; j++)
                ask(self, route, &callers[i], j);
        }
    }
    after = state(self->suite);
    UNIT_CHECK(*before != '\0' && strcmp(before, after) == 0, "something has changed");
    free(before);
    free(after);
}

void things_check_lists(const struct things *self, const struct things_caller *callers,
                        size_t count)
{
    for (const struct route *route = test_routes; route->method; route++) {
        if (strcmp(route->method, "GET") != 0 || strchr(route->path, '{'))
            continue;
        for (size_t i = 0; i < count; i++) {
            HTTP_ANSWER answer = http_get(suite_url(self->suite), route->path, callers[i].token);

            for (size_t j = 0; j < self->count; j++)
                UNIT_CHECK(!answer->body || !strstr(answer->body, self->all[j].id),
                           "GET %s shows the %s to %s", route->path, self->all[j].kind,
                           callers[i].name);
        }
    }
}
