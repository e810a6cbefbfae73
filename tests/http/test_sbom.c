/*
 * test_sbom.c - the bill of materials (debian/sbom.pl) of the built programs names each program,
 * loaded library and third-party file with hash and license.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/base.h"
#include "tests/support/program.h"
#include "tests/support/unit.h"

static const char *const names[] = {"atrium-gateway", "atrium-authd", "atrium-settingsd",
                                    "atrium-docd",    "atrium-maild", "atrium-botd",
                                    "atriumctl"};

static struct program *make_bill(void)
{
    const char *argv[ARRAY_SIZE(names) + 2] = {"debian/sbom.pl"};
    char *paths[ARRAY_SIZE(names)];
    struct program *made;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        argv[i + 1] = paths[i] = program_path(names[i]);
    made = program_run(argv, NULL);
    CHECK_EXIT(made, 0);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        free(paths[i]);
    return made;
}

static struct program *bill;

static void it_is_made(void)
{
    bill = make_bill();
    UNIT_REQUIRE(bill->json != NULL, "a bill");
}

static json_t *find(json_t *list, const char *member, const char *text)
{
    json_t *each;
    size_t i;

    json_array_foreach(list, i, each)
    {
        if (strcmp(json_string_value(json_object_get(each, member)), text) == 0)
            return each;
    }
    return NULL;
}

static bool needs(const char *program, const char *package)
{
    json_t *row = find(json_object_get(bill->json, "dependencies"), "ref", program), *each;
    char *start = NULL;
    bool found = false;
    size_t i;

    if (asprintf(&start, "pkg:deb/debian/%s", package) < 0)
        return false;
    json_array_foreach(json_object_get(row, "dependsOn"), i, each) found |=
        strncmp(json_string_value(each), start, strlen(start)) == 0;
    free(start);
    return found;
}

static void every_program_has_its_libraries(void)
{
    static const struct {
        const char *program, *package;
    } rows[] = {
        {"atrium-gateway", "libmicrohttpd12"},
        {"atrium-gateway", "libc6"},
        {"atrium-authd", "libfido2-1"},
        {"atrium-authd", "libssl3"},
        {"atrium-docd", "libvips42"},
        {"atrium-maild", "libgumbo1"},
        {"atrium-botd", "libcurl4"},
        {"atrium-botd", "libmd4c0"},
        {"atrium-settingsd", "libpq5"},
        {"atriumctl", "libsodium23"},
        {"atriumctl", "libboost-context1.74-dev"},
        {"atrium", "bubblewrap"},
    };
    json_t *components = json_object_get(bill->json, "components");

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        UNIT_CHECK(find(components, "name", names[i]) != NULL, "%s", names[i]);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        UNIT_CHECK(needs(rows[i].program, rows[i].package), "%s lacks %s", rows[i].program,
                   rows[i].package);
    CU_ASSERT_FALSE(needs("atrium-settingsd", "libvips42"));
}

static void every_component_is_found_by_its_version(void)
{
    json_t *components = json_object_get(bill->json, "components");
    json_t *dependencies = json_object_get(bill->json, "dependencies"), *each, *ref;
    size_t i, j;

    CU_ASSERT_TRUE(json_array_size(components) > 50);
    json_array_foreach(components, i, each)
    {
        const char *name = json_string_value(json_object_get(each, "name"));
        const char *type = json_string_value(json_object_get(each, "type"));
        bool loaded = strcmp(type, "application") != 0, ours = strncmp(name, "atrium", 6) == 0;

        UNIT_CHECK((loaded || ours) == (json_object_get(each, "version") != NULL), "%s", name);
        UNIT_CHECK(ours == !json_object_get(each, "purl"), "%s", name);
    }
    json_array_foreach(dependencies, i, each)
        json_array_foreach(json_object_get(each, "dependsOn"), j, ref)
            UNIT_CHECK(find(components, "bom-ref", json_string_value(ref)) != NULL, "%s",
                       json_string_value(ref));
}

static void files_of_others_have_hash_and_licence(void)
{
    static const struct {
        const char *name, *path, *licence;
    } rows[] = {
        {"preact", "web/console/vendor/hooks.module.js", "MIT"},
        {"htm", "web/console/vendor/htm.module.js", "Apache-2.0"},
        {"zxcvbn", "authd/data/common_passwords.txt", "MIT"},
    };
    json_t *components = json_object_get(bill->json, "components");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        PROGRAM sum =
            program_run((const char *const[]){"/usr/bin/sha256sum", rows[i].path, NULL}, NULL);
        json_t *component = find(components, "name", rows[i].name), *property;
        json_t *licence = json_array_get(json_object_get(component, "licenses"), 0);
        char *name = NULL;

        CU_ASSERT_TRUE(asprintf(&name, "atrium:sha256:%s", rows[i].path) > 0);
        property = find(json_object_get(component, "properties"), "name", name);
        UNIT_CHECK(property && strncmp(json_string_value(json_object_get(property, "value")),
                                       sum->out, 64) == 0,
                   "%s", rows[i].path);
        licence = json_object_get(json_object_get(licence, "license"), "id");
        UNIT_CHECK(licence && strcmp(json_string_value(licence), rows[i].licence) == 0, "%s",
                   rows[i].name);
        free(name);
    }
}

static void the_same_programs_give_the_same_bytes(void)
{
    PROGRAM again = make_bill();

    CU_ASSERT_STRING_EQUAL(bill->out, again->out);
}

static void it_is_left(void)
{
    program_destroy(&bill);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(it_is_made),
    CASE(every_program_has_its_libraries),
    CASE(every_component_is_found_by_its_version),
    CASE(files_of_others_have_hash_and_licence),
    CASE(the_same_programs_give_the_same_bytes),
    CASE_ALWAYS(it_is_left),
};

int main(void)
{
    return unit_run("bill of materials", cases, ARRAY_SIZE(cases));
}
