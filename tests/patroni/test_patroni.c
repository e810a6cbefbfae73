/*
 * test_patroni.c - `make test-patroni`: two PostgreSQL nodes under Patroni, HAProxy with TLS before
 * two gateways, and a load while each node loses power and the leader switches in both directions.
 * No acknowledged write is lost, no daemon restarts, writes work again within Patroni's ttl + 3 s,
 * and no token is accepted after its session's end.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/patroni/patroni.h"
#include "tests/support/chaos.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    CLIENTS = 5,
    LOAD_MS = 4000,       /* undisturbed, before and after each event */
    REJOIN_MS = 120000,   /* maximum time until a returned node is the synchronous standby */
    BEYOND_TTL_MS = 3000, /* additional time that the daemons get after Patroni's TTL */
    REST_MS = 60000,
    WRITE_EVERY_MS = 20,
    WRITES_MAX = 100000,
    SESSIONS = 60,
    TOKENS = 10, /* tokens of one session, by refreshing */
};

static const struct event {
    const char *name;
    bool power; /* the leader loses power; otherwise a switchover */
} events[] = {
    {"power loss", true},
    {"power loss", true},
    {"switchover", false},
    {"switchover", false},
};

enum { EVENTS = ARRAY_SIZE(events), SESSIONS_OF_EVENT = SESSIONS / EVENTS };

static const struct {
    const char *name, *instance;
} daemons[] = {
    {"settingsd", "1"}, {"settingsd", "2"}, {"authd", "1"}, {"authd", "2"},
    {"maild", "1"},     {"docd", "1"},      {"botd", "1"},  {"gateway", "1"},
};

static struct patroni *patroni;
static struct suite *suite;
static struct program *gateway_b, *haproxy;
static pid_t pids[ARRAY_SIZE(daemons)];
static int ttl_ms;

static struct {
    pthread_t thread;
    atomic_bool stop;
    atomic_int acknowledged; /* pages 0 to this one are acknowledged */
    int64_t at_ms[WRITES_MAX];
    struct person *admin;
} writer;

static void *write_pages(void *arg UNUSED)
{
    while (!atomic_load(&writer.stop) && atomic_load(&writer.acknowledged) < WRITES_MAX) {
        int number = atomic_load(&writer.acknowledged);
        char path[64];

        snprintf(path, sizeof(path), "/cms/article/failover-%d/en", number);
        HTTP_ANSWER answer =
            http_call(suite_url(suite), &(struct http_request){
                                            .method = "PUT",
                                            .path = path,
                                            .bearer = writer.admin->access,
                                            .body = json_pack("{s:s}", "title", "Fail-over"),
                                        });
        if (answer->status == 200) {
            writer.at_ms[number] = clock_mono_ms();
            atomic_store(&writer.acknowledged, number + 1);
        }
        usleep(WRITE_EVERY_MS * 1000);
    }
    return NULL;
}

/* Returns the longest time without an acknowledged write. */
static int64_t longest_gap_ms(int first, int64_t since_ms)
{
    int last = atomic_load(&writer.acknowledged);
    int64_t before_ms = first > 0 ? writer.at_ms[first - 1] : since_ms, longest_ms = 0;

    for (int i = first; i < last; i++) {
        longest_ms = MAX(longest_ms, writer.at_ms[i] - before_ms);
        before_ms = writer.at_ms[i];
    }
    return longest_ms;
}

static struct session {
    char *access[TOKENS], *refresh;
} sessions[SESSIONS];

static struct {
    int ended, requests, accepted, refused;
} tally;

static void open_session(struct session *self)
{
    PERSON person = person_register(suite, NULL);

    self->access[0] = strdup(person->access);
    self->refresh = strdup(person->refresh);
    for (int i = 1; i < TOKENS; i++) {
        HTTP_ANSWER answer = suite_post_fresh(suite, "/auth/refresh-token",
                                              json_pack("{s:s}", "refresh_token", self->refresh));

        CHECK_STATUS(answer, 200);
        self->access[i] = strdup(http_text(answer, "access_token"));
        free(self->refresh);
        self->refresh = strdup(http_text(answer, "refresh_token"));
    }
}

/* Repeats until a response: 401 means that an unanswered attempt succeeded. */
static void end_session(const struct session *self)
{
    int64_t deadline_ms = clock_mono_ms() + ttl_ms + REST_MS;
    int status = 0;

    while (status != 204 && status != 401 && clock_mono_ms() < deadline_ms) {
        HTTP_ANSWER answer = http_post(suite_url(suite), "/auth/logout", self->access[0], NULL);

        status = answer->status;
        usleep(WRITE_EVERY_MS * 1000);
    }
    tally.ended += status == 204 || status == 401;
}

static void try_session(const struct session *self)
{
    for (int i = 0; i < TOKENS; i++) {
        HTTP_ANSWER answer = http_get(suite_url(suite), "/auth/me", self->access[i]);

        tally.requests++;
        tally.accepted += answer->status == 200;
        tally.refused += answer->status == 401;
    }
}

/* Ends an event's sessions one by one. */
static void *end_sessions(void *arg)
{
    const struct session *first = arg;

    for (int i = 0; i < SESSIONS_OF_EVENT; i++) {
        end_session(&first[i]);
        try_session(&first[i]);
    }
    return NULL;
}

/* Starts a gateway on another port, as on another host. */
static void start_second_gateway(int port)
{
    char config[128], script[320], *path = program_path("atrium-gateway");

    snprintf(config, sizeof(config), "%s/b.conf", patroni_dir(patroni));
    snprintf(script, sizeof(script),
             "s|^    listen = .*|    listen = \"127.0.0.1:%d\"\\n    admin_listen = "
             "\"127.0.0.1:%d\"|; w %s",
             port, unit_free_port(), config);
    char *source = NULL;
    if (asprintf(&source, "%s/atrium.conf", suite_dir(suite)) < 0)
        abort();
    PROGRAM sed = program_run((const char *const[]){"/usr/bin/sed", script, source, NULL}, NULL);
    CHECK_EXIT(sed, 0);
    gateway_b = program_start(
        (const char *const[]){path, "--config", config, "--instance", "b", NULL}, NULL);
    free(source);
    free(path);
}

static bool comes_to_answer(const char *url, int status)
{
    int64_t deadline_ms = clock_mono_ms() + REST_MS;

    for (;; usleep(50000)) {
        HTTP_ANSWER answer = http_get(url, "/auth/me", NULL);

        if (answer->status == status)
            return true;
        if (clock_mono_ms() > deadline_ms)
            return false;
    }
}

static void set_address(const char *name, int port)
{
    char value[64];

    snprintf(value, sizeof(value), "127.0.0.1:%d", port);
    setenv(name, value, 1);
}

/* Runs deploy/haproxy.cfg unchanged; its addresses come from the environment. */
static void start_haproxy(int gateway_b_port)
{
    static char authority[128], url[64];
    char certificate[128];
    int port = unit_free_port();

    snprintf(authority, sizeof(authority), "%s/ca.crt", patroni_dir(patroni));
    snprintf(certificate, sizeof(certificate), "%s/server.pem", patroni_dir(patroni));
    snprintf(url, sizeof(url), "https://127.0.0.1:%d", port);
    set_address("ATRIUM_LISTEN", port);
    set_address("ATRIUM_GATEWAY_A", atoi(strrchr(suite_url(suite), ':') + 1));
    set_address("ATRIUM_GATEWAY_B", gateway_b_port);
    setenv("ATRIUM_CERTIFICATE", certificate, 1);
    haproxy = program_start(
        (const char *const[]){"/usr/sbin/haproxy", "-db", "-f", "deploy/haproxy.cfg", NULL}, NULL);
    http_trust(authority);
    suite_go_through(suite, url);
}

static void the_suite_runs_on_patroni(void)
{
    int port = unit_free_port();

    patroni_make_database(patroni);
    suite = suite_start(&(struct suite_options){.database = patroni_database(patroni),
                                                .instances = "authd=2,settingsd=2",
                                                .set = "gateway.trusted_proxies=127.0.0.1"});
    start_second_gateway(port);
    start_haproxy(port);
    CU_ASSERT_TRUE_FATAL(comes_to_answer(suite_url(suite), 401));
    ttl_ms = patroni_ttl(patroni) * 1000;
    CU_ASSERT_TRUE_FATAL(ttl_ms > 0);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        pids[i] = suite_pid(suite, daemons[i].name, daemons[i].instance);
    writer.admin = person_admin(suite);
    CU_ASSERT_PTR_NOT_NULL_FATAL(writer.admin->access);
    for (size_t i = 0; i < SESSIONS; i++)
        open_session(&sessions[i]);
}

/* HAProxy sets the client's address, so one client claiming six addresses meets the limit of five
 * registrations a minute. */
static void a_client_cannot_choose_its_address(void)
{
    for (int i = 0; i < 6; i++) {
        char *email = person_address(), header[64];

        snprintf(header, sizeof(header), "X-Forwarded-For: 203.0.113.%d", i + 1);
        HTTP_ANSWER answer =
            http_call(suite_url(suite),
                      &(struct http_request){
                          .method = "POST",
                          .path = "/auth/tenant/Patient/register",
                          .source = "127.9.9.9",
                          .headers = {header},
                          .body = body_register(email, suite_text(suite, "demo.tenantCode"))});
        CHECK_STATUS(answer, i < 5 ? 200 : 429);
        free(email);
    }
}

static void disturb(const struct event *event, int leader)
{
    if (event->power)
        patroni_kill(patroni, leader);
    else
        CU_ASSERT_TRUE(patroni_switch_over(patroni));
}

/* Waits until the other node leads and a later write is acknowledged. */
static bool is_taken_over(int leader, int64_t limit_ms)
{
    int64_t deadline_ms = clock_mono_ms() + limit_ms;

    while (patroni_leader(patroni) != 1 - leader) {
        if (clock_mono_ms() > deadline_ms)
            return false;
        usleep(20000);
    }
    for (int written = atomic_load(&writer.acknowledged);
         atomic_load(&writer.acknowledged) < written + 2; usleep(20000))
        if (clock_mono_ms() > deadline_ms)
            return false;
    return true;
}

/* Runs one row of the table. */
static void pass(const struct event *event, struct chaos *chaos, struct session *ended)
{
    int leader = patroni_leader(patroni), first = atomic_load(&writer.acknowledged);
    long failed = chaos_result(chaos).failed;
    int64_t since_ms = clock_mono_ms(), gap_ms, rejoin_ms;
    pthread_t thread;

    CU_ASSERT_TRUE_FATAL(leader >= 0);
    chaos_cause(chaos, CHAOS_POSTGRES);
    pthread_create(&thread, NULL, end_sessions, ended);
    disturb(event, leader);
    CU_ASSERT_TRUE(is_taken_over(leader, ttl_ms + REST_MS));
    usleep(LOAD_MS * 1000);
    gap_ms = longest_gap_ms(first, since_ms);
    rejoin_ms = clock_mono_ms();
    if (event->power)
        patroni_boot(patroni, leader);
    CU_ASSERT_TRUE(patroni_wait_synchronous(patroni, REJOIN_MS));
    rejoin_ms = clock_mono_ms() - rejoin_ms;
    pthread_join(thread, NULL);
    printf("%-12s %c -> %c %8.1f s %8.1f s %8ld %10.1f s\n", event->name, 'a' + leader,
           'a' + 1 - leader, (double)gap_ms / 1000, (double)(ttl_ms + BEYOND_TTL_MS) / 1000,
           chaos_result(chaos).failed - failed, (double)rejoin_ms / 1000);
    fflush(stdout);
    CU_ASSERT_TRUE(gap_ms <= ttl_ms + BEYOND_TTL_MS);
}

static void wait_for_rest(void)
{
    CU_ASSERT_TRUE(suite_wait_ready(suite, REST_MS));
    CU_ASSERT_TRUE(suite_comes_to_rest(suite, REST_MS));
}

/* Counts acknowledged pages missing in the database. */
static long pages_lost(void)
{
    int written = atomic_load(&writer.acknowledged);

    return written - suite_count(suite,
                                 "select count(*) from generate_series(0, %d) n where exists "
                                 "(select from doc.content where key = 'failover-' || n)",
                                 written - 1);
}

static int restarted(void)
{
    int count = 0;

    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        count += suite_pid(suite, daemons[i].name, daemons[i].instance) != pids[i];
    return count + (kill(gateway_b->pid, 0) < 0);
}

static void nothing_is_lost_when_the_leader_changes(void)
{
    struct chaos *chaos = chaos_start(suite, 1, CLIENTS);
    long lost;

    pthread_create(&writer.thread, NULL, write_pages, NULL);
    printf("\n%-12s %6s %10s %10s %8s %12s\n", "event", "leader", "no writes", "allowed", "failed",
           "standby back");
    for (size_t i = 0; i < EVENTS; i++) {
        usleep(LOAD_MS * 1000);
        pass(&events[i], chaos, &sessions[i * SESSIONS_OF_EVENT]);
    }
    atomic_store(&writer.stop, true);
    pthread_join(writer.thread, NULL);
    chaos_stop(chaos);
    wait_for_rest();
    chaos_read_back(chaos);
    chaos_print(chaos);
    tally.requests = tally.accepted = tally.refused = 0;
    for (size_t i = 0; i < SESSIONS; i++)
        try_session(&sessions[i]);
    struct chaos_result result = chaos_result(chaos);
    lost = result.lost + pages_lost();
    printf(
        "patroni: %ld requests and %d pages, %ld acknowledged writes lost, %ld wrong answers, %d "
        "daemons restarted, %d of %d tokens of ended sessions accepted\n",
        result.requests, atomic_load(&writer.acknowledged), lost, result.wrong, restarted(),
        tally.accepted, tally.requests);
    CU_ASSERT_EQUAL(lost, 0);
    CU_ASSERT_EQUAL(result.wrong, 0);
    CU_ASSERT_EQUAL(restarted(), 0);
    CU_ASSERT_EQUAL(tally.ended, SESSIONS);
    CU_ASSERT_EQUAL(tally.requests, SESSIONS * TOKENS);
    CU_ASSERT_EQUAL(tally.refused, SESSIONS * TOKENS);
    chaos_destroy(&chaos);
}

static void suite_shuts_down_cleanly(void)
{
    for (size_t i = 0; i < SESSIONS; i++) {
        for (int t = 0; t < TOKENS; t++)
            free(sessions[i].access[t]);
        free(sessions[i].refresh);
    }
    person_destroy(&writer.admin);
    program_destroy(&haproxy);
    program_destroy(&gateway_b);
    suite_stop(&suite);
    patroni_destroy(&patroni);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_suite_runs_on_patroni),
    CASE(a_client_cannot_choose_its_address),
    CASE(nothing_is_lost_when_the_leader_changes),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    patroni = patroni_new();
    return unit_run("patroni", cases, ARRAY_SIZE(cases));
}
