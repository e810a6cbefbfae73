/*
 * test_hosts.c - a suite on three hosts, whose lines are pulled: nothing acknowledged is lost,
 * nothing hangs, no revoked token is taken; and who has no key, or another's, gets nothing.
 *
 *     a  10.77.0.1  settingsd, maild, a gateway
 *     b  10.77.0.2  authd, a gateway
 *     c  10.77.0.3  authd, docd
 *     d  10.77.0.4  PostgreSQL
 *
 * The hosts are network namespaces (tests/support/hosts.h).  Where there can be none the test says
 * so and is left out.
 */
#include <CUnit/CUnit.h>
#include <arpa/inet.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "tests/support/hosts.h"
#include "tests/support/pg.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum { A, B, C, D, HOSTS, STRANGER = 'x' - 'a' /* who is on c too, with files of his own */ };

enum {
    CUT_MS = 30000,
    ALONE_MS = 8000, /* a gateway without any authd */
    LEASE_MS = 5000, /* a gateway that hears of no authd refuses tokens after that */
    NOTICE_MS =
        5000, /* by then a silent peer is given up, and what it may answer to asked elsewhere */
    BACK_MS = 15000, /* from the line's return to everything's */
    READY_MS = 30000,
    ACCOUNTS_MAX = 2000,
};

static const double longest_answer = 11.0; /* a request has ten seconds, and some for the way */

#define URL "http://127.0.0.1:8080" /* on each host that has a gateway */
#define PASSWORD "unmistakable-password-3141"
#define PROBE "this-passes-in-clear-2718"

static const struct {
    const char *name;
    int host;
    const char *listen;
} daemons[] = {
    {"settingsd.a1", A, "10.77.0.1:7102"}, {"maild.a1", A, "10.77.0.1:7103"},
    {"authd.b1", B, "10.77.0.2:7101"},     {"authd.c1", C, "10.77.0.3:7101"},
    {"docd.c1", C, "10.77.0.3:7104"},      {"gateway.a1", A, "10.77.0.1:7100"},
    {"gateway.b1", B, "10.77.0.2:7100"},
};

static struct hosts *hosts;
static struct unit_dir dir;
static struct pg *pg;
static struct program *running[ARRAY_SIZE(daemons)];
static struct arena *texts; /* of the test */

/* ---- building it ---- */

static const char *config_of(int host)
{
    return arena_printf(texts, "%s/%c/atrium.conf", dir.path, 'a' + host);
}

/* atriumctl on a host, with input on stdin. */
static struct program *ctl(int host, const char *input, const char *const *words)
{
    char *path = program_path("atriumctl");
    const char *argv[20] = {path, "--config", config_of(host)};
    struct program *run;

    for (size_t i = 0; words[i]; i++)
        argv[3 + i] = words[i];
    hosts_enter(hosts, host == STRANGER ? C : host);
    run = program_run(argv, input);
    hosts_enter(hosts, A);
    free(path);
    return run;
}
#define CTL(host, input, ...) ctl((host), (input), (const char *const[]){__VA_ARGS__, NULL})

static void write_daemon(FILE *file, const char *name, const char *role)
{
    fprintf(file,
            "%s\n    database = \"host=10.77.0.4 dbname=atrium user=%s\"\n"
            "    read_connections = \"1\"\n    write_connections = \"4\"\n"
            "    seal_key = \"%s/seal.key\"\n",
            name, role, dir.path);
}

static void write_config(int host, const char *bus_hosts)
{
    FILE *file;

    mkdir(arena_printf(texts, "%s/%c", dir.path, 'a' + host), 0700);
    file = fopen(config_of(host), "w");
    fprintf(
        file,
        "common\n    run_dir = \"%s/%c\"\n    bus_hosts = \"%s\"\n    bus_keys = \"%s/%c/keys\"\n",
        dir.path, 'a' + host, bus_hosts, dir.path, 'a' + host);
    fprintf(file, "gateway\n    listen = \"127.0.0.1:8080\"\n");
    write_daemon(file, "settingsd", "atrium-settingsd");
    write_daemon(file, "authd", "atrium-authd");
    write_daemon(file, "docd", "atrium-docd");
    fprintf(file, "    storage_dir = \"%s/%c\"\n", dir.path, 'a' + host);
    write_daemon(file, "maild", "atrium-maild");
    fprintf(file, "    transport = \"file\"\n    mail_dir = \"%s\"\n", dir.path);
    fclose(file);
}

/* A key and its line for each daemon, on its host, and one for the operator on a. */
static void write_hosts(void)
{
    FILE *file = fopen(arena_printf(texts, "%s/hosts", dir.path), "w");
    PROGRAM ours = CTL(A, NULL, "keys", "bus", "ctl.a1");

    fputs(ours->out, file);
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        PROGRAM key = CTL(daemons[i].host, NULL, "keys", "bus", daemons[i].name, "--listen",
                          daemons[i].listen);

        CHECK_EXIT(key, 0);
        fputs(key->out, file);
    }
    fclose(file);
}

static PGresult *query(const char *sql)
{
    PGconn *conn =
        PQconnectdb(arena_printf(texts, "host=%s user=postgres dbname=atrium", pg->dir.path));
    PGresult *result = PQexec(conn, sql);

    UNIT_CHECK(PQresultStatus(result) == PGRES_TUPLES_OK ||
                   PQresultStatus(result) == PGRES_COMMAND_OK,
               "%s", PQerrorMessage(conn));
    PQfinish(conn);
    return result;
}

static long count(const char *sql)
{
    PGresult *result = query(sql);
    long value = PQntuples(result) > 0 ? strtol(PQgetvalue(result, 0, 0), NULL, 10) : -1;

    PQclear(result);
    return value;
}

/* On host d, and on its address there. */
static void start_database(void)
{
    PROGRAM sql = CTL(A, NULL, "database", "sql");
    FILE *file;

    hosts_enter(hosts, D);
    pg = pg_new();
    pg_exec(pg, "create database atrium template template0 encoding 'UTF8' locale 'C.UTF-8'");
    file = fopen(arena_printf(texts, "%s/data/pg_hba.conf", pg->dir.path), "a");
    fputs("host all all 10.77.0.0/24 trust\n", file);
    fclose(file);
    pg_stop(pg, SIGINT);
    pg->address = "10.77.0.4";
    pg_start(pg);
    hosts_enter(hosts, A);
    PQclear(query(sql->out));
}

static void start_daemon(size_t i)
{
    const char *dot = strchr(daemons[i].name, '.');
    char *path = program_path(
        arena_printf(texts, "atrium-%.*s", (int)(dot - daemons[i].name), daemons[i].name));
    const char *const argv[] = {path,         "--config", config_of(daemons[i].host),
                                "--instance", dot + 1,    NULL};

    hosts_enter(hosts, daemons[i].host);
    running[i] = program_start(argv, NULL);
    hosts_enter(hosts, A);
    free(path);
}

static bool log_has(size_t i, const char *text)
{
    program_wait_output(running[i], text, 0); /* only looks at what it wrote */
    return strstr(running[i]->err, text) != NULL;
}

static size_t daemon_of(const char *name)
{
    size_t i = 0;

    while (strcmp(daemons[i].name, name) != 0)
        i++;
    return i;
}

/* ---- asking ---- */

static struct http_answer *ask_me(const char *token)
{
    return http_get(URL, "/auth/me", token);
}

/* True when every instance answers the operator on a, wherever it is, and reaches its database. */
static bool all_are_up(int timeout_ms)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;

    while (clock_mono_ms() < deadline) {
        PROGRAM status = CTL(A, NULL, "status", "--json");
        size_t well = 0;

        for (size_t i = 0; status->code == 0 && i < json_array_size(status->json); i++)
            well += json_is_true(json_object_get(json_array_get(status->json, i), "database"));
        if (well == ARRAY_SIZE(daemons))
            return true;
        usleep(100000);
    }
    return false;
}

static void make_project(void)
{
    char policy[64];

    PROGRAM made = CTL(A, NULL, "project", "create", "Hosts", "--code", "hosts");
    CHECK_EXIT(made, 0);
    PROGRAM put = CTL(A, "{\"name\":\"All\",\"resource\":[{\"resourceType\":\"*\"}]}", "policy",
                      "put", "--project", "hosts", "-", "--json");
    CHECK_EXIT(put, 0);
    snprintf(policy, sizeof(policy), "AccessPolicy/%s", program_text(put, "id"));
    PROGRAM set = CTL(A, NULL, "project", "set", "hosts", "default-patient-access-policy", policy);
    CHECK_EXIT(set, 0);
}

static struct http_answer *post(const char *path, const char *bearer, json_t *body)
{
    static atomic_uint calls; /* each from an address of its own: limits are not what is tested */
    unsigned call = atomic_fetch_add(&calls, 1);
    char source[32];

    snprintf(source, sizeof(source), "127.%u.%u.%u", 1 + call / 62500 % 200, 1 + call / 250 % 250,
             1 + call % 250);
    return http_call(
        URL, &(struct http_request){
                 .method = "POST", .path = path, .bearer = bearer, .source = source, .body = body});
}

/* The same once more while the answer is 503: the daemons have to find each other again first,
 * which is not seen from here. */
static struct http_answer *post_soon(const char *path, json_t *body)
{
    int64_t deadline = clock_mono_ms() + BACK_MS;
    struct http_answer *answer = post(path, NULL, json_incref(body));

    while (answer->status == 503 && clock_mono_ms() < deadline) {
        http_answer_destroy(&answer);
        usleep(100000);
        answer = post(path, NULL, json_incref(body));
    }
    json_decref(body);
    return answer;
}

static json_t *body_of(const char *email)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "email", email, "password", PASSWORD, "name",
                     "Ana", "surname", "Prova", "tenantCode", "hosts");
}

static struct http_answer *register_as(const char *email)
{
    return post("/auth/tenant/Patient/register", NULL, body_of(email));
}

static struct http_answer *register_soon(const char *email)
{
    return post_soon("/auth/tenant/Patient/register", body_of(email));
}

/* ---- those who come in meanwhile ---- */

struct account {
    char email[64], document[40]; /* "" when it was not acknowledged */
    char *access, *refresh;       /* the last that were acknowledged */
    bool registered, out;         /* out: its end was acknowledged */
    bool unsure;                  /* the last answer did not say what became of it */
};

static struct account accounts[ACCOUNTS_MAX];
static atomic_size_t account_count;

/* What one client has seen. Late: its whole time went by, with 504. */
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
static char *reader_token;            /* of an account that stays */
static _Atomic(const char *) revoked; /* the last token whose end was acknowledged */
static atomic_int taken_revoked,
    taken_late;                     /* on b: revoked ones, any when it should know of no authd */
static _Atomic int64_t b_is_cut_ms; /* 0: it is not */

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
    HTTP_ANSWER answer =
        post("/auth/refresh-token", NULL, json_pack("{s:s}", "refresh_token", self->refresh));

    if (tally_add(&writes, answer, 200))
        take_tokens(self, answer, "access_token", "refresh_token");
}

static void make_document(struct account *self)
{
    HTTP_ANSWER answer =
        post("/document", self->access,
             json_pack("{s:s, s:s}", "fileName", "a.txt", "contentType", "text/plain"));

    if (tally_add(&writes, answer, 200))
        snprintf(self->document, sizeof(self->document), "%s", http_text(answer, "id"));
}

/* From the answer on no gateway takes the token. */
static void sign_out(struct account *self)
{
    HTTP_ANSWER answer = post("/auth/logout", self->access, NULL);

    self->out = tally_add(&writes, answer, 204);
    self->unsure = !self->out;
    if (!self->out)
        return;
    atomic_store(&revoked, self->access);
    HTTP_ANSWER after = ask_me(self->access);
    tally_add(&writes, after, 401);
}

static void live_a_life(struct account *self, size_t number)
{
    snprintf(self->email, sizeof(self->email), "p%zu@hosts.example", number);
    HTTP_ANSWER answer = register_as(self->email);
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
    hosts_enter(hosts, A);
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
    hosts_enter(hosts, A);
    while (!atomic_load(&stop)) {
        HTTP_ANSWER me = ask_me(reader_token);
        tally_add(&reads, me, 200);
        HTTP_ANSWER documents = http_get(URL, "/document", reader_token);
        tally_add(&reads, documents, 200);
        usleep(20000);
    }
    return arg;
}

/* The gateway on b has no authd within reach while its line is pulled but the one beside it, which
 * has no database. */
static void *reader_on_b(void *arg)
{
    hosts_enter(hosts, B);
    while (!atomic_load(&stop)) {
        const char *ended = atomic_load(&revoked);
        int64_t cut_ms = atomic_load(&b_is_cut_ms), start = clock_mono_ms();
        HTTP_ANSWER good = ask_me(reader_token);

        if (tally_add(&reads_on_b, good, 200) && cut_ms > 0 && start > cut_ms + LEASE_MS + 500 &&
            atomic_load(&b_is_cut_ms) == cut_ms)
            atomic_fetch_add(&taken_late, 1);
        if (ended) {
            HTTP_ANSWER bad = ask_me(ended);
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

/* Asks at the gateway of this host until 200 comes; the milliseconds that took, -1: it did not. */
static int64_t comes_back(const char *token, int timeout_ms)
{
    int64_t start = clock_mono_ms();

    while (clock_mono_ms() < start + timeout_ms) {
        HTTP_ANSWER answer = ask_me(token);

        if (answer->status == 200)
            return clock_mono_ms() - start;
        unit_sleep_ms(50);
    }
    return -1;
}

/* ---- cases ---- */

static void the_suite_starts(void)
{
    dir = unit_dir_make();
    unit_dir_write(&dir, "seal.key",
                   "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n");
    for (int host = 0; host < HOSTS; host++)
        write_config(host, arena_printf(texts, "%s/hosts", dir.path));
    write_hosts();
    hosts_enter(hosts, A);
    start_database();
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++)
        start_daemon(i);
    if (all_are_up(READY_MS))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        log_has(i, "");
        fprintf(stderr, "==== %s\n%s", daemons[i].name, running[i]->err);
    }
    exit(1);
}

static void all_hosts_are_one_suite(void)
{
    static const char *const words[] = {PASSWORD, PROBE, NULL};
    struct hosts_tap *tap = hosts_tap_start(hosts, words);
    struct sockaddr_in nobody = {
        .sin_family = AF_INET, .sin_port = htons(7), .sin_addr.s_addr = inet_addr("10.77.0.2")};
    int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    size_t found[2];
    uint64_t bytes;

    make_project();
    HTTP_ANSWER made = register_as("reader@hosts.example");
    CHECK_STATUS(made, 200);
    reader_token = strdup(http_text(made, "accessToken"));
    HTTP_ANSWER me = ask_me(reader_token);
    CHECK_STATUS(me, 200);
    HTTP_ANSWER documents = http_get(URL, "/document", reader_token);
    CHECK_STATUS(documents, 200);
    for (int i = 0; i < 10; i++) { /* that the tap would have seen it */
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

    hosts_enter(hosts, B);
    HTTP_ANSWER there = ask_me(reader_token);
    CHECK_STATUS(there, 200);
    hosts_enter(hosts, A);
}

static void a_host_is_cut_off_and_comes_back(void)
{
    int after;
    int64_t ms;

    clients_start();
    unit_sleep_ms(3000);
    CU_ASSERT(atomic_load(&reads_on_b.good) > 0);
    UNIT_CHECK(atomic_load(&writes.unavailable) == 0, "%d", writes.unavailable);

    hosts_cut(hosts, B, true);
    atomic_store(&b_is_cut_ms, clock_mono_ms());
    unit_sleep_ms(NOTICE_MS);
    after = atomic_load(&writes.unavailable);
    unit_sleep_ms(CUT_MS - NOTICE_MS);
    /* Writes went on as soon as the host was known to be gone. */
    UNIT_CHECK(atomic_load(&writes.unavailable) == after, "%d more", writes.unavailable - after);
    CU_ASSERT(atomic_load(&reads_on_b.unavailable) > 10);

    atomic_store(&b_is_cut_ms, 0);
    hosts_cut(hosts, B, false);
    hosts_enter(hosts, B);
    ms = comes_back(reader_token, BACK_MS);
    hosts_enter(hosts, A);
    printf("\n    back after %.1f s", (double)ms / 1000);
    CU_ASSERT(ms >= 0);
    CU_ASSERT(all_are_up(BACK_MS));
    unit_sleep_ms(2000);
    clients_stop();
    check_tally("writes", &writes, 0);
    check_tally("reads", &reads, 0);
    /* One that loses its authd on another host first finds the connections to the database lost
     * by then, all of them: it does not wait for each. */
    check_tally("reads on b", &reads_on_b, 0);
    /* Reads on a noticed nothing: not that the host went, nor that it was back before its
     * database. */
    UNIT_CHECK(atomic_load(&reads.unavailable) == 0, "%d", reads.unavailable);
    CU_ASSERT(atomic_load(&writes.good) > 50);
    UNIT_CHECK(atomic_load(&taken_revoked) == 0, "%d", taken_revoked);
    UNIT_CHECK(atomic_load(&taken_late) == 0, "%d", taken_late);
}

/* With a token, of the daemon on this very host: only the gateway can refuse it. */
static struct http_answer *ask_here(const char *token)
{
    return http_get(URL, "/locales", token);
}

static struct http_answer *sign_out_on_b(const char *token)
{
    struct http_answer *answer;

    hosts_enter(hosts, B);
    answer = post("/auth/logout", token, NULL);
    hosts_enter(hosts, A);
    return answer;
}

/* A patient whom the gateways on a and on b know. */
static struct http_answer *register_everywhere(void)
{
    struct http_answer *made = register_soon("other@hosts.example");

    CHECK_STATUS(made, 200);
    HTTP_ANSWER here = ask_here(http_text(made, "accessToken"));
    CHECK_STATUS(here, 200);
    hosts_enter(hosts, B);
    HTTP_ANSWER there = ask_me(http_text(made, "accessToken"));
    CHECK_STATUS(there, 200);
    hosts_enter(hosts, A);
    return made;
}

/* Until so many milliseconds after the start: at first the token is good, then it must be
 * refused. */
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

/* All else works, but the gateway could not hear of a revocation: it takes no token once that may
 * matter. */
static void a_gateway_without_any_authd_fails_closed(void)
{
    HTTP_ANSWER other = register_everywhere();
    const char *ended = http_text(other, "accessToken");
    int64_t start = clock_mono_ms(), ms;

    hosts_part(hosts, A, B, true);
    hosts_part(hosts, A, C, true);
    HTTP_ANSWER still = ask_here(ended);
    CHECK_STATUS(still, 200);
    /* Answered once the gateway on a refuses the token: no message reaches that gateway, so its
     * lease must have ended. */
    HTTP_ANSWER out = sign_out_on_b(ended);
    CHECK_STATUS(out, 204);
    HTTP_ANSWER taken = ask_here(ended);
    CHECK_STATUS(taken, 503);
    watch_lease_end(start);
    HTTP_ANSWER nobody = register_as("nobody@hosts.example");
    CHECK_STATUS(nobody, 503);
    CU_ASSERT(nobody->seconds < 2.0);

    hosts_part(hosts, A, B, false);
    hosts_part(hosts, A, C, false);
    ms = comes_back(reader_token, BACK_MS);
    printf("\n    signed out after %.1f s, back after %.1f s", out->seconds, (double)ms / 1000);
    CU_ASSERT(ms >= 0);
    HTTP_ANSWER still_out = ask_here(ended);
    CHECK_STATUS(still_out, 401);
    CU_ASSERT(all_are_up(BACK_MS));
    HTTP_ANSWER again = register_soon("nobody@hosts.example");
    CHECK_STATUS(again, 200);
}

static bool can_sign_in(const char *email)
{
    HTTP_ANSWER start =
        post_soon("/auth/tenant/Patient/login/start", body_login_start(email, PASSWORD, "hosts"));
    HTTP_ANSWER token = post_soon("/auth/tenant/Patient/login/token",
                                  body_login_token(http_text(start, "sessionCode"), NULL));

    if (start->status != 200 || token->status != 200)
        fprintf(stderr, "hosts: a sign-in is answered with %d, %d\n", start->status, token->status);
    return start->status == 200 && token->status == 200;
}

/* A token of a session that was ended is refused on both gateways. */
static void check_ended(const struct account *account)
{
    HTTP_ANSWER here = ask_me(account->access);

    UNIT_CHECK(here->status == 401, "%s on a: %d", account->email, here->status);
    hosts_enter(hosts, B);
    HTTP_ANSWER there = ask_me(account->access);
    UNIT_CHECK(there->status == 401, "%s on b: %d", account->email, there->status);
    hosts_enter(hosts, A);
}

static void check_account(const struct account *account)
{
    if (*account->document)
        UNIT_CHECK(count(arena_printf(texts, "select count(*) from doc.document where id = '%s'",
                                      account->document)) == 1,
                   "the document of %s is lost", account->email);
    UNIT_CHECK(can_sign_in(account->email), "%s is lost", account->email);
    if (account->out) {
        check_ended(account);
    } else if (!account->unsure) {
        HTTP_ANSWER fresh =
            post_soon("/auth/refresh-token", json_pack("{s:s}", "refresh_token", account->refresh));
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

/* ---- the list of hosts ---- */

static size_t log_count(size_t i, const char *text)
{
    size_t found = 0;

    log_has(i, text);
    for (const char *at = running[i]->err; (at = strstr(at, text)); at++)
        found++;
    return found;
}

/* Writes the list of all hosts without the line of one instance, or with it (NULL). */
static void write_hosts_without(const char *name)
{
    static char *all;
    char *path = arena_printf(texts, "%s/hosts", dir.path), *line, *rest;
    FILE *file;

    if (!all)
        all = arena_strdup(texts, unit_dir_read(&dir, "hosts"));
    rest = arena_strdup(texts, all);
    file = fopen(path, "we");
    while ((line = strsep(&rest, "\n")))
        if (*line && !(name && strncmp(line, name, strlen(name)) == 0))
            fprintf(file, "%s\n", line);
    fclose(file);
}

/* SIGHUP to all daemons but that one; returns when each has written this line. */
static void reload_hosts(const char *but, const char *text)
{
    int64_t deadline = clock_mono_ms() + BACK_MS;

    for (size_t i = 0; i < ARRAY_SIZE(daemons); i++) {
        size_t before = log_count(i, text);

        if (but && strcmp(daemons[i].name, but) == 0)
            continue;
        kill(running[i]->pid, SIGHUP);
        while (log_count(i, text) == before && clock_mono_ms() < deadline)
            unit_sleep_ms(20);
        UNIT_CHECK(log_count(i, text) > before, "%s: %s", daemons[i].name, text);
    }
}

/* Until GET /document is answered with this. */
static bool documents_become(int status)
{
    int64_t deadline = clock_mono_ms() + BACK_MS;
    int last = 0;

    while (last != status && clock_mono_ms() < deadline) {
        HTTP_ANSWER answer = http_get(URL, "/document", reader_token);

        last = answer->status;
        if (last != status)
            unit_sleep_ms(50);
    }
    return last == status;
}

static void a_removed_host_is_disconnected_until_it_is_listed_again(void)
{
    static const char docd[] = "docd.c1";

    CU_ASSERT_TRUE(documents_become(200));
    write_hosts_without(docd);
    reload_hosts(docd, "configuration reloaded");
    CU_ASSERT_TRUE(log_has(daemon_of("gateway.a1"), "no longer in bus_hosts"));
    CU_ASSERT_TRUE(documents_become(503));
    for (int i = 0; i < 20; i++) { /* it stays away, though docd itself keeps calling */
        HTTP_ANSWER answer = http_get(URL, "/document", reader_token);
        HTTP_ANSWER me = ask_me(reader_token);

        CHECK_STATUS(answer, 503);
        CHECK_STATUS(me, 200);
        unit_sleep_ms(100);
    }
    write_hosts_without(NULL);
    reload_hosts(docd, "configuration reloaded");
    CU_ASSERT_TRUE(documents_become(200));
    CU_ASSERT_TRUE(all_are_up(BACK_MS));
}

static void a_broken_list_of_hosts_changes_nothing(void)
{
    unit_dir_write(&dir, "hosts", "docd.c1 is no line of this list\n");
    reload_hosts(NULL, "configuration refused");
    CU_ASSERT_TRUE(documents_become(200));
    write_hosts_without(NULL);
    reload_hosts(NULL, "configuration reloaded");
    CU_ASSERT_TRUE(documents_become(200));
}

/* ---- keys ---- */

/* All that a docd's key opens: what the rows name docd for. */
struct thief {
    struct loop *loop;
    struct bus *bus;
};

static enum error_code steal(struct thief *self, const char *service, const char *operation)
{
    const struct bus_method method = {service, operation, 0, NULL, NULL};
    struct request req = {.arena = arena_new(), .deadline_mono_ms = clock_mono_ms() + 5000};
    msgpack_object body;
    struct error err;

    error_init(&err, req.arena);
    if (bus_call_packed(self->bus, &method, &req, "\x90", 1, &body, &err) == 0) /* no map */
        error_clear(&err);
    arena_destroy(&req.arena);
    return err.code;
}

static void steal_everything(struct loop *loop, void *arg)
{
    static const struct {
        const char *service, *operation;
    } rows[] = {
#define ROUTE(method, path, handler, ...) {"settingsd", #handler},
#define ALIAS(...)
#define PAGE(method, path, handler, ...) {"settingsd", #handler},
#define ENDPOINT(method, path, handler, ...) {"settingsd", #handler},
#define OP(handler, ...) {"settingsd", #handler},
#include "settingsd/settingsd_routes.def"
        {"authd", "admin_create"},     {"authd", "identity_get"},    {"authd", "keys_rotate"},
        {"authd", "patient_register"}, {"authd", "session_end_get"}, {"maild", "mail_enqueue"},
        {"gateway", "service_status"},
    };
    static const char *const upstreams[] = {"authd", "settingsd", "maild", "gateway", NULL};
    static const struct operation none[] = {{.name = NULL}};
    struct thief thief = {.loop = loop};
    struct arena *arena = arg;
    struct bus_options options = {.service = "docd",
                                  .instance = "c1",
                                  .version = "0",
                                  .run_dir = arena_printf(texts, "%s/thief", dir.path),
                                  .operations = none,
                                  .upstreams = upstreams,
                                  .peer_max = 16,
                                  .serve_max = 1};
    struct clock *clock = clock_new(NULL);
    struct metrics *metrics = metrics_new();
    struct bus_hosts *list;
    struct error err;

    error_init(&err, NULL);
    if (bus_hosts_read(arena_printf(texts, "%s/hosts", dir.path), arena, &list, &err) < 0 ||
        bus_hosts_take_key(list, arena_printf(texts, "%s/c/keys", dir.path), "docd.c1", &err) < 0)
        UNIT_CHECK(false, "%s", err.message);
    options.hosts = list;
    thief.bus = bus_new(loop, clock, metrics, &options, &err);
    for (int i = 0; i < 300; i++)
        (void)!fiber_sleep_until(loop, clock_mono_ms() + 10, &err);
    CU_ASSERT(bus_has_peer(thief.bus, "settingsd"));
    CU_ASSERT(bus_has_peer(thief.bus, "authd"));
    CU_ASSERT(!bus_has_peer(thief.bus, "maild"));
    CU_ASSERT(!bus_has_peer(thief.bus, "gateway"));
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        enum error_code code = steal(&thief, rows[i].service, rows[i].operation);
        bool reached = bus_has_peer(thief.bus, rows[i].service),
             allowed = strcmp(rows[i].operation, "tenant_lookup") == 0 ||
                       strcmp(rows[i].operation, "session_end_get") == 0;

        UNIT_CHECK(code == (allowed   ? ERR_BAD_REQUEST
                            : reached ? ERR_FORBIDDEN
                                      : ERR_UNAVAILABLE),
                   "%s: %s", rows[i].operation, error_kind(code)->wire);
    }
    bus_destroy(&thief.bus);
    metrics_destroy(&metrics);
    clock_destroy(&clock);
}

static void a_stolen_docd_key_has_the_rights_of_docd(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    unit_expect_log(UNIT_ANY_LOG);
    hosts_enter(hosts, C); /* before the first socket: libzmq's thread stays where it begins */
    unit_on_fiber(steal_everything, arena);
    hosts_enter(hosts, A);
    CU_ASSERT(log_has(daemon_of("maild.a1"), "a caller from another host was refused"));
    CU_ASSERT(log_has(daemon_of("maild.a1"), "10.77.0.3"));
}

/* A daemon with a key that it made itself: only its own list of hosts has the key. */
static void an_unknown_key_is_refused(void)
{
    char *path = program_path("atrium-docd");
    const char *config = arena_printf(texts, "%s/x/atrium.conf", dir.path);
    const char *const argv[] = {path, "--config", config, "--instance", "c9", NULL};
    size_t settingsd = daemon_of("settingsd.a1");
    struct program *stranger;
    FILE *file;

    write_config(STRANGER, arena_printf(texts, "%s/x/hosts", dir.path));
    PROGRAM key = CTL(STRANGER, NULL, "keys", "bus", "docd.c9");
    file = fopen(arena_printf(texts, "%s/x/hosts", dir.path), "w");
    fprintf(file, "%s%s", key->out, unit_dir_read(&dir, "hosts"));
    fclose(file);
    CU_ASSERT(!log_has(settingsd, "its key is not in bus_hosts"));
    hosts_enter(hosts, C);
    stranger = program_start(argv, NULL);
    hosts_enter(hosts, A);
    unit_sleep_ms(4000);
    program_wait_output(stranger, "nothing", 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(stranger->err, "it refuses our key"));
    CU_ASSERT_PTR_NULL(strstr(stranger->err, "peer connected"));
    CU_ASSERT(log_has(settingsd, "its key is not in bus_hosts"));
    program_destroy(&stranger);
    free(path);
}

static void suite_shuts_down_cleanly(void)
{
    for (size_t i = ARRAY_SIZE(daemons); i-- > 0;) {
        kill(running[i]->pid, SIGTERM);
        bool ended = program_wait_end(running[i], 20000);
        UNIT_CHECK(ended && running[i]->code == 0, "%s: %d", daemons[i].name, running[i]->code);
        program_destroy(&running[i]);
    }
    for (size_t i = 0; i < atomic_load(&account_count); i++) {
        free(accounts[i].access);
        free(accounts[i].refresh);
    }
    free(reader_token);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_suite_starts),
    CASE(all_hosts_are_one_suite),
    CASE(a_host_is_cut_off_and_comes_back),
    CASE(a_gateway_without_any_authd_fails_closed),
    CASE(nothing_acknowledged_is_lost),
    CASE(a_removed_host_is_disconnected_until_it_is_listed_again),
    CASE(a_broken_list_of_hosts_changes_nothing),
    CASE(a_stolen_docd_key_has_the_rights_of_docd),
    CASE(an_unknown_key_is_refused),
    CASE(suite_shuts_down_cleanly),
};

int main(void)
{
    int failed;

    hosts = hosts_new(HOSTS);
    if (!hosts)
        return unit_leave_out_suite("hosts", "no network namespaces with a bridge can be made");
    texts = arena_new();
    failed = unit_run("hosts", cases, ARRAY_SIZE(cases));
    arena_destroy(&texts);
    pg_destroy(&pg);
    hosts_destroy(&hosts);
    unit_dir_remove(&dir);
    return failed;
}
