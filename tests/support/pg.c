/*
 * pg.c - see pg.h.
 */
#include "tests/support/pg.h"

#include <glob.h>
#include <libpq-fe.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/prepared.h"

static NORETURN void give_up(const char *what)
{
    fprintf(stderr, "PostgreSQL for the tests: %s\n", what);
    exit(1);
}

static void find_programs(struct pg *self)
{
    glob_t found;

    if (glob("/usr/lib/postgresql/*/bin/postgres", 0, NULL, &found) != 0)
        give_up("no server is installed");
    snprintf(self->bin, sizeof(self->bin), "%.*s",
             (int)(strlen(found.gl_pathv[found.gl_pathc - 1]) - strlen("/postgres")),
             found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
}

/* Starts a child whose output goes to the directory's file `log`. */
static pid_t spawn(const struct pg *self, const char *const words[])
{
    pid_t parent = getpid(), pid = fork();
    char path[96];
    sigset_t none;

    if (pid < 0)
        give_up("fork failed");
    if (pid > 0)
        return pid;
    snprintf(path, sizeof(path), "%s/log", self->dir.path);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none,
                NULL); /* a loop may have blocked the signals that stop the server */
    if (server_user_become(&self->user) < 0)
        _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGINT);
    if (getppid() != parent || !freopen(path, "a", stdout) ||
        dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
        _exit(126);
    execvp(words[0], (char *const *)(uintptr_t)words); /* which does not modify them */
    _exit(127);
}

static bool run(const struct pg *self, const char *const words[])
{
    int status = -1;

    return waitpid(spawn(self, words), &status, 0) > 0 && status == 0;
}

void pg_start(struct pg *self)
{
    char program[80], data[80], listen[64];
    const char *const server[] = {program,
                                  "-D",
                                  data,
                                  "-k",
                                  self->dir.path,
                                  "-c",
                                  listen,
                                  "-c",
                                  "fsync=off",
                                  "-c",
                                  "shared_buffers=16MB",
                                  "-c",
                                  "max_connections=200",
                                  NULL};

    snprintf(program, sizeof(program), "%s/postgres", self->bin);
    snprintf(data, sizeof(data), "%s/data", self->dir.path);
    snprintf(listen, sizeof(listen), "listen_addresses=%s", self->address ? self->address : "");
    self->pid = spawn(self, server);
    for (int i = 0; i < 1000; i++) {
        if (PQping(self->conninfo) == PQPING_OK)
            return;
        usleep(20000);
    }
    give_up("the server does not start");
}

void pg_stop(struct pg *self, int signo)
{
    if (self->pid == 0)
        return;
    kill(self->pid, signo);
    waitpid(self->pid, NULL, 0);
    self->pid = 0;
}

static struct pg *make(void)
{
    struct pg *self = calloc(1, sizeof(*self));

    if (!self)
        give_up("out of memory");
    self->dir = prepared_unit_dir();
    self->user = server_user_of_new(self->dir.path);
    snprintf(self->conninfo, sizeof(self->conninfo), "host=%s user=postgres dbname=postgres",
             self->dir.path);
    find_programs(self);
    return self;
}

struct pg *pg_new_standby(const char *primary)
{
    struct pg *self = make();
    char program[80], data[80], source[256];
    const char *const backup[] = {program, "-D",   data,        "-R", "-X",   "stream",
                                  "-c",    "fast", "--no-sync", "-d", source, NULL};

    snprintf(program, sizeof(program), "%s/pg_basebackup", self->bin);
    snprintf(data, sizeof(data), "%s/data", self->dir.path);
    snprintf(source, sizeof(source), "%s application_name=standby", primary);
    if (!run(self, backup))
        give_up("pg_basebackup failed");
    pg_start(self);
    return self;
}

/* Makes <dir>/data as the owner of <dir>. */
static void make_cluster(const char *dir, void *arg)
{
    struct pg maker = *(struct pg *)arg;
    char program[80], data[256];
    const char *const initdb[] = {program, "-D", data,   "-U",         "postgres",  "-A",
                                  "trust", "-E", "UTF8", "--locale=C", "--no-sync", NULL};

    maker.user = server_user_of_new(dir);
    snprintf(program, sizeof(program), "%s/initdb", maker.bin);
    snprintf(data, sizeof(data), "%s/data", dir);
    if (!run(&maker, initdb))
        give_up("initdb failed");
}

struct pg *pg_new(void)
{
    struct pg *self = make();

    if (!prepared_copy("cluster", self->dir.path, make_cluster, self))
        make_cluster(self->dir.path, self);
    pg_start(self);
    return self;
}

void pg_trim(const char *data_dir)
{
    struct pg self = {.dir = prepared_unit_dir(), .user = server_user_of(data_dir)};
    char program[80];
    const char *const reset[] = {program, "-D", data_dir, NULL};

    (void)server_user_of_new(self.dir.path); /* so that the server's user can write the log there */
    find_programs(&self);
    snprintf(program, sizeof(program), "%s/pg_resetwal", self.bin);
    if (!run(&self, reset))
        give_up("pg_resetwal failed");
    unit_dir_remove(&self.dir);
}

void pg_next_timeline(struct pg *self)
{
    char program[80], data[80];
    const char *const reset[] = {program, "-l", "000000020000000000000010", "-D", data, NULL};

    pg_stop(self, SIGINT);
    snprintf(program, sizeof(program), "%s/pg_resetwal", self->bin);
    snprintf(data, sizeof(data), "%s/data", self->dir.path);
    if (!run(self, reset))
        give_up("pg_resetwal failed");
    pg_start(self);
}

void pg_destroy(struct pg **self_p)
{
    struct pg *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    pg_stop(self, SIGINT);
    unit_dir_remove(&self->dir);
    free(self);
}

long pg_exec(const struct pg *self, const char *sql)
{
    PGconn *conn = PQconnectdb(self->conninfo);
    PGresult *result = PQexec(conn, sql);
    long value = 0;

    UNIT_CHECK(PQresultStatus(result) == PGRES_TUPLES_OK ||
                   PQresultStatus(result) == PGRES_COMMAND_OK,
               "%s: %s", sql, PQerrorMessage(conn));
    if (PQntuples(result) > 0)
        value = strtol(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    PQfinish(conn);
    return value;
}

void pg_make_schema(const struct pg *self, const char *name)
{
    char sql[512];

    snprintf(sql, sizeof(sql),
             "create schema %s; do $$ declare name text; begin "
             "for name in select extname from pg_extension where extname <> 'plpgsql' loop "
             "execute format('alter extension %%I set schema %s', name); end loop; end $$",
             name, name);
    pg_exec(self, sql);
}
