/*
 * seed.c - fills a suite's database with tenants and people by COPY, for run.sh and scale.sh.
 *
 *     seed CONNINFO AUTHD_KEY_FILE TENANTS ACCOUNTS SAMPLE
 *
 * Tenant n is "seed-<n>", with policies, settings, history and a client. Account a belongs to
 * tenant a modulo TENANTS. One in five is a practitioner, of three tenants; each tenant's first is
 * its admin. One patient in four has a second factor. Each has one session and the password
 * "correct horse", whose hash has authd's parameters.
 *
 * Rows are spread over the last year, in order of time, with tenants mixed. Finally the tables are
 * vacuumed and analyzed with a checkpoint, so that autovacuum does not disturb a measurement.
 * stdout has SAMPLE people, one per line: role, tenant code, email address, refresh token, and
 * second factor in hex or "-".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "authd/credential/factor.h"
#include "authd/credential/password.h"
#include "authd/session/address_key.h"
#include "authd/session/refresh_token.h"
#include "authd/session/session.h"
#include "ctl/progress.h"
#include "tests/support/bench.h"

#define PASSWORD "correct horse"

enum {
    BATCH = 10000,           /* accounts per transaction */
    PLACES = 3,              /* tenants of a practitioner */
    PRACTITIONERS_EVERY = 5, /* accounts of a tenant */
    FACTOR_EVERY = 4,
    ROW_MAX = 2048,
    HEX_SIZE = 2 * SECRET_MAX + 1,
};

struct tenant {
    struct uuid project, patient_policy, practitioner_policy;
};

struct person {
    long number, tenant;
    bool practitioner, admin, factor;
    int64_t created_ms;
    struct uuid account, session;
    struct uuid membership[PLACES], profile[PLACES];
    struct refresh_token refresh;
};

struct seed {
    PGconn *db;
    struct authd authd; /* only the key is used */
    struct arena *arena;
    char hash[crypto_pwhash_STRBYTES];
    struct tenant *tenants;
    long tenant_count, account_count, sample;
    int64_t now_ms;
    struct progress progress;
};

static NORETURN void die(const char *what, const char *why)
{
    fprintf(stderr, "seed: %s: %s\n", what, why);
    exit(1);
}

static void run(struct seed *self, const char *sql)
{
    PGresult *result = PQexec(self->db, sql);
    ExecStatusType status = PQresultStatus(result);

    if (status != PGRES_COMMAND_OK && status != PGRES_COPY_IN)
        die(sql, PQerrorMessage(self->db));
    PQclear(result);
}

static void copy_row(struct seed *self, const char *format, ...) PRINTF_LIKE(2, 3);
static void copy_row(struct seed *self, const char *format, ...)
{
    char row[ROW_MAX];
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(row, sizeof(row), format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof(row) || PQputCopyData(self->db, row, length) != 1)
        die("row", PQerrorMessage(self->db));
}

static void copy_end(struct seed *self)
{
    if (!bench_copy_end(self->db))
        die("copy", PQerrorMessage(self->db));
}

static const char *hex(char ret[static HEX_SIZE], const void *bytes, size_t size)
{
    return sodium_bin2hex(ret, HEX_SIZE, bytes, size);
}

static int64_t year_ago(const struct seed *self)
{
    return self->now_ms - DAYS(365);
}

static void make_tenants(struct seed *self)
{
    int64_t at_ms = year_ago(self);

    self->tenants = arena_calloc(self->arena, (size_t)self->tenant_count, sizeof(*self->tenants));
    for (long n = 0; n < self->tenant_count; n++)
        self->tenants[n] = (struct tenant){uuid_ordered(at_ms + n), uuid_ordered(at_ms + n),
                                           uuid_ordered(at_ms + n)};
}

static void copy_projects(struct seed *self)
{
    run(self, "copy settings.project (id, name, version, settings, created_at) from stdin");
    for (long n = 0; n < self->tenant_count; n++) {
        const struct tenant *tenant = &self->tenants[n];

        copy_row(self,
                 "%s\tSeed %ld\t3\t{\"PATIENT_REGISTRATION_ENABLED\":true,"
                 "\"PRACTITIONER_REGISTRATION_ENABLED\":false,"
                 "\"PATIENT_APP_URL\":\"https://patients.seed.example/%ld\","
                 "\"PRACTITIONER_APP_URL\":\"https://practitioners.seed.example/%ld\","
                 "\"defaultPatientAccessPolicy\":\"AccessPolicy/%s\","
                 "\"DEFAULT_PRACTITIONER_ACCESS_POLICY\":\"AccessPolicy/%s\"}\t%ld\n",
                 tenant->project.text, n, n, n, tenant->patient_policy.text,
                 tenant->practitioner_policy.text, year_ago(self) + n);
    }
    copy_end(self);
    run(self, "copy settings.tenant_code (code, project_id) from stdin");
    for (long n = 0; n < self->tenant_count; n++)
        copy_row(self, "seed-%ld\t%s\n", n, self->tenants[n].project.text);
    copy_end(self);
}

static void copy_project_parts(struct seed *self)
{
    int64_t at_ms = year_ago(self);

    run(self, "copy settings.setting_history (project_id, version, name, new_value, changed_at) "
              "from stdin");
    for (long n = 0; n < self->tenant_count; n++) {
        const char *project = self->tenants[n].project.text;

        copy_row(self,
                 "%s\t1\tPATIENT_REGISTRATION_ENABLED\tfalse\t%ld\n"
                 "%s\t1\tPRACTITIONER_REGISTRATION_ENABLED\tfalse\t%ld\n"
                 "%s\t3\tPATIENT_REGISTRATION_ENABLED\ttrue\t%ld\n",
                 project, at_ms, project, at_ms, project, at_ms);
    }
    copy_end(self);
    run(self,
        "copy settings.access_policy (project_id, id, name, resource, created_at, updated_at) "
        "from stdin");
    for (long n = 0; n < self->tenant_count; n++) {
        const struct tenant *tenant = &self->tenants[n];

        copy_row(self,
                 "%s\t%s\tPatients\t[{\"resourceType\":\"DocumentReference\","
                 "\"criteria\":\"DocumentReference?author=%%profile\"}]\t%ld\t%ld\n"
                 "%s\t%s\tPractitioners\t[{\"resourceType\":\"*\"}]\t%ld\t%ld\n",
                 tenant->project.text, tenant->patient_policy.text, at_ms, at_ms,
                 tenant->project.text, tenant->practitioner_policy.text, at_ms, at_ms);
    }
    copy_end(self);
    run(self, "copy settings.client (project_id, id, name, created_at) from stdin");
    for (long n = 0; n < self->tenant_count; n++)
        copy_row(self, "%s\t%s\tSeed application\t%ld\n", self->tenants[n].project.text,
                 uuid_ordered(at_ms + n).text, at_ms);
    copy_end(self);
}

static size_t places_of(const struct seed *self, const struct person *person)
{
    return person->practitioner ? (size_t)MIN(self->tenant_count, (long)PLACES) : 1;
}

static const struct tenant *tenant_of(const struct seed *self, const struct person *person,
                                      size_t place)
{
    return &self->tenants[(person->tenant + (long)place) % self->tenant_count];
}

static void make_person(const struct seed *self, long number, struct person *ret)
{
    long rank = number / self->tenant_count; /* number of the account within its tenant */

    *ret = (struct person){
        .number = number,
        .tenant = number % self->tenant_count,
        .practitioner = rank % PRACTITIONERS_EVERY == 0,
        .admin = rank == 0,
        .created_ms = year_ago(self) + DAYS(364) * number / self->account_count,
    };
    ret->factor = !ret->practitioner && rank % FACTOR_EVERY == FACTOR_EVERY - 1;
    ret->account = uuid_ordered(ret->created_ms);
    for (size_t place = 0; place < places_of(self, ret); place++) {
        ret->membership[place] = uuid_ordered(ret->created_ms);
        ret->profile[place] = uuid_random();
    }
    ret->session = uuid_ordered(ret->created_ms);
    refresh_token_new(&self->authd.svc.seal, tenant_of(self, ret, 0)->project, ret->session,
                      &ret->refresh);
}

static const char *role_of(const struct person *person)
{
    return person->practitioner ? "Practitioner" : "Patient";
}

static void copy_accounts(struct seed *self, const struct person *people, size_t count)
{
    run(self,
        "copy auth.account (id, role, project_id, email, name, surname, created_at) from stdin");
    for (const struct person *p = people; p < people + count; p++)
        copy_row(self, "%s\t%s\t%s\tperson%ld@seed.example\tPerson\tNumber %ld\t%ld\n",
                 p->account.text, role_of(p),
                 p->practitioner ? "\\N" : tenant_of(self, p, 0)->project.text, p->number,
                 p->number, p->created_ms);
    copy_end(self);
    run(self, "copy auth.credential (account_id, password_hash, updated_at) from stdin");
    for (const struct person *p = people; p < people + count; p++)
        copy_row(self, "%s\t%s\t%ld\n", p->account.text, self->hash, p->created_ms);
    copy_end(self);
}

static void copy_memberships(struct seed *self, const struct person *people, size_t count)
{
    run(self, "copy auth.membership (project_id, id, account_id, profile_id, admin, policy_id, "
              "created_at) from stdin");
    for (const struct person *p = people; p < people + count; p++) {
        for (size_t place = 0; place < places_of(self, p); place++) {
            const struct tenant *tenant = tenant_of(self, p, place);

            copy_row(self, "%s\t%s\t%s\t%s\t%c\t%s\t%ld\n", tenant->project.text,
                     p->membership[place].text, p->account.text, p->profile[place].text,
                     p->admin && place == 0 ? 't' : 'f',
                     p->practitioner ? tenant->practitioner_policy.text
                                     : tenant->patient_policy.text,
                     p->created_ms);
        }
    }
    copy_end(self);
}

static void copy_sessions(struct seed *self, const struct person *people, size_t count)
{
    run(self, "copy auth.session (project_id, id, account_id, membership_id, profile_id, role, "
              "auth_method, remote_address, browser, os, created_at, last_updated, refresh_hash, "
              "idle_until, absolute_until) from stdin");
    for (const struct person *p = people; p < people + count; p++) {
        char hash[HEX_SIZE];

        copy_row(self,
                 "%s\t%s\t%s\t%s\t%s\t%s\tpassword\t192.0.2.17\tFirefox\tLinux\t%ld\t%ld\t\\\\x%s\t"
                 "%ld\t%ld\n",
                 tenant_of(self, p, 0)->project.text, p->session.text, p->account.text,
                 p->membership[0].text, p->profile[0].text, role_of(p), self->now_ms, self->now_ms,
                 hex(hash, p->refresh.hash, SECRET_HASH_SIZE), self->now_ms + SESSION_IDLE_LIFE,
                 self->now_ms + SESSION_ABSOLUTE_LIFE);
    }
    copy_end(self);
}

/* True for one person of each stride, at a pseudo-random place in it: at a fixed place all would
 * belong to few tenants. */
static bool is_sampled(const struct seed *self, const struct person *person)
{
    long stride = self->account_count / self->sample, block = person->number / stride;
    uint64_t mixed = (uint64_t)block * 0x9e3779b97f4a7c15;

    return block < self->sample &&
           person->number % stride == (long)((mixed >> 32) % (uint64_t)stride);
}

static void print_person(struct seed *self, const struct request *req, const struct person *person,
                         struct sealed sealed)
{
    struct factor factor = {.account = person->account};
    char text[HEX_SIZE] = "-";
    struct error err;

    error_init(&err, req->arena);
    if (person->factor) {
        if (factor_open(&self->authd, req, sealed, &factor, &err) < 0)
            die("factor", err.message);
        hex(text, factor.secret, factor.secret_size);
    }
    printf("%s\tseed-%ld\tperson%ld@seed.example\t%s\t%s\n", role_of(person), person->tenant,
           person->number, person->refresh.text, text);
}

/* Copies the second factors, and writes the sample with their secrets. */
static void copy_factors(struct seed *self, const struct person *people, size_t count)
{
    run(self,
        "copy auth.mfa_factor (account_id, secret_sealed, created_at, enrolled_at) from stdin");
    for (const struct person *p = people; p < people + count; p++) {
        struct arena *arena = arena_new();
        struct request req = {.arena = arena};
        struct sealed sealed = {NULL, 0};
        char text[HEX_SIZE];

        if (p->factor) {
            sealed = factor_seal_new(&self->authd, &req, p->account);
            copy_row(self, "%s\t\\\\x%s\t%ld\t%ld\n", p->account.text,
                     hex(text, sealed.bytes, sealed.size), p->created_ms, p->created_ms);
        }
        if (is_sampled(self, p))
            print_person(self, &req, p, sealed);
        arena_destroy(&arena);
    }
    copy_end(self);
}

/* Copies the keys for network addresses. */
static void copy_address_keys(struct seed *self, const struct person *people, size_t count)
{
    run(self, "copy auth.account_address_key (account_id, public_key, secret_sealed) from stdin");
    for (const struct person *p = people; p < people + count; p++) {
        struct arena *arena = arena_new();
        struct request req = {.arena = arena};
        struct sql_address_key_insert keys = address_key_draft(&self->authd, &req, p->account);
        char text[HEX_SIZE];

        copy_row(self, "%s\t%s\t\\\\x%s\n", p->account.text, keys.public_key,
                 hex(text, keys.secret_sealed.bytes, keys.secret_sealed.size));
        arena_destroy(&arena);
    }
    copy_end(self);
}

static void copy_people(struct seed *self)
{
    struct person *people = arena_calloc(self->arena, BATCH, sizeof(*people));

    for (long first = 0; first < self->account_count; first += BATCH) {
        size_t count = (size_t)MIN(self->account_count - first, (long)BATCH);

        for (size_t i = 0; i < count; i++)
            make_person(self, first + (long)i, &people[i]);
        run(self, "begin");
        copy_accounts(self, people, count);
        copy_memberships(self, people, count);
        copy_sessions(self, people, count);
        copy_factors(self, people, count);
        copy_address_keys(self, people, count);
        run(self, "commit");
        progress_count(&self->progress, first + (long)count, self->account_count);
    }
}

int main(int argc, char **argv)
{
    struct seed self = {.arena = arena_new()};
    struct clock *clock = clock_new(NULL);
    struct error err;

    error_init(&err, self.arena);
    if (argc != 6)
        die("arguments", "CONNINFO AUTHD_KEY_FILE TENANTS ACCOUNTS SAMPLE");
    self.tenant_count = strtol(argv[3], NULL, 10);
    self.account_count = strtol(argv[4], NULL, 10);
    self.sample = strtol(argv[5], NULL, 10);
    if (self.tenant_count < 1 || self.sample < 1 || self.sample > self.account_count)
        die("arguments", "1 <= TENANTS, 1 <= SAMPLE <= ACCOUNTS");
    if (sodium_init() < 0 || crypto_pwhash_str(self.hash, PASSWORD, strlen(PASSWORD),
                                               PASSWORD_OPSLIMIT, PASSWORD_MEMLIMIT) != 0)
        die("libsodium", "no memory");
    if (seal_keys_load(argv[2], &self.authd.svc.seal, &err) < 0)
        die("key", err.message);
    self.now_ms = clock_now_ms(clock);
    self.db = PQconnectdb(argv[1]);
    /* saves three million look-ups; foreign keys hold by construction */
    run(&self, "set session_replication_role = replica");
    progress_start(&self.progress, "seed", "accounts", false);
    make_tenants(&self);
    run(&self, "begin");
    copy_projects(&self);
    copy_project_parts(&self);
    run(&self, "commit");
    copy_people(&self);
    run(&self,
        "insert into auth.member_search_due select id from auth.account on conflict do nothing");
    run(&self, "set search_path = auth; insert into member_order select m.project_id, a.id, m.id, "
               "a.role, member_order_name(a.name, a.surname) from account a join membership m on "
               "m.account_id = a.id on conflict do nothing; reset search_path");
    /* The copied rows must be counted before the vacuum; otherwise they would seem newer than
     * it. */
    run(&self, "do 'begin perform pg_stat_force_next_flush(); end'");
    run(&self, "vacuum (analyze)");
    run(&self, "checkpoint");
    progress_end(&self.progress);
    PQfinish(self.db);
    clock_destroy(&clock);
    arena_destroy(&self.arena);
    return 0;
}
