/*
 * trail.c - the speed of turning sealed audit rows into leaves, and the cost of a proof, for
 * trail.sh.
 *
 *     trail CONNINFO URL PEOPLE ROWS PROOFS
 *
 * seed.c has filled the suite; PEOPLE starts with an admin of the first tenant. Adds ROWS rows with
 * places and hashes to authd's audit log by COPY, of all tenants in turn, while it holds the trees'
 * lock. After a vacuum and a checkpoint it releases the lock and measures until all rows are
 * leaves.
 *
 * Then requests PROOFS proofs of the admin's project in random order on one connection, each of
 * which must lead to its checkpoint, and the project's sign-ins by hour. Exits with 2 on a failure
 * or wrong proof, 1 when the hours exceed SIGN_INS_MS.
 */
#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/service/audit_chain.h"
#include "tests/support/bench.h"
#include "tests/support/trail_proof.h"

#define TREES "hashtextextended('trail', 0)"

enum {
    ROW_MAX = 2048,
    POLL_US = 20000,
    GIVE_UP_MS = 1800000,
    SIGN_INS = 200, /* requests */
    SIGN_INS_MS = 100,
    HEX_SIZE = 2 * AUDIT_HASH_SIZE + 1,
};

struct bench {
    PGconn *db;
    struct bench_client client;
    char access[BENCH_TOKEN_MAX];
    PGresult *projects;
    int64_t first, rows; /* the first sequence number, and the count */
};

static NORETURN void die(const char *what, const char *why)
{
    fprintf(stderr, "trail: %s: %s\n", what, why);
    exit(2);
}

static PGresult *run(struct bench *self, const char *sql)
{
    PGresult *result = PQexec(self->db, sql);
    ExecStatusType status = PQresultStatus(result);

    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN)
        die(sql, PQerrorMessage(self->db));
    return result;
}

static int64_t number(struct bench *self, const char *sql)
{
    PGresult *result = run(self, sql);
    int64_t value = PQntuples(result) > 0 ? strtoll(PQgetvalue(result, 0, 0), NULL, 10) : -1;

    PQclear(result);
    return value;
}

static void execute(struct bench *self, const char *format, ...) PRINTF_LIKE(2, 3);
static void execute(struct bench *self, const char *format, ...)
{
    char sql[ROW_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(sql, sizeof(sql), format, args);
    va_end(args);
    PQclear(run(self, sql));
}

static void copy_row(struct bench *self, const struct audit_record *record, const char *hash)
{
    char row[ROW_MAX];
    int size = snprintf(row, sizeof(row), "%lld\t%lld\t%s\t%s\t%s\t%lld\t\\\\x%s\n",
                        (long long)record->id, (long long)record->at, record->project.text,
                        record->entity, record->event, (long long)record->sequence, hash);

    if (size >= (int)sizeof(row) || PQputCopyData(self->db, row, size) != 1)
        die("row", PQerrorMessage(self->db));
}

/* Makes a row like a sign-in's, the most frequent kind. */
static void make_record(const struct bench *self, int64_t i, int64_t now_ms,
                        struct audit_record *record, char entity[static 64], char event[static 512])
{
    const char *project = PQgetvalue(self->projects, (int)(i % PQntuples(self->projects)), 0);
    struct uuid session = uuid_random(), account = uuid_random(), trace = uuid_random();

    snprintf(entity, 64, "Session/%s", session.text);
    snprintf(event, 512,
             "{\"action\":\"session.create\",\"outcome\":\"success\",\"account\":\"%s\","
             "\"role\":\"Patient\",\"agent\":{\"account\":\"%s\",\"profile\":\"Patient/%s\"},"
             "\"address\":\"203.0.113.7\",\"trace\":\"%s\",\"detail\":\"password\"}",
             account.text, account.text, account.text, trace.text);
    record->at = now_ms - (self->rows - i) / 1000;
    snprintf(record->project.text, sizeof(record->project.text), "%s", project);
    record->entity = entity;
    record->event = event;
}

/* Appends the rows to the chain, whose last row is locked against chainers. */
static void copy_rows(struct bench *self)
{
    PGresult *head;
    struct audit_record record = {.sequence = 0};
    uint8_t hash[AUDIT_HASH_SIZE], *last;
    char entity[64], event[512], hex[HEX_SIZE];
    int64_t now_ms = clock_real_ms(); /* this program's suite has no other time */
    size_t size;

    execute(self, "begin");
    head = run(self, "select sequence, hash from auth.audit_head for update");
    record.sequence = strtoll(PQgetvalue(head, 0, 0), NULL, 10);
    last = PQunescapeBytea((const unsigned char *)PQgetvalue(head, 0, 1), &size);
    if (!last || size != sizeof(hash))
        die("audit_head", "no row is sealed yet");
    memcpy(hash, last, sizeof(hash));
    PQfreemem(last);
    PQclear(head);
    self->first = record.sequence + 1;
    record.id = number(self, "select nextval(pg_get_serial_sequence('auth.audit', 'id'))");
    execute(self, "select setval(pg_get_serial_sequence('auth.audit', 'id'), %lld)",
            (long long)(record.id + self->rows));
    execute(self, "copy auth.audit (id, at, project_id, entity, event, sequence, hash) from stdin");
    for (int64_t i = 0; i < self->rows; i++) {
        make_record(self, i, now_ms, &record, entity, event);
        record.id++;
        record.sequence++;
        audit_hash(&record, (struct field_bytes){hash, sizeof(hash)}, hash);
        copy_row(self, &record, sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash)));
    }
    if (!bench_copy_end(self->db))
        die("copy", PQerrorMessage(self->db));
    execute(self, "update auth.audit_head set sequence = %lld, hash = '\\x%s'",
            (long long)record.sequence, hex);
    execute(self, "commit");
}

static void wait_until_zero(struct bench *self, const char *what, const char *sql)
{
    int64_t until = clock_mono_ms() + GIVE_UP_MS;

    while (number(self, sql) != 0) {
        if (clock_mono_ms() > until)
            die(what, "not done in half an hour");
        usleep(POLL_US);
    }
}

static void measure_sealing(struct bench *self)
{
    static const char rest[] = "select h.sequence - coalesce(s.sequence, 0) from auth.audit_head h "
                               "left join auth.trail_source s on s.daemon = 'authd'";
    int64_t began;
    double took_s;

    wait_until_zero(self, "rows of the seed",
                    "select count(*) from auth.audit where sequence is null");
    wait_until_zero(self, "leaves of the seed", rest);
    execute(self, "select pg_advisory_lock(" TREES ")");
    began = clock_mono_us();
    copy_rows(self);
    took_s = (double)(clock_mono_us() - began) / 1e6;
    printf("%lld rows of %d projects by COPY in %.1f s\n", (long long)self->rows,
           PQntuples(self->projects), took_s);
    fflush(stdout);
    execute(self, "vacuum analyze auth.audit");
    execute(self, "checkpoint");
    execute(self, "select pg_advisory_unlock(" TREES ")");
    began = clock_mono_us();
    wait_until_zero(self, "leaves", rest);
    took_s = (double)(clock_mono_us() - began) / 1e6;
    printf("%lld rows became leaves in %.1f s: %.0f rows/s\n", (long long)self->rows, took_s,
           (double)self->rows / took_s);
    fflush(stdout);
}

/* Requires 200. Stores the duration in *us. */
static void ask(struct bench *self, const char *path, const char *body, const char *access,
                int64_t *us)
{
    long status;

    *us = 0;
    status = bench_client_ask(&self->client, path, body, access, us);
    if (status != 200)
        die(path, status == 0 ? "no answer" : "not 200");
}

/* Gets the admin's first access token with the file's refresh token. */
static void sign_in(struct bench *self, const char *people)
{
    FILE *file = fopen(people, "r");
    char refresh[BENCH_TOKEN_MAX], body[BENCH_TOKEN_MAX + 64];
    int64_t us;

    if (!file || fscanf(file, "%*s %*s %*s %4095s", refresh) != 1)
        die(people, "no first line");
    fclose(file);
    snprintf(body, sizeof(body), "{\"refresh_token\":\"%s\"}", refresh);
    ask(self, "/auth/refresh-token", body, NULL, &us);
    if (!bench_client_text(&self->client, "access_token", self->access, sizeof(self->access)))
        die("/auth/refresh-token", "no token");
}

/* Returns the row of the n-th proof; a prime step reaches all rows. */
static int64_t row_of(const struct bench *self, int64_t n)
{
    int64_t tenants = PQntuples(self->projects);

    return self->first + n * 7368787 % (self->rows / tenants) * tenants;
}

static void measure_proofs(struct bench *self, size_t count)
{
    int64_t *us = calloc(count, sizeof(*us)), size = 0;
    char path[128];

    if (!us || count == 0)
        die("PROOFS", "none");
    for (size_t i = 0; i < count; i++) {
        json_t *answer;

        snprintf(path, sizeof(path), "/v1/project/audit/authd-%lld/proof",
                 (long long)row_of(self, (int64_t)i));
        ask(self, path, NULL, self->access, &us[i]);
        answer = json_loadb(self->client.body, self->client.size, 0, NULL);
        if (!trail_proof_holds(answer))
            die(path, "the proof does not lead to the root");
        size = json_integer_value(json_object_get(answer, "size"));
        json_decref(answer);
    }
    bench_sort(us, count);
    printf("%zu proofs in a tree of %lld leaves, all good: p50 %.2f ms, p99 %.2f ms, longest %.2f "
           "ms\n",
           count, (long long)size, (double)us[count / 2] / 1e3, (double)us[count * 99 / 100] / 1e3,
           (double)us[count - 1] / 1e3);
    free(us);
}

static int64_t signed_in(const struct bench *self)
{
    json_t *answer = json_loadb(self->client.body, self->client.size, 0, NULL), *hour;
    int64_t sum = 0;
    size_t i;

    json_array_foreach(json_object_get(answer, "resources"), i, hour) sum +=
        json_integer_value(json_object_get(hour, "succeeded"));
    json_decref(answer);
    return sum;
}

/* True when the 99th percentile is within SIGN_INS_MS. */
static bool measure_sign_ins(struct bench *self)
{
    int64_t us[SIGN_INS], counted, least = self->rows / PQntuples(self->projects);
    double p99_ms;

    for (size_t i = 0; i < SIGN_INS; i++)
        ask(self, "/v1/project/sign-ins", NULL, self->access, &us[i]);
    counted = signed_in(self);
    if (counted < least)
        die("/v1/project/sign-ins", "not all are counted");
    bench_sort(us, SIGN_INS);
    p99_ms = (double)us[SIGN_INS * 99 / 100] / 1e3;
    printf("%lld sign-ins by hour: p50 %.2f ms, p99 %.2f ms, < %d ms: %s\n", (long long)counted,
           (double)us[SIGN_INS / 2] / 1e3, p99_ms, SIGN_INS_MS,
           p99_ms < SIGN_INS_MS ? "yes" : "NO");
    return p99_ms < SIGN_INS_MS;
}

int main(int argc, char **argv)
{
    struct bench self = {.db = NULL};
    bool fast;

    if (argc != 6 || sodium_init() < 0)
        die("usage", "trail CONNINFO URL PEOPLE ROWS PROOFS");
    self.db = PQconnectdb(argv[1]);
    if (PQstatus(self.db) != CONNECTION_OK)
        die(argv[1], PQerrorMessage(self.db));
    bench_client_open(&self.client, argv[2]);
    self.rows = strtoll(argv[4], NULL, 10);
    self.projects = run(&self, "select id from settings.project order by id");
    sign_in(&self, argv[3]);
    measure_sealing(&self);
    measure_proofs(&self, strtoul(argv[5], NULL, 10));
    fast = measure_sign_ins(&self);
    PQclear(self.projects);
    curl_easy_cleanup(self.client.curl);
    PQfinish(self.db);
    return fast ? 0 : 1;
}
