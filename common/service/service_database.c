/*
 * service_database.c - checks every three seconds if the database answers and takes writes, and who
 * blocks it.
 *
 * Answer and blocker use the vital connection (db.h), which no lock delays. A request's write that
 * a full disk refused, for example, counts immediately. service_status() (hence /readyz), metrics
 * and doctor show the result.
 */
#include "common/service/service_private.h"
#include "common/service/sql/probe.h"

enum {
    PROBE_MS = 3000,       /* between rounds, and limit for an answer */
    PROBE_LABELS_MAX = 300 /* for the server's table and program names */
};

bool service_database_up(const struct service *self)
{
    return !self->db || (db_ready(self->db) && !self->database.silent);
}

bool service_database_writable(const struct service *self)
{
    return !self->db || (service_database_up(self) && !db_refusal(self->db));
}

static int64_t read_up(void *arg)
{
    const struct service *self = arg;

    return self->db && service_database_up(self);
}

static int64_t read_writable(void *arg)
{
    const struct service *self = arg;

    return self->db && service_database_writable(self);
}

static int64_t read_blocked_ms(void *arg)
{
    return ((const struct service *)arg)->database.blocker.waited_ms / 1000;
}

static const char *label_text(struct arena *arena, const char *text)
{
    char *copy = arena_strndup(arena, text, strnlen(text, PROBE_LABELS_MAX));

    for (char *c = copy; *c != '\0'; c++)
        if (*c == '"' || *c == '\\' || *c == '\n')
            *c = '_';
    return copy;
}

static const char *read_blocker(void *arg, struct arena *arena)
{
    const struct blocker *blocker = &((const struct service *)arg)->database.blocker;

    if (blocker->pid == 0)
        return "";
    return arena_printf(arena, "pid=\"%lld\",table=\"%s\",application=\"%s\",query_start=\"%s\"",
                        (long long)blocker->pid, label_text(arena, blocker->table),
                        label_text(arena, blocker->application), blocker->since);
}

void service_database_metrics(struct service *self)
{
    struct metrics *m = self->metrics;

    metrics_gauge(m, "atrium_database_up", "1 while the database answers.", read_up, self);
    metrics_gauge(m, "atrium_database_writable", "1 while the database accepts writes.",
                  read_writable, self);
    metrics_gauge_labelled(m, "atrium_database_blocked_seconds",
                           "How long statements have waited for a lock of this session.",
                           read_blocked_ms, read_blocker, self);
}

/* Returns a request with its own deadline: the round's can have passed during the probe before. */
static struct request probe_request(const struct request *round)
{
    struct request req = *round;

    req.deadline_mono_ms = clock_mono_ms() + PROBE_MS;
    return req;
}

int service_database_answer(struct service *self, const struct request *req, struct error *err)
{
    struct request own = probe_request(req);
    int rc = sql_probe_answer(self->db, &own, err) < 0 ? -1 : 0;

    /* Only an answer ends the silence: if the probe's connection is lost, the others can still
     * hang, though idle connections look open. */
    if (rc == 0)
        self->database.silent = false;
    else if (err->code == ERR_DEADLINE)
        self->database.silent = true;
    return rc;
}

static int find_blocker(struct service *self, const struct request *req, struct blocker *ret,
                        struct error *err)
{
    struct request own = probe_request(req);
    struct sql_probe_blocker_row row;
    int found = sql_probe_blocker(self->db, &own, &row, err);

    *ret = (struct blocker){.pid = 0};
    if (found <= 0)
        return found;
    ret->pid = row.pid;
    snprintf(ret->application, sizeof(ret->application), "%s", row.application);
    if (row.query_started)
        clock_format_iso(*row.query_started, ret->since);
    snprintf(ret->table, sizeof(ret->table), "%s", row.locked ? row.locked : "");
    ret->waiting = row.waiting;
    ret->waited_ms = row.waited_ms;
    return 0;
}

static void set_blocker(struct service *self, const struct blocker *seen)
{
    struct blocker *known = &self->database.blocker;

    if (seen->pid != known->pid) {
        char pid[24];

        snprintf(pid, sizeof(pid), "%lld", (long long)seen->pid);
        log_event(LOG_WARNING, "database", "statements wait for a lock", "pid", pid, "table",
                  seen->table, "application", seen->application, "query_start",
                  seen->since[0] != '\0' ? seen->since : NULL, NULL);
        self->database.blocked_mono_ms = clock_mono_ms() - seen->waited_ms;
    }
    *known = *seen;
}

/* Keeps the previous blocker while no statement waits. */
static int keep_blocker(struct service *self, const struct request *req, struct error *err)
{
    struct blocker *known = &self->database.blocker;
    struct sql_probe_holds_lock_in in = {.pid = known->pid, .locked = known->table};
    struct request own = probe_request(req);
    struct sql_probe_holds_lock_row row;

    if (sql_probe_holds_lock(self->db, &own, &in, &row, err) < 0)
        return -1;
    if (!row.holds)
        *known = (struct blocker){.pid = 0};
    known->waiting = 0;
    return 0;
}

int service_database_blocker(struct service *self, const struct request *req, struct error *err)
{
    struct blocker *known = &self->database.blocker, seen;

    if (find_blocker(self, req, &seen, err) < 0)
        return -1;
    if (seen.pid != 0)
        set_blocker(self, &seen);
    else if (known->pid != 0 && keep_blocker(self, req, err) < 0)
        return -1;
    if (known->pid != 0)
        known->waited_ms = clock_mono_ms() - self->database.blocked_mono_ms;
    return 0;
}

/* True for an error that says nothing about the server: a full queue, or a role without temporary
 * files. */
static bool is_undecided(const struct error *err)
{
    return err->code == ERR_OVERLOADED || strcmp(err->sqlstate, "53400") == 0 ||
           (err->code == ERR_UNAVAILABLE && err->sqlstate[0] == '\0');
}

int service_database_write(struct service *self, const struct request *req, struct error *err)
{
    bool refused = db_refusal(self->db) != NULL;
    struct request own = probe_request(req);
    struct sql_probe_write_row row;

    if (sql_probe_write(self->db, &own, &row, err) < 0) {
        if (is_undecided(err))
            return -1;
        db_refusal_set(self->db, err->sqlstate[0] != '\0' ? err->detail
                                                          : "a write is not answered within 3 s");
    } else {
        db_refusal_set(self->db, row.read_only ? "25006 the server is set to read only" : NULL);
    }
    if (!refused && db_refusal(self->db))
        log_event(LOG_ERR, "database", "cannot write", "detail", db_refusal(self->db), NULL);
    else if (refused && !db_refusal(self->db))
        log_event(LOG_NOTICE, "database", "can write again", NULL);
    return 0;
}

static int probe(void *daemon, const struct request *req, struct error *err)
{
    struct service *self = daemon;

    if (service_database_answer(self, req, err) < 0)
        return -1;
    if ((db_waits(self->db) || self->database.blocker.pid != 0) &&
        service_database_blocker(self, req, err) < 0)
        return -1;
    /* A test clock makes rounds frequent, and a write costs more than a read. */
    if (clock_mono_ms() < self->database.write_mono_ms)
        return 0;
    self->database.write_mono_ms = clock_mono_ms() + PROBE_MS / 2;
    return service_database_write(self, req, err);
}

void service_database_extend(struct service *self)
{
    db_extend_sql(self->db, service_probe_sql);
}

void service_database_watch(struct service *self)
{
    service_every(self, "database", PROBE_MS, probe);
}
