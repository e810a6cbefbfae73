/*
 * test_hosts.c - a suite on three hosts whose lines are cut: nothing acknowledged is lost, nothing
 * hangs, no revoked token is accepted. See tests/support/host_suite.h.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/host_suite.h"
#include "tests/support/suite.h"

enum {
    CUT_MS = 30000,
    ALONE_MS = 8000,  /* how long a gateway is without any authd */
    LEASE_MS = 5000,  /* a gateway without any authd refuses tokens after this */
    NOTICE_MS = 5000, /* maximum time until a silent peer is noticed and reads go elsewhere */
    ACCOUNTS_MAX = 2000,
};

static const double longest_answer =
    11.0; /* a request's deadline of ten seconds, and time for transmission */

#define PROBE "this-passes-in-clear-2718"

static struct host_suite suite;

struct account {
    char email[64], document[40]; /* "" if not acknowledged */
    char *access, *refresh;       /* the last acknowledged ones */
    bool registered, out;         /* out: a logout was acknowledged */
    bool unsure;                  /* the last response left the outcome open */
};

static struct account accounts[ACCOUNTS_MAX];
static atomic_size_t account_count;

/* One client's results. late: responses with 504, after the full time. */
struct tally {
    atomic_int good, unavailable, late, wrong;
    _Atomic double longest;
};
static struct tally writes, reads, reads_on_b;

static bool tally_add(struct tally *self, const struct http_answer *answer, int want)
{
    if (answer->seconds > atomic_load(&self->longest))
        atomic_store(&self->longest, answer->seconds);
    if (answer->status == want) {
        atomic_fetch_add(&self->good, 1);
        return true;
    }
    if (answer->status == 503) {
        atomic_fetch_add(&self->unavailable, 1);
        return false;
    }
    atomic_fetch_add(answer->status == 504 ? &self->late : &self->wrong, 1);
    fprintf(stderr, "hosts: %d instead of %d after %.1f s: %.200s\n", answer->status, want,
            answer->seconds, answer->body);
    return false;
}

static atomic_bool stop;
static char *reader_token;
static _Atomic(const char *) revoked; /* the last token whose logout was acknowledged */
static atomic_int taken_revoked,
    taken_late; /* responses of b that accepted a revoked token, or any token without an authd */
static _Atomic int64_t b_is_cut_ms; /* 0: connected */

static void take_tokens(struct account *self, const struct http_answer *answer, const char *access,
                        const char *refresh)
{
    free(self->access);
    free(self->refresh);
    self->access = strdup(http_text(answer, access));
    self->refresh = strdup(http_text(answer, refresh));
}

static void refresh_tokens(struct account *self)
{
    HTTP_ANSWER answer = host_suite_post("/auth/refresh-token", NULL,
                                         json_pack("{s:s}", "refresh_token", self->refresh));

    if (tally_add(&writes, answer, 200))
        take_tokens(self, answer, "access_token", "refresh_token");
}

static void make_document(struct account *self)
{
    HTTP_ANSWER answer =
        host_suite_post("/document", self->access,
                        json_pack("{s:s, s:s}", "fileName", "a.txt", "contentType", "text/plain"));

    if (tally_add(&writes, answer, 200))
        snprintf(self->document, sizeof(self->document), "%s", http_text(answer, "id"));
}

static void sign_out(struct account *self)
{
    HTTP_ANSWER answer = host_suite_post("/auth/logout", self->access, NULL);

    self->out = tally_add(&writes, answer, 204);
    self->unsure = !self->out;
    if (!self->out)
        return;
    atomic_store(&revoked, self->access);
    HTTP_ANSWER after = host_suite_me(self->access);
    tally_add(&writes, after, 401);
}

static void live_a_life(struct account *self, size_t number)
{
    snprintf(self->email, sizeof(self->email), "p%zu@hosts.example", number);
    HTTP_ANSWER answer = host_suite_register(self->email);
    self->registered = tally_add(&writes, answer, 200);
    if (!self->registered)
        return;
    take_tokens(self, answer, "accessToken", "refreshToken");
    make_document(self);
    refresh_tokens(self);
    if (number % 2 == 0)
        sign_out(self);
}

static void *writer(void *arg)
{
    hosts_enter(suite.hosts, HOST_A);
    while (!atomic_load(&stop) && atomic_load(&account_count) < ACCOUNTS_MAX) {
        size_t number = atomic_load(&account_count);

        live_a_life(&accounts[number], number);
        atomic_store(&account_count, number + 1);
        usleep(50000);
    }
    return arg;
}

static void *reader(void *arg)
{
    hosts_enter(suite.hosts, HOST_A);
    while (!atomic_load(&stop)) {
        HTTP_ANSWER me = host_suite_me(reader_token);
        tally_add(&reads, me, 200);
        HTTP_ANSWER documents = http_get(HOST_URL, "/document", reader_token);
        tally_add(&reads, documents, 200);
        usleep(20000);
    }
    return arg;
}

/* While b's line is cut, its gateway reaches only b's authd, which has no database. */
static void *reader_on_b(void *arg)
{
    hosts_enter(suite.hosts, HOST_B);
    while (!atomic_load(&stop)) {
        const char *ended = atomic_load(&revoked);
        int64_t cut_ms = atomic_load(&b_is_cut_ms), start = clock_mono_ms();
        HTTP_ANSWER good = host_suite_me(reader_token);

        if (tally_add(&reads_on_b, good, 200) && cut_ms > 0 && start > cut_ms + LEASE_MS + 500 &&
            atomic_load(&b_is_cut_ms) == cut_ms)
            atomic_fetch_add(&taken_late, 1);
        if (ended) {
            HTTP_ANSWER bad = host_suite_me(ended);
            if (bad->status != 401 && bad->status != 503) {
                atomic_fetch_add(&taken_revoked, 1);
                fprintf(stderr, "hosts: a revoked token is answered with %d\n", bad->status);
            }
        }
        usleep(20000);
    }
    return arg;
}

static pthread_t threads[3];

static void clients_start(void)
{
    static void *(*const kinds[])(void *) = {writer, reader, reader_on_b};

    atomic_store(&stop, false);
    writes = reads = reads_on_b = (struct tally){0};
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (pthread_create(&threads[i], NULL, kinds[i], NULL) != 0)
            abort();
}

static void clients_stop(void)
{
    atomic_store(&stop, true);
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
        pthread_join(threads[i], NULL);
}

static void check_tally(const char *who, const struct tally *self, int late_max)
{
    printf("\n    %s: %d good, %d unavailable, %d late, %d wrong, longest %.1f s", who, self->good,
           self->unavailable, self->late, self->wrong, self->longest);
    UNIT_CHECK(atomic_load(&self->wrong) == 0, "%s: %d", who, self->wrong);
    UNIT_CHECK(atomic_load(&self->late) <= late_max, "%s: %d late", who, self->late);
    UNIT_CHECK(atomic_load(&self->longest) < longest_answer, "%s: %.1f s", who, self->longest);
}

/* Asks this host's gateway until it answers 200. Returns how many ms that took, or -1 if it never
 * did. */
static int64_t comes_back(const char *token, int timeout_ms)
{
    int64_t start = clock_mono_ms();

    while (clock_mono_ms() < start + timeout_ms) {
        HTTP_ANSWER answer = host_suite_me(token);

        if (answer->status == 200)
            return clock_mono_ms() - start;
        unit_sleep_ms(50);
    }
    return -1;
}

static void the_suite_starts(void)
{
    host_suite_start(&suite);
}

static void all_hosts_are_one_suite(void)
{
    static const char *const words[] = {HOST_PASSWORD, PROBE, NULL};
    struct hosts_tap *tap = hosts_tap_start(suite.hosts, words);
    struct sockaddr_in nobody = {
        .sin_family = AF_INET, .sin_port = htons(7), .sin_addr.s_addr = inet_addr("10.77.0.2")};
    int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    size_t found[2];
    uint64_t bytes;

    host_suite_make_project(&suite);
    HTTP_ANSWER made = host_suite_register("reader@hosts.example");
    CHECK_STATUS(made, 200);
    reader_token = strdup(http_text(made, "accessToken"));
    HTTP_ANSWER me = host_suite_me(reader_token);
    CHECK_STATUS(me, 200);
    HTTP_ANSWER documents = http_get(HOST_URL, "/document", reader_token);
    CHECK_STATUS(documents, 200);
    for (int i = 0; i < 10; i++) { /* enough for the tap to see it */
        CU_ASSERT(
            sendto(probe, PROBE, strlen(PROBE), 0, (struct sockaddr *)&nobody, sizeof(nobody)) > 0);
        unit_sleep_ms(20);
    }
    close(probe);
    unit_sleep_ms(200);
    bytes = hosts_tap_stop(&tap, found);
    UNIT_CHECK(found[1] > 0 && bytes > 10000, "the tap saw %zu probes in %zu bytes", found[1],
               (size_t)bytes);
    UNIT_CHECK(found[0] == 0, "a password passed in clear, %zu times", found[0]);

    hosts_enter(suite.hosts, HOST_B);
    HTTP_ANSWER there = host_suite_me(reader_token);
    CHECK_STATUS(there, 200);
    hosts_enter(suite.hosts, HOST_A);
}

static void a_host_is_cut_off_and_comes_back(void)
{
    int after;
    int64_t ms;

    clients_start();
    unit_sleep_ms(3000);
    CU_ASSERT(atomic_load(&reads_on_b.good) > 0);
    UNIT_CHECK(atomic_load(&writes.unavailable) == 0, "%d", writes.unavailable);

    hosts_cut(suite.hosts, HOST_B, true);
    atomic_store(&b_is_cut_ms, clock_mono_ms());
    unit_sleep_ms(NOTICE_MS);
    after = atomic_load(&writes.unavailable);
    unit_sleep_ms(CUT_MS - NOTICE_MS);
    /* Writes worked again as soon as the suite had noticed that the host was gone. */
    UNIT_CHECK(atomic_load(&writes.unavailable) == after, "%d more", writes.unavailable - after);
    CU_ASSERT(atomic_load(&reads_on_b.unavailable) > 10);

    atomic_store(&b_is_cut_ms, 0);
    hosts_cut(suite.hosts, HOST_B, false);
    hosts_enter(suite.hosts, HOST_B);
    ms = comes_back(reader_token, HOST_BACK_MS);
    hosts_enter(suite.hosts, HOST_A);
    printf("\n    back after %.1f s", (double)ms / 1000);
    CU_ASSERT(ms >= 0);
    CU_ASSERT(host_suite_is_up(&suite, HOST_BACK_MS));
    unit_sleep_ms(2000);
    clients_stop();
    check_tally("writes", &writes, 0);
    check_tally("reads", &reads, 0);
    /* When a read loses the other host's authd, all database connections are known to be lost
     * already, so it waits for none. */
    check_tally("reads on b", &reads_on_b, 0);
    /* Reads on host a noticed neither that the host was lost nor that it came back before its
     * database. */
    UNIT_CHECK(atomic_load(&reads.unavailable) == 0, "%d", reads.unavailable);
    CU_ASSERT(atomic_load(&writes.good) > 50);
    UNIT_CHECK(atomic_load(&taken_revoked) == 0, "%d", taken_revoked);
    UNIT_CHECK(atomic_load(&taken_late) == 0, "%d", taken_late);
}

/* Asks the daemon on the same host, so only the gateway can refuse the token. */
static struct http_answer *ask_here(const char *token)
{
    return http_get(HOST_URL, "/locales", token);
}

static struct http_answer *sign_out_on_b(const char *token)
{
    struct http_answer *answer;

    hosts_enter(suite.hosts, HOST_B);
    answer = host_suite_post("/auth/logout", token, NULL);
    hosts_enter(suite.hosts, HOST_A);
    return answer;
}

static struct http_answer *register_everywhere(void)
{
    struct http_answer *made = host_suite_register_soon("other@hosts.example");

    CHECK_STATUS(made, 200);
    HTTP_ANSWER here = ask_here(http_text(made, "accessToken"));
    CHECK_STATUS(here, 200);
    hosts_enter(suite.hosts, HOST_B);
    HTTP_ANSWER there = host_suite_me(http_text(made, "accessToken"));
    CHECK_STATUS(there, 200);
    hosts_enter(suite.hosts, HOST_A);
    return made;
}

/* Checks that the gateway accepts the token at first and refuses it once its lease has ended. */
static void watch_lease_end(int64_t start)
{
    int refused = 0, late = 0;

    while (clock_mono_ms() < start + ALONE_MS) {
        int64_t sent_ms = clock_mono_ms();
        HTTP_ANSWER answer = ask_here(reader_token);

        late += answer->status == 200 && sent_ms > start + LEASE_MS + 500;
        refused += answer->status == 503;
        CU_ASSERT(answer->status == 200 || answer->status == 503);
        CU_ASSERT(answer->seconds < longest_answer);
        unit_sleep_ms(50);
    }
    UNIT_CHECK(late == 0, "%d", late);
    CU_ASSERT(refused > 10);
}

/* The gateway could not learn that a token was revoked, so after its lease it accepts none.
 * Everything else works. */
static void a_gateway_without_any_authd_fails_closed(void)
{
    HTTP_ANSWER other = register_everywhere();
    const char *ended = http_text(other, "accessToken");
    int64_t start = clock_mono_ms(), ms;

    hosts_part(suite.hosts, HOST_A, HOST_B, true);
    hosts_part(suite.hosts, HOST_A, HOST_C, true);
    HTTP_ANSWER still = ask_here(ended);
    CHECK_STATUS(still, 200);
    /* The response waits until the gateway on host a refuses the token. No message reaches that
     * gateway, so this is when its lease has ended. */
    HTTP_ANSWER out = sign_out_on_b(ended);
    CHECK_STATUS(out, 204);
    HTTP_ANSWER taken = ask_here(ended);
    CHECK_STATUS(taken, 503);
    watch_lease_end(start);
    HTTP_ANSWER nobody = host_suite_register("nobody@hosts.example");
    CHECK_STATUS(nobody, 503);
    CU_ASSERT(nobody->seconds < 2.0);

    hosts_part(suite.hosts, HOST_A, HOST_B, false);
    hosts_part(suite.hosts, HOST_A, HOST_C, false);
    ms = comes_back(reader_token, HOST_BACK_MS);
    printf("\n    signed out after %.1f s, back after %.1f s", out->seconds, (double)ms / 1000);
    CU_ASSERT(ms >= 0);
    HTTP_ANSWER still_out = ask_here(ended);
    CHECK_STATUS(still_out, 401);
    CU_ASSERT(host_suite_is_up(&suite, HOST_BACK_MS));
    HTTP_ANSWER again = host_suite_register_soon("nobody@hosts.example");
    CHECK_STATUS(again, 200);
}

static bool can_sign_in(const char *email)
{
    HTTP_ANSWER start = host_suite_post_soon("/auth/tenant/Patient/login/start",
                                             body_login_start(email, HOST_PASSWORD, "hosts"));
    HTTP_ANSWER token =
        host_suite_post_soon("/auth/tenant/Patient/login/token",
                             body_login_token(http_text(start, "sessionCode"), NULL));

    if (start->status != 200 || token->status != 200)
        fprintf(stderr, "hosts: a sign-in is answered with %d, %d\n", start->status, token->status);
    return start->status == 200 && token->status == 200;
}

static void check_ended(const struct account *account)
{
    HTTP_ANSWER here = host_suite_me(account->access);

    UNIT_CHECK(here->status == 401, "%s on a: %d", account->email, here->status);
    hosts_enter(suite.hosts, HOST_B);
    HTTP_ANSWER there = host_suite_me(account->access);
    UNIT_CHECK(there->status == 401, "%s on b: %d", account->email, there->status);
    hosts_enter(suite.hosts, HOST_A);
}

static void check_account(const struct account *account)
{
    if (*account->document)
        UNIT_CHECK(host_suite_count(
                       &suite, arena_printf(suite.texts,
                                            "select count(*) from doc.document where id = '%s'",
                                            account->document)) == 1,
                   "the document of %s is lost", account->email);
    UNIT_CHECK(can_sign_in(account->email), "%s is lost", account->email);
    if (account->out) {
        check_ended(account);
    } else if (!account->unsure) {
        HTTP_ANSWER fresh = host_suite_post_soon(
            "/auth/refresh-token", json_pack("{s:s}", "refresh_token", account->refresh));
        UNIT_CHECK(fresh->status == 200, "the session of %s is lost: %d", account->email,
                   fresh->status);
    }
}

static void nothing_acknowledged_is_lost(void)
{
    size_t registered = 0, documents = 0, out = 0;

    for (size_t i = 0; i < atomic_load(&account_count); i++) {
        if (!accounts[i].registered)
            continue;
        check_account(&accounts[i]);
        registered++;
        documents += *accounts[i].document != '\0';
        out += accounts[i].out;
    }
    printf("\n    %zu accounts, %zu documents, %zu signed out", registered, documents, out);
    CU_ASSERT(registered > 20 && documents > 20 && out > 10);
}

static void suite_shuts_down_cleanly(void)
{
    host_suite_stop(&suite);
    for (size_t i = 0; i < atomic_load(&account_count); i++) {
        free(accounts[i].access);
        free(accounts[i].refresh);
    }
    free(reader_token);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_suite_starts),          CASE(all_hosts_are_one_suite),
    CASE(a_host_is_cut_off_and_comes_back), CASE(a_gateway_without_any_authd_fails_closed),
    CASE(nothing_acknowledged_is_lost),     CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    int failed;

    if (!host_suite_make(&suite))
        return unit_leave_out_suite("hosts", "no network namespaces with a bridge can be made");
    unit_optional();
    failed = unit_run("hosts", cases, ARRAY_SIZE(cases));
    host_suite_destroy(&suite);
    return failed;
}
