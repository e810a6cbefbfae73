/*
 * host_suite.c - see host_suite.h.
 */
#include "tests/support/host_suite.h"

#include <libpq-fe.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/clock.h"
#include "tests/support/suite_command.h"

enum { READY_MS = 30000 };

const struct host_suite_daemon host_suite_daemons[HOST_DAEMONS] = {
    {"settingsd.a1", HOST_A, "10.77.0.1:7102"}, {"maild.a1", HOST_A, "10.77.0.1:7103"},
    {"authd.b1", HOST_B, "10.77.0.2:7101"},     {"authd.c1", HOST_C, "10.77.0.3:7101"},
    {"docd.c1", HOST_C, "10.77.0.3:7104"},      {"gateway.a1", HOST_A, "10.77.0.1:7100"},
    {"gateway.b1", HOST_B, "10.77.0.2:7100"},
};

bool host_suite_make(struct host_suite *self)
{
    *self = (struct host_suite){.hosts = hosts_new(HOST_COUNT)};
    if (self->hosts)
        self->texts = arena_new();
    return self->hosts != NULL;
}

void host_suite_destroy(struct host_suite *self)
{
    arena_destroy(&self->texts);
    pg_destroy(&self->pg);
    hosts_destroy(&self->hosts);
    unit_dir_remove(&self->dir);
}

const char *host_suite_config(struct host_suite *self, int host)
{
    return arena_printf(self->texts, "%s/%c/atrium.conf", self->dir.path, 'a' + host);
}

struct program *host_suite_ctl(struct host_suite *self, int host, const char *input,
                               const char *const *words)
{
    char *path = program_path("atriumctl");
    const char *argv[20] = {path, "--config", host_suite_config(self, host)};
    struct program *run;

    for (size_t i = 0; words[i]; i++)
        argv[3 + i] = words[i];
    hosts_enter(self->hosts, host == HOST_STRANGER ? HOST_C : host);
    run = program_run(argv, input);
    hosts_enter(self->hosts, HOST_A);
    free(path);
    return run;
}

static void write_daemon(struct host_suite *self, FILE *file, const char *name, const char *role)
{
    fprintf(file,
            "%s\n    database = \"host=10.77.0.4 dbname=atrium user=%s\"\n"
            "    read_connections = \"1\"\n    write_connections = \"4\"\n"
            "    seal_key = \"%s/seal.key\"\n",
            name, role, self->dir.path);
}

void host_suite_write_config(struct host_suite *self, int host, const char *bus_hosts)
{
    FILE *file;

    mkdir(arena_printf(self->texts, "%s/%c", self->dir.path, 'a' + host), 0700);
    file = fopen(host_suite_config(self, host), "w");
    fprintf(
        file,
        "common\n    run_dir = \"%s/%c\"\n    bus_hosts = \"%s\"\n    bus_keys = \"%s/%c/keys\"\n",
        self->dir.path, 'a' + host, bus_hosts, self->dir.path, 'a' + host);
    fprintf(file, "gateway\n    listen = \"127.0.0.1:8080\"\n");
    write_daemon(self, file, "settingsd", "atrium-settingsd");
    write_daemon(self, file, "authd", "atrium-authd");
    write_daemon(self, file, "docd", "atrium-docd");
    fprintf(file, "    storage_dir = \"%s/%c\"\n", self->dir.path, 'a' + host);
    write_daemon(self, file, "maild", "atrium-maild");
    fprintf(file, "    transport = \"file\"\n    mail_dir = \"%s\"\n", self->dir.path);
    fclose(file);
}

/* Makes each daemon's key, and the operator's on host a, and writes their lines into the file
 * `hosts`. */
static void write_hosts(struct host_suite *self)
{
    FILE *file = fopen(arena_printf(self->texts, "%s/hosts", self->dir.path), "w");
    PROGRAM ours = HOST_CTL(self, HOST_A, NULL, "keys", "bus", "ctl.a1");

    fputs(ours->out, file);
    for (size_t i = 0; i < HOST_DAEMONS; i++) {
        PROGRAM key =
            HOST_CTL(self, host_suite_daemons[i].host, NULL, "keys", "bus",
                     host_suite_daemons[i].name, "--listen", host_suite_daemons[i].listen);

        CHECK_EXIT(key, 0);
        fputs(key->out, file);
    }
    fclose(file);
}

static PGresult *query(struct host_suite *self, const char *sql)
{
    PGconn *conn = PQconnectdb(
        arena_printf(self->texts, "host=%s user=postgres dbname=atrium", self->pg->dir.path));
    PGresult *result = PQexec(conn, sql);

    UNIT_CHECK(PQresultStatus(result) == PGRES_TUPLES_OK ||
                   PQresultStatus(result) == PGRES_COMMAND_OK,
               "%s", PQerrorMessage(conn));
    PQfinish(conn);
    return result;
}

long host_suite_count(struct host_suite *self, const char *sql)
{
    PGresult *result = query(self, sql);
    long value = PQntuples(result) > 0 ? strtol(PQgetvalue(result, 0, 0), NULL, 10) : -1;

    PQclear(result);
    return value;
}

static void start_database(struct host_suite *self)
{
    PROGRAM sql = HOST_CTL(self, HOST_A, NULL, "database", "sql");
    FILE *file;

    hosts_enter(self->hosts, HOST_D);
    self->pg = pg_new();
    pg_exec(self->pg, "create database atrium template template0 encoding 'UTF8' locale 'C.UTF-8'");
    file = fopen(arena_printf(self->texts, "%s/data/pg_hba.conf", self->pg->dir.path), "a");
    fputs("host all all 10.77.0.0/24 trust\n", file);
    fclose(file);
    pg_stop(self->pg, SIGINT);
    self->pg->address = "10.77.0.4";
    pg_start(self->pg);
    hosts_enter(self->hosts, HOST_A);
    PQclear(query(self, sql->out));
}

static void start_daemon(struct host_suite *self, size_t i)
{
    const char *dot = strchr(host_suite_daemons[i].name, '.');
    char *path = program_path(arena_printf(self->texts, "atrium-%.*s",
                                           (int)(dot - host_suite_daemons[i].name),
                                           host_suite_daemons[i].name));
    const char *const argv[] = {
        path,         "--config", host_suite_config(self, host_suite_daemons[i].host),
        "--instance", dot + 1,    NULL};

    hosts_enter(self->hosts, host_suite_daemons[i].host);
    self->running[i] = program_start(argv, NULL);
    hosts_enter(self->hosts, HOST_A);
    free(path);
}

bool host_suite_log_has(struct host_suite *self, size_t i, const char *text)
{
    program_wait_output(self->running[i], text, 0); /* just reads its output */
    return strstr(self->running[i]->err, text) != NULL;
}

size_t host_suite_place(const char *name)
{
    size_t i = 0;

    while (strcmp(host_suite_daemons[i].name, name) != 0)
        i++;
    return i;
}

struct http_answer *host_suite_me(const char *token)
{
    return http_get(HOST_URL, "/auth/me", token);
}

bool host_suite_is_up(struct host_suite *self, int timeout_ms)
{
    int64_t deadline = clock_mono_ms() + timeout_ms;

    while (clock_mono_ms() < deadline) {
        PROGRAM status = HOST_CTL(self, HOST_A, NULL, "status", "--json");
        size_t well = 0;

        for (size_t i = 0; status->code == 0 && i < json_array_size(status->json); i++)
            well += json_is_true(json_object_get(json_array_get(status->json, i), "database"));
        if (well == HOST_DAEMONS)
            return true;
        unit_sleep_ms(100);
    }
    return false;
}

void host_suite_make_project(struct host_suite *self)
{
    char policy[64];

    PROGRAM made = HOST_CTL(self, HOST_A, NULL, "project", "create", "Hosts", "--code", "hosts");
    CHECK_EXIT(made, 0);
    PROGRAM put =
        HOST_CTL(self, HOST_A, "{\"name\":\"All\",\"resource\":[{\"resourceType\":\"*\"}]}",
                 "policy", "put", "--project", "hosts", "-", "--json");
    CHECK_EXIT(put, 0);
    snprintf(policy, sizeof(policy), "AccessPolicy/%s", program_text(put, "id"));
    PROGRAM set = HOST_CTL(self, HOST_A, NULL, "project", "set", "hosts",
                           "default-patient-access-policy", policy);
    CHECK_EXIT(set, 0);
}

struct http_answer *host_suite_post(const char *path, const char *bearer, json_t *body)
{
    static atomic_uint calls; /* for a new client address each, which no limit affects */
    unsigned call = atomic_fetch_add(&calls, 1);
    char source[32];

    snprintf(source, sizeof(source), "127.%u.%u.%u", 1 + call / 62500 % 200, 1 + call / 250 % 250,
             1 + call % 250);
    return http_call(
        HOST_URL,
        &(struct http_request){
            .method = "POST", .path = path, .bearer = bearer, .source = source, .body = body});
}

struct http_answer *host_suite_post_soon(const char *path, json_t *body)
{
    int64_t deadline = clock_mono_ms() + HOST_BACK_MS;
    struct http_answer *answer = host_suite_post(path, NULL, json_incref(body));

    while (answer->status == 503 && clock_mono_ms() < deadline) {
        http_answer_destroy(&answer);
        unit_sleep_ms(100);
        answer = host_suite_post(path, NULL, json_incref(body));
    }
    json_decref(body);
    return answer;
}

static json_t *body_of(const char *email)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "email", email, "password", HOST_PASSWORD, "name",
                     "Ana", "surname", "Prova", "tenantCode", "hosts");
}

struct http_answer *host_suite_register(const char *email)
{
    return host_suite_post("/auth/tenant/Patient/register", NULL, body_of(email));
}

struct http_answer *host_suite_register_soon(const char *email)
{
    return host_suite_post_soon("/auth/tenant/Patient/register", body_of(email));
}

void host_suite_start(struct host_suite *self)
{
    self->dir = unit_dir_make();
    unit_dir_write(&self->dir, "seal.key",
                   "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n");
    for (int host = 0; host < HOST_COUNT; host++)
        host_suite_write_config(self, host, arena_printf(self->texts, "%s/hosts", self->dir.path));
    write_hosts(self);
    hosts_enter(self->hosts, HOST_A);
    start_database(self);
    for (size_t i = 0; i < HOST_DAEMONS; i++)
        start_daemon(self, i);
    if (host_suite_is_up(self, READY_MS))
        return;
    for (size_t i = 0; i < HOST_DAEMONS; i++) {
        host_suite_log_has(self, i, "");
        fprintf(stderr, "==== %s\n%s", host_suite_daemons[i].name, self->running[i]->err);
    }
    exit(1);
}

void host_suite_stop(struct host_suite *self)
{
    for (size_t i = HOST_DAEMONS; i-- > 0;) {
        kill(self->running[i]->pid, SIGTERM);
        bool ended = program_wait_end(self->running[i], 20000);
        UNIT_CHECK(ended && self->running[i]->code == 0, "%s: %d", host_suite_daemons[i].name,
                   self->running[i]->code);
        program_destroy(&self->running[i]);
    }
}
