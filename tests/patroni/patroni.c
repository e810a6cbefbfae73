/*
 * patroni.c - see patroni.h. Patroni's server outlives it, so each node has a keeper process that
 * adopts its orphans (PR_SET_CHILD_SUBREAPER) and ends them: immediately on SIGTERM, in order on
 * SIGINT, which it also gets when the test dies.
 */
#include "tests/patroni/patroni.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/clock.h"
#include "dev/server_user.h"
#include "tests/support/http.h"
#include "tests/support/processes.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    START_MS = 90000,
    END_MS = 20000,
    POLL_MS = 100,
    NODE_PROCESSES_MAX = 512,
};

static const char *const roles[] = {"postgres",     "atrium-authd", "atrium-settingsd",
                                    "atrium-maild", "atrium-docd",  "atrium-botd"};

struct node {
    char name[2];
    const char *config; /* its configuration directory */
    const char *log;
    int port, rest_port;
    pid_t keeper; /* 0: down */
};

struct patroni {
    struct unit_dir dir;
    struct arena *arena;
    struct server_user user;
    struct program *etcd;
    int etcd_port;
    const char *bin_dir, *database;
    struct node nodes[PATRONI_NODES];
};

static NORETURN void give_up(const struct patroni *self, const char *what)
{
    fprintf(stderr, "Patroni for the test: %s, see the logs in %s\n", what, self->dir.path);
    exit(1);
}

/* Returns the password of a role or interface, the same for all nodes of a run. */
static const char *password(const struct patroni *self, const char *whose)
{
    return arena_printf(self->arena, "%s-%d", whose, (int)getpid());
}

static const char *newest_bin_dir(struct patroni *self)
{
    glob_t found;
    const char *dir;

    if (glob("/usr/lib/postgresql/*/bin", 0, NULL, &found) != 0)
        give_up(self, "no server is installed");
    dir = arena_strdup(self->arena, found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
    return dir;
}

static void run(const struct patroni *self, const char *const *argv)
{
    PROGRAM program = program_run(argv, NULL);

    if (program->code == 0)
        return;
    fprintf(stderr, "%s: %s\n", argv[0], program->err);
    give_up(self, "a step failed");
}
#define RUN(self, ...) run((self), (const char *const[]){__VA_ARGS__, NULL})

/* Adapts the example of a node's file to this node. */
static void write_node_config(struct patroni *self, struct node *node)
{
    const char *folder = arena_printf(self->arena, "%s/%s", self->dir.path, node->name);
    const char *script = arena_printf(
        self->arena,
        "s|^name: a$|name: %s|; s|10.0.0.31:2379,.*|127.0.0.1:%d|; s|10.0.0.21:8008|127.0.0.1:%d|; "
        "s|10.0.0.21:5432|127.0.0.1:%d|; s|/usr/lib/postgresql/15/bin|%s|; "
        "s|/var/lib/postgresql/atrium|%s|; s|REST-PASSWORD|%s|; s|SUPERUSER-PASSWORD|%s|; "
        "s|REPLICATION-PASSWORD|%s|; s|REWIND-PASSWORD|%s|; "
        "w %s/20-node.yml",
        node->name, self->etcd_port, node->rest_port, node->port, self->bin_dir, folder,
        password(self, "rest"), password(self, "postgres"), password(self, "replication"),
        password(self, "rewind"), node->config);

    RUN(self, "/usr/bin/sed", script, "deploy/patroni-node.yml");
    RUN(self, "/usr/bin/cp", "deploy/patroni.yml",
        arena_printf(self->arena, "%s/10-cluster.yml", node->config));
}

static void prepare_node(struct patroni *self, struct node *node, const char *name)
{
    const char *folder = arena_printf(self->arena, "%s/%s", self->dir.path, name);

    snprintf(node->name, sizeof(node->name), "%s", name);
    node->config = arena_printf(self->arena, "%s/config", folder);
    node->log = arena_printf(self->arena, "%s/log", folder);
    node->port = unit_free_port();
    node->rest_port = unit_free_port();
    mkdir(folder, 0700);
    mkdir(node->config, 0700);
    write_node_config(self, node);
    RUN(self, "/usr/bin/cp", arena_printf(self->arena, "%s/ca.crt", self->dir.path),
        arena_printf(self->arena, "%s/server.crt", self->dir.path),
        arena_printf(self->arena, "%s/server.key", self->dir.path), folder);
    self->user = server_user_of_new(folder);
    if (self->user.uid != 0 && !self->user.mapped)
        RUN(self, "/usr/bin/chown", "-R", arena_printf(self->arena, "%d", (int)self->user.uid),
            folder);
}

/* Writes one line per role, readable by the daemons' user. */
static void write_passwords(struct patroni *self)
{
    const char *text = "";

    for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
        text =
            arena_printf(self->arena, "%s*:*:*:%s:%s\n", text, roles[i], password(self, roles[i]));
    self->database = arena_printf(
        self->arena,
        "host=127.0.0.1,127.0.0.1 port=%d,%d sslmode=verify-full sslrootcert=%s/ca.crt passfile=%s "
        "target_session_attrs=read-write",
        self->nodes[0].port, self->nodes[1].port, self->dir.path,
        unit_dir_write(&self->dir, "passwords", text));
}

static void kill_all(int signo)
{
    pid_t pids[NODE_PROCESSES_MAX];
    size_t count = processes_with("", getpid(), pids, ARRAY_SIZE(pids));

    for (size_t i = 0; i < count && i < ARRAY_SIZE(pids); i++)
        kill(pids[i], signo);
}

/* Waits until the node has no processes; false at the time limit. */
static bool all_ended(int timeout_ms)
{
    int64_t deadline_ms = clock_mono_ms() + timeout_ms;

    while (clock_mono_ms() < deadline_ms) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);

        if (pid < 0)
            return true;
        if (pid == 0)
            usleep(2000);
    }
    return false;
}

static NORETURN void keep(pid_t child)
{
    sigset_t signals;
    int signo = 0;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGCHLD);
    for (;;) {
        sigwait(&signals, &signo);
        if (signo != SIGCHLD)
            break;
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
    }
    if (signo == SIGINT) {
        kill(child, SIGTERM); /* Patroni stops its server */
        if (all_ended(END_MS))
            _exit(0);
    }
    do
        kill_all(SIGKILL);
    while (!all_ended(POLL_MS));
    _exit(0);
}

static NORETURN void run_patroni(const struct patroni *self, const struct node *node)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (!freopen("/dev/null", "r", stdin) || !freopen(node->log, "a", stdout) ||
        dup2(STDOUT_FILENO, STDERR_FILENO) < 0 || server_user_become(&self->user) < 0)
        _exit(126);
    execl("/usr/bin/patroni", "patroni", node->config, (char *)NULL);
    _exit(127);
}

void patroni_boot(struct patroni *self, int number)
{
    struct node *node = &self->nodes[number];
    pid_t parent = getpid(), child;
    sigset_t signals;

    node->keeper = fork();
    if (node->keeper != 0)
        return;
    sigfillset(&signals);
    sigprocmask(SIG_SETMASK, &signals, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGINT);
    if (getppid() != parent)
        _exit(1);
    child = fork();
    if (child == 0)
        run_patroni(self, node);
    keep(child);
}

static void end_node(struct node *node, int signo)
{
    if (node->keeper > 0) {
        kill(node->keeper, signo);
        waitpid(node->keeper, NULL, 0);
    }
    node->keeper = 0;
}

void patroni_kill(struct patroni *self, int node)
{
    end_node(&self->nodes[node], SIGTERM);
}

/* Starts a cluster of one, with two ports and a directory. */
static void start_etcd(struct patroni *self)
{
    const char *client, *peer;

    self->etcd_port = unit_free_port();
    client = arena_printf(self->arena, "http://127.0.0.1:%d", self->etcd_port);
    peer = arena_printf(self->arena, "http://127.0.0.1:%d", unit_free_port());
    const char *const argv[] = {"/usr/bin/etcd",
                                "--name",
                                "a",
                                "--data-dir",
                                arena_printf(self->arena, "%s/etcd", self->dir.path),
                                "--listen-client-urls",
                                client,
                                "--advertise-client-urls",
                                client,
                                "--listen-peer-urls",
                                peer,
                                "--initial-advertise-peer-urls",
                                peer,
                                "--initial-cluster",
                                arena_printf(self->arena, "a=%s", peer),
                                "--log-level",
                                "warn",
                                NULL};
    self->etcd = program_start(argv, NULL);
}

struct patroni *patroni_new(void)
{
    struct patroni *self = calloc(1, sizeof(*self));

    if (!self)
        abort();
    self->dir = unit_dir_make();
    self->arena = arena_new();
    chmod(self->dir.path, 0711);
    self->bin_dir = newest_bin_dir(self);
    RUN(self, "/bin/bash", "tests/patroni/certificates.sh", self->dir.path);
    start_etcd(self);
    for (int i = 0; i < PATRONI_NODES; i++)
        prepare_node(self, &self->nodes[i], i == 0 ? "a" : "b");
    write_passwords(self);
    for (int i = 0; i < PATRONI_NODES; i++)
        patroni_boot(self, i);
    if (!patroni_wait_synchronous(self, START_MS))
        give_up(self, "no leader with a synchronous standby");
    return self;
}

void patroni_destroy(struct patroni **self_p)
{
    struct patroni *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    for (int i = 0; i < PATRONI_NODES; i++)
        end_node(&self->nodes[i], SIGINT);
    program_destroy(&self->etcd);
    unit_dir_remove(&self->dir);
    arena_destroy(&self->arena);
    free(self);
}

const char *patroni_dir(const struct patroni *self)
{
    return self->dir.path;
}

const char *patroni_database(const struct patroni *self)
{
    return self->database;
}

PGconn *patroni_connect(const struct patroni *self, const char *database)
{
    /* Made on both nodes, because libpq tries no further host when one lacks the database. */
    const char *conninfo =
        arena_printf(self->arena,
                     "%s user=postgres dbname=%s options=-csynchronous_commit=remote_apply",
                     self->database, database);
    PGconn *connection = PQconnectdb(conninfo);

    if (PQstatus(connection) != CONNECTION_OK)
        give_up(self, PQerrorMessage(connection));
    return connection;
}

static void execute(const struct patroni *self, const char *database, const char *sql)
{
    PGconn *connection = patroni_connect(self, database);
    PGresult *result = PQexec(connection, sql);

    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
        give_up(self, PQerrorMessage(connection));
    PQclear(result);
    PQfinish(connection);
}

void patroni_make_database(struct patroni *self)
{
    char *path = program_path("atriumctl");
    PROGRAM sql = program_run((const char *const[]){path, "database", "sql", NULL}, NULL);

    free(path);
    execute(self, "postgres",
            "create database atrium template template0 encoding 'UTF8' locale 'C.UTF-8'");
    execute(self, "atrium", sql->out);
    for (size_t i = 1; i < ARRAY_SIZE(roles); i++)
        execute(self, "atrium",
                arena_printf(self->arena, "alter role \"%s\" password '%s'", roles[i],
                             password(self, roles[i])));
}

/* Asks both nodes, because one may be down. */
static struct http_answer *ask(const struct patroni *self, int node, const char *path)
{
    char url[64];

    snprintf(url, sizeof(url), "http://127.0.0.1:%d", self->nodes[node].rest_port);
    return http_call(url, &(struct http_request){.path = path, .limit_s = 2});
}

int patroni_ttl(const struct patroni *self)
{
    HTTP_ANSWER config = ask(self, patroni_leader(self), "/config");

    return (int)json_integer_value(http_member(config, "ttl"));
}

int patroni_leader(const struct patroni *self)
{
    for (int i = 0; i < PATRONI_NODES; i++) {
        HTTP_ANSWER answer = ask(self, i, "/leader");

        if (answer->status == 200)
            return i;
    }
    return -1;
}

static bool is_synchronous(const struct patroni *self)
{
    int leader = patroni_leader(self);

    if (leader < 0)
        return false;
    HTTP_ANSWER answer = ask(self, 1 - leader, "/synchronous");
    return answer->status == 200;
}

bool patroni_wait_synchronous(const struct patroni *self, int timeout_ms)
{
    int64_t deadline_ms = clock_mono_ms() + timeout_ms;

    while (!is_synchronous(self)) {
        if (clock_mono_ms() > deadline_ms)
            return false;
        usleep(POLL_MS * 1000);
    }
    return true;
}

bool patroni_switch_over(struct patroni *self)
{
    int leader = patroni_leader(self);
    const char *const argv[] = {"/usr/bin/patronictl",
                                "-c",
                                self->nodes[MAX(leader, 0)].config,
                                "switchover",
                                "atrium",
                                "--leader",
                                self->nodes[MAX(leader, 0)].name,
                                "--candidate",
                                self->nodes[leader == 0 ? 1 : 0].name,
                                "--force",
                                NULL};
    PROGRAM program = program_run(argv, NULL);

    if (program->code != 0 || !strstr(program->out, "Successfully switched over"))
        fprintf(stderr, "patronictl switchover: %s%s\n", program->out, program->err);
    return program->code == 0;
}
