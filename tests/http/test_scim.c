/*
 * test_scim.c - provisioning by a directory (SCIM 2.0): the steps of Okta's published SPEC test,
 * the requests that Microsoft Entra documents in both its dialects, and what a directory can't do.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/second_gateway.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define TOKENS "/v1/project/scim-tokens"
#define MAPPINGS "/v1/project/scim-mappings"
#define SCIM "/t/demo/scim/v2"
#define OTHER "scim-other" /* another organization's tenant */
#define PASSWORD "correct horse battery staple"
#define USER_SCHEMA "urn:ietf:params:scim:schemas:core:2.0:User"
#define ERROR_SCHEMA "urn:ietf:params:scim:api:messages:2.0:Error"
#define UNKNOWN "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
#define MAIL_MS 20000

enum { HOUR = 3600, DAY = 86400, LONG_ENOUGH_MS = 60000, MANY = 12 };

static struct suite *suite;
static struct program *second;
static char second_url[64], token[80], token_id[40];

/* Returns JSON written with single quotes (caller frees). */
static char *quoted(const char *text)
{
    char *json = strdup(text);

    for (char *at = json; *at; at++)
        if (*at == '\'')
            *at = '"';
    return json;
}

/* `body`: JSON with single quotes, or NULL. */
static struct http_answer *ask_at(const char *url, const char *bearer, const char *method,
                                  const char *path, const char *body)
{
    TEXT raw = body ? quoted(body) : NULL;
    char full[2048];

    snprintf(full, sizeof(full), "%s%s", path[0] == '/' && path[1] == 't' ? "" : SCIM, path);
    return http_call(url, &(struct http_request){.method = method,
                                                 .path = full,
                                                 .bearer = bearer,
                                                 .raw = raw,
                                                 .content_type = "application/scim+json"});
}

static struct http_answer *ask(const char *method, const char *path, const char *body)
{
    return ask_at(suite_url(suite), token, method, path, body);
}

static struct http_answer *patch(const char *id, const char *operations)
{
    char path[128], body[2048];

    snprintf(path, sizeof(path), "/Users/%s", id);
    snprintf(body, sizeof(body),
             "{'schemas':['urn:ietf:params:scim:api:messages:2.0:PatchOp'],'Operations':[%s]}",
             operations);
    return ask("PATCH", path, body);
}

static struct http_answer *show(const char *id)
{
    char path[128];

    snprintf(path, sizeof(path), "/Users/%s", id);
    return ask("GET", path, NULL);
}

static struct http_answer *find(const char *attribute, const char *value)
{
    char path[512];

    snprintf(path, sizeof(path), "/Users?filter=%s%%20eq%%20%%22%s%%22", attribute, value);
    return ask("GET", path, NULL);
}

static long total(const struct http_answer *list)
{
    return (long)json_integer_value(http_member(list, "totalResults"));
}

/* Creates a user of the clinic's domain, and returns its id. */
static void create(const char *mailbox, char ret[static 40])
{
    char body[512];

    snprintf(body, sizeof(body),
             "{'schemas':['" USER_SCHEMA "'],'userName':'%s@clinic.example',"
             "'name':{'givenName':'Ana','familyName':'Lima'},'active':true,"
             "'emails':[{'primary':true,'value':'%s@clinic.example','type':'work'}]}",
             mailbox, mailbox);
    HTTP_ANSWER made = ask("POST", "/Users", body);
    CHECK_STATUS(made, 201);
    snprintf(ret, 40, "%s", http_text(made, "id"));
}

static bool is_active(const char *id)
{
    HTTP_ANSWER shown = show(id);

    CHECK_STATUS(shown, 200);
    return json_is_true(http_member(shown, "active"));
}

static bool check_error(const struct http_answer *answer, int status, const char *type)
{
    char text[16];
    json_t *schema = json_array_get(http_member(answer, "schemas"), 0);

    snprintf(text, sizeof(text), "%d", status);
    return UNIT_CHECK(answer->status == status && strcmp(http_text(answer, "status"), text) == 0 &&
                          strcmp(http_text(answer, "scimType"), type) == 0 &&
                          http_text(answer, "detail")[0] != '\0' && schema &&
                          strcmp(json_string_value(schema), ERROR_SCHEMA) == 0,
                      "%d: %s", answer->status, answer->body ? answer->body : "");
}

/* Gives an account without a password that of the admin, and signs in. */
static struct person *sign_in(const char *email)
{
    const char *admin = suite_text(suite, "demo.adminEmail");
    char sql[256];

    snprintf(sql, sizeof(sql),
             "select password_hash from auth.credential c join auth.account a on a.id = "
             "c.account_id where a.email = '%s'",
             admin);
    TEXT own = suite_query(suite, sql);
    person_set_hash(suite, email, own);
    return person_sign_in(suite, "Practitioner", email, suite_text(suite, "demo.adminPassword"),
                          NULL);
}

static struct http_answer *make_token(const struct person *who, json_t *body)
{
    return http_post(suite_url(suite), TOKENS, who->access, body);
}

static void a_token_is_made_and_shown_once(void)
{
    PERSON admin = person_admin(suite);

    HTTP_ANSWER first = make_token(admin, json_pack("{s:s}", "name", "Okta"));
    CHECK_STATUS(first, 200);
    CU_ASSERT_EQUAL(strncmp(http_text(first, "token"), "scim_", 5), 0);
    snprintf(token, sizeof(token), "%s", http_text(first, "token"));
    snprintf(token_id, sizeof(token_id), "%s", http_text(first, "id"));
    HTTP_ANSWER other = make_token(admin, json_pack("{s:s}", "name", "Entra"));
    CHECK_STATUS(other, 200);
    HTTP_ANSWER third = make_token(admin, json_pack("{s:s}", "name", "More"));
    CHECK_STATUS(third, 409);
    HTTP_ANSWER list = http_get(suite_url(suite), TOKENS, admin->access);
    CHECK_STATUS(list, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(list, "resources")), 2);
    CU_ASSERT_PTR_NULL(strstr(list->body, "scim_"));
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.scim_token where hash = "
                                "sha256('%s'::bytea)",
                                token),
                    1);
    char path[128];
    snprintf(path, sizeof(path), TOKENS "/%s", http_text(other, "id"));
    HTTP_ANSWER gone = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(gone, 204);
    HTTP_ANSWER again = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(again, 404);
    HTTP_ANSWER dead = ask_at(suite_url(suite), http_text(other, "token"), "GET", "/Users", NULL);
    check_error(dead, 401, "");
}

/* The required steps, in their order; `Test Users endpoint` and what follows. */
static void okta_runs_its_spec_test(void)
{
    HTTP_ANSWER first = ask("GET", "/Users?count=1&startIndex=1", NULL);
    CHECK_STATUS(first, 200);
    json_t *one = json_array_get(http_member(first, "Resources"), 0);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_array_get(http_member(first, "schemas"), 0)),
                           "urn:ietf:params:scim:api:messages:2.0:ListResponse");
    CU_ASSERT_TRUE(json_is_integer(http_member(first, "itemsPerPage")) &&
                   json_is_integer(http_member(first, "startIndex")) && total(first) > 0);
    CU_ASSERT_TRUE(json_is_boolean(json_object_get(one, "active")));
    CU_ASSERT_PTR_NOT_NULL(json_string_value(
        json_object_get(json_array_get(json_object_get(one, "emails"), 0), "value")));
    HTTP_ANSWER same = show(json_string_value(json_object_get(one, "id")));
    CHECK_STATUS(same, 200);
    CU_ASSERT_STRING_EQUAL(http_text(same, "userName"),
                           json_string_value(json_object_get(one, "userName")));
    CU_ASSERT_TRUE(*http_text(same, "name.givenName") && *http_text(same, "name.familyName"));
    HTTP_ANSWER none = find("userName", "invalid@clinic.example");
    CHECK_STATUS(none, 200);
    CU_ASSERT_EQUAL(total(none), 0);
    HTTP_ANSWER no_id = show("010101001010101011001010101011");
    check_error(no_id, 404, "");
    HTTP_ANSWER unused = find("userName", "runscope@clinic.example");
    CU_ASSERT_EQUAL(total(unused), 0);
    static const char body[] =
        "{'schemas':['" USER_SCHEMA "'],'userName':'Runscope@clinic.example',"
        "'name':{'givenName':'Rui','familyName':'Costa'},"
        "'emails':[{'primary':true,'value':'Runscope@clinic.example','type':'work'}],"
        "'displayName':'Rui Costa','active':true}";
    HTTP_ANSWER made = ask("POST", "/Users", body);
    CHECK_STATUS(made, 201);
    CU_ASSERT_TRUE(json_is_true(http_member(made, "active")));
    CU_ASSERT_STRING_EQUAL(http_text(made, "userName"), "Runscope@clinic.example");
    CU_ASSERT_STRING_EQUAL(http_text(made, "name.familyName"), "Costa");
    TEXT location = http_header(made, "Location");
    TEXT type = http_header(made, "Content-Type");
    CU_ASSERT_STRING_EQUAL(location, http_text(made, "meta.location"));
    CU_ASSERT_STRING_EQUAL(type, "application/scim+json");
    HTTP_ANSWER there = show(http_text(made, "id"));
    CHECK_STATUS(there, 200);
    HTTP_ANSWER twice = ask("POST", "/Users", body);
    check_error(twice, 409, "uniqueness");
    HTTP_ANSWER caps = find("userName", "RUNSCOPE@CLINIC.EXAMPLE");
    CHECK_STATUS(caps, 200);
    CU_ASSERT_EQUAL(total(caps), 1);
    HTTP_ANSWER groups = ask("GET", "/Groups", NULL);
    CHECK_STATUS(groups, 200);
    HTTP_ANSWER stranger = ask_at(suite_url(suite), NULL, "GET", "/Users", NULL);
    check_error(stranger, 401, "");
    TEXT challenge = http_header(stranger, "WWW-Authenticate");
    CU_ASSERT_STRING_EQUAL(challenge, "Bearer");
}

static void okta_deactivates_without_a_path(void)
{
    char id[40];

    create("okta", id);
    HTTP_ANSWER off = patch(id, "{'op':'replace','value':{'active':false}}");
    CHECK_STATUS(off, 200);
    CU_ASSERT_TRUE(json_is_false(http_member(off, "active")));
    HTTP_ANSWER on = patch(id, "{'op':'replace','value':{'active':true}}");
    CHECK_STATUS(on, 200);
    CU_ASSERT_TRUE(is_active(id));
    char path[128];
    snprintf(path, sizeof(path), "/Users/%s", id);
    HTTP_ANSWER put = ask("PUT", path,
                          "{'schemas':['" USER_SCHEMA "'],'userName':'okta@clinic.example',"
                          "'externalId':'00u1','name':{'givenName':'Bo','familyName':'Berg'},"
                          "'emails':[{'primary':true,'value':'okta@clinic.example'}],"
                          "'active':false}");
    CHECK_STATUS(put, 200);
    CU_ASSERT_STRING_EQUAL(http_text(put, "name.givenName"), "Bo");
    CU_ASSERT_STRING_EQUAL(http_text(put, "externalId"), "00u1");
    CU_ASSERT_TRUE(json_is_false(http_member(put, "active")));
    HTTP_ANSWER by_external = find("externalId", "00u1");
    CU_ASSERT_EQUAL(total(by_external), 1);
    HTTP_ANSWER gone = ask("DELETE", path, NULL);
    CHECK_STATUS(gone, 204);
    HTTP_ANSWER no_more = ask("DELETE", path, NULL);
    check_error(no_more, 404, "");
}

/* As Microsoft Entra writes them with and without the flag aadOptscim062020. */
static void entra_speaks_both_dialects(void)
{
    static const struct {
        const char *label, *operations, *member, *want;
    } rows[] = {
        {"replace with capitals", "{'op':'Replace','path':'name.familyName','value':'Souza'}",
         "name.familyName", "Souza"},
        {"a value path",
         "{'op':'Add','path':'emails[type eq \\\"work\\\"].value','value':'entra@clinic.example'},"
         "{'op':'Replace','path':'externalId','value':'e-1'}",
         "externalId", "e-1"},
        {"dotted keys without a path",
         "{'op':'replace','value':{'name.givenName':'Eva','externalId':'e-2',"
         "'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department':'X'}}",
         "externalId", "e-2"},
        {"an add of a list",
         "{'op':'Add','path':'userName','value':'Eva.Lima@corp.example'},"
         "{'op':'add','path':'addresses[type eq \\\"work\\\"].locality','value':'Faro'}",
         "userName", "Eva.Lima@corp.example"},
    };
    char id[40];

    create("entra", id);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER done = patch(id, rows[i].operations);
        UNIT_CHECK(done->status == 200 &&
                       strcmp(http_text(done, rows[i].member), rows[i].want) == 0,
                   "%s: %d %s", rows[i].label, done->status, done->body);
    }
    HTTP_ANSWER now = show(id);
    CU_ASSERT_STRING_EQUAL(http_text(now, "name.givenName"), "Eva");
    CU_ASSERT_STRING_EQUAL(http_text(now, "name.familyName"), "Souza");
    HTTP_ANSWER off = patch(id, "{'op':'Replace','path':'active','value':'False'}");
    CHECK_STATUS(off, 200);
    CU_ASSERT_FALSE(is_active(id));
    HTTP_ANSWER on = patch(id, "{'op':'Replace','path':'active','value':'True'}");
    CHECK_STATUS(on, 200);
    CU_ASSERT_TRUE(is_active(id));
    HTTP_ANSWER by_name = find("userName", "eva.lima@corp.example");
    CU_ASSERT_EQUAL(total(by_name), 1);
    HTTP_ANSWER few = find("userName", "eva.lima@corp.example&attributes=userName");
    CHECK_STATUS(few, 400); /* the quote is within the value */
    HTTP_ANSWER only = ask("GET", "/Users?attributes=userName,name.givenName&count=1", NULL);
    json_t *one = json_array_get(http_member(only, "Resources"), 0);
    CU_ASSERT_TRUE(json_object_get(one, "id") && json_object_get(one, "userName") &&
                   json_object_get(one, "name") && !json_object_get(one, "emails"));
    HTTP_ANSWER without = ask("GET", "/Users?excludedAttributes=emails&count=1", NULL);
    one = json_array_get(http_member(without, "Resources"), 0);
    CU_ASSERT_TRUE(json_object_get(one, "name") && !json_object_get(one, "emails"));
}

static void nothing_fails_a_patch_that_deactivates(void)
{
    static const char *const also[] = {
        "{'op':'replace','path':'favouriteColour','value':'blue'}",
        "{'op':'remove','path':'emails[type eq \\\"fax\\\"]'}",
        "{'op':'replace','path':'phoneNumbers[type ne \\\"x\\\"].value','value':'1'}",
        "{'op':'replace','path':'userName','value':''}",
        "{'op':'replace','path':'name.givenName','value':'\\u202e'}",
        "{'op':'replace','path':'userName','value':'taken@clinic.example'}",
        "{'op':'replace','path':'emails','value':[{'value':'no address'}]}",
    };
    char id[40], taken[40];

    create("leaver", id);
    create("taken", taken);
    for (size_t i = 0; i < ARRAY_SIZE(also); i++) {
        char operations[1024];

        HTTP_ANSWER on = patch(id, "{'op':'replace','path':'active','value':true}");
        CHECK_STATUS(on, 200);
        snprintf(operations, sizeof(operations),
                 "%s,{'op':'replace','path':'active','value':false}", also[i]);
        HTTP_ANSWER off = patch(id, operations);
        UNIT_CHECK(off->status == 200 && !is_active(id), "%s: %d %s", also[i], off->status,
                   off->body);
    }
    HTTP_ANSWER conflict =
        patch(id, "{'op':'replace','path':'userName','value':'taken@clinic.example'}");
    check_error(conflict, 409, "uniqueness");
}

static void filters_are_these(void)
{
    static const struct {
        const char *filter;
        int status;
        bool some;
    } rows[] = {
        {"userName%20pr", 200, true},
        {"active%20eq%20true%20and%20emails%5Btype%20eq%20%22work%22%5D", 200, true},
        {"name.familyName%20eq%20%22nobody%22%20or%20id%20eq%20%22x%22", 200, false},
        {"userName%20sw%20%22a%22", 400, false},
        {"userName%20eq", 400, false},
        {"not%20(active%20eq%20true)", 400, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char path[256];

        snprintf(path, sizeof(path), "/Users?filter=%s", rows[i].filter);
        HTTP_ANSWER list = ask("GET", path, NULL);
        UNIT_CHECK(list->status == rows[i].status &&
                       (list->status != 200 || (total(list) > 0) == rows[i].some),
                   "%s: %d %s", rows[i].filter, list->status, list->body);
        if (rows[i].status == 400)
            check_error(list, 400, "invalidFilter");
    }
}

/* Two pages of a list are the whole, in order. */
static void lists_are_paged(void)
{
    HTTP_ANSWER all = ask("GET", "/Users?count=1000", NULL);
    HTTP_ANSWER first = ask("GET", "/Users?count=2", NULL);
    HTTP_ANSWER rest = ask("GET", "/Users?startIndex=3&filter=id%20pr", NULL);
    size_t count = json_array_size(http_member(all, "Resources"));

    CU_ASSERT_EQUAL((long)count, total(all));
    CU_ASSERT_EQUAL(json_array_size(http_member(first, "Resources")), 2);
    CU_ASSERT_EQUAL(json_array_size(http_member(rest, "Resources")), count - 2);
    CU_ASSERT_EQUAL(total(rest), (long)count);
    for (size_t i = 2; i < count; i++)
        CU_ASSERT_TRUE(json_equal(json_array_get(http_member(all, "Resources"), i),
                                  json_array_get(http_member(rest, "Resources"), i - 2)));
    HTTP_ANSWER none = ask("GET", "/Users?count=0", NULL);
    CU_ASSERT_EQUAL(total(none), (long)count);
    CU_ASSERT_EQUAL(json_array_size(http_member(none, "Resources")), 0);
}

static void a_deactivation_holds_on_the_next_request(void)
{
    char id[40];

    create("doctor", id);
    PERSON doctor = sign_in("doctor@clinic.example");
    CU_ASSERT_PTR_NOT_NULL_FATAL(doctor->access);
    HTTP_ANSWER before = http_get(second_url, "/auth/me", doctor->access);
    CHECK_STATUS(before, 200);
    HTTP_ANSWER off = patch(id, "{'op':'replace','value':{'active':false}}");
    CHECK_STATUS(off, 200);
    HTTP_ANSWER after = http_get(second_url, "/auth/me", doctor->access);
    CHECK_STATUS(after, 401);
    CU_ASSERT_EQUAL(suite_refresh_status(suite, doctor->refresh), 401);
    PERSON again = person_sign_in(suite, "Practitioner", doctor->email, doctor->password, NULL);
    CU_ASSERT_PTR_NULL(again->access);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.audit where entity = "
                                "'ProjectMembership/%s' and event::text like "
                                "'%%membership.lock%%Device/%s%%'",
                                id, token_id),
                    1);
    HTTP_ANSWER on = patch(id, "{'op':'replace','value':{'active':true}}");
    CHECK_STATUS(on, 200);
    PERSON back = person_sign_in(suite, "Practitioner", doctor->email, doctor->password, NULL);
    CU_ASSERT_PTR_NOT_NULL(back->access);
}

/* Requests at the other gateway while the directory deactivates, and after its answer. */
struct load {
    pthread_t thread;
    const char *access;
    int refused; /* in the last round */
    atomic_bool stop;
};

static int ask_many(const char *url, const char *access)
{
    struct http_request requests[64];
    struct http_answer *answers[64];
    int refused = 0;

    for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
        requests[i] = (struct http_request){.path = "/auth/me", .bearer = access};
    http_call_many(url, requests, ARRAY_SIZE(requests), 16, answers);
    for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
        refused += answers[i]->status == 401;
    http_answers_destroy(answers, ARRAY_SIZE(requests));
    return refused;
}

static void *load_run(void *arg)
{
    struct load *load = arg;

    while (!atomic_load(&load->stop))
        (void)ask_many(second_url, load->access);
    load->refused = ask_many(second_url, load->access);
    return NULL;
}

static void a_deactivation_holds_for_requests_under_way(void)
{
    struct load load = {.refused = 0};
    char id[40];

    create("busy", id);
    PERSON busy = sign_in("busy@clinic.example");
    load.access = busy->access;
    CU_ASSERT_EQUAL(ask_many(second_url, busy->access), 0);
    UNIT_REQUIRE(pthread_create(&load.thread, NULL, load_run, &load) == 0, "a thread");
    HTTP_ANSWER off = patch(id, "{'op':'replace','value':{'active':false}}");
    CHECK_STATUS(off, 200);
    CU_ASSERT_EQUAL(ask_many(suite_url(suite), busy->access), 64);
    atomic_store(&load.stop, true);
    pthread_join(load.thread, NULL);
    CU_ASSERT_EQUAL(load.refused, 64);
    PROGRAM explained = ATRIUMCTL(suite, NULL, "explain", "sign-in", "--project", "demo", "--email",
                                  busy->email, "--role", "Practitioner");
    UNIT_CHECK(strstr(explained->out, "directory has deactivated") != NULL, "%s", explained->out);
}

/* The address stays until its owner opens a link, and the directory keeps its own name. */
static void an_address_changes_by_its_owner(void)
{
    static const char move[] =
        "{'op':'replace','path':'userName','value':'moved@clinic.example'},"
        "{'op':'replace','path':'emails[type eq \\\"work\\\"].value','value':'%s'}";
    char id[40], operations[512];

    create("mover", id);
    PERSON mover = sign_in("mover@clinic.example");
    snprintf(operations, sizeof(operations), move, "moved@clinic.example");
    HTTP_ANSWER first = patch(id, operations);
    CHECK_STATUS(first, 200);
    CU_ASSERT_STRING_EQUAL(http_text(first, "userName"), "moved@clinic.example");
    CU_ASSERT_STRING_EQUAL(http_text(first, "emails.0.value"), "mover@clinic.example");
    HTTP_ANSWER again = patch(id, operations);
    CHECK_STATUS(again, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, "moved@clinic.example", 1));
    struct mail_link link = suite_mail_link(suite, "moved@clinic.example",
                                            "https://practitioner.demo.example/verify-email");
    HTTP_ANSWER opened = suite_post_link(suite, "/auth/verify-email", &link, mover->access, NULL);
    CU_ASSERT_EQUAL(opened->status / 100, 2);
    HTTP_ANSWER moved = show(id);
    CU_ASSERT_STRING_EQUAL(http_text(moved, "emails.0.value"), "moved@clinic.example");
    snprintf(operations, sizeof(operations), move, "moved@elsewhere.example");
    HTTP_ANSWER away = patch(id, operations);
    CHECK_STATUS(away, 200);
    suite_mails_settle(suite);
    CU_ASSERT_EQUAL(suite_mail_count(suite, "moved@elsewhere.example"), 0);
}

static struct http_answer *act(const struct person *admin, const char *email, const char *what)
{
    TEXT account = suite_account(suite, email);
    char path[128];

    snprintf(path, sizeof(path), "/v1/project/accounts/%s/%s", account, what);
    return http_post(suite_url(suite), path, admin->access, json_pack("{s:s}", "reason", "Test"));
}

static void only_its_own_locks_are_opened(void)
{
    PERSON admin = person_admin(suite);
    char id[40];

    create("locked", id);
    HTTP_ANSWER lock = act(admin, "locked@clinic.example", "lock");
    CHECK_STATUS(lock, 204);
    HTTP_ANSWER on = patch(id, "{'op':'replace','value':{'active':true}}");
    CHECK_STATUS(on, 200);
    CU_ASSERT_FALSE(is_active(id));
    HTTP_ANSWER unlock = act(admin, "locked@clinic.example", "unlock");
    CHECK_STATUS(unlock, 204);
    CU_ASSERT_TRUE(is_active(id));
    /* Locked by the directory, then by an admin, too. */
    HTTP_ANSWER off = patch(id, "{'op':'replace','value':{'active':false}}");
    CHECK_STATUS(off, 200);
    HTTP_ANSWER both = act(admin, "locked@clinic.example", "lock");
    CHECK_STATUS(both, 204);
    HTTP_ANSWER again = patch(id, "{'op':'replace','value':{'active':true}}");
    CHECK_STATUS(again, 200);
    CU_ASSERT_FALSE(is_active(id));
}

static void a_domain_must_be_verified(void)
{
    static const struct {
        const char *label, *body;
    } rows[] = {
        {"another domain", "{'userName':'x@elsewhere.example'}"},
        {"a subdomain", "{'userName':'x@sub.clinic.example'}"},
        {"only the name is of the domain",
         "{'userName':'x@clinic.example','emails':[{'value':'x@elsewhere.example'}]}"},
        {"no address", "{'userName':'x'}"},
        {"no name", "{'emails':[{'value':'x@clinic.example'}]}"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        HTTP_ANSWER refused = ask("POST", "/Users", rows[i].body);

        UNIT_CHECK(check_error(refused, 400, "invalidValue"), "%s", rows[i].label);
    }
    HTTP_ANSWER broken = ask("POST", "/Users", "{'userName':");
    check_error(broken, 400, "invalidSyntax");
    HTTP_ANSWER form =
        http_call(suite_url(suite), &(struct http_request){.method = "POST",
                                                           .path = SCIM "/Users",
                                                           .bearer = token,
                                                           .raw = "{}",
                                                           .content_type = "text/plain"});
    check_error(form, 415, "");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.account where email like "
                                       "'x@%%'"),
                    0);
}

/* Makes an admin of a tenant, with a verified address. */
static struct person *make_admin(const char *tenant, const char *email)
{
    PROGRAM made = ATRIUMCTL(suite, PASSWORD "\n", "user", "create-admin", "--project", tenant,
                             "--email", email, "--name", "Vera", "--surname", "Victor");

    CHECK_EXIT(made, 0);
    return person_sign_in(suite, "Practitioner", email, PASSWORD, tenant);
}

static void an_account_of_others_is_only_invited(void)
{
    PERSON there = make_admin(OTHER, "known@clinic.example");

    HTTP_ANSWER made = ask("POST", "/Users",
                           "{'userName':'Known.One@corp.example','externalId':'k-1','active':true,"
                           "'name':{'givenName':'Taken','familyName':'Over'},"
                           "'emails':[{'value':'known@clinic.example'}]}");
    CHECK_STATUS(made, 201);
    CU_ASSERT_TRUE(json_is_false(http_member(made, "active")));
    char id[40];
    snprintf(id, sizeof(id), "%s", http_text(made, "id"));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.membership where id = '%s'", id),
                    0);
    HTTP_ANSWER noted = patch(id, "{'op':'replace','path':'externalId','value':'k-2'}");
    CHECK_STATUS(noted, 200);
    HTTP_ANSWER me = http_get(suite_url(suite), "/auth/me", there->access);
    CHECK_STATUS(me, 200);
    struct mail_link link =
        suite_mail_link(suite, there->email, "https://practitioner.demo.example/invitation");
    /* Deactivated, the link is dead; activated, there is a new one. */
    HTTP_ANSWER off = patch(id, "{'op':'replace','value':{'active':false}}");
    CHECK_STATUS(off, 200);
    HTTP_ANSWER dead =
        suite_post_link(suite, "/auth/invitation/accept", &link, there->access, NULL);
    CHECK_STATUS(dead, 400);
    HTTP_ANSWER on = patch(id, "{'op':'replace','value':{'active':true}}");
    CHECK_STATUS(on, 200);
    CU_ASSERT_FALSE(is_active(id));
    suite_mails_settle(suite);
    link = suite_mail_link(suite, there->email, "https://practitioner.demo.example/invitation");
    HTTP_ANSWER joined =
        suite_post_link(suite, "/auth/invitation/accept", &link, there->access, NULL);
    CHECK_STATUS(joined, 204);
    HTTP_ANSWER member = show(id);
    CHECK_STATUS(member, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(member, "active")));
    CU_ASSERT_STRING_EQUAL(http_text(member, "userName"), "Known.One@corp.example");
    CU_ASSERT_STRING_EQUAL(http_text(member, "name.givenName"), "Vera");
    /* Two projects have the account now, so neither names its person. */
    HTTP_ANSWER renamed = patch(id, "{'op':'replace','path':'name.givenName','value':'Eve'}");
    CHECK_STATUS(renamed, 200);
    CU_ASSERT_STRING_EQUAL(http_text(renamed, "name.givenName"), "Vera");
    /* Leaving one project ends nothing in the other. */
    char path[128];
    snprintf(path, sizeof(path), "/Users/%s", id);
    HTTP_ANSWER gone = ask("DELETE", path, NULL);
    CHECK_STATUS(gone, 204);
    HTTP_ANSWER still = http_get(suite_url(suite), "/auth/me", there->access);
    CHECK_STATUS(still, 200);
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.scim_user where id = '%s'", id),
                    0);
}

static void an_account_of_the_project_joins_at_once(void)
{
    PERSON owner = person_admin_of_child(suite, "scim-child");
    PERSON below = make_admin("scim-child", "below@clinic.example");
    CU_ASSERT_TRUE_FATAL(owner->access && below->access);

    HTTP_ANSWER made = ask("POST", "/Users", "{'userName':'below@clinic.example','active':true}");
    CHECK_STATUS(made, 201);
    CU_ASSERT_TRUE(json_is_true(http_member(made, "active")));
    CU_ASSERT_STRING_EQUAL(http_text(made, "name.givenName"), "Vera");
    CU_ASSERT_EQUAL(
        suite_count(suite, "select count(*) from auth.membership where id = '%s' and not admin",
                    http_text(made, "id")),
        1);
}

static void others_are_out_of_reach(void)
{
    PERSON patient = person_register(suite, NULL);
    PERSON there = make_admin(OTHER, "far@clinic.example");
    char path[128], sql[256];

    snprintf(sql, sizeof(sql),
             "select m.id from auth.membership m join auth.account a on a.id = m.account_id where "
             "a.email = '%s'",
             patient->email);
    TEXT of_patient = suite_query(suite, sql);
    TEXT of_other = suite_query(suite, "select m.id from auth.membership m join auth.account a on "
                                       "a.id = m.account_id where a.email = 'far@clinic.example'");
    const char *const ids[] = {of_patient, of_other, UNKNOWN, "x"};
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        HTTP_ANSWER shown = show(ids[i]);
        check_error(shown, 404, "");
        HTTP_ANSWER off = patch(ids[i], "{'op':'replace','value':{'active':false}}");
        check_error(off, 404, "");
        snprintf(path, sizeof(path), "/Users/%s", ids[i]);
        HTTP_ANSWER gone = ask("DELETE", path, NULL);
        check_error(gone, 404, "");
    }
    HTTP_ANSWER by_email = find("userName", patient->email);
    CU_ASSERT_EQUAL(total(by_email), 0);
    HTTP_ANSWER far = find("emails.value", "far@clinic.example");
    CU_ASSERT_EQUAL(total(far), 0);
    HTTP_ANSWER alive = http_get(suite_url(suite), "/auth/me", there->access);
    CHECK_STATUS(alive, 200);
    /* A token opens its own tenant's path, and nothing else. */
    HTTP_ANSWER other = ask_at(suite_url(suite), token, "GET", "/t/" OTHER "/scim/v2/Users", NULL);
    check_error(other, 401, "");
    HTTP_ANSWER no_tenant = ask_at(suite_url(suite), token, "GET", "/t/none/scim/v2/Users", NULL);
    check_error(no_tenant, 401, "");
    CU_ASSERT_EQUAL(suite_status(suite, "/auth/me", token), 401);
    CU_ASSERT_EQUAL(suite_status(suite, "/v1/projects/me/members", token), 401);
    PERSON admin = person_admin(suite);
    HTTP_ANSWER person = ask_at(suite_url(suite), admin->access, "GET", "/Users", NULL);
    check_error(person, 401, "");
}

static void admins_are_left_alone(void)
{
    PERSON admin = make_admin("demo", "boss@clinic.example");
    HTTP_ANSWER key = http_post(suite_url(suite), "/v1/project/access-policies", admin->access,
                                json_pack("{s:s, s:[{s:s}]}", "name", "Keys", "resource",
                                          "resourceType", "DocumentReference"));
    char policy[64];

    CHECK_STATUS(key, 200);
    snprintf(policy, sizeof(policy), "AccessPolicy/%s", http_text(key, "id"));
    HTTP_ANSWER made =
        http_post(suite_url(suite), "/v1/project/api-keys", admin->access,
                  json_pack("{s:s, s:s}", "name", "Lab import", "accessPolicy", policy));
    CHECK_STATUS(made, 200);
    HTTP_ANSWER found = find("userName", "boss@clinic.example");
    CU_ASSERT_EQUAL(total(found), 1);
    char id[40];
    snprintf(id, sizeof(id), "%s",
             json_string_value(
                 json_object_get(json_array_get(http_member(found, "Resources"), 0), "id")));
    HTTP_ANSWER renamed = patch(id, "{'op':'replace','path':'name.givenName','value':'Eve'}");
    CHECK_STATUS(renamed, 200);
    CU_ASSERT_STRING_EQUAL(http_text(renamed, "name.givenName"), "Vera");
    HTTP_ANSWER off = patch(id, "{'op':'replace','value':{'active':false}}");
    CHECK_STATUS(off, 200);
    CU_ASSERT_FALSE(is_active(id));
    /* The other admin learns of the keys that still work. */
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, LONG_ENOUGH_MS,
                                  "select count(distinct template) from mail.message where "
                                  "template = 'SCIM_MEMBER_KEYS'"));
}

static void the_last_admin_stays(void)
{
    const char *email = suite_text(suite, "demo.adminEmail");
    HTTP_ANSWER found = find("userName", email);
    char id[40], path[128];

    CU_ASSERT_EQUAL(total(found), 1);
    snprintf(id, sizeof(id), "%s",
             json_string_value(
                 json_object_get(json_array_get(http_member(found, "Resources"), 0), "id")));
    HTTP_ANSWER off = patch(id, "{'op':'replace','value':{'active':false}}");
    check_error(off, 409, "");
    snprintf(path, sizeof(path), "/Users/%s", id);
    HTTP_ANSWER gone = ask("DELETE", path, NULL);
    check_error(gone, 409, "");
    CU_ASSERT_TRUE(is_active(id));
    suite_mails_settle(suite);
    TEXT told = suite_mail(suite, email, MAIL_MS);
    UNIT_CHECK(told && strstr(told, "would have no admin"), "%s", told ? told : "");
    /* Each admin gets one email, however often the directory tries. */
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from mail.message where template = "
                                       "'SCIM_LAST_ADMIN'"),
                    suite_count(suite,
                                "select count(*) from auth.membership where project_id = '%s' and "
                                "admin",
                                suite_text(suite, "demo.projectId")));
}

static long count_told(void)
{
    suite_mails_settle(suite);
    return suite_count(suite, "select count(*) from mail.message where template = "
                              "'SCIM_MANY_DEACTIVATED'");
}

/* A fifth is not yet many. */
static void more_than_a_fifth_is_many(void)
{
    char ids[MANY][40], name[32];
    long before, fifth;

    suite_advance_clock(suite, HOUR + 1);
    for (size_t i = 0; i < MANY; i++) {
        snprintf(name, sizeof(name), "many-%zu", i);
        create(name, ids[i]);
    }
    before = count_told();
    fifth = suite_count(suite,
                        "select count(*) / 5 from auth.membership m join auth.account a on a.id = "
                        "m.account_id where m.project_id = '%s' and a.role = 'Practitioner'",
                        suite_text(suite, "demo.projectId"));
    CU_ASSERT_TRUE_FATAL(fifth > 0 && fifth < MANY);
    for (long i = 0; i <= fifth; i++) {
        if (i == fifth)
            CU_ASSERT_EQUAL(count_told(), before);
        HTTP_ANSWER off = patch(ids[i], "{'op':'replace','value':{'active':false}}");
        CHECK_STATUS(off, 200);
    }
    CU_ASSERT_TRUE(count_told() > before);
}

static void check_policy(const char *id, const char *policy)
{
    char sql[160];

    snprintf(sql, sizeof(sql), "select policy_id from auth.membership where id = '%s'", id);
    TEXT now = suite_query(suite, sql);
    UNIT_CHECK(strcmp(now, policy) == 0, "%s, not %s", now, policy);
}

static void make_group(const char *name, const char *external, const char *member,
                       char ret[static 40])
{
    char body[512];

    snprintf(body, sizeof(body),
             "{'displayName':'%s','externalId':'%s','members':[{'value':'%s'}]}", name, external,
             member);
    HTTP_ANSWER made = ask("POST", "/Groups", body);
    CHECK_STATUS(made, 201);
    snprintf(ret, 40, "%s", http_text(made, "id"));
}

static struct http_answer *patch_group(const char *id, const char *operations)
{
    char path[128], body[1024];

    snprintf(path, sizeof(path), "/Groups/%s", id);
    snprintf(body, sizeof(body), "{'Operations':[%s]}", operations);
    return ask("PATCH", path, body);
}

static size_t members_of(const char *id)
{
    char path[128];

    snprintf(path, sizeof(path), "/Groups/%s", id);
    HTTP_ANSWER shown = ask("GET", path, NULL);
    CHECK_STATUS(shown, 200);
    return json_array_size(http_member(shown, "members"));
}

static void make_policy(const struct person *admin, const char *name, char ret[static 40])
{
    HTTP_ANSWER made = http_post(suite_url(suite), "/v1/project/access-policies", admin->access,
                                 json_pack("{s:s, s:[{s:s}]}", "name", name, "resource",
                                           "resourceType", "DocumentReference"));

    CHECK_STATUS(made, 200);
    snprintf(ret, 40, "%s", http_text(made, "id"));
}

static struct http_answer *map(const struct person *admin, const char *group_1,
                               const char *policy_1, const char *group_2, const char *policy_2)
{
    char one[64], two[64];

    snprintf(one, sizeof(one), "AccessPolicy/%s", policy_1);
    snprintf(two, sizeof(two), "AccessPolicy/%s", policy_2);
    return http_put(suite_url(suite), MAPPINGS, admin->access,
                    json_pack("{s:[{s:s, s:s}, {s:s, s:s}]}", "resources", "group", group_1,
                              "accessPolicy", one, "group", group_2, "accessPolicy", two));
}

static void the_first_mapped_group_gives_the_policy(void)
{
    PERSON admin = person_admin(suite);
    char ana[40], bo[40], nurses[40], doctors[40], low[40], high[40], sql[160], operation[256];

    create("group-ana", ana);
    create("group-bo", bo);
    snprintf(sql, sizeof(sql), "select policy_id from auth.membership where id = '%s'", ana);
    TEXT standard = suite_query(suite, sql);
    make_policy(admin, "Low", low);
    make_policy(admin, "High", high);
    make_group("Nurses", "g-nurses", ana, nurses);
    make_group("Doctors", "g-doctors", ana, doctors);
    check_policy(ana, standard);
    HTTP_ANSWER set = map(admin, "g-doctors", high, nurses, low);
    CHECK_STATUS(set, 200);
    check_policy(ana, high);
    check_policy(bo, standard);
    HTTP_ANSWER turned = map(admin, nurses, low, "g-doctors", high);
    CHECK_STATUS(turned, 200);
    check_policy(ana, low);
    /* Entra: a list in a Remove; and a filter. Okta: a filter, and an add of several. */
    snprintf(operation, sizeof(operation),
             "{'op':'Remove','path':'members','value':[{'value':'%s'}]}", ana);
    HTTP_ANSWER removed = patch_group(nurses, operation);
    CHECK_STATUS(removed, 204);
    check_policy(ana, high);
    snprintf(operation, sizeof(operation),
             "{'op':'add','path':'members','value':[{'value':'%s'},{'value':'%s'},"
             "{'value':'" UNKNOWN "'}]}",
             bo, ana);
    HTTP_ANSWER added = patch_group(nurses, operation);
    CHECK_STATUS(added, 204);
    CU_ASSERT_EQUAL(members_of(nurses), 2);
    check_policy(bo, low);
    snprintf(operation, sizeof(operation),
             "{'op':'remove','path':'members[value eq \\\"%s\\\"]'},"
             "{'op':'Replace','value':{'displayName':'Ward nurses','id':'x'}}",
             bo);
    HTTP_ANSWER filtered = patch_group(nurses, operation);
    CHECK_STATUS(filtered, 204);
    CU_ASSERT_EQUAL(members_of(nurses), 1);
    check_policy(bo, standard);
    HTTP_ANSWER found = ask("GET",
                            "/Groups?excludedAttributes=members&filter=displayName%20eq%20"
                            "%22ward%20nurses%22",
                            NULL);
    CU_ASSERT_EQUAL(total(found), 1);
    char path[128];
    snprintf(path, sizeof(path), "/Groups/%s", nurses);
    snprintf(operation, sizeof(operation), "{'displayName':'Nurses','members':[{'value':'%s'}]}",
             bo);
    HTTP_ANSWER replaced = ask("PUT", path, operation);
    CHECK_STATUS(replaced, 200);
    CU_ASSERT_STRING_EQUAL(http_text(replaced, "displayName"), "Nurses");
    check_policy(bo, low);
    check_policy(ana, high);
    HTTP_ANSWER gone = ask("DELETE", path, NULL);
    CHECK_STATUS(gone, 204);
    check_policy(bo, standard);
    HTTP_ANSWER none =
        http_put(suite_url(suite), MAPPINGS, admin->access, json_pack("{s:[]}", "resources"));
    CHECK_STATUS(none, 200);
    check_policy(ana, standard);
    HTTP_ANSWER wrong = map(admin, "a", UNKNOWN, "b", UNKNOWN);
    CHECK_STATUS(wrong, 422);
    HTTP_ANSWER list = http_get(suite_url(suite), MAPPINGS, admin->access);
    CHECK_STATUS(list, 200);
    CU_ASSERT_EQUAL(json_array_size(http_member(list, "resources")), 0);
}

static void admins_keep_their_policy(void)
{
    PERSON admin = person_admin(suite);
    char group[40], high[40], sql[256];

    snprintf(sql, sizeof(sql),
             "select m.id from auth.membership m join auth.account a on a.id = m.account_id where "
             "a.email = '%s' and m.project_id = '%s'",
             admin->email, suite_text(suite, "demo.projectId"));
    TEXT id = suite_query(suite, sql);
    snprintf(sql, sizeof(sql), "select policy_id from auth.membership where id = '%s'", id);
    TEXT before = suite_query(suite, sql);
    make_policy(admin, "Admins", high);
    make_group("Admins", "g-admins", id, group);
    HTTP_ANSWER set = map(admin, group, high, group, high);
    CHECK_STATUS(set, 200);
    check_policy(id, before);
    CU_ASSERT_EQUAL(suite_count(suite,
                                "select count(*) from auth.membership where id = '%s' and "
                                "admin",
                                id),
                    1);
    HTTP_ANSWER none =
        http_put(suite_url(suite), MAPPINGS, admin->access, json_pack("{s:[]}", "resources"));
    CHECK_STATUS(none, 200);
}

static void the_configuration_is_true(void)
{
    HTTP_ANSWER config = ask("GET", "/ServiceProviderConfig", NULL);
    HTTP_ANSWER types = ask("GET", "/ResourceTypes", NULL);
    HTTP_ANSWER schemas = ask("GET", "/Schemas", NULL);
    HTTP_ANSWER type = ask("GET", "/ResourceTypes/User", NULL);
    HTTP_ANSWER schema = ask("GET", "/Schemas/" USER_SCHEMA, NULL);
    HTTP_ANSWER unknown = ask("GET", "/Schemas/urn:none", NULL);
    HTTP_ANSWER no_type = ask("GET", "/ResourceTypes/Device", NULL);

    CHECK_STATUS(config, 200);
    CU_ASSERT_TRUE(json_is_true(http_member(config, "patch.supported")));
    CU_ASSERT_EQUAL(json_integer_value(http_member(config, "filter.maxResults")), 200);
    CU_ASSERT_TRUE(json_is_false(http_member(config, "bulk.supported")) &&
                   json_is_false(http_member(config, "sort.supported")) &&
                   json_is_false(http_member(config, "etag.supported")) &&
                   json_is_false(http_member(config, "changePassword.supported")));
    CU_ASSERT_EQUAL(total(types), 2);
    CU_ASSERT_EQUAL(total(schemas), 2);
    CHECK_STATUS(type, 200);
    CHECK_STATUS(schema, 200);
    check_error(unknown, 404, "");
    check_error(no_type, 404, "");
    HTTP_ANSWER refused = ask_at(suite_url(suite), "scim_wrong", "GET", "/Schemas", NULL);
    check_error(refused, 401, "");
}

static void a_token_is_for_its_networks(void)
{
    PERSON admin = person_admin(suite);
    char path[128];

    HTTP_ANSWER made =
        make_token(admin, json_pack("{s:s, s:[s]}", "name", "Near", "addresses", "127.7.0.0/16"));
    CHECK_STATUS(made, 200);
    const struct http_request near = {.path = SCIM "/Users",
                                      .bearer = http_text(made, "token"),
                                      .source = "127.7.1.1"},
                              far = {.path = SCIM "/Users",
                                     .bearer = http_text(made, "token"),
                                     .source = "127.8.1.1"};
    HTTP_ANSWER inside = http_call(suite_url(suite), &near);
    CHECK_STATUS(inside, 200);
    HTTP_ANSWER outside = http_call(suite_url(suite), &far);
    check_error(outside, 403, "");
    HTTP_ANSWER wrong =
        make_token(admin, json_pack("{s:s, s:[s]}", "name", "Wrong", "addresses", "clinic"));
    CHECK_STATUS(wrong, 422);
    HTTP_ANSWER long_one = make_token(admin, json_pack("{s:s, s:i}", "name", "Long", "days", 366));
    CHECK_STATUS(long_one, 422);
    snprintf(path, sizeof(path), TOKENS "/%s", http_text(made, "id"));
    HTTP_ANSWER gone = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(gone, 204);
}

static void a_deleted_token_is_refused_at_once(void)
{
    PERSON admin = person_admin(suite);
    char path[128];

    HTTP_ANSWER before = ask_at(second_url, token, "GET", "/Users", NULL);
    CHECK_STATUS(before, 200);
    snprintf(path, sizeof(path), TOKENS "/%s", token_id);
    HTTP_ANSWER gone = http_delete(suite_url(suite), path, admin->access);
    CHECK_STATUS(gone, 204);
    HTTP_ANSWER after = ask_at(second_url, token, "GET", "/Users", NULL);
    check_error(after, 401, "");
}

static void tokens_need_a_fresh_proof_and_expire(void)
{
    PERSON early = person_admin(suite);

    HTTP_ANSWER made = make_token(early, json_pack("{s:s, s:i}", "name", "Short", "days", 1));
    CHECK_STATUS(made, 200);
    suite_advance_clock(suite, 901);
    HTTP_ANSWER stale = make_token(early, json_pack("{s:s}", "name", "Stale"));
    CHECK_STATUS(stale, 401);
    CU_ASSERT_STRING_EQUAL(http_text(stale, "code"), "STEP_UP_REQUIRED");
    HTTP_ANSWER still =
        ask_at(suite_url(suite), http_text(made, "token"), "GET", "/Users?count=1", NULL);
    CHECK_STATUS(still, 200);
    suite_advance_clock(suite, DAY);
    HTTP_ANSWER expired =
        ask_at(suite_url(suite), http_text(made, "token"), "GET", "/Users?count=1", NULL);
    check_error(expired, 401, "");
}

static void suite_starts(void)
{
    suite = suite_start(&(struct suite_options){.test_clock = true});
    suite_advance_clock(suite, 0);
    PROGRAM verified =
        ATRIUMCTL(suite, NULL, "domain", "verify", "--project", "demo", "clinic.example");
    CHECK_EXIT(verified, 0);
    suite_make_open_project(suite, OTHER);
    second = second_gateway_start(suite, "", second_url);
}

static void suite_shuts_down_cleanly(void)
{
    second_gateway_stop(second);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(suite_starts),
    CASE_ALWAYS(a_token_is_made_and_shown_once),
    CASE(okta_runs_its_spec_test),
    CASE(okta_deactivates_without_a_path),
    CASE(entra_speaks_both_dialects),
    CASE(nothing_fails_a_patch_that_deactivates),
    CASE(filters_are_these),
    CASE(lists_are_paged),
    CASE(a_deactivation_holds_on_the_next_request),
    CASE(a_deactivation_holds_for_requests_under_way),
    CASE(an_address_changes_by_its_owner),
    CASE(only_its_own_locks_are_opened),
    CASE(a_domain_must_be_verified),
    CASE(an_account_of_others_is_only_invited),
    CASE(an_account_of_the_project_joins_at_once),
    CASE(others_are_out_of_reach),
    CASE(admins_are_left_alone),
    CASE(the_last_admin_stays),
    CASE(more_than_a_fifth_is_many),
    CASE(the_first_mapped_group_gives_the_policy),
    CASE(admins_keep_their_policy),
    CASE(the_configuration_is_true),
    CASE(a_token_is_for_its_networks),
    CASE(a_deleted_token_is_refused_at_once),
    CASE(tokens_need_a_fresh_proof_and_expire),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("scim", cases, ARRAY_SIZE(cases));
}
