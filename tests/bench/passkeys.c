/*
 * passkeys.c - passkey sign-ins at full speed, for run.sh.
 *
 *     passkeys URL PEOPLE ROUND SECONDS
 *
 * PEOPLE is seed.c's file of patients without a second factor. Each round uses eight others for
 * each of 32 connections, who enroll an ES256 key. Then the process stops itself (SIGSTOP), and
 * after SIGCONT they sign in with their keys in turn: start, finish and token. Prints the figures
 * of wrk, and "operations <n>", complete sign-ins.
 */
#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/base.h"
#include "common/base/clock.h"
#include "tests/support/authenticator.h"

#define PASSWORD "correct horse"
#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
#define VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

enum {
    CONNECTIONS = 32,
    PEOPLE_EACH = 8, /* keeps each below the limit of sessions */
    BODY_MAX = 16 * 1024,
    WORD_MAX = 320,
    SAMPLES_MAX = 1 << 18
};

struct person {
    char tenant[WORD_MAX], email[WORD_MAX];
    struct authenticator *key;
};

struct connection {
    pthread_t thread;
    CURL *curl;
    char body[BODY_MAX];
    size_t size;
    struct person people[PEOPLE_EACH], *who; /* used in turn */
    const char *error;                       /* NULL: no error */
};

static const char *base;
static pthread_barrier_t ready;
static atomic_bool stop;
static atomic_size_t sign_ins, samples;
static int32_t latencies[SAMPLES_MAX]; /* us per request */

static size_t take(char *data, size_t size, size_t count, void *arg)
{
    struct connection *self = arg;

    if (self->size + size * count >= BODY_MAX)
        return 0;
    memcpy(self->body + self->size, data, size * count);
    self->size += size * count;
    return size * count;
}

/* Posts a body, which is consumed. Returns the response, NULL unless 200. access NULL: no token. */
static json_t *post(struct connection *self, const char *path, const char *access, json_t *body)
{
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    char *text = json_dumps(body, JSON_COMPACT), url[256], bearer[2048];
    int64_t since = clock_mono_us();
    long status = 0;
    size_t at;

    snprintf(bearer, sizeof(bearer), "Authorization: Bearer %s", access ? access : "");
    if (access)
        headers = curl_slist_append(headers, bearer);
    snprintf(url, sizeof(url), "%s%s", base, path);
    curl_easy_setopt(self->curl, CURLOPT_URL, url);
    curl_easy_setopt(self->curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(self->curl, CURLOPT_POSTFIELDS, text);
    self->size = 0;
    if (curl_easy_perform(self->curl) == CURLE_OK)
        curl_easy_getinfo(self->curl, CURLINFO_RESPONSE_CODE, &status);
    at = atomic_fetch_add(&samples, 1);
    if (at < SAMPLES_MAX)
        latencies[at] = (int32_t)(clock_mono_us() - since);
    curl_slist_free_all(headers);
    json_decref(body);
    free(text);
    return status == 200 ? json_loadb(self->body, self->size, 0, NULL) : NULL;
}

static const char *text_of(const json_t *answer, const char *name)
{
    const char *text = json_string_value(json_object_get(answer, name));

    return text ? text : "";
}

static void drop(json_t **answer)
{
    json_decref(*answer);
}
#define ANSWER CLEANUP(drop) json_t *

static json_t *exchange(struct connection *self, const json_t *step)
{
    return post(self, "/auth/tenant/Patient/login/token", NULL,
                json_pack("{s:s, s:s}", "sessionCode", text_of(step, "sessionCode"), "codeVerifier",
                          VERIFIER));
}

static bool enrol(struct connection *self)
{
    ANSWER step =
        post(self, "/auth/tenant/Patient/login/start", NULL,
             json_pack("{s:s, s:s, s:s, s:s}", "email", self->who->email, "password", PASSWORD,
                       "tenantCode", self->who->tenant, "codeChallenge", CHALLENGE));
    ANSWER tokens = step ? exchange(self, step) : NULL;
    const char *access = text_of(tokens, "accessToken");
    ANSWER start = tokens ? post(self, "/auth/passkey/enroll/start", access, json_object()) : NULL;
    const json_t *options = json_object_get(start, "options");
    ANSWER passkey =
        start ? post(self, "/auth/passkey/enroll/finish", access,
                     json_pack("{s:s, s:o}", "enrollmentId", text_of(start, "enrollmentId"),
                               "credential", authenticator_create(self->who->key, options)))
              : NULL;

    return passkey != NULL;
}

static bool sign_in(struct connection *self)
{
    ANSWER start =
        post(self, "/auth/tenant/Patient/passkey/start", NULL,
             json_pack("{s:s, s:s}", "tenantCode", self->who->tenant, "codeChallenge", CHALLENGE));
    const json_t *options = json_object_get(start, "options");
    ANSWER step = start ? post(self, "/auth/tenant/Patient/passkey/finish", NULL,
                               json_pack("{s:s, s:o}", "loginId", text_of(start, "loginId"),
                                         "credential", authenticator_get(self->who->key, options)))
                        : NULL;
    ANSWER tokens = step ? exchange(self, step) : NULL;

    return tokens != NULL;
}

static void *run(void *arg)
{
    struct connection *self = arg;

    for (int i = 0; i < PEOPLE_EACH && !self->error; i++) {
        self->who = &self->people[i];
        if (!enrol(self))
            self->error = "enrolment";
    }
    pthread_barrier_wait(&ready); /* waits until all have enrolled */
    pthread_barrier_wait(&ready); /* and the counters are reset */
    for (size_t turn = 0; !self->error && !atomic_load(&stop); turn++) {
        self->who = &self->people[turn % PEOPLE_EACH];
        if (sign_in(self))
            atomic_fetch_add(&sign_ins, 1);
        else
            self->error = "sign-in";
    }
    return NULL;
}

static void open_connection(struct connection *self, FILE *people, long round, int number)
{
    char source[32];

    for (struct person *who = self->people; who < self->people + PEOPLE_EACH; who++) {
        if (fscanf(people, "%*s %319s %319s%*[^\n]", who->tenant, who->email) != 2) {
            fprintf(stderr, "passkeys: too few people\n");
            exit(2);
        }
        who->key = authenticator_new(AUTHENTICATOR_ES256, "https://patients.seed.example");
    }
    snprintf(source, sizeof(source), "127.70.%ld.%d", round % 256, number + 1);
    self->curl = curl_easy_init();
    curl_easy_setopt(self->curl, CURLOPT_INTERFACE, source);
    curl_easy_setopt(self->curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(self->curl, CURLOPT_WRITEDATA, self);
    curl_easy_setopt(self->curl, CURLOPT_TIMEOUT, 10L);
    pthread_create(&self->thread, NULL, run, self);
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

static void print_result(double seconds)
{
    size_t count = MIN(atomic_load(&samples), (size_t)SAMPLES_MAX);

    qsort(latencies, count, sizeof(*latencies), compare);
    printf("50%% %.2fms\n99%% %.2fms\n", latencies[count / 2] / 1e3,
           latencies[count - 1 - count / 100] / 1e3);
    printf("%zu requests in %.2fs\nRequests/sec: %.2f\noperations %zu\n", atomic_load(&samples),
           seconds, (double)atomic_load(&samples) / seconds, atomic_load(&sign_ins));
}

int main(int argc, char **argv)
{
    static struct connection connections[CONNECTIONS];
    long round = argc == 5 ? strtol(argv[3], NULL, 10) : 0;
    FILE *people = argc == 5 ? fopen(argv[2], "r") : NULL;
    int64_t since;
    int failed = 0;

    if (!people) {
        fprintf(stderr, "usage: passkeys URL PEOPLE ROUND SECONDS\n");
        return 2;
    }
    base = argv[1];
    curl_global_init(CURL_GLOBAL_DEFAULT);
    pthread_barrier_init(&ready, NULL, CONNECTIONS + 1);
    for (long line = 0; line < round * CONNECTIONS * PEOPLE_EACH; line++)
        (void)!fscanf(people, "%*[^\n]\n");
    for (int i = 0; i < CONNECTIONS; i++)
        open_connection(&connections[i], people, round, i);
    pthread_barrier_wait(&ready);
    raise(SIGSTOP);
    atomic_store(&samples, 0);
    since = clock_mono_us();
    pthread_barrier_wait(&ready);
    sleep((unsigned)strtoul(argv[4], NULL, 10));
    atomic_store(&stop, true);
    for (int i = 0; i < CONNECTIONS; i++) {
        pthread_join(connections[i].thread, NULL);
        failed += connections[i].error != NULL;
        if (connections[i].error)
            fprintf(stderr, "passkeys: %s of %s failed: %.*s\n", connections[i].error,
                    connections[i].who->email, (int)connections[i].size, connections[i].body);
    }
    print_result((double)(clock_mono_us() - since) / 1e6);
    printf("Non-2xx responses: %d\n", failed);
    return failed ? 1 : 0;
}
