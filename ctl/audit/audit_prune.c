/*
 * audit_prune.c - `atriumctl audit prune`: exports old months of audit logs to files and drops
 * them, for a timer (atrium-audit-prune.timer). It connects to PostgreSQL as a role that can become
 * atrium_audit. It drops a month only after its file is synced, and only the rows that the file
 * has.
 */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/service/audit_chain.h"
#include "common/service/service.h"
#include "common/wire/codec.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "ctl/pq.h"
#include "ctl/provision.h"

enum { MONTHS_MAX = 5 * 1200, BLOCK_SIZE = 64 * 1024 };

#define FETCH "1000"

struct pruned {
    const char *schema, *month, *file;
    int64_t rows;
};
static const struct field pruned_rows[] = {
    FIELD_TEXT(struct pruned, schema, 0, 64, 0, "Schema of the daemon", "auth"),
    FIELD_TEXT(struct pruned, month, 0, 64, 0, "Month", "audit_2026_01"),
    FIELD_INT(struct pruned, rows, 0, 0, 0, 0, "Rows that were exported and deleted", "1000"),
    FIELD_TEXT(struct pruned, file, 0, 4096, 0, "File with these rows",
               "/var/lib/atrium/audit/..."),
};
static FIELD_TABLE(pruned);

struct prune {
    struct ctl *ctl;
    PGconn *connection;
    const char *directory;
    struct error *err;
};

static PGresult *checked(const struct prune *self, PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        return result;
    (void)error_set(self->err, ERR_UNAVAILABLE, "%s",
                    arena_strndup(self->ctl->arena, PQresultErrorMessage(result),
                                  strcspn(PQresultErrorMessage(result), "\n")));
    PQclear(result);
    return NULL;
}

/* Runs SQL and returns its result; NULL: see err. */
static PGresult *query(const struct prune *self, const char *sql)
{
    return checked(self, PQexec(self->connection, sql));
}

static PGresult *query_with(const struct prune *self, const char *sql, const char *value)
{
    return checked(self, PQexecParams(self->connection, sql, 1, NULL, &value, NULL, NULL, 0));
}

static int run(const struct prune *self, const char *sql)
{
    CLEANUP(pq_clear) PGresult *result = query(self, sql);

    return result ? 0 : -1;
}

/* ---- one month ---- */

/* Selects rows in chain order. A row that does not follow the one before it also has `previous`,
 * the hash that its own hash includes. */
static const char *select_rows(const struct prune *self, const struct pruned *month)
{
    return arena_printf(
        self->ctl->arena,
        "declare rows cursor for select json_build_object('sequence', sequence, 'id', id, 'at', "
        "at, "
        "'project', project_id, 'entity', entity, 'event', event::text, "
        "'previous', case when lag(sequence) over (order by sequence) is distinct from sequence - "
        "1 "
        "then encode(coalesce((select b.hash from %s.audit b where b.sequence = a.sequence - 1), "
        "(select g.hash from %s.audit_gap g where g.last = a.sequence - 1), ''), 'hex') end, "
        "'hash', encode(hash, 'hex')) from %s.%s a where sequence is not null order by sequence",
        month->schema, month->schema, month->schema, month->month);
}

static int write_rows(const struct prune *self, struct pruned *month, FILE *file)
{
    if (run(self, select_rows(self, month)) < 0)
        return -1;
    for (int count = 1; count > 0; month->rows += count) {
        CLEANUP(pq_clear) PGresult *rows = query(self, "fetch " FETCH " from rows");

        if (!rows)
            return -1;
        count = PQntuples(rows);
        for (int i = 0; i < count; i++)
            fprintf(file, "%s\n", PQgetvalue(rows, i, 0));
    }
    return 0;
}

static bool file_begins(const struct prune *self, const char *path, const char *whole_path)
{
    CLEANUP(file_close) FILE *file = fopen(path, "re");
    CLEANUP(file_close) FILE *whole = fopen(whole_path, "re");
    char *bytes = arena_alloc(self->ctl->arena, BLOCK_SIZE);
    char *others = arena_alloc(self->ctl->arena, BLOCK_SIZE);
    size_t size;

    if (!file || !whole)
        return false;
    while ((size = fread(bytes, 1, BLOCK_SIZE, file)) > 0)
        if (fread(others, 1, size, whole) != size || memcmp(bytes, others, size) != 0)
            return false;
    return !ferror(file);
}

/* Replaces a file only if the new one has all its rows. Otherwise the month came back after a drop
 * (database restored), and the file may be the only copy. */
static void name_file(const struct prune *self, struct pruned *month, const char *partial)
{
    const char *first = month->file;

    for (int n = 2; access(month->file, F_OK) == 0 && !file_begins(self, month->file, partial); n++)
        month->file = arena_printf(self->ctl->arena, "%.*s.%d.jsonl",
                                   (int)(strlen(first) - strlen(".jsonl")), first, n);
}

static FILE *file_create(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    if (!file && fd >= 0)
        close(fd);
    return file;
}

/* Syncs the file and gives it its name. */
static int export_month(const struct prune *self, struct pruned *month)
{
    const char *partial = arena_printf(self->ctl->arena, "%s.partial", month->file);
    CLEANUP(file_close) FILE *file = file_create(partial);

    if (!file || fchmod(fileno(file), 0600) < 0)
        return error_set(self->err, ERR_UNAVAILABLE, "%s: %s", partial, strerror(errno));
    if (run(self, "begin isolation level repeatable read") < 0 ||
        write_rows(self, month, file) < 0 || run(self, "commit") < 0)
        return -1;
    if (fflush(file) != 0 || ferror(file) || fsync(fileno(file)) < 0)
        return error_set(self->err, ERR_UNAVAILABLE, "%s: %s", partial, strerror(errno));
    name_file(self, month, partial);
    if (rename(partial, month->file) < 0 || file_sync_folder(AT_FDCWD, self->directory) < 0)
        return error_set(self->err, ERR_UNAVAILABLE, "%s: %s", month->file, strerror(errno));
    return 0;
}

/* Keeps a month with added rows until the next run. */
static int drop_month(const struct prune *self, const struct pruned *month)
{
    CLEANUP(pq_clear) PGresult *dropped = NULL;
    int64_t rows;

    if (run(self, "begin") < 0 ||
        run(self, arena_printf(self->ctl->arena, "set local search_path = %s", month->schema)) < 0)
        return -1;
    dropped = query_with(self, provision_text("audit_drop"), month->month);
    if (!dropped)
        return -1;
    rows = strtoll(PQgetvalue(dropped, 0, 0), NULL, 10);
    if (rows == month->rows)
        return run(self, "commit");
    (void)run(self, "rollback");
    return error_set(self->err, ERR_CONFLICT,
                     "%s.%s has %lld rows, but %lld were exported: it is kept", month->schema,
                     month->month, (long long)rows, (long long)month->rows);
}

static int prune_month(const struct prune *self, struct pruned *month)
{
    month->file = arena_printf(self->ctl->arena, "%s/%s-%s.jsonl", self->directory, month->schema,
                               month->month);
    return export_month(self, month) < 0 || drop_month(self, month) < 0 ? -1 : 0;
}

/* ---- months ---- */

/* Returns the month of --month, by default the current one, in months since year 0. */
static int read_month(struct ctl *ctl, int64_t *ret, struct error *err)
{
    const char *text = arguments_get(&ctl->args, "--month");
    time_t seconds = time(NULL);
    struct tm day;

    gmtime_r(&seconds, &day);
    if (text) {
        const char *end = strptime(text, "%Y-%m", &day);

        if (!end || *end != '\0')
            return error_set(err, ERR_BAD_REQUEST, "--month: must be YYYY-MM");
    }
    *ret = ((int64_t)day.tm_year + 1900) * 12 + day.tm_mon;
    return 0;
}

/* Returns the name of a month's partition, such as "audit_2026_01". */
static const char *month_name(struct arena *arena, int64_t month)
{
    return arena_printf(arena, "audit_%04lld_%02lld", (long long)(month / 12),
                        (long long)(month % 12 + 1));
}

/* Finds the partitions before a month. Their names need no quotes. */
static PGresult *find_months(const struct prune *self, const char *before)
{
    return query_with(self, provision_text("audit_months"), before);
}

static int prune_months(const struct prune *self, const char *before, struct field_list *ret)
{
    CLEANUP(pq_clear) PGresult *found = find_months(self, before);
    int count = found ? PQntuples(found) : 0;
    struct pruned *months = arena_calloc(self->ctl->arena, (size_t)count + 1, sizeof(*months));

    *ret = (struct field_list){.items = months};
    if (!found)
        return -1;
    for (int i = 0; i < count && i < MONTHS_MAX; i++) {
        months[i].schema = arena_strdup(self->ctl->arena, PQgetvalue(found, i, 0));
        months[i].month = arena_strdup(self->ctl->arena, PQgetvalue(found, i, 1));
        if (prune_month(self, &months[i]) < 0)
            return -1;
        ret->count++;
    }
    return 0;
}

static int connect_database(struct prune *self, const char *conninfo)
{
    self->connection = PQconnectdb(conninfo);
    if (PQstatus(self->connection) != CONNECTION_OK)
        return error_set(self->err, ERR_UNAVAILABLE, "%s",
                         arena_strndup(self->ctl->arena, PQerrorMessage(self->connection),
                                       strcspn(PQerrorMessage(self->connection), "\n")));
    return run(self, "set role atrium_audit");
}

int audit_prune_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"schema", "month", "rows", "file", NULL};
    CLEANUP(pq_finish) PGconn *connection = NULL;
    struct prune self = {.ctl = ctl, .err = err};
    struct common_config common;
    struct field_list months;
    int64_t month = 0;
    int result;

    if (read_month(ctl, &month, err) < 0 || ctl_bus_config(ctl, &common, err) < 0)
        return -1;
    if (common.audit_keep_months == 0) {
        output_done(ctl, "All months are kept: audit_keep_months is 0.");
        return 0;
    }
    self.directory = common.audit_export_dir;
    if (mkdir(self.directory, 0700) < 0 && errno != EEXIST)
        return error_set(err, ERR_UNAVAILABLE, "%s: %s", self.directory, strerror(errno));
    result = connect_database(&self, common.audit_database);
    connection = self.connection;
    if (result < 0)
        return -1;
    result = prune_months(&self, month_name(ctl->arena, month - common.audit_keep_months), &months);
    output_list(ctl, &pruned_table, &months, columns);
    return result;
}

/* ---- the exported file ---- */

static int read_hex(const json_t *line, const char *key, uint8_t bytes[static AUDIT_HASH_SIZE],
                    size_t *ret)
{
    const char *text = json_string_value(json_object_get(line, key));

    return text && sodium_hex2bin(bytes, AUDIT_HASH_SIZE, text, strlen(text), NULL, ret, NULL) == 0
               ? 0
               : -1;
}

struct exported {
    int64_t sequence, rows;
    uint8_t hash[AUDIT_HASH_SIZE];
    size_t size; /* 0: no hash yet */
};

/* Checks the hash of a line's row. It includes the previous row's hash, which is in this line or
 * was in the last one. */
static bool line_holds(struct exported *self, const json_t *line)
{
    uint8_t hash[AUDIT_HASH_SIZE], want[AUDIT_HASH_SIZE];
    const char *project = json_string_value(json_object_get(line, "project"));
    struct audit_record row = {
        .sequence = json_integer_value(json_object_get(line, "sequence")),
        .id = json_integer_value(json_object_get(line, "id")),
        .at = json_integer_value(json_object_get(line, "at")),
        .entity = json_string_value(json_object_get(line, "entity")),
        .event = json_string_value(json_object_get(line, "event")),
    };
    size_t size;

    if (!row.event || (project && uuid_parse(project, &row.project) < 0) ||
        read_hex(line, "hash", hash, &size) < 0 || size != AUDIT_HASH_SIZE)
        return false;
    if (self->rows == 0 || row.sequence != self->sequence + 1) {
        if (row.sequence <= self->sequence ||
            read_hex(line, "previous", self->hash, &self->size) < 0)
            return false;
    }
    audit_hash(&row, (struct field_bytes){self->hash, self->size}, want);
    memcpy(self->hash, hash, sizeof(hash));
    self->size = sizeof(hash);
    self->sequence = row.sequence;
    self->rows++;
    return memcmp(hash, want, sizeof(hash)) == 0;
}

int audit_verify_file_command(struct ctl *ctl, struct error *err)
{
    const char *path = arguments_get(&ctl->args, "FILE.jsonl");
    CLEANUP(file_close) FILE *file = fopen(path, "re");
    CLEANUP(memory_free) char *text = NULL;
    struct exported exported = {0};
    size_t capacity = 0;
    char hash[2 * AUDIT_HASH_SIZE + 1];
    ssize_t size;

    if (!file)
        return error_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
    file_skip_mark(file);
    while ((size = getline(&text, &capacity, file)) > 0) {
        json_auto_t *line = json_loadb(text, (size_t)size, JSON_REJECT_DUPLICATES, NULL);
        int64_t number = exported.rows + 1;

        if (!line_holds(&exported, line))
            return error_set(err, ERR_CONFLICT, "%s:%lld: this row or an earlier row was altered",
                             path, (long long)number);
    }
    if (!feof(file)) /* a read error proves nothing */
        return error_set(err, ERR_UNAVAILABLE, "%s: %s", path, strerror(errno));
    sodium_bin2hex(hash, sizeof(hash), exported.hash, exported.size);
    output_done(ctl, "%lld rows are intact; the last is %lld with hash %s.",
                (long long)exported.rows, (long long)exported.sequence, hash);
    return 0;
}
