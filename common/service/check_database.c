/* check_database.c - checks of a daemon's PostgreSQL, see check.h. */
#include "common/base/clock.h"
#include "common/service/check.h"
#include "common/service/project_read_only.h"
#include "common/service/service_private.h"
#include "common/service/sql/check.h"

enum {
    VERSION_MIN = 150000, /* the statements' oldest tested version */
    CLOCK_WARN_MS = 1000, /* docs/operations.md's limit */
    LOCK_FAIL_MS = 1000,  /* some milliseconds of waiting between requests are normal */
    CLOCK_FAIL_MS = 5000, /* TOTP codes begin to fail, and tokens to expire early */
};

void check_database_extend(struct db *db)
{
    db_extend_sql(db, service_check_sql);
}

static int found_row(int found, struct error *err)
{
    return sql_require(found, err, ERR_INTERNAL, "The database does not know this role.");
}

/* before, after: this host's clock when the question was sent and when the answer arrived */
static int64_t ahead(int64_t theirs, int64_t before, int64_t after)
{
    if (theirs > after)
        return theirs - after;
    return theirs < before ? theirs - before : 0;
}

static int ask_server(const struct service *self, const struct request *req,
                      struct check_server *ret, struct error *err)
{
    int64_t before = clock_real_ms();
    struct sql_check_server_row row;

    if (found_row(sql_check_server(self->db, req, &row, err), err) < 0)
        return -1;
    *ret = (struct check_server){
        .version = row.version,
        .number = row.number,
        .synchronous_commit = row.synchronous_commit,
        .fsync = row.fsync,
        .full_page_writes = row.full_page_writes,
        .ahead_ms = ahead(row.now_ms, before, clock_real_ms()),
    };
    return 0;
}

/* ---- version and settings ---- */

void check_server_version(const struct request *req, const struct check_server *server,
                          struct finding *ret)
{
    if (server->number < VERSION_MIN)
        check_fail(req, ret, "Move the database to PostgreSQL 15 or later (pg_upgrade).",
                   "PostgreSQL %s is older than %d", server->version, VERSION_MIN / 10000);
    else
        check_ok(req, ret, "PostgreSQL %s", server->version);
}

void check_server_durability(const struct request *req, const struct check_server *server,
                             struct finding *ret)
{
    const struct {
        const char *name, *value;
    } settings[] = {{"synchronous_commit", server->synchronous_commit},
                    {"fsync", server->fsync},
                    {"full_page_writes", server->full_page_writes}};

    for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
        if (strcmp(settings[i].value, "off") != 0)
            continue;
        check_fail(req, ret,
                   arena_printf(req->arena,
                                "Set %s = on in postgresql.conf, and check ALTER DATABASE and "
                                "ALTER ROLE ... SET too.",
                                settings[i].name),
                   "%s is off: acknowledged changes can be lost", settings[i].name);
        return;
    }
    check_ok(req, ret, "synchronous_commit %s", server->synchronous_commit);
}

void check_server_clock(const struct request *req, const struct check_server *server,
                        struct finding *ret)
{
    static const char mend[] =
        "Synchronize the clocks of this host and of the database's host with NTP (timedatectl; "
        "systemctl status systemd-timesyncd, chrony).";
    int64_t ms = server->ahead_ms;
    double seconds = (double)(ms < 0 ? -ms : ms) / 1000;
    const char *direction = ms < 0 ? "behind" : "ahead of";

    if (ms > CLOCK_FAIL_MS || ms < -CLOCK_FAIL_MS)
        check_fail(req, ret, mend, "the database's clock is %.1f s %s this host's", seconds,
                   direction);
    else if (ms > CLOCK_WARN_MS || ms < -CLOCK_WARN_MS)
        check_warn(req, ret, mend, "the database's clock is %.1f s %s this host's", seconds,
                   direction);
    else
        check_ok(req, ret, "the database's clock and this host's agree within %.1f s",
                 (double)CLOCK_WARN_MS / 1000);
}

static int check_reachable(void *daemon, const struct request *req, struct finding *ret,
                           struct error *err)
{
    struct service *self = daemon;
    int64_t since = clock_mono_ms();

    if (!self->db)
        return 0;
    if (service_database_answer(self, req, err) < 0)
        return check_fail(req, ret, NULL, "%s",
                          err->code == ERR_DEADLINE
                              ? "PostgreSQL accepts connections but does not respond"
                              : err->message);
    return check_ok(req, ret, "responds in %lld ms", (long long)(clock_mono_ms() - since));
}

static int judge(void *daemon, const struct request *req, struct finding *ret, struct error *err,
                 void (*fn)(const struct request *req, const struct check_server *server,
                            struct finding *ret))
{
    struct check_server server;

    if (ask_server(daemon, req, &server, err) < 0)
        return -1;
    fn(req, &server, ret);
    return 0;
}

static int check_version(void *daemon, const struct request *req, struct finding *ret,
                         struct error *err)
{
    return judge(daemon, req, ret, err, check_server_version);
}

static int check_durability(void *daemon, const struct request *req, struct finding *ret,
                            struct error *err)
{
    return judge(daemon, req, ret, err, check_server_durability);
}

static int check_clock(void *daemon, const struct request *req, struct finding *ret,
                       struct error *err)
{
    return judge(daemon, req, ret, err, check_server_clock);
}

/* ---- writes and locks ---- */

static int check_writes(void *daemon, const struct request *req, struct finding *ret,
                        struct error *err)
{
    struct service *self = daemon;
    const char *why;

    if (service_database_write(self, req, err) < 0)
        return -1;
    why = db_refusal(self->db);
    if (!why)
        return check_ok(req, ret, "are accepted");
    if (strstr(why, "53100"))
        return check_fail(
            req, ret,
            "Free space on the disk of PostgreSQL's data (the row of `postgresql` names it if it "
            "is on this host) or of its temporary files; the daemons continue within seconds.",
            "PostgreSQL's disk is full: %s", why);
    return check_fail(req, ret, NULL, "PostgreSQL accepts no writes: %s", why);
}

static int check_locks(void *daemon, const struct request *req, struct finding *ret,
                       struct error *err)
{
    struct service *self = daemon;
    struct blocker now;
    const char *mend;

    if (service_database_blocker(self, req, err) < 0)
        return -1;
    now = self->database.blocker;
    if (now.pid == 0)
        return check_ok(req, ret, "no statement waits for another session's");
    mend = arena_printf(
        req->arena,
        "Let that session commit or roll back; or run, as PostgreSQL's superuser: select "
        "pg_terminate_backend(%lld);",
        (long long)now.pid);
    return check_say(
        req, ret, now.waited_ms >= LOCK_FAIL_MS || db_gates_closed(self->db) > 0 ? "fail" : "warn",
        mend,
        "backend %lld%s%s%s, whose statement began at %s, holds a lock on "
        "%s: %lld statements wait, "
        "for %.1f s",
        (long long)now.pid, now.application[0] ? " (" : "", now.application,
        now.application[0] ? ")" : "",
        now.since[0] ? now.since : "a time that this role cannot see",
        now.table[0] ? now.table : "rows", (long long)now.waiting, (double)now.waited_ms / 1000);
}

/* ---- role, schema, connections ---- */

static int check_rights(void *daemon, const struct request *req, struct finding *ret,
                        struct error *err)
{
    const struct service *self = daemon;
    struct sql_check_rights_row row;

    if (found_row(sql_check_rights(self->db, req, &row, err), err) < 0)
        return -1;
    if (row.is_powerful)
        return check_fail(req, ret,
                          arena_printf(req->arena,
                                       "alter role \"%s\" nosuperuser nocreaterole; or give this "
                                       "daemon a role of its own (atriumctl database sql).",
                                       row.role),
                          "the role %s can do everything", row.role);
    if (*row.others)
        return check_fail(req, ret,
                          arena_printf(req->arena,
                                       "revoke all on schema %s from \"%s\", public; also revoke "
                                       "its membership in other roles.",
                                       row.others, row.role),
                          "the role %s has rights on the schemas of other daemons: %s", row.role,
                          row.others);
    return check_ok(req, ret, "the role %s has no rights on other daemons' schemas", row.role);
}

static int check_audit_owner(void *daemon, const struct request *req, struct finding *ret,
                             struct error *err)
{
    const struct service *self = daemon;
    struct sql_check_audit_owner_row row;

    if (found_row(sql_check_audit_owner(self->db, req, &row, err), err) < 0)
        return -1;
    if (row.may_delete)
        return check_fail(req, ret, NULL, "the daemon's role can change and remove audit rows");
    return check_ok(req, ret, "the daemon's role can add rows, but not change or remove them");
}

static bool has_name(const struct sql_check_migrations_rows *applied, const char *name)
{
    for (size_t i = 0; i < applied->count; i++)
        if (strcmp(applied->items[i].name, name) == 0)
            return true;
    return false;
}

static bool is_ours(const struct db_migration *rows, const char *name)
{
    for (; rows->name; rows++)
        if (strcmp(rows->name, name) == 0)
            return true;
    return false;
}

static int check_migrations(void *daemon, const struct request *req, struct finding *ret,
                            struct error *err)
{
    const struct service *self = daemon;
    const struct db_migration *ours = self->definition->migrations, *last = ours;
    struct sql_check_migrations_rows applied;

    if (sql_check_migrations(self->db, req, &applied, err) < 0)
        return -1;
    for (const struct db_migration *row = ours; row->name; row++) {
        if (!has_name(&applied, row->name))
            return check_fail(req, ret, NULL, "%s is not in the database", row->name);
        last = row;
    }
    for (size_t i = 0; i < applied.count; i++) {
        if (!is_ours(ours, applied.items[i].name))
            return check_warn(
                req, ret,
                "A newer release has migrated the database: upgrade and restart this instance too.",
                "the database has %s, but this release ends with %s", applied.items[i].name,
                last->name);
    }
    return check_ok(req, ret, "all %zu, up to %s", applied.count, last->name);
}

static int check_connections(void *daemon, const struct request *req, struct finding *ret,
                             struct error *err)
{
    const struct service *self = daemon;
    int64_t wanted = (int64_t)db_connections_max(self->db), left, role_left;
    struct sql_check_connections_row row;

    if (found_row(sql_check_connections(self->db, req, &row, err), err) < 0)
        return -1;
    left = row.server_max - row.server_used;
    role_left = row.role_max < 0 ? INT64_MAX : row.role_max - row.role_used;
    left = MAX(MIN(left, role_left), (int64_t)0);
    if (left == 0)
        return check_fail(req, ret, NULL, "none is left");
    if (left < wanted)
        return check_warn(req, ret, NULL, "%lld are left; one more instance would take %lld",
                          (long long)left, (long long)wanted);
    return check_ok(req, ret, "%lld are left", (long long)left);
}

const struct check check_database_reachable[] = {
    {"database", CHECK_DATABASE,
     "Start PostgreSQL, or find out why it hangs (its log, disk and host); check this daemon's key "
     "`database`, and that pg_hba.conf accepts its role.",
     check_reachable},
    {.name = NULL},
};

const struct check check_database_rows[] = {
    {"database writes", CHECK_DATABASE,
     "See PostgreSQL's log: a disk with errors, default_transaction_read_only, or a synchronous "
     "standby that is unavailable (synchronous_standby_names).",
     check_writes},
    {"database locks", CHECK_DATABASE, NULL, check_locks},
    {"database version", CHECK_DATABASE, NULL, check_version},
    {"database rights", CHECK_DATABASE, NULL, check_rights},
    {"audit rights", CHECK_DATABASE,
     "Run the output of `atriumctl database sql` again, as PostgreSQL's superuser.",
     check_audit_owner},
    {"migrations", CHECK_DATABASE,
     "The database is older than this release, for example after a restore: restart all instances "
     "of this daemon.",
     check_migrations},
    {"durability", CHECK_DATABASE, NULL, check_durability},
    {"connections", CHECK_DATABASE,
     "Raise PostgreSQL's max_connections (or the role's connection limit), or lower "
     "read_connections and write_connections.",
     check_connections},
    {"clock", CHECK_DATABASE, NULL, check_clock},
    {"read-only projects", CHECK_DATABASE,
     "Finish what `atriumctl project suspend CODE --read-only` began: run it with `--resume`, or "
     "without options if the tenant has moved.",
     project_read_only_check},
    {.name = NULL},
};
