/* postgres.c - see postgres.h. */
#include "dev/postgres.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "ctl/files.h"
#include "ctl/pq.h"
#include "ctl/provision.h"

enum {
    INITDB_LIMIT_MS = 60000,
    LEFTOVER_LIMIT_MS = 15000, /* after an immediate shutdown, which takes 5 s */
    POLL_MS = 10,
};

/* ---- programs ---- */

static bool has_program(const char *dir, const char *program)
{
    char path[4096];

    return snprintf(path, sizeof(path), "%s/%s", dir, program) < (int)sizeof(path) &&
           access(path, X_OK) == 0;
}

static bool is_bin_dir(const char *dir)
{
    return has_program(dir, "postgres") && has_program(dir, "initdb");
}

/* Returns Debian's directory for this version; 0: for the newest version. */
static const char *debian_bin_dir(struct arena *arena, long major)
{
    static const char parent[] = "/usr/lib/postgresql";
    DIR *listing = opendir(parent);
    const char *best = NULL;
    long best_version = -1;

    if (!listing)
        return NULL;
    for (struct dirent *entry; (entry = readdir(listing));) {
        long version = strtol(entry->d_name, NULL, 10);
        const char *dir = arena_printf(arena, "%s/%s/bin", parent, entry->d_name);

        if (version > best_version && (major == 0 || version == major) && is_bin_dir(dir)) {
            best = dir;
            best_version = version;
        }
    }
    closedir(listing);
    return best;
}

static const char *path_bin_dir(struct arena *arena)
{
    const char *path = getenv("PATH");

    while (path && *path) {
        size_t length = strcspn(path, ":");
        const char *dir = arena_strndup(arena, path, length);

        if (is_bin_dir(dir))
            return dir;
        path += length + (path[length] == ':');
    }
    return NULL;
}

/* Returns the version of an existing cluster; 0: no cluster. */
static long cluster_version(const struct postgres *self, struct arena *arena)
{
    const char *path = arena_printf(arena, "%s/PG_VERSION", self->data_dir);
    struct error err;
    char *text;

    error_init(&err, arena);
    text = files_read(arena, path, &err);
    return text ? strtol(text, NULL, 10) : 0;
}

static int find_programs(struct postgres *self, struct arena *arena, struct error *err)
{
    long version = cluster_version(self, arena);

    self->bin_dir = debian_bin_dir(arena, version);
    if (!self->bin_dir)
        self->bin_dir = path_bin_dir(arena);
    if (self->bin_dir)
        return 0;
    if (version)
        return error_set(err, ERR_UNAVAILABLE,
                         "%s was created by PostgreSQL %ld, which is not installed", self->data_dir,
                         version);
    return error_set(err, ERR_UNAVAILABLE,
                     "no PostgreSQL server found (install the Debian package postgresql)");
}

/* ---- cluster ---- */

static struct child_options options_for(const struct postgres *self, struct arena *arena,
                                        const char *program)
{
    return (struct child_options){.name = "postgres",
                                  .instance = "1",
                                  .argv = {arena_printf(arena, "%s/%s", self->bin_dir, program)},
                                  .log = self->log,
                                  .death_signal =
                                      SIGQUIT, /* immediate shutdown, which is crash-safe */
                                  .user = self->user};
}

static int remove_entry(const char *path, const struct stat *status UNUSED, int kind UNUSED,
                        struct FTW *position UNUSED)
{
    return remove(path);
}

static void remove_tree(const char *dir)
{
    nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static int run_initdb(struct postgres *self, const char *dir, struct supervisor *supervisor,
                      struct arena *arena, struct error *err)
{
    struct child_options initdb;
    int status;

    self->user = server_user_of_new(dir);
    initdb = options_for(self, arena, "initdb");
    const char *const arguments[] = {"--pgdata",
                                     dir,
                                     "--username=postgres",
                                     "--auth=trust",
                                     "--encoding=UTF8",
                                     "--locale=C.UTF-8",
                                     "--data-checksums",
                                     "--no-sync",
                                     "--no-instructions"};
    memcpy(initdb.argv + 1, arguments, sizeof(arguments));
    if (supervisor_run(supervisor, &initdb, INITDB_LIMIT_MS, &status, err) < 0)
        return -1;
    if (status != 0)
        return error_set(err, ERR_INTERNAL, "initdb failed; see %s", self->log);
    return 0;
}

/* Renames a complete cluster, so that an interrupted start leaves none. */
static int make_cluster(struct postgres *self, struct supervisor *supervisor, struct arena *arena,
                        struct error *err)
{
    const char *dir = arena_printf(arena, "%s.new", self->data_dir);
    int result;

    remove_tree(dir);
    if (mkdir(dir, 0700) < 0)
        return error_set(err, ERR_INTERNAL, "%s: %s", dir, strerror(errno));
    result = run_initdb(self, dir, supervisor, arena, err);
    if (result == 0 && rename(dir, self->data_dir) < 0)
        result = error_set(err, ERR_INTERNAL, "%s: %s", self->data_dir, strerror(errno));
    if (result < 0)
        remove_tree(dir);
    return result;
}

/* Returns the pid in postmaster.pid, if that process runs in this cluster; otherwise 0. */
static pid_t leftover_server(const struct postgres *self)
{
    char path[4096], link[64], line[32] = "";
    struct stat served, cluster;
    FILE *file;
    long pid;

    snprintf(path, sizeof(path), "%s/postmaster.pid", self->data_dir);
    file = fopen(path, "re");
    if (!file)
        return 0;
    if (!fgets(line, sizeof(line), file))
        line[0] = '\0';
    fclose(file);
    pid = strtol(line, NULL, 10);
    snprintf(link, sizeof(link), "/proc/%ld/cwd", pid);
    if (pid <= 0 || stat(link, &served) < 0 || stat(self->data_dir, &cluster) < 0 ||
        served.st_dev != cluster.st_dev || served.st_ino != cluster.st_ino)
        return 0;
    return (pid_t)pid;
}

/* Removes a stale pid file, because PostgreSQL takes any process with that pid for the server. */
static void remove_stale_pid(void *arg)
{
    const struct postgres *self = arg;
    char path[4096];

    if (leftover_server(self))
        return;
    snprintf(path, sizeof(path), "%s/postmaster.pid", self->data_dir);
    unlink(path);
}

static int wait_for_leftover(struct postgres *self, struct supervisor *supervisor,
                             struct error *err)
{
    int64_t deadline = clock_mono_ms() + LEFTOVER_LIMIT_MS;
    pid_t pid;

    while ((pid = leftover_server(self)) != 0) {
        if (clock_mono_ms() > deadline)
            return error_set(err, ERR_CONFLICT, "%s is already used by another process, %d",
                             self->data_dir, (int)pid);
        if (supervisor_pause(supervisor, POLL_MS, err) < 0)
            return -1;
    }
    return 0;
}

void postgres_use(struct postgres *self, struct arena *arena, const char *server)
{
    self->server = server;
    self->conninfo = arena_printf(arena, "%s user=postgres dbname=atrium", server);
}

/* Removes libpq's variables, which name other servers. With --database they stay: one can be a
 * password. */
static void clear_environment(struct arena *arena)
{
    for (size_t i = 0; environ[i];) {
        int size = (int)strcspn(environ[i], "=");

        if (strncmp(environ[i], "PG", 2) != 0 ||
            unsetenv(arena_printf(arena, "%.*s", size, environ[i])) < 0)
            i++; /* the next one has moved here */
    }
}

int postgres_prepare(struct postgres *self, struct supervisor *supervisor, struct arena *arena,
                     struct error *err)
{
    struct stat status;

    clear_environment(arena);
    postgres_use(self, arena, arena_printf(arena, "host=%s port=5432", self->socket_dir));
    if (find_programs(self, arena, err) < 0)
        return -1;
    if (stat(self->data_dir, &status) == 0) {
        self->user = server_user_of(self->data_dir);
        return wait_for_leftover(self, supervisor, err);
    }
    return make_cluster(self, supervisor, arena, err);
}

struct child *postgres_start(struct postgres *self, struct supervisor *supervisor,
                             struct arena *arena, struct error *err)
{
    struct child_options server = options_for(self, arena, "postgres");
    const char *const arguments[] = {
        "-D", self->data_dir,
        "-k", self->socket_dir,
        "-c", "listen_addresses=",
        "-c", "unix_socket_permissions=0700",
        "-c", "max_connections=200",
        "-c", "shared_buffers=128MB",
        "-c", "fsync=on",
        "-c", "full_page_writes=on",
        "-c", "synchronous_commit=on",
        "-c", "recovery_init_sync_method=syncfs", /* safe, and faster than file by file */
        "-c", "logging_collector=off",
        "-c", "log_destination=stderr",
        "-c", "log_error_verbosity=terse", /* see docs/logs.md */
        "-c", "log_timezone=UTC",
    };

    memcpy(server.argv + 1, arguments, sizeof(arguments));
    server.before = remove_stale_pid;
    server.before_arg = self;
    return supervisor_start(supervisor, &server, err);
}

/* ---- roles and schemas ---- */

static PGconn *open_database(const struct postgres *self, const char *name, struct error *err)
{
    /* The first "dbname" is the connection string. Selects the primary of several servers. */
    const char *const keys[] = {"target_session_attrs", "dbname",  "user", "dbname",
                                "connect_timeout",      "options", NULL};
    const char *const values[] = {
        "read-write", self->server, "postgres", name, "2", "-c statement_timeout=10s", NULL};
    PGconn *connection = PQconnectdbParams(keys, values, 1);

    if (PQstatus(connection) == CONNECTION_OK)
        return connection;
    error_set(err, ERR_UNAVAILABLE, "PostgreSQL does not respond");
    error_detail(err, "%.*s", (int)strcspn(PQerrorMessage(connection), "\n"),
                 PQerrorMessage(connection));
    PQfinish(connection);
    return NULL;
}

static int run_sql(PGconn *connection, const char *sql, struct error *err)
{
    CLEANUP(pq_clear) PGresult *result = PQexec(connection, sql);
    ExecStatusType status = PQresultStatus(result);

    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        return PQntuples(result);
    error_set(err, PQstatus(connection) == CONNECTION_OK ? ERR_INTERNAL : ERR_UNAVAILABLE,
              "PostgreSQL could not be set up");
    return error_detail(err, "%s", PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
}

static int make_database(const struct postgres *self, struct error *err)
{
    CLEANUP(pq_finish) PGconn *connection = open_database(self, "postgres", err);
    int found;

    if (!connection)
        return -1;
    found = run_sql(connection, provision_text("database_find"), err);
    if (found != 0)
        return found < 0 ? -1 : 0;
    return run_sql(connection, "create database atrium", err);
}

int postgres_provision(const struct postgres *self, struct error *err)
{
    CLEANUP(pq_finish) PGconn *connection = NULL;
    char *sql;
    int result;

    if (make_database(self, err) < 0)
        return -1;
    connection = open_database(self, "atrium", err);
    if (!connection)
        return -1;
    sql = provision_sql();
    result = run_sql(connection, sql, err);
    free(sql);
    return result < 0 ? -1 : 0;
}

const char *postgres_conninfo(const struct postgres *self, struct arena *arena, const char *daemon)
{
    const char *role = provision_role(daemon);

    if (!role)
        return NULL;
    return arena_printf(arena, "%s user=%s dbname=atrium", self->server, role);
}
