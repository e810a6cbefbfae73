/*
 * chaos.c - see chaos.h. The first client is the tenant's admin (chaos_admin.c), the others are
 * patients (chaos_person.c). chaos_read_back.c reads the final state.
 */
#include "tests/support/chaos.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "tests/support/chaos_private.h"

enum { CLIENTS_MAX = 32 };

/* `reads`: a wrong response means that acknowledged data is lost. */
static const struct {
    const char *name;
    bool reads;
} ops[OPS] = {
    [REGISTER] = {"register", false},
    [SIGN_IN] = {"sign in", true},
    [BAD_PASSWORD] = {"sign in, wrong password", false},
    [ME] = {"who am I", true},
    [REFRESH] = {"refresh", true},
    [LOGOUT] = {"logout", false},
    [LOGGED_OUT] = {"token after logout", true},
    [PASSWORD] = {"change password", false},
    [DOCUMENT_MAKE] = {"document: make", false},
    [DOCUMENT_UPLOAD] = {"document: upload", false},
    [DOCUMENT_READ] = {"document: read", true},
    [DOCUMENT_DELETE] = {"document: delete", false},
    [DOCUMENT_GONE] = {"document: read deleted", true},
    [BOT] = {"bot", false},
    [SETTING_WRITE] = {"setting: write", false},
    [SETTING_READ] = {"setting: read", true},
    [PAGE_WRITE] = {"content: write, delete", false},
    [PAGE_READ] = {"content: read", true},
    [PAGE_SEARCH] = {"content: search", true},
    [INVITE] = {"invite", false},
    [MEMBERS] = {"list members", true},
    [PROJECT] = {"new project", false},
    [MAIL] = {"mail", true},
};

int chaos_chance(struct client *self, int sides)
{
    return rand_r(&self->seed) % sides;
}

static bool is_outage(int status)
{
    return status == 503 || status == 504 || status == 0;
}

static void complain(enum op op, const char *who, const char *what)
{
    fprintf(stderr, "chaos: %s %s: %s\n", ops[op].name, who, what);
}

enum told chaos_judge(struct client *self, enum op op, const struct http_answer *answer, bool right)
{
    struct chaos *chaos = self->chaos;
    int64_t now_ms = clock_mono_ms(), began_ms = now_ms - (int64_t)(answer->seconds * 1000);
    struct chaos_stall *stall;
    enum told told = right ? GOOD : is_outage(answer->status) ? UNKNOWN : WRONG;

    if (self->waiting_since_ms == 0) {
        self->waiting_since_ms = began_ms;
        self->waiting_for = op;
    }
    pthread_mutex_lock(&chaos->lock);
    chaos->tally[op].requests++;
    chaos->tally[op].failed += told == UNKNOWN;
    chaos->tally[op].wrong += told == WRONG;
    chaos->tally[op].seconds += answer->seconds;
    chaos->tally[op].longest = MAX(chaos->tally[op].longest, answer->seconds);
    stall = &chaos->result.stalls[chaos->cause];
    if (now_ms - self->waiting_since_ms > stall->ms)
        *stall = (struct chaos_stall){now_ms - self->waiting_since_ms, self->waiting_since_ms,
                                      ops[self->waiting_for].name};
    if (told == WRONG && ops[op].reads)
        chaos->result.lost++;
    pthread_mutex_unlock(&chaos->lock);
    if (told == WRONG)
        fprintf(stderr, "chaos: %s: %d %.300s\n", ops[op].name, answer->status,
                answer->json || answer->size == 0 ? answer->body : "(no JSON)");
    if (told != UNKNOWN)
        self->waiting_since_ms = 0;
    return told;
}

void chaos_expect(struct client *self, enum op op, const char *who, bool right, const char *what)
{
    struct chaos *chaos = self->chaos;

    pthread_mutex_lock(&chaos->lock);
    chaos->tally[op].requests++;
    chaos->tally[op].wrong += !right;
    if (!right && ops[op].reads)
        chaos->result.lost++;
    pthread_mutex_unlock(&chaos->lock);
    if (!right)
        complain(op, who, what);
}

struct http_answer *chaos_ask(const struct client *self, const char *method, const char *path,
                              const char *bearer, json_t *body)
{
    return http_call(
        self->chaos->place.url,
        &(struct http_request){.method = method, .path = path, .bearer = bearer, .body = body});
}

struct http_answer *chaos_ask_fresh(struct client *self, const char *path, json_t *body)
{
    int number = self->counter++;
    char source[32];

    snprintf(source, sizeof(source), "127.%d.%d.%d", 1 + (int)self->number, 1 + number / 250 % 250,
             1 + number % 250);
    return http_call(
        self->chaos->place.url,
        &(struct http_request){.method = "POST", .path = path, .source = source, .body = body});
}

void chaos_keep(char **text, const char *now)
{
    free(*text);
    *text = *now ? strdup(now) : NULL;
}

static void *client_thread(void *arg)
{
    struct client *self = arg;

    if (self->number == 0)
        admin_signs_in(self);
    while (!atomic_load(&self->chaos->stop)) {
        if (self->number == 0)
            admin_works(self);
        else
            someone_lives(self);
    }
    return NULL;
}

static void run_all(struct chaos *self, void *(*fn)(void *))
{
    for (size_t i = 0; i < self->count; i++)
        if (pthread_create(&self->clients[i].thread, NULL, fn, &self->clients[i]) != 0)
            abort();
}

static void join_all(struct chaos *self)
{
    for (size_t i = 0; i < self->count; i++)
        pthread_join(self->clients[i].thread, NULL);
}

struct chaos *chaos_start(struct suite *suite, unsigned seed, size_t clients)
{
    struct chaos *self = calloc(1, sizeof(*self));

    self->place = (struct place){
        .url = suite_url(suite),
        .tenant = strdup(suite_text(suite, "demo.tenantCode")),
        .admin_email = strdup(suite_text(suite, "demo.adminEmail")),
        .admin_password = strdup(suite_text(suite, "demo.adminPassword")),
        .mail_dir = strdup(suite_text(suite, "mailDir")),
    };
    self->count = MAX((size_t)2, MIN(clients, (size_t)CLIENTS_MAX));
    self->clients = calloc(self->count, sizeof(*self->clients));
    for (size_t i = 0; i < CHAOS_CAUSES; i++)
        self->result.stalls[i].request = "";
    pthread_mutex_init(&self->lock, NULL);
    for (size_t i = 0; i < self->count; i++)
        self->clients[i] = (struct client){.chaos = self, .number = i, .seed = seed + (unsigned)i};
    run_all(self, client_thread);
    return self;
}

void chaos_cause(struct chaos *self, enum chaos_cause cause)
{
    pthread_mutex_lock(&self->lock);
    self->cause = cause;
    pthread_mutex_unlock(&self->lock);
}

void chaos_stop(struct chaos *self)
{
    atomic_store(&self->stop, true);
    join_all(self);
}

void chaos_read_back(struct chaos *self)
{
    chaos_read_mails(self);
    run_all(self, chaos_read_back_thread);
    join_all(self);
}

struct chaos_result chaos_result(struct chaos *self)
{
    struct chaos_result result = self->result;

    result.requests = result.failed = result.wrong = 0;
    for (size_t i = 0; i < OPS; i++) {
        result.requests += self->tally[i].requests;
        result.failed += self->tally[i].failed;
        result.wrong += self->tally[i].wrong;
    }
    return result;
}

void chaos_print(struct chaos *self)
{
    printf("%-26s %8s %8s %7s %9s %9s\n", "request", "asked", "failed", "wrong", "mean ms",
           "longest");
    for (size_t i = 0; i < OPS; i++) {
        long requests = self->tally[i].requests;

        printf("%-26s %8ld %8ld %7ld %9.1f %9.0f\n", ops[i].name, requests, self->tally[i].failed,
               self->tally[i].wrong,
               requests ? self->tally[i].seconds * 1000 / (double)requests : 0.0,
               self->tally[i].longest * 1000);
    }
}

void chaos_destroy(struct chaos **self_p)
{
    struct chaos *self = TAKE_PTR(*self_p);

    for (size_t i = 0; i < self->count; i++) {
        struct client *client = &self->clients[i];

        for (struct someone *who; (who = client->people); someone_free(who))
            client->people = who->next;
        for (struct invited *invited; (invited = client->invited); free(invited))
            client->invited = invited->next;
        for (struct project *project; (project = client->projects); free(project))
            client->projects = project->next;
        free(client->access);
    }
    pthread_mutex_destroy(&self->lock);
    free(self->place.tenant);
    free(self->place.admin_email);
    free(self->place.admin_password);
    free(self->place.mail_dir);
    free(self->clients);
    free(self->mails);
    free(self);
}
