/*
 * test_authd_scim.c - filters and PATCH of SCIM, with the operations that Microsoft Entra and Okta
 * document.
 */
#include <CUnit/CUnit.h>
#include <string.h>

#include "authd/federation/scim_patch.h"
#include "tests/support/unit.h"

#define USER                                                                         \
    "{'id':'U1','userName':'Ana@Clinic.Example','externalId':'Ext-1','active':true," \
    "'name':{'givenName':'Ana','familyName':'Lima'},'nickName':'',"                  \
    "'emails':[{'value':'ana@clinic.example','type':'work','primary':true},"         \
    "{'value':'a@home.example','type':'home','primary':false}],'age':41}"

/* Reads JSON with single quotes. */
static json_t *quoted(struct arena *arena, const char *text)
{
    char *json = arena_strdup(arena, text);
    json_t *read;

    for (char *at = json; *at; at++)
        if (*at == '\'')
            *at = '"';
    read = json_loads(json, 0, NULL);
    UNIT_CHECK(read != NULL, "%s", json);
    return read;
}

static const char *dump(struct arena *arena, const json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
    const char *copy = arena_strdup(arena, text);

    free(text);
    return copy;
}

static const char *type_of(const struct error *err)
{
    for (const struct error_item *item = err->members; item; item = item->next)
        if (strcmp(item->name, "scimType") == 0)
            return item->value;
    return "";
}

static void filters_match(void)
{
    static const struct {
        const char *filter;
        bool want;
    } rows[] = {
        {"userName eq \"ana@clinic.example\"", true},
        {"userName EQ \"ANA@CLINIC.EXAMPLE\"", true},
        {"USERNAME eq \"ana@clinic.example\"", true},
        {"urn:ietf:params:scim:schemas:core:2.0:User:userName eq \"ana@clinic.example\"", true},
        {"userName eq \"bo@clinic.example\"", false},
        {"id eq \"U1\"", true},
        {"id eq \"u1\"", false},
        {"externalId eq \"ext-1\"", false},
        {"externalId eq \"Ext-1\"", true},
        {"name.givenName eq \"ana\"", true},
        {"name.middleName pr", false},
        {"name.familyName pr", true},
        {"name pr", true},
        {"nickName pr", false},
        {"title pr", false},
        {"title eq null", true},
        {"userName eq null", false},
        {"active eq true", true},
        {"active eq false", false},
        {"active eq \"true\"", false},
        {"age eq 41", true},
        {"age eq 41.5", false},
        {"emails pr", true},
        {"emails eq \"a@home.example\"", true},
        {"emails.value eq \"a@home.example\"", true},
        {"emails.type eq \"other\"", false},
        {"emails[type eq \"work\"]", true},
        {"emails[type eq \"work\" and value eq \"a@home.example\"]", false},
        {"emails[type eq \"home\" and value eq \"a@home.example\"]", true},
        {"emails[primary eq true and (type eq \"home\" or type eq \"work\")]", true},
        {"active eq false or id eq \"U1\" and age eq 41", true},
        {"(active eq false or id eq \"U1\") and age eq 1", false},
        {"id eq \"U1\" or active eq false and age eq 1", true},
        {"userName eq \"\\u0041na@clinic.example\"", true},
        {"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq \"x\"", false},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    json_auto_t *user = quoted(arena, USER);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct scim_filter *filter;
        struct error err;

        error_init(&err, arena);
        UNIT_REQUIRE(scim_filter_read(arena, rows[i].filter, &filter, &err) == 0, "%s",
                     rows[i].filter);
        UNIT_CHECK(scim_filter_match(filter, user) == rows[i].want, "%s", rows[i].filter);
    }
}

static void other_filters_are_refused(void)
{
    static const char *const rows[] = {
        "",
        " ",
        "userName",
        "userName eq",
        "userName eq ana",
        "userName eq \"ana",
        "userName eq \"ana\" and",
        "userName eq \"ana\" \"bo\"",
        "userName ne \"ana\"",
        "userName co \"ana\"",
        "userName sw \"ana\"",
        "meta.created gt \"2026-01-01T00:00:00Z\"",
        "not (userName eq \"ana\")",
        "(userName eq \"ana\"",
        "userName eq \"ana\")",
        "emails[type eq \"work\"",
        "emails[]",
        "emails[phones[type eq \"x\"]]",
        "a.b.c eq \"x\"",
        ".a eq \"x\"",
        "a. eq \"x\"",
        "1a eq \"x\"",
        "urn: eq \"x\"",
        "urn:a: pr",
        "x:y pr",
        "userName eq \"\\x\"",
        "userName eq \"\\ud800\"",
        "userName eq truely",
        "userName prx",
        "age eq 1e",
        "age eq 01",
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct scim_filter *filter;
        struct error err;

        error_init(&err, arena);
        UNIT_CHECK(scim_filter_read(arena, rows[i], &filter, &err) < 0 &&
                       err.code == ERR_BAD_REQUEST && strcmp(type_of(&err), "invalidFilter") == 0,
                   "%s", rows[i]);
    }
}

/* Returns `count` times a text, then another. */
static const char *repeated(struct arena *arena, const char *text, size_t count, const char *end)
{
    const char *all = "";

    while (count-- > 0)
        all = arena_printf(arena, "%s%s", all, text);
    return arena_printf(arena, "%s%s", all, end);
}

static void a_filter_has_a_limit(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const struct {
        const char *label, *filter;
        bool good;
    } rows[] = {
        {"32 terms", repeated(arena, "id pr or ", 31, "id pr"), true},
        {"many terms", repeated(arena, "id pr or ", 64, "id pr"), false},
        {"60 deep",
         repeated(arena, "(", 60, repeated(arena, "id pr", 1, repeated(arena, ")", 60, ""))), true},
        {"deep", repeated(arena, "(", 1000, "id pr"), false},
        {"deep values", repeated(arena, "a[", 1000, "id pr"), false},
        {"long", repeated(arena, " ", SCIM_FILTER_MAX, "id pr"), false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct scim_filter *filter;
        struct error err;

        error_init(&err, arena);
        UNIT_CHECK((scim_filter_read(arena, rows[i].filter, &filter, &err) == 0) == rows[i].good,
                   "%s", rows[i].label);
    }
}

static void a_filter_names_its_key(void)
{
    static const struct {
        const char *filter, *attribute, *sub, *want;
    } rows[] = {
        {"userName eq \"x\"", "userName", NULL, "x"},
        {"active eq true and userName eq \"x\"", "userName", NULL, "x"},
        {"userName eq \"x\" or active eq true", "userName", NULL, NULL},
        {"userName pr", "userName", NULL, NULL},
        {"userName eq true", "userName", NULL, NULL},
        {"externalId eq \"x\"", "userName", NULL, NULL},
        {"emails[type eq \"work\" and value eq \"x\"]", "emails", "value", "x"},
        {"emails.value eq \"x\"", "emails", "value", "x"},
        {"emails[type eq \"work\" or value eq \"x\"]", "emails", "value", NULL},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct scim_filter *filter;
        const char *key;
        struct error err;

        error_init(&err, arena);
        UNIT_REQUIRE(scim_filter_read(arena, rows[i].filter, &filter, &err) == 0, "%s",
                     rows[i].filter);
        key = scim_filter_key(filter, rows[i].attribute, rows[i].sub);
        UNIT_CHECK(key && rows[i].want ? strcmp(key, rows[i].want) == 0 : key == rows[i].want,
                   "%s: %s", rows[i].filter, key ? key : "none");
    }
}

#define SMALL \
    "{'active':true,'emails':[{'type':'work','value':'a@x.example'}],'name':{'givenName':'A'}}"

static void a_patch_takes_both_dialects(void)
{
    static const struct {
        const char *label, *operations, *want;
    } rows[] = {
        {"Entra, capitalized and a text", "[{'op':'Replace','path':'active','value':'False'}]",
         "{'active':'False','emails':[{'type':'work','value':'a@x.example'}],"
         "'name':{'givenName':'A'}}"},
        {"Okta, without a path", "[{'op':'replace','value':{'active':false}}]",
         "{'active':false,'emails':[{'type':'work','value':'a@x.example'}],"
         "'name':{'givenName':'A'}}"},
        {"Entra, keys are paths",
         "[{'op':'replace','value':{'name.familyName':'L','emails[type eq \\\"work\\\"].value':"
         "'b@x.example','urn:ietf:params:scim:schemas:core:2.0:User:userName':'b'}}]",
         "{'active':true,'emails':[{'type':'work','value':'b@x.example'}],"
         "'name':{'familyName':'L','givenName':'A'},'userName':'b'}"},
        {"Entra, an element is added",
         "[{'op':'Add','path':'emails[type eq \\\"home\\\"].value','value':'h@x.example'}]",
         "{'active':true,'emails':[{'type':'work','value':'a@x.example'},"
         "{'type':'home','value':'h@x.example'}],'name':{'givenName':'A'}}"},
        {"an extension",
         "[{'op':'add','path':'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:"
         "department','value':'X'}]",
         "{'active':true,'emails':[{'type':'work','value':'a@x.example'}],"
         "'name':{'givenName':'A'},'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User':"
         "{'department':'X'}}"},
        {"an unknown filter, then a deactivation",
         "[{'op':'replace','path':'phones[type ne \\\"x\\\"].value','value':'1'},"
         "{'op':'remove','path':'emails[type eq \\\"fax\\\"]'},"
         "{'op':'replace','path':'active','value':false}]",
         "{'active':false,'emails':[{'type':'work','value':'a@x.example'}],"
         "'name':{'givenName':'A'}}"},
        {"remove",
         "[{'op':'remove','path':'name.givenName'},{'op':'Remove','path':'active'},"
         "{'op':'remove','path':'emails[type eq \\\"work\\\"]'}]",
         "{'emails':[],'name':{}}"},
        {"another spelling", "[{'op':'replace','path':'ACTIVE','value':false}]",
         "{'active':false,'emails':[{'type':'work','value':'a@x.example'}],"
         "'name':{'givenName':'A'}}"},
        {"a complex value", "[{'op':'replace','path':'name','value':{'familyName':'L'}}]",
         "{'active':true,'emails':[{'type':'work','value':'a@x.example'}],"
         "'name':{'familyName':'L','givenName':'A'}}"},
        {"a list replaced", "[{'op':'replace','path':'emails','value':[]}]",
         "{'active':true,'emails':[],'name':{'givenName':'A'}}"},
        {"a list added",
         "[{'op':'add','path':'emails','value':[{'type':'work','value':'c@x.example'}]}]",
         "{'active':true,'emails':[{'type':'work','value':'c@x.example'}],"
         "'name':{'givenName':'A'}}"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        json_auto_t *resource = quoted(arena, SMALL), *want = quoted(arena, rows[i].want);
        json_auto_t *body =
            quoted(arena, arena_printf(arena, "{'Operations':%s}", rows[i].operations));
        struct scim_operation *operations;
        struct error err;
        size_t count;

        error_init(&err, arena);
        UNIT_REQUIRE(scim_patch_read(arena, body, &operations, &count, &err) == 0, "%s: %s",
                     rows[i].label, err.message);
        for (size_t k = 0; k < count; k++)
            scim_patch_apply(&operations[k], resource);
        UNIT_CHECK(strcmp(dump(arena, resource), dump(arena, want)) == 0, "%s: %s", rows[i].label,
                   dump(arena, resource));
    }
}

static void malformed_patches_are_refused(void)
{
    static const struct {
        const char *body, *type;
    } rows[] = {
        {"{}", "invalidSyntax"},
        {"{'Operations':[]}", "invalidSyntax"},
        {"{'Operations':{}}", "invalidSyntax"},
        {"{'Operations':['x']}", "invalidSyntax"},
        {"{'Operations':[{'op':'move','path':'active'}]}", "invalidSyntax"},
        {"{'Operations':[{'op':'remove'}]}", "noTarget"},
        {"{'Operations':[{'op':'replace','value':'x'}]}", "invalidValue"},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        json_auto_t *body = quoted(arena, rows[i].body);
        struct scim_operation *operations;
        struct error err;
        size_t count;

        error_init(&err, arena);
        UNIT_CHECK(scim_patch_read(arena, body, &operations, &count, &err) < 0 &&
                       strcmp(type_of(&err), rows[i].type) == 0,
                   "%s: %s", rows[i].body, type_of(&err));
    }
}

static void booleans_can_be_texts(void)
{
    static const struct {
        const char *json;
        enum tristate want;
    } rows[] = {
        {"[true]", TRISTATE_TRUE},     {"[false]", TRISTATE_FALSE}, {"['True']", TRISTATE_TRUE},
        {"['false']", TRISTATE_FALSE}, {"['no']", TRISTATE_UNSET},  {"[0]", TRISTATE_UNSET},
        {"[null]", TRISTATE_UNSET},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        json_auto_t *list = quoted(arena, rows[i].json);

        UNIT_CHECK(scim_bool(json_array_get(list, 0)) == rows[i].want, "%s", rows[i].json);
    }
}

static const struct unit_case cases[] = {
    CASE(filters_match),
    CASE(other_filters_are_refused),
    CASE(a_filter_has_a_limit),
    CASE(a_filter_names_its_key),
    CASE(a_patch_takes_both_dialects),
    CASE(malformed_patches_are_refused),
    CASE(booleans_can_be_texts),
};

int main(void)
{
    return unit_run("authd scim", cases, ARRAY_SIZE(cases));
}
