/*
 * test_examples.c - each of examples/ runs as its README says, and does what it shows: a person
 * signs in with Chromium, a session ends, an event comes. tests/examples/run.mjs has what is done.
 *
 * An example whose tools are missing is left out, unless ATRIUM_REQUIRE_ALL is set.
 *
 * tier: browser
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/certificate.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { EXAMPLE_MS = 240000, CHECK_MS = 300000 };

static struct suite *suite;
static struct unit_dir dir;

static const struct unit_need needs[] = {
    {"build/npm/installed/examples", "npm"},
    {"/usr/bin/chromium", "chromium"},
    {NULL, NULL},
};

static void the_scene_is_set(void)
{
    char set[200];

    dir = unit_dir_make();
    certificate_make(&dir);
    snprintf(set, sizeof(set),
             "maild.allow_networks=127.0.0.1/32,maild.webhook_ca_file=%s/cert.pem", dir.path);
    suite = suite_start(&(struct suite_options){.set = set});
    setenv("TMPDIR", dir.path, 1); /* for Chromium's profile */
}

/* Runs the example if the machine has what it needs: npm packages, Chromium, and `more`. */
static void run(const char *name, const struct unit_need *more)
{
    const char *const argv[] = {
        "/usr/bin/env", "node", "tests/examples/run.mjs", name, suite_dir(suite), dir.path, NULL};

    if (!unit_has(needs, "ATRIUM_REQUIRE_ALL") || (more && !unit_has(more, "ATRIUM_REQUIRE_ALL")))
        return;
    PROGRAM ran = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(ran, EXAMPLE_MS));
    UNIT_CHECK(ran->code == 0, "%d %s", ran->code, ran->err);
}

static void save_description(char *path, size_t size)
{
    HTTP_ANSWER page = http_get(suite_url(suite), "/openapi.json", NULL);
    FILE *file;

    snprintf(path, size, "%s/openapi.json", dir.path);
    file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(fwrite(page->body, 1, page->size, file), page->size);
    fclose(file);
}

/* The package of clients/typescript, as an application gets it. */
static bool pack_the_client(void)
{
    char path[160];
    const char *const argv[] = {"/usr/bin/env", "node", "tests/client/check.mjs", "pack", dir.path,
                                path,           NULL};

    save_description(path, sizeof(path));
    PROGRAM packed = program_start(argv, NULL);
    return program_wait_end(packed, CHECK_MS) && CHECK_EXIT(packed, 0);
}

static void a_single_page_app_with_the_typescript_client(void)
{
    static const struct unit_need client[] = {
        {"build/npm/installed/client", "npm"},
        {NULL, NULL},
    };

    if (unit_has(client, "ATRIUM_REQUIRE_ALL") && pack_the_client())
        run("spa-typescript", NULL);
}

static void an_express_app_by_openid(void)
{
    run("express-openid", NULL);
}

static void a_site_of_nginx_by_openid(void)
{
    run("nginx-openid", (const struct unit_need[]){{"/usr/sbin/nginx", "nginx"}, {NULL, NULL}});
}

static void a_go_api_that_verifies_tokens(void)
{
    run("go-api", (const struct unit_need[]){{"/usr/bin/go", "go"}, {NULL, NULL}});
}

static void a_python_program_with_an_api_key(void)
{
    run("python-api-key",
        (const struct unit_need[]){{"/usr/lib/python3/dist-packages/requests", "python3-requests"},
                                   {NULL, NULL}});
}

static void a_smart_app(void)
{
    run("smart-app", NULL);
}

static void a_receiver_of_webhooks(void)
{
    run("webhook-receiver", NULL);
}

/* What Postman and others import. */
static void a_collection_of_all_requests(void)
{
    char path[160];
    const char *const argv[] = {"/usr/bin/env",   "node", "tests/examples/collection.mjs",
                                suite_dir(suite), path,   NULL};

    if (!unit_has(needs, "ATRIUM_REQUIRE_ALL"))
        return;
    save_description(path, sizeof(path));
    PROGRAM sent = program_start(argv, NULL);
    CU_ASSERT_TRUE(program_wait_end(sent, EXAMPLE_MS));
    UNIT_CHECK(sent->code == 0, "%d %s", sent->code, sent->err);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_single_page_app_with_the_typescript_client),
    CASE(an_express_app_by_openid),
    CASE(a_site_of_nginx_by_openid),
    CASE(a_go_api_that_verifies_tokens),
    CASE(a_python_program_with_an_api_key),
    CASE(a_smart_app),
    CASE(a_receiver_of_webhooks),
    CASE(a_collection_of_all_requests),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    return unit_run("examples", cases, ARRAY_SIZE(cases));
}
