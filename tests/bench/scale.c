/*
 * scale.c - how much slower a large suite is than a small one, for scale.sh.
 *
 *     scale LIMIT ROUNDS LOGINS SMALL_URL SMALL_PEOPLE LARGE_URL LARGE_PEOPLE
 *
 * PEOPLE are files of seed.c. Each round has its own people and sends the operations below to both
 * suites in turn, so that noise hits both. "first": the gateway has cached neither token nor
 * holder; "again": both. A warm-up round does not count. Exits with 1 when an operation's ratio of
 * medians, the median over rounds, exceeds LIMIT, 2 when a request failed.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/base.h"
#include "tests/support/bench.h"

#define PASSWORD "correct horse"
#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
#define VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

enum { CONNECTIONS = 4, ROUNDS_MAX = 100, TOKEN_MAX = 2048, WORD_MAX = 320 };

struct person {
    char role[16], tenant[WORD_MAX], email[WORD_MAX];
    char refresh[TOKEN_MAX], access[TOKEN_MAX];
    bool factor;
};

struct suite {
    const char *url;
    struct person *people;
    size_t count;
    struct bench_client clients[CONNECTIONS];
};

static NORETURN void die(const char *what, const char *why)
{
    fprintf(stderr, "scale: %s: %s\n", what, why);
    exit(2);
}

/* True on 200; like bench_client_ask(). */
static bool ask(struct bench_client *self, const char *path, const char *body, const char *access,
                int64_t *us)
{
    return bench_client_ask(self, path, body, access, us) == 200;
}

static bool refresh(struct bench_client *client, struct person *person, int64_t *us)
{
    char body[TOKEN_MAX + 64];

    snprintf(body, sizeof(body), "{\"refresh_token\":\"%s\"}", person->refresh);
    return ask(client, "/auth/refresh-token", body, NULL, us) &&
           bench_client_text(client, "access_token", person->access, TOKEN_MAX) &&
           bench_client_text(client, "refresh_token", person->refresh, TOKEN_MAX);
}

static bool me(struct bench_client *client, struct person *person, int64_t *us)
{
    return ask(client, "/auth/me", NULL, person->access, us);
}

static bool settings(struct bench_client *client, struct person *person, int64_t *us)
{
    return ask(client, "/v1/project/settings", NULL, person->access, us);
}

static bool sign_in(struct bench_client *client, struct person *person, int64_t *us)
{
    char path[64], body[2 * WORD_MAX + 256], code[64];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/start", person->role);
    snprintf(body, sizeof(body),
             "{\"email\":\"%s\",\"password\":\"" PASSWORD
             "\",\"tenantCode\":\"%s\",\"codeChallenge\":\"" CHALLENGE "\"}",
             person->email, person->tenant);
    if (!ask(client, path, body, NULL, us) ||
        !bench_client_text(client, "sessionCode", code, sizeof(code)))
        return false;
    snprintf(path, sizeof(path), "/auth/tenant/%s/login/token", person->role);
    snprintf(body, sizeof(body), "{\"sessionCode\":\"%s\",\"codeVerifier\":\"" VERIFIER "\"}",
             code);
    return ask(client, path, body, NULL, us) &&
           bench_client_text(client, "accessToken", person->access, TOKEN_MAX);
}

static bool anyone(const struct person *person UNUSED)
{
    return true;
}

static bool is_patient(const struct person *person)
{
    return strcmp(person->role, "Patient") == 0;
}

static bool is_practitioner(const struct person *person)
{
    return !is_patient(person);
}

static bool has_no_factor(const struct person *person)
{
    return !person->factor;
}

static const struct operation {
    const char *label;
    size_t times; /* requests per person */
    bool (*is_for)(const struct person *person);
    bool (*run)(struct bench_client *client, struct person *person, int64_t *us);
} operations[] = {
    {"POST /auth/refresh-token", 1, anyone, refresh},
    {"GET /auth/me, first", 1, is_patient, me},
    {"GET /auth/me, again", 3, is_patient, me},
    {"GET /v1/project/settings, first", 1, is_practitioner, settings},
    {"GET /v1/project/settings, again", 9, is_practitioner, settings},
    {"login start + token", 1, has_no_factor, sign_in},
};
enum { OPERATIONS = ARRAY_SIZE(operations), LOGIN = OPERATIONS - 1 };
enum { SMALL, LARGE, SUITES };

struct times {
    int64_t *us; /* sorted */
    size_t count;
};

static void sort(struct times *self)
{
    if (self->count > 0)
        bench_sort(self->us, self->count);
}

static double percentile_ms(const struct times *self, size_t percent)
{
    return self->count == 0 ? 0 : (double)self->us[self->count * percent / 100] / 1e3;
}

struct phase {
    const struct operation *operation;
    struct person *people;
    size_t count, most; /* people, and their maximum */
    struct times times; /* successes only */
    atomic_size_t next, taken, good, bad;
};

struct worker {
    struct phase *phase;
    struct bench_client *client;
};

static void *work(void *arg)
{
    struct worker *self = arg;
    struct phase *phase = self->phase;
    size_t at;

    while ((at = atomic_fetch_add(&phase->next, 1)) < phase->count * phase->operation->times) {
        struct person *person = &phase->people[at % phase->count];
        int64_t us = 0;

        if (!phase->operation->is_for(person))
            continue;
        if (atomic_fetch_add(&phase->taken, 1) >= phase->most)
            break;
        if (phase->operation->run(self->client, person, &us))
            phase->times.us[atomic_fetch_add(&phase->good, 1)] = us;
        else
            atomic_fetch_add(&phase->bad, 1);
    }
    return NULL;
}

static void phase_run(struct phase *self, struct suite *suite)
{
    struct worker workers[CONNECTIONS];
    pthread_t threads[CONNECTIONS];

    self->times.us = calloc(self->count * self->operation->times, sizeof(*self->times.us));
    for (size_t i = 0; i < CONNECTIONS; i++) {
        workers[i] = (struct worker){self, &suite->clients[i]};
        if (!self->times.us || pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            die("thread", "no memory");
    }
    for (size_t i = 0; i < CONNECTIONS; i++)
        pthread_join(threads[i], NULL);
    self->times.count = self->good;
    sort(&self->times);
    if (self->good == 0)
        die(self->operation->label, "nobody succeeded");
}

/* An operation's results in a suite. */
struct measure {
    double p50_ms[ROUNDS_MAX];
    struct times all;
    size_t bad;
};

struct run {
    double limit;
    size_t rounds, logins;
    struct suite suites[SUITES];
    struct measure measures[OPERATIONS][SUITES];
};

static void keep(struct measure *self, size_t round, const struct phase *phase)
{
    const struct times *times = &phase->times;

    self->bad += phase->bad;
    self->p50_ms[round] = percentile_ms(times, 50);
    self->all.us = realloc(self->all.us, (self->all.count + times->count) * sizeof(*times->us));
    if (!self->all.us)
        die("times", "no memory");
    memcpy(self->all.us + self->all.count, times->us, times->count * sizeof(*times->us));
    self->all.count += times->count;
}

/* Round 0 does not count. The first suite alternates. */
static void run_round(struct run *self, size_t round)
{
    for (size_t operation = 0; operation < OPERATIONS; operation++) {
        for (size_t turn = 0; turn < SUITES; turn++) {
            size_t which = (turn + round) % SUITES;
            struct suite *suite = &self->suites[which];
            size_t slice = suite->count / (self->rounds + 1);
            struct phase phase = {
                .operation = &operations[operation],
                .people = suite->people + round * slice,
                .count = slice,
                .most = operation == LOGIN ? self->logins : SIZE_MAX,
            };

            phase_run(&phase, suite);
            if (round > 0)
                keep(&self->measures[operation][which], round - 1, &phase);
            free(phase.times.us);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Returns the median over rounds of the large suite's time by the small one's. */
static double ratio(const struct run *self, size_t operation)
{
    const struct measure *measures = self->measures[operation];
    double ratios[ROUNDS_MAX];

    for (size_t round = 0; round < self->rounds; round++)
        ratios[round] = measures[LARGE].p50_ms[round] / measures[SMALL].p50_ms[round];
    qsort(ratios, self->rounds, sizeof(*ratios), by_value);
    return ratios[self->rounds / 2];
}

static void report_operation(struct run *self, size_t operation)
{
    struct measure *measures = self->measures[operation];

    printf("%-34s", operations[operation].label);
    for (size_t suite = 0; suite < SUITES; suite++) {
        sort(&measures[suite].all);
        printf(" %9.2f %9.2f", percentile_ms(&measures[suite].all, 50),
               percentile_ms(&measures[suite].all, 99));
    }
    printf(" %8.2f %9zu %6zu\n", ratio(self, operation), measures[LARGE].all.count,
           measures[SMALL].bad + measures[LARGE].bad);
}

static int report(struct run *self)
{
    const char *slow = NULL;
    size_t bad = 0;

    printf("%-34s %19s %19s\n%-34s %9s %9s %9s %9s %8s %9s %6s\n", "", "small suite", "large suite",
           "operation", "p50 ms", "p99 ms", "p50 ms", "p99 ms", "ratio", "times", "bad");
    for (size_t operation = 0; operation < OPERATIONS; operation++) {
        report_operation(self, operation);
        bad += self->measures[operation][SMALL].bad + self->measures[operation][LARGE].bad;
        if (ratio(self, operation) > self->limit)
            slow = operations[operation].label;
    }
    if (bad > 0)
        printf("scale: FAILED: %zu requests were not answered with 200\n", bad);
    else if (slow)
        printf("scale: FAILED: %s takes more than %.2f times as long\n", slow, self->limit);
    else
        printf("scale: good: nothing takes more than %.2f times as long\n", self->limit);
    return bad > 0 ? 2 : slow ? 1 : 0;
}

static void open_suite(struct suite *self, const char *url, const char *path)
{
    char secret[WORD_MAX], extra[2];
    FILE *file = fopen(path, "re");
    struct person person = {.access = ""};

    *self = (struct suite){.url = url};
    while (file && fscanf(file, "%15s %319s %319s %2047s %319s%1[^\n]", person.role, person.tenant,
                          person.email, person.refresh, secret, extra) == 5) {
        person.factor = strcmp(secret, "-") != 0;
        self->people = realloc(self->people, (self->count + 1) * sizeof(person));
        if (!self->people)
            die("people", "no memory");
        self->people[self->count++] = person;
    }
    if (!file || !feof(file))
        die(path, "cannot be read");
    fclose(file);
    for (size_t i = 0; i < CONNECTIONS; i++) {
        struct bench_client *client = &self->clients[i];

        bench_client_open(client, url);
    }
}

/* The sample is ordered by time; each round needs all kinds of people and tenants. */
static void shuffle(struct suite *self)
{
    unsigned seed = 1;

    for (size_t i = self->count; i > 1; i--) {
        size_t other = (size_t)rand_r(&seed) % i;
        struct person person = self->people[i - 1];

        self->people[i - 1] = self->people[other];
        self->people[other] = person;
    }
}

static void close_suite(struct suite *self)
{
    for (size_t i = 0; i < CONNECTIONS; i++)
        curl_easy_cleanup(self->clients[i].curl);
    free(self->people);
}

int main(int argc, char **argv)
{
    static struct run run;
    int code;

    if (argc != 8)
        die("arguments", "LIMIT ROUNDS LOGINS SMALL_URL SMALL_PEOPLE LARGE_URL LARGE_PEOPLE");
    run.limit = strtod(argv[1], NULL);
    run.rounds = strtoul(argv[2], NULL, 10);
    run.logins = strtoul(argv[3], NULL, 10);
    if (run.rounds < 1 || run.rounds > ROUNDS_MAX || run.logins < 1)
        die("arguments", "1 <= ROUNDS <= 100, 1 <= LOGINS");
    curl_global_init(CURL_GLOBAL_ALL);
    for (size_t i = 0; i < SUITES; i++) {
        open_suite(&run.suites[i], argv[4 + 2 * i], argv[5 + 2 * i]);
        shuffle(&run.suites[i]);
    }
    for (size_t round = 0; round <= run.rounds; round++) {
        fprintf(stderr, "\rround %zu of %zu ", round, run.rounds);
        run_round(&run, round);
    }
    fprintf(stderr, "\r                  \r");
    code = report(&run);
    for (size_t i = 0; i < SUITES; i++)
        close_suite(&run.suites[i]);
    for (size_t i = 0; i < OPERATIONS * SUITES; i++)
        free(run.measures[i / SUITES][i % SUITES].all.us);
    curl_global_cleanup();
    return code;
}
