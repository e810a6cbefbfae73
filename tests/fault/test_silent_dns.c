/*
 * test_silent_dns.c - the name server of docd's S3 server and botd's bots stops responding:
 * requests that need a name end at their deadline, others respond immediately, no watchdog fires,
 * and everything recovers. Needs s3rver (`make npm`).
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/document.h"
#include "tests/support/silent_dns.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    WAITING = 6,         /* concurrent requests that need a name */
    PROMPT_MS = 1000,    /* maximum time of a request that needs no name, on a busy machine */
    DEADLINE_MS = 15000, /* maximum time of a request that needs a name */
    BACK_MS = 15000,     /* maximum time until names resolve again */
    SIZE = 1000,
};

static struct silent_dns *dns;
static struct suite *suite;
static struct person *patient, *admin;
static struct program *store, *bots;
static struct unit_dir dir;
static char store_url[128], bot_url[128], *document, *bytes;

static struct program *server_start(const char *const *argv, const char *ready)
{
    struct program *server = program_start(argv, NULL);

    if (!program_wait_output(server, ready, 30000)) {
        fprintf(stderr, "server: %s\n", server->err);
        exit(1);
    }
    return server;
}

static void store_start(void)
{
    const char *argv[] = {"/usr/bin/env", "node", "tests/s3/server.cjs", dir.path, NULL};

    store = server_start(argv, "ready http");
    snprintf(store_url, sizeof(store_url), "http://store.example:%d",
             atoi(strrchr(store->out, ':') + 1));
}

static void bots_start(void)
{
    static const char *const argv[] = {"/usr/bin/python3", "tests/support/bot_server.py", NULL};

    int port = 0;

    bots = server_start(argv, "\n");
    if (sscanf(bots->out, "port %d", &port) != 1)
        exit(1);
    snprintf(bot_url, sizeof(bot_url), "http://bot.example:%d/echo", port);
}

struct waiting {
    pthread_t thread;
    bool of_bot;
    int status;
    int64_t took_ms;
};

static struct http_answer *run_bot(void)
{
    return http_post(suite_url(suite), "/bots?identifier=urn:silent%7Cnamed", patient->access,
                     json_object());
}

static void *waiting_main(void *arg)
{
    struct waiting *self = arg;
    int64_t begin_ms = clock_mono_ms();
    HTTP_ANSWER answer = self->of_bot ? run_bot() : document_get(suite, patient->access, document);

    self->status = answer->status;
    self->took_ms = clock_mono_ms() - begin_ms;
    return NULL;
}

static void waiting_start(struct waiting *self, bool of_bot)
{
    *self = (struct waiting){.of_bot = of_bot};
    if (pthread_create(&self->thread, NULL, waiting_main, self) != 0)
        exit(1);
}

static void it_works_by_name(void)
{
    HTTP_ANSWER form = document_make(suite, patient->access, "a.bin", "application/octet-stream");
    HTTP_ANSWER made =
        http_post(suite_url(suite), "/v1/project/bots", admin->access,
                  json_pack("{s:[{s:s, s:s}], s:s, s:s, s:s, s:i}", "identifier", "system",
                            "urn:silent", "value", "named", "name", "named", "kind", "http", "url",
                            bot_url, "timeoutMs", 2000));

    CHECK_STATUS(form, 200);
    CU_ASSERT_EQUAL(form_post_to(http_text(form, "uploadOptions.url"),
                                 http_member(form, "uploadOptions.fields"), bytes, SIZE),
                    204);
    document = strdup(http_text(form, "id"));
    HTTP_ANSWER read = document_get(suite, patient->access, document);
    CHECK_BYTES(read, bytes, SIZE);
    CHECK_STATUS(made, 200);
    HTTP_ANSWER ran = run_bot();
    CHECK_STATUS(ran, 200);
}

/* Restarts both daemons, so that they have no cached names. */
static void restart_daemons(void)
{
    static const char *const daemons[] = {"docd", "botd"};

    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        pid_t pid = suite_pid(suite, daemons[i], "1");

        suite_signal(suite, daemons[i], "1", SIGKILL);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, daemons[i], "1", pid));
    }
}

static int64_t ask_others(void)
{
    static const char *const paths[] = {"/document?_count=5", "/v1/project/bots"};
    int64_t longest_ms = 0;

    for (int i = 0; i < 40; i++) {
        int64_t begin_ms = clock_mono_ms();
        HTTP_ANSWER answer =
            http_get(suite_url(suite), paths[i % 2], (i % 2 ? admin : patient)->access);

        CHECK_STATUS(answer, 200);
        longest_ms = MAX(longest_ms, clock_mono_ms() - begin_ms);
        usleep(50000);
    }
    return longest_ms;
}

static void a_silent_name_server_delays_only_lookups(void)
{
    struct waiting waiting[2 * WAITING];
    int64_t longest_ms;
    pid_t docd, botd;

    silent_dns_set(dns, true);
    restart_daemons();
    docd = suite_pid(suite, "docd", "1");
    botd = suite_pid(suite, "botd", "1");
    for (size_t i = 0; i < ARRAY_SIZE(waiting); i++)
        waiting_start(&waiting[i], i % 2);
    longest_ms = ask_others();
    UNIT_CHECK(longest_ms < PROMPT_MS, "a request took %lld ms", (long long)longest_ms);
    for (size_t i = 0; i < ARRAY_SIZE(waiting); i++) {
        pthread_join(waiting[i].thread, NULL);
        UNIT_CHECK(waiting[i].status == (waiting[i].of_bot ? 400 : 503) &&
                       waiting[i].took_ms < DEADLINE_MS,
                   "%s: %d after %lld ms", waiting[i].of_bot ? "bot" : "document",
                   waiting[i].status, (long long)waiting[i].took_ms);
    }
    CU_ASSERT_EQUAL(suite_pid(suite, "docd", "1"), docd);
    CU_ASSERT_EQUAL(suite_pid(suite, "botd", "1"), botd);
}

static void requests_succeed_when_the_name_server_is_back(void)
{
    int64_t until_ms = clock_mono_ms() + BACK_MS;
    int read_status, bot_status;

    silent_dns_set(dns, false);
    do {
        HTTP_ANSWER read = document_get(suite, patient->access, document);
        HTTP_ANSWER ran = run_bot();

        read_status = read->status;
        bot_status = ran->status;
    } while ((read_status != 200 || bot_status != 200) && clock_mono_ms() < until_ms);
    CU_ASSERT_EQUAL(read_status, 200);
    CU_ASSERT_EQUAL(bot_status, 200);
}

static void a_name_that_is_known_needs_no_server(void)
{
    silent_dns_set(dns, true);
    HTTP_ANSWER read = document_get(suite, patient->access, document);
    CHECK_BYTES(read, bytes, SIZE);
    silent_dns_set(dns, false);
}

static void a_pending_lookup_delays_no_shutdown(void)
{
    static const char *const daemons[] = {"docd", "botd"};
    struct waiting waiting[2];

    silent_dns_set(dns, true);
    restart_daemons();
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        waiting_start(&waiting[i], i);
    usleep(300000);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        pid_t pid = suite_pid(suite, daemons[i], "1");
        int64_t begin_ms = clock_mono_ms();

        kill(pid, SIGTERM);
        while (kill(pid, 0) == 0 && clock_mono_ms() - begin_ms < 20000)
            usleep(10000);
        UNIT_CHECK(clock_mono_ms() - begin_ms < 8000, "%s took %lld ms to end", daemons[i],
                   (long long)(clock_mono_ms() - begin_ms));
        pthread_join(waiting[i].thread, NULL);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, daemons[i], "1", pid));
    }
    silent_dns_set(dns, false);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&patient);
    person_destroy(&admin);
    suite_stop(&suite);
    program_destroy(&store);
    program_destroy(&bots);
    unit_dir_remove(&dir);
    free(document);
    free(bytes);
}

static const struct unit_case cases[] = {
    CASE(it_works_by_name),
    CASE(a_silent_name_server_delays_only_lookups),
    CASE(requests_succeed_when_the_name_server_is_back),
    CASE(a_name_that_is_known_needs_no_server),
    CASE(a_pending_lookup_delays_no_shutdown),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    const char *reason = "there is no server of S3 (make npm)";
    int rc;

    if (access("build/npm/installed/s3", R_OK) != 0 || !(dns = silent_dns_start(&reason)))
        return unit_leave_out_suite("silent dns", reason);
    unit_optional();
    dir = unit_dir_make();
    store_start();
    bots_start();
    suite = suite_start(&(struct suite_options){.bot_allow = "127.0.0.1/32",
                                                .s3_url = store_url,
                                                .s3_key = "S3RVER",
                                                .s3_secret = "S3RVER",
                                                .s3_bucket = "documents"});
    patient = person_register(suite, NULL);
    admin = person_admin(suite);
    bytes = test_bytes(SIZE, 1);
    rc = unit_run("silent dns", cases, ARRAY_SIZE(cases));
    silent_dns_stop(&dns);
    return rc;
}
