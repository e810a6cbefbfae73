/*
 * test_import_peers.c - imports exports of other systems, converted as docs/import.md says, and
 * signs in.
 *
 * better-auth and PocketBase come from `make npm`; Directus, Parse Server and glewlwyd from `make
 * peers`. `make test-peers` sets ATRIUM_REQUIRE_PEERS, so that none may be missing.
 *
 * tier: browser
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { EXPORT_MS = 180000 };

static struct suite *suite;

static const struct {
    const char *name, *password;
} people[] = {
    {"Ana Lima", "correct horse battery staple"},
    {"Rui da Costa", "Straße und Brücke"}, /* two-byte letters */
};

static char *address_of(const char *peer, size_t i)
{
    static char text[64];

    snprintf(text, sizeof(text), "person%zu@%s.example.com", i, peer);
    return text;
}

static char *people_text(const char *peer)
{
    json_auto_t *array = json_array();

    for (size_t i = 0; i < ARRAY_SIZE(people); i++)
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:s}", "email", address_of(peer, i), "name",
                                        people[i].name, "password", people[i].password));
    return json_dumps(array, JSON_COMPACT);
}

static int sign_in(const char *email, const char *password)
{
    HTTP_ANSWER answer =
        suite_post_fresh(suite, "/v2/auth/login",
                         json_pack("{s:s, s:s, s:s}", "email", email, "password", password,
                                   "clientId", suite_text(suite, "demo.clientId")));

    return answer->status;
}

/* Checks that each person of the export has a hash with that system's algorithm, and can sign
 * in. */
static void check_people(const char *peer, const char *prefix)
{
    for (size_t i = 0; i < ARRAY_SIZE(people); i++) {
        const char *email = address_of(peer, i);

        UNIT_CHECK(suite_count(suite,
                               "select count(*) from auth.credential c join auth.account a on a.id "
                               "= c.account_id where a.email = '%s' and starts_with(password_hash, "
                               "'%s')",
                               email, prefix) == 1,
                   "%s: no hash that begins with %s", email, prefix);
        CU_ASSERT_EQUAL(sign_in(email, "another password"), 400);
        CU_ASSERT_EQUAL(sign_in(email, people[i].password), 200);
        CU_ASSERT_EQUAL(sign_in(email, people[i].password), 200); /* now rehashed */
    }
}

static void import_from(const char *peer, const char *prefix)
{
    struct unit_dir files = unit_dir_make();
    char *text = people_text(peer), *directory = NULL, file[256];
    struct program *export;

    UNIT_CHECK(asprintf(&directory, "%s/%s", files.path, peer) > 0 && mkdir(directory, 0700) == 0,
               "no directory");
    export = program_start(
        (const char *const[]){"tests/import/export.py", peer, directory, text, NULL}, NULL);
    CU_ASSERT_TRUE(program_wait_end(export, EXPORT_MS));
    CHECK_EXIT(export, 0);
    snprintf(file, sizeof(file), "%s", unit_dir_write(&files, "people", export->out));
    PROGRAM done =
        ATRIUMCTL(suite, NULL, "user", "import", file, "--project", "demo", "--verified", "--json");
    UNIT_CHECK(done->code == 0 && json_integer_value(json_object_get(done->json, "imported")) >=
                                      (json_int_t)ARRAY_SIZE(people),
               "%s%s%s", export->out, done->out, done->err);
    check_people(peer, prefix);
    program_destroy(&export);
    unit_dir_remove(&files);
    free(directory);
    free(text);
}

static const struct unit_need ours[] = {
    {"build/npm/installed/import", "npm"},
    {NULL, NULL},
};
static const struct unit_need peers[] = {
    {"build/npm/installed/peers", "peers"},
    {"build/peers/glewlwyd/usr/bin/glewlwyd", "peers"},
    {NULL, NULL},
};

static void people_of_better_auth_sign_in(void)
{
    if (unit_has(ours, "ATRIUM_REQUIRE_ALL"))
        import_from("better-auth", "$scrypt$ln=14,r=16,p=1$");
}

static void people_of_pocketbase_sign_in(void)
{
    if (unit_has(ours, "ATRIUM_REQUIRE_ALL"))
        import_from("pocketbase", "$2a$10$");
}

static void set_environment(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
}

/* Imports from systems that use the suite's PostgreSQL. */
static void import_by_postgres(const char *peer, const char *prefix)
{
    PGconn *connection;

    if (!unit_has(peers, "ATRIUM_REQUIRE_PEERS"))
        return;
    connection = suite_database(suite);
    set_environment("PGHOST", PQhost(connection));
    set_environment("PGPORT", PQport(connection));
    set_environment("PGUSER", PQuser(connection));
    PQfinish(connection);
    import_from(peer, prefix);
}

static void people_of_directus_sign_in(void)
{
    import_by_postgres("directus", "$argon2id$v=19$m=65536,t=3,p=4$");
}

static void people_of_parse_sign_in(void)
{
    import_by_postgres("parse", "$2y$10$");
}

static void people_of_glewlwyd_sign_in(void)
{
    import_by_postgres("glewlwyd", "$2a$06$");
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(people_of_better_auth_sign_in), CASE(people_of_pocketbase_sign_in),
    CASE(people_of_directus_sign_in),    CASE(people_of_parse_sign_in),
    CASE(people_of_glewlwyd_sign_in),    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.no_demo = false});
    return unit_run("imports from peers", cases, ARRAY_SIZE(cases));
}
