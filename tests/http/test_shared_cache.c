/*
 * test_shared_cache.c - public documents in nginx's cache: cached for `public_max_age`, then
 * revalidated, with the current name and type. nginx keeps the first response's headers whatever a
 * 304 says.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/document.h"
#include "tests/support/program.h"
#include "tests/support/unit.h"

enum { SIZE = 1000, START_MS = 10000, EXPIRED_US = 2100000 };

static const struct unit_need needs[] = {{"/usr/sbin/nginx", NULL}, {NULL, NULL}};

static const char configuration[] =
    "daemon off; master_process off; pid %1$s/pid; error_log stderr crit;\n"
    "events { worker_connections 64; }\n"
    "http { access_log off; proxy_cache_path %1$s/cache keys_zone=shared:1m;\n"
    "client_body_temp_path %1$s/b; proxy_temp_path %1$s/p; fastcgi_temp_path %1$s/f;\n"
    "uwsgi_temp_path %1$s/u; scgi_temp_path %1$s/s;\n"
    "server { listen 127.0.0.1:%2$d; location / { proxy_pass %3$s; proxy_cache shared;\n"
    "proxy_cache_revalidate on; add_header X-Cache $upstream_cache_status; } } }\n";

static struct suite *suite;
static struct person *patient;
static struct unit_dir dir;
static struct program *nginx;
static char cache_url[64];

static void the_cache_starts(void)
{
    int port = unit_free_port();
    char text[2048], path[128];
    const char *argv[] = {"/usr/sbin/nginx", "-c", path, "-p", dir.path, NULL};

    snprintf(text, sizeof(text), configuration, dir.path, port, suite_url(suite));
    snprintf(path, sizeof(path), "%s", unit_dir_write(&dir, "nginx.conf", text));
    snprintf(cache_url, sizeof(cache_url), "http://127.0.0.1:%d", port);
    nginx = program_start(argv, NULL);
    for (int i = 0; i < START_MS / 50; i++) {
        HTTP_ANSWER answer = http_get(cache_url, "/health", NULL);

        if (answer->status != 0)
            return;
        usleep(50000);
    }
    CU_FAIL("nginx does not start");
}

static void check(const char *path, const char *how, const char *name, const char *type)
{
    HTTP_ANSWER answer = http_get(cache_url, path, NULL);
    char *status = http_header(answer, "X-Cache"), *is = http_header(answer, "Content-Type"),
         *disposition = http_header(answer, "Content-Disposition"), want[64];

    snprintf(want, sizeof(want), "filename*=UTF-8''%s", name);
    CHECK_STATUS(answer, 200);
    CU_ASSERT_EQUAL(answer->size, SIZE);
    UNIT_CHECK(status && strcmp(status, how) == 0 && is && strcmp(is, type) == 0 && disposition &&
                   strstr(disposition, want),
               "%s, not %s: %s, %s", status, how, disposition, is);
    free(status);
    free(is);
    free(disposition);
}

static struct http_answer *change(const char *method, const char *id, json_t *body)
{
    return http_call(suite_url(suite), &(struct http_request){.method = method,
                                                              .path = document_path(id),
                                                              .bearer = patient->access,
                                                              .body = body});
}

static void a_new_name_or_type_is_seen_after_revalidation(void)
{
    char *bytes = test_bytes(SIZE, 1), path[200], *id;

    if (!unit_has(needs, "ATRIUM_REQUIRE_ALL"))
        return;
    the_cache_starts();
    id = document_put(suite, patient->access, "a.txt", "text/plain", bytes, SIZE);
    HTTP_ANSWER shared = change("PATCH", id, json_pack("{s:b}", "isPublic", 1));
    snprintf(path, sizeof(path), "/document/public/%s", http_text(shared, "publicToken"));
    check(path, "MISS", "a.txt", "text/plain");
    check(path, "HIT", "a.txt", "text/plain");
    usleep(EXPIRED_US);
    check(path, "REVALIDATED", "a.txt", "text/plain");

    HTTP_ANSWER renamed = change("PATCH", id, json_pack("{s:s}", "fileName", "b.txt"));
    CHECK_STATUS(renamed, 200);
    usleep(EXPIRED_US);
    check(path, "EXPIRED", "b.txt", "text/plain");
    usleep(EXPIRED_US);
    check(path, "REVALIDATED", "b.txt", "text/plain");

    HTTP_ANSWER form =
        change("POST", id, json_pack("{s:s, s:s}", "fileName", "b.txt", "contentType", "text/csv"));
    HTTP_ANSWER uploaded = document_upload(suite, form, bytes, SIZE);
    CHECK_STATUS(uploaded, 204);
    usleep(EXPIRED_US);
    check(path, "EXPIRED", "b.txt", "text/csv");
    free(id);
    free(bytes);
}

static void the_scene_is_set(void)
{
    dir = unit_dir_make();
    patient = person_register(suite, NULL);
}

static void the_suite_ends(void)
{
    program_destroy(&nginx);
    person_destroy(&patient);
    suite_stop(&suite);
    unit_dir_remove(&dir);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(a_new_name_or_type_is_seen_after_revalidation),
    CASE_ALWAYS(the_suite_ends),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.set = "docd.public_max_age=1"});
    return unit_run("shared cache", cases, ARRAY_SIZE(cases));
}
