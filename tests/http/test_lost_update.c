/*
 * test_lost_update.c - concurrent changes by two admins. A replacement whose If-Match (RFC 9110,
 * section 13.1.1) names an old ETag changes nothing, and one of many with the same ETag succeeds. A
 * PUT with If-None-Match (section 13.1.2) replaces nothing. See test_settings and test_branding for
 * the project's state.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum { RIVALS = 16 };

/* Names that the test writes are language tags, because those are valid names for any kind. */
#define FIRST "en-first"
#define SECOND "en-second"
#define THIRD "en-third"

static struct suite *suite;
static struct person *admin;

static json_t *policy_body(const char *name)
{
    return json_pack("{s:s, s:[{s:s}]}", "name", name, "resource", "resourceType", "Content");
}

static json_t *client_body(const char *name)
{
    return json_pack("{s:s}", "name", name);
}

/* Makes a body with a unique identifier, because two bots cannot have the same one. */
static json_t *bot_body(const char *name)
{
    static int number;
    char value[32];

    snprintf(value, sizeof(value), "rival-%d", number++);
    return json_pack("{s:[{s:s}], s:s, s:s, s:s}", "identifier", "value", value, "name", name,
                     "kind", "http", "url", "https://bots.lakeside.example/rival");
}

static json_t *entry_body(const char *name)
{
    return json_pack("{s:s, s:[{s:s}]}", "title", name, "sections", "text", name);
}

static json_t *webhook_body(const char *name)
{
    json_t *body = json_pack("{s:[s]}", "events", "session.created");

    json_object_set_new(body, "url", json_sprintf("https://hooks.lakeside.example/%s", name));
    return body;
}

static json_t *provider_body(const char *name)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:[s]}", "name", name, "preset", "oidc", "issuer",
                     "https://login.lakeside.example", "clientId", "atrium", "roles", "patients");
}

static json_t *template_body(const char *name)
{
    return json_pack("{s:s, s:s}", "subject", name, "text", "Welcome");
}

static json_t *template_german_body(const char *name)
{
    json_t *body = template_body(name);

    json_object_set_new(body, "language", json_string("de"));
    return body;
}

static json_t *locales_body(const char *name)
{
    return json_pack("{s:[s, s], s:s}", "languages", "en", name, "defaultLanguage", name);
}

static const struct kind {
    const char *label;
    const char *collection; /* for POST; NULL: PUT to the object's path creates it */
    const char *path;
    const char *absent; /* path of an id that does not exist; NULL: the object always exists */
    const char *name;   /* JSON path of the body's name */
    json_t *(*body)(const char *name);
    const char *changed; /* message of the 409 for the loser */
    const char *method;  /* NULL: PUT */
} kinds[] = {
    {"access policy", "/v1/project/access-policies", NULL,
     "/v1/project/access-policies/0198c0de-0000-7000-8000-000000000000", "name", policy_body,
     "The access policy was changed by another request. Read it again, then retry.", NULL},
    {"client", "/v1/project/clients", NULL,
     "/v1/project/clients/0198c0de-0000-7000-8000-000000000000", "name", client_body,
     "The client was changed by another request. Read it again, then retry.", NULL},
    {"bot", "/v1/project/bots", NULL, "/v1/project/bots/0198c0de-0000-7000-8000-000000000000",
     "name", bot_body, "The bot was changed by another request. Read it again, then retry.", NULL},
    {"content", NULL, "/cms/article/lost-update/en", "/cms/article/absent/en", "title", entry_body,
     "The entry was changed by another request. Read it again, then retry.", NULL},
    {"draft", NULL, "/v1/project/content-drafts/article/lost-update/en",
     "/v1/project/content-drafts/article/absent/en", "title", entry_body,
     "The draft was changed by another request. Read it again, then retry.", NULL},
    {"webhook", "/v1/project/webhooks", NULL,
     "/v1/project/webhooks/0198c0de-0000-7000-8000-000000000000", "url", webhook_body,
     "The webhook was changed by another request. Read it again, then retry.", NULL},
    {"identity provider", "/v1/project/identity-providers", NULL,
     "/v1/project/identity-providers/0198c0de-0000-7000-8000-000000000000", "name", provider_body,
     "The identity provider was changed by another request. Read it again, then retry.", NULL},
    {"mail template", NULL, "/v1/project/email-templates/PATIENT_WELCOME",
     "/v1/project/email-templates/PASSKEY_COUNTER", "subject", template_body,
     "The template was changed by another request. Read it again, then retry.", NULL},
    {"mail template of a language", NULL, "/v1/project/email-templates/EXPORT_MADE?language=de",
     "/v1/project/email-templates/PASSKEY_COUNTER?language=de", "subject", template_german_body,
     "The template was changed by another request. Read it again, then retry.", NULL},
    {"languages", NULL, "/locales", NULL, "defaultLanguage", locales_body,
     "The project changed during the write.", "PATCH"},
};

struct thing {
    const struct kind *kind;
    char path[128];
    char *etag;
};

static void thing_destroy(struct thing **self_p)
{
    free((*self_p)->etag);
    free(*self_p);
    *self_p = NULL;
}

#define THING CLEANUP(thing_destroy) struct thing *

static struct http_request replacement(const struct thing *self, const char *name,
                                       const char *if_match)
{
    return (struct http_request){.method = self->kind->method ? self->kind->method : "PUT",
                                 .path = self->path,
                                 .bearer = admin->access,
                                 .body = self->kind->body(name),
                                 .headers = {if_match}};
}

static struct http_answer *replace(const struct thing *self, const char *name, const char *if_match)
{
    const struct http_request request = replacement(self, name, if_match);

    return http_call(suite_url(suite), &request);
}

static struct thing *thing_make(const struct kind *kind)
{
    struct thing *self = calloc(1, sizeof(*self));

    self->kind = kind;
    if (kind->path)
        snprintf(self->path, sizeof(self->path), "%s", kind->path);
    HTTP_ANSWER made = kind->path ? replace(self, FIRST, NULL)
                                  : http_post(suite_url(suite), kind->collection, admin->access,
                                              kind->body(FIRST));
    UNIT_CHECK(made->status == 200, "%s: %d", kind->label, made->status);
    if (!kind->path)
        snprintf(self->path, sizeof(self->path), "%s/%s", kind->collection, http_text(made, "id"));
    self->etag = http_header(made, "ETag");
    return self;
}

static bool etag_is(const struct http_answer *answer, const char *etag)
{
    char *has = http_header(answer, "ETag");
    bool is = has && etag && strcmp(has, etag) == 0;

    free(has);
    return is;
}

static const char *name_of(const struct thing *self, const struct http_answer *answer)
{
    const char *text = http_text(answer, self->kind->name), *slash = strrchr(text, '/');

    return slash ? slash + 1 : text;
}

static void check_state(const struct kind *kind)
{
    THING thing = thing_make(kind);
    HTTP_ANSWER read = http_get(suite_url(suite), thing->path, admin->access);
    HTTP_ANSWER replaced = replace(thing, SECOND, NULL);
    HTTP_ANSWER again = http_get(suite_url(suite), thing->path, admin->access);
    char *etag = http_header(replaced, "ETag");

    UNIT_CHECK(etag_is(read, thing->etag), "%s: what was made and what is read", kind->label);
    UNIT_CHECK(!etag_is(replaced, thing->etag), "%s: another state", kind->label);
    UNIT_CHECK(etag_is(again, etag), "%s: what was replaced and what is read", kind->label);
    UNIT_CHECK(!http_member(read, "etag"), "%s: a member of the body", kind->label);
    free(etag);
}

static void a_state_has_an_etag(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        check_state(&kinds[i]);
}

struct form {
    const char *text;
    bool etag;  /* the object's ETag follows `text` */
    bool stale; /* sent after another replacement */
    int want;
};

static void check_form(const struct kind *kind, const struct form *form)
{
    THING thing = thing_make(kind);
    char header[256];

    if (form->stale) {
        HTTP_ANSWER first = replace(thing, SECOND, NULL);
        CHECK_STATUS(first, 200);
    }
    snprintf(header, sizeof(header), "If-Match: %s%s", form->text, form->etag ? thing->etag : "");
    HTTP_ANSWER second = replace(thing, THIRD, header);
    HTTP_ANSWER now = http_get(suite_url(suite), thing->path, admin->access);
    UNIT_CHECK(second->status == form->want, "%s, %s: %d", kind->label, header, second->status);
    UNIT_CHECK(strcmp(name_of(thing, now), form->want == 200 ? THIRD : SECOND) == 0, "%s, %s: %s",
               kind->label, header, name_of(thing, now));
    if (form->want == 409)
        CHECK_ERROR(second, 409, kind->changed);
}

static void a_stale_state_loses_and_changes_nothing(void)
{
    static const struct form forms[] = {
        {"", true, false, 200},          {"W/", true, false, 200}, /* weak: changed by a proxy */
        {"\"a,b\", ", true, false, 200}, {"*", false, true, 200},
        {"", true, true, 409},           {"\"0\"", false, true, 409},
    };

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        for (size_t j = 0; j < ARRAY_SIZE(forms); j++)
            check_form(&kinds[i], &forms[j]);
    }
}

/* Sends replacements with unique names by RIVALS admins concurrently. */
static void ask_rivals(const struct thing *thing, const char *if_match,
                       char names[static RIVALS][16], struct http_answer *answers[static RIVALS])
{
    struct http_request requests[RIVALS];

    for (int i = 0; i < RIVALS; i++) {
        snprintf(names[i], sizeof(names[i]), "en-rival%02d", i);
        requests[i] = replacement(thing, names[i], if_match);
    }
    http_call_many(suite_url(suite), requests, RIVALS, RIVALS, answers);
}

static void one_rival_wins(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        THING thing = thing_make(&kinds[i]);
        struct http_answer *answers[RIVALS];
        const char *winner = "";
        char header[128], names[RIVALS][16];
        int won = 0, lost = 0;

        snprintf(header, sizeof(header), "If-Match: %s", thing->etag);
        ask_rivals(thing, header, names, answers);
        for (int j = 0; j < RIVALS; j++) {
            won += answers[j]->status == 200;
            lost += answers[j]->status == 409;
            if (answers[j]->status == 200)
                winner = names[j];
        }
        HTTP_ANSWER now = http_get(suite_url(suite), thing->path, admin->access);
        UNIT_CHECK(won == 1 && lost == RIVALS - 1, "%s: %d won, %d lost", kinds[i].label, won,
                   lost);
        UNIT_CHECK(strcmp(name_of(thing, now), winner) == 0, "%s: %s, not %s", kinds[i].label,
                   name_of(thing, now), winner);
        http_answers_destroy(answers, RIVALS);
    }
}

/* "*" matches any state, so no writer loses. Languages are written with the version of their
 * project, which each write changes. */
static void any_state_is_never_lost(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct http_answer *answers[RIVALS];
        char names[RIVALS][16];

        if (kinds[i].method)
            continue;

        THING thing = thing_make(&kinds[i]);

        ask_rivals(thing, "If-Match: *", names, answers);
        for (int j = 0; j < RIVALS; j++)
            UNIT_CHECK(answers[j]->status == 200, "%s: %d", kinds[i].label, answers[j]->status);
        http_answers_destroy(answers, RIVALS);
    }
}

/* Returns an object that does not exist yet, of a kind that a PUT creates; false for other
 * kinds. */
static bool absent_of(const struct kind *kind, struct thing *ret)
{
    *ret = (struct thing){.kind = kind};
    if (kind->collection || !kind->absent)
        return false;
    snprintf(ret->path, sizeof(ret->path), "%s", kind->absent);
    return true;
}

static void thing_remove(const struct thing *self)
{
    HTTP_ANSWER gone = http_delete(suite_url(suite), self->path, admin->access);

    UNIT_CHECK(gone->status == 204, "%s: %d", self->path, gone->status);
}

/* Sends a replacement with the header, and checks whether it has this name afterwards. */
static void check_kept(const struct thing *thing, const char *header, int want, const char *name)
{
    HTTP_ANSWER answer = replace(thing, THIRD, header);
    HTTP_ANSWER now = http_get(suite_url(suite), thing->path, admin->access);

    UNIT_CHECK(answer->status == want, "%s, %s: %d", thing->kind->label, header, answer->status);
    UNIT_CHECK(strcmp(name_of(thing, now), name) == 0, "%s, %s: %s", thing->kind->label, header,
               name_of(thing, now));
    if (want == 409)
        UNIT_CHECK(strstr(answer->body, "already exists.") != NULL, "%s: %s", header, answer->body);
}

static void what_is_made_replaces_nothing(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct thing thing;
        char own[128];

        if (!absent_of(&kinds[i], &thing))
            continue;
        HTTP_ANSWER made = replace(&thing, FIRST, "If-None-Match: *");
        UNIT_CHECK(made->status == 200, "%s: %d", kinds[i].label, made->status);
        thing.etag = http_header(made, "ETag");
        snprintf(own, sizeof(own), "If-None-Match: W/%s", thing.etag);
        check_kept(&thing, "If-None-Match: *", 409, FIRST);
        check_kept(&thing, own, 409, FIRST);
        check_kept(&thing, "If-None-Match: \"0\"", 200, THIRD);
        free(thing.etag);
        thing_remove(&thing);
    }
}

static void one_of_many_makers_wins(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct thing thing;
        struct http_answer *answers[RIVALS];
        const char *winner = "";
        char names[RIVALS][16];
        int won = 0, lost = 0;

        if (!absent_of(&kinds[i], &thing))
            continue;
        ask_rivals(&thing, "If-None-Match: *", names, answers);
        for (int j = 0; j < RIVALS; j++) {
            won += answers[j]->status == 200;
            lost += answers[j]->status == 409;
            if (answers[j]->status == 200)
                winner = names[j];
        }
        HTTP_ANSWER now = http_get(suite_url(suite), thing.path, admin->access);
        UNIT_CHECK(won == 1 && lost == RIVALS - 1, "%s: %d won, %d lost", kinds[i].label, won,
                   lost);
        UNIT_CHECK(strcmp(name_of(&thing, now), winner) == 0, "%s: %s, not %s", kinds[i].label,
                   name_of(&thing, now), winner);
        http_answers_destroy(answers, RIVALS);
        thing_remove(&thing);
    }
}

static void a_new_secret_is_another_state(void)
{
    json_t *body = json_pack("{s:s, s:s}", "name", "Charts", "type", "confidential");
    HTTP_ANSWER made = http_post(suite_url(suite), "/v1/project/clients", admin->access, body);
    THING thing = calloc(1, sizeof(*thing));
    char path[160], header[128];

    thing->kind = &kinds[1];
    thing->etag = http_header(made, "ETag");
    snprintf(thing->path, sizeof(thing->path), "/v1/project/clients/%s", http_text(made, "id"));
    snprintf(path, sizeof(path), "%s/secret", thing->path);
    snprintf(header, sizeof(header), "If-Match: %s", thing->etag ? thing->etag : "");
    HTTP_ANSWER secret = http_post(suite_url(suite), path, admin->access, json_object());
    HTTP_ANSWER stale = replace(thing, "Charts", header);
    CHECK_STATUS(secret, 200);
    CHECK_ERROR(stale, 409,
                "The client was changed by another request. Read it again, then retry.");
}

static void what_is_not_there_has_no_state(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct thing thing = {.kind = &kinds[i]};

        if (!kinds[i].absent)
            continue;
        snprintf(thing.path, sizeof(thing.path), "%s", kinds[i].absent);
        HTTP_ANSWER any = replace(&thing, "Any", "If-Match: *");
        HTTP_ANSWER now = http_get(suite_url(suite), thing.path, admin->access);
        UNIT_CHECK(any->status == (kinds[i].collection ? 404 : 409), "%s: %d", kinds[i].label,
                   any->status);
        CHECK_STATUS(now, 404);
    }
}

static void suite_starts(void)
{
    suite = suite_start(NULL);
    admin = person_admin(suite);
}

static void suite_stops(void)
{
    person_destroy(&admin);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(suite_starts),
    CASE(a_state_has_an_etag),
    CASE(a_stale_state_loses_and_changes_nothing),
    CASE(one_rival_wins),
    CASE(any_state_is_never_lost),
    CASE(what_is_made_replaces_nothing),
    CASE(one_of_many_makers_wins),
    CASE(a_new_secret_is_another_state),
    CASE(what_is_not_there_has_no_state),
    CASE_ALWAYS(suite_stops),
};

int main(void)
{
    return unit_run("lost update", cases, ARRAY_SIZE(cases));
}
