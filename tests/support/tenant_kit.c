/*
 * tenant_kit.c - see tenant_kit.h.
 */
#include "tests/support/tenant_kit.h"

#include <ctype.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "tests/support/db_kit.h"
#include "tests/support/pg.h"

enum { CALL_MS = 120000, TABLES_MAX = 64, CASES_MAX = 32, ROWS = 2, ALL = 1000000 };

static const struct tenant_kit *kit;
static struct pg *server;
static int schemas;

struct installation {
    char schema[32];
    struct metrics *metrics;
    struct db_options options;
    struct db *db;
    struct seal_keys keys;
};

struct tenant_kit_case {
    struct loop *loop;
    struct installation sender, receiver;
    struct uuid project;
    struct request req;
    struct error err;
};

static long run(const struct installation *self, const char *sql)
{
    size_t size = strlen(sql) + 128;
    char *text = malloc(size);
    long value;

    if (!text)
        abort();
    snprintf(text, size, "set search_path to %s; %s", self->schema, sql);
    value = pg_exec(server, text);
    free(text);
    return value;
}

static long count(const struct installation *self, const char *table, const char *condition)
{
    char sql[512];

    snprintf(sql, sizeof(sql), "select count(*) from %s.%s t where %s", self->schema, table,
             condition);
    return pg_exec(server, sql);
}

static bool open_installation(struct installation *self, struct loop *loop, struct error *err)
{
    snprintf(self->schema, sizeof(self->schema), "tenant%d", ++schemas);
    pg_make_schema(server, self->schema);
    self->metrics = metrics_new();
    self->options = (struct db_options){
        .conninfo = server->conninfo,
        .schema = self->schema,
        .program = self->schema,
        .sql = kit->sql,
        .migrations = kit->migrations,
        .read_connections = 1,
        .write_connections = 2,
        .statement_timeout_ms = CALL_MS,
        .queue_max = 64,
    };
    self->db = db_new(loop, self->metrics, &self->options);
    return UNIT_CHECK(db_kit_prepare(self->db, err) == 0, "%s %s", err->message, err->detail);
}

/* Returns the seed with each "@purpose|text@" sealed by the sender. */
static const char *sealed_seed(struct tenant_kit_case *self)
{
    struct arena *arena = self->req.arena;
    const char *at = kit->seed, *open, *text = "";

    while ((open = strchr(at, '@'))) {
        const char *bar = strchr(open, '|'), *end = strchr(bar, '@');
        const char *purpose = arena_strndup(arena, open + 1, (size_t)(bar - open) - 1);
        struct sealed sealed =
            seal_value(arena, &self->sender.keys, purpose, bar + 1, (size_t)(end - bar) - 1);

        text = arena_printf(arena, "%s%.*s'\\x", text, (int)(open - at), at);
        for (size_t i = 0; i < sealed.size; i++)
            text = arena_printf(arena, "%s%02x", text, sealed.bytes[i]);
        text = arena_printf(arena, "%s'", text);
        at = end + 1;
    }
    return arena_printf(arena, "%s%s", text, at);
}

static bool setup(struct tenant_kit_case *self, struct loop *loop)
{
    *self = (struct tenant_kit_case){.loop = loop,
                                     .req = {.arena = arena_new(), .service = "ctl", .now_ms = 1}};
    self->req.deadline_mono_ms = clock_mono_ms() + CALL_MS;
    error_init(&self->err, self->req.arena);
    self->sender.keys = unit_seal_keys(1);
    self->receiver.keys = unit_seal_keys(2);
    if (!open_installation(&self->sender, loop, &self->err) ||
        !open_installation(&self->receiver, loop, &self->err) ||
        !UNIT_CHECK(uuid_parse(TENANT_KIT_PROJECT, &self->project) == 0, "the project's id"))
        return false;
    run(&self->sender, sealed_seed(self));
    return true;
}

static void teardown(struct tenant_kit_case *self)
{
    db_destroy(&self->sender.db);
    db_destroy(&self->receiver.db);
    metrics_destroy(&self->sender.metrics);
    metrics_destroy(&self->receiver.metrics);
    arena_destroy(&self->req.arena);
}

/* Returns the tables whose rows are moved, with pages of `rows` rows, 0: unchanged; name NULL ends
 * the list. */
static const struct tenant_table *travelling_in(int64_t rows)
{
    static struct tenant_table tables[TABLES_MAX];
    size_t n = 0;

    for (const struct tenant_table *table = kit->tables; table->name; table++)
        if (!table->stays) {
            tables[n] = *table;
            tables[n++].rows = rows ? rows : table->rows;
        }
    tables[n] = (struct tenant_table){.name = NULL};
    return tables;
}

static const struct tenant_table *travelling(void)
{
    return travelling_in(ROWS);
}

/* A text that the seeds seal, as bytes in JSON. */
#define KNOWN_HEX "6b6e6f776e" /* "known" */

static const struct tenant_table *spied;

/* Checks that a page's statement has no plain-text secret, because servers log slow statements. */
static int spy(const struct tenant_table *table UNUSED, struct db *db, const struct request *req,
               const struct sql_tenant_page *in, struct tenant_page *ret, struct error *err)
{
    UNIT_CHECK(!strstr(in->after, KNOWN_HEX), "%s", in->after);
    return tenant_table_page(spied, db, req, in, ret, err);
}

static int read_by(struct tenant_kit_case *self, const struct installation *from,
                   const struct tenant_table *table, const char *after, struct tenant_page *ret)
{
    const struct tenant_store store = {from->db, &from->keys};
    struct tenant_table copy = *table;

    spied = table;
    copy.page = spy;
    return tenant_table_read(&copy, &store, &self->req, self->project, after, ret, &self->err);
}

static int add_to(struct tenant_kit_case *self, const struct tenant_table *table,
                  const struct tenant_page *page, int64_t *ret_added)
{
    const struct tenant_store store = {self->receiver.db, &self->receiver.keys};

    return tenant_table_add(table, &store, &self->req, self->project, page, 0, ret_added,
                            &self->err);
}

static bool read_page(struct tenant_kit_case *self, const struct installation *from,
                      const struct tenant_table *table, const char *after, struct tenant_page *ret)
{
    return UNIT_CHECK(read_by(self, from, table, after, ret) == 0, "%s: %s %s", table->name,
                      self->err.message, self->err.detail);
}

/* Moves at most `most` pages of the tables. Returns the number of added rows, or -1 if one was
 * refused. */
static int64_t move_tables(struct tenant_kit_case *self, const struct tenant_table *table, int most)
{
    int64_t total = 0;

    for (; table->name; table++) {
        struct tenant_page page = {.count = (size_t)table->rows};
        const char *after = NULL;

        while (page.count == (size_t)table->rows && most-- > 0) {
            int64_t added = 0;

            if (!read_page(self, &self->sender, table, after, &page))
                return -1;
            if (page.count == 0)
                break;
            UNIT_CHECK(!after || strcmp(after, page.items[0].value) != 0, "%s: a row twice",
                       table->name);
            if (add_to(self, table, &page, &added) < 0)
                return -1;
            total += added;
            after = page.items[page.count - 1].value;
        }
    }
    return total;
}

static int64_t move(struct tenant_kit_case *self, int most)
{
    return move_tables(self, travelling(), most);
}

static const char *text_of(struct tenant_kit_case *self, const struct installation *from,
                           const struct tenant_table *table, size_t *ret_rows)
{
    struct tenant_table whole = *table;
    struct tenant_page page;
    const char *text = "";

    whole.rows = ALL;
    *ret_rows = 0;
    if (!read_page(self, from, &whole, NULL, &page))
        return "";
    *ret_rows = page.count;
    for (size_t i = 0; i < page.count; i++)
        text = arena_printf(self->req.arena, "%s%s\n", text, page.items[i].value);
    return text;
}

/* Checks that the receiver has exactly the project's rows, unchanged. */
static void check_whole(struct tenant_kit_case *self, const char *label)
{
    for (const struct tenant_table *table = travelling(); table->name; table++) {
        size_t sent, received;
        const char *want = text_of(self, &self->sender, table, &sent);
        const char *have = text_of(self, &self->receiver, table, &received);

        UNIT_CHECK(sent > 0, "%s: %s has a row", label, table->name);
        UNIT_CHECK(strcmp(want, have) == 0, "%s: %s: want %s have %s", label, table->name, want,
                   have);
        UNIT_CHECK(count(&self->receiver, table->name, "true") == (long)sent,
                   "%s: %s has rows of others", label, table->name);
        UNIT_CHECK(count(&self->sender, table->name, "true") == 2 * (long)sent,
                   "%s: %s is read whole", label, table->name);
    }
}

static const struct tenant_table *find_table(const struct tenant_table *tables, const char *name)
{
    for (; tables->name; tables++)
        if (strcmp(tables->name, name) == 0)
            return tables;
    return NULL;
}

/* Columns of sealed values must have a name that ends with "sealed", and each moved one must be
 * opened and resealed. */
static void name_sealed(PGconn *conn, const struct installation *self)
{
    PGresult *columns;
    char sql[256];

    snprintf(
        sql, sizeof(sql),
        "select relname, attname from pg_class join pg_attribute on attrelid = pg_class.oid "
        "where relnamespace = '%s'::regnamespace and relkind = 'r' and attname like '%%sealed'",
        self->schema);
    columns = PQexec(conn, sql);
    for (int i = 0; i < PQntuples(columns); i++) {
        const struct tenant_table *table = find_table(kit->tables, PQgetvalue(columns, i, 0));
        bool found = !table || table->stays;

        for (size_t j = 0; !found && table->sealed[j].column; j++)
            found = strcmp(table->sealed[j].column, PQgetvalue(columns, i, 1)) == 0;
        UNIT_CHECK(found, "the tenant table %s does not say how its column %s is sealed",
                   PQgetvalue(columns, i, 0), PQgetvalue(columns, i, 1));
    }
    PQclear(columns);
}

/* True when a statement of a project's deletion changes the table. */
static bool is_purged(const char *table)
{
    static const char *const verbs[] = {"delete from ", "update "};
    size_t length = strlen(table);

    for (const struct db_statement *each = kit->sql; each->name; each++) {
        if (strncmp(each->name, "purge_", 6) != 0 && strcmp(each->name, "project_delete") != 0)
            continue;
        for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
            for (const char *at = each->text; (at = strstr(at, verbs[i]));) {
                at += strlen(verbs[i]);
                if (strncmp(at, table, length) == 0 && isspace((unsigned char)at[length]))
                    return true;
            }
    }
    return false;
}

/* A deleted project leaves no rows: each table is purged, or its rows are deleted with another
 * table's. */
static void name_purged(PGconn *conn, const struct installation *self)
{
    PGresult *tables;
    char sql[512];

    snprintf(sql, sizeof(sql),
             "select relname, exists (select from pg_constraint where conrelid = c.oid and "
             "contype = 'f' and confdeltype = 'c') from pg_class c join pg_attribute on "
             "attrelid = c.oid and attname = 'project_id' where relkind in ('r', 'p') and "
             "relnamespace = '%s'::regnamespace and not relispartition",
             self->schema);
    tables = PQexec(conn, sql);
    UNIT_CHECK(PQntuples(tables) > 2, "%s", PQresultErrorMessage(tables));
    for (int i = 0; i < PQntuples(tables); i++) {
        const char *name = PQgetvalue(tables, i, 0);
        bool goes = *PQgetvalue(tables, i, 1) == 't' || find_table(tenant_common_tables, name) ||
                    is_purged(name);

        for (const char *const *left = kit->unpurged; left && *left; left++)
            goes = goes || strcmp(*left, name) == 0;
        UNIT_CHECK(goes,
                   "the table %s has rows of projects, and no statement purge_%s removes them when "
                   "one is deleted (common/service/project_purge.h)",
                   name, name);
    }
    PQclear(tables);
}

static void name_tables(struct loop *loop, void *arg UNUSED)
{
    struct tenant_kit_case self;
    PGconn *conn;
    PGresult *names;
    char sql[256];

    if (!setup(&self, loop)) {
        teardown(&self);
        return;
    }
    conn = PQconnectdb(server->conninfo);
    snprintf(sql, sizeof(sql),
             "select relname from pg_class where relnamespace = '%s'::regnamespace "
             "and relkind in ('r', 'p', 'f', 'm')",
             self.sender.schema);
    names = PQexec(conn, sql);
    UNIT_CHECK(PQntuples(names) > 5, "%s", PQresultErrorMessage(names));
    for (int i = 0; i < PQntuples(names); i++) {
        const char *name = PQgetvalue(names, i, 0);
        bool own = find_table(kit->tables, name), common = find_table(tenant_common_tables, name);

        UNIT_CHECK(own != common,
                   "the table %s needs one row among the daemon's tenant tables: it travels, or "
                   "stays for a reason (common/service/tenant_table.h)",
                   name);
    }
    for (const struct tenant_table *table = kit->tables; table->name; table++) {
        bool found = false;

        for (int i = 0; i < PQntuples(names); i++)
            found |= strcmp(table->name, PQgetvalue(names, i, 0)) == 0;
        UNIT_CHECK(found, "there is a table %s", table->name);
        UNIT_CHECK(table->stays ? *table->stays && !table->read && !table->add && !table->insert
                                : table->read && (table->add || table->insert) && table->first &&
                                      table->rows > 0,
                   "%s either travels or stays", table->name);
    }
    PQclear(names);
    name_sealed(conn, &self.sender);
    name_purged(conn, &self.sender);
    PQfinish(conn);
    teardown(&self);
}

static void move_all(struct loop *loop, void *arg UNUSED)
{
    struct tenant_kit_case self;

    if (setup(&self, loop)) {
        int64_t rows = move(&self, ALL);

        UNIT_CHECK(rows > 3, "%lld rows: %s %s", (long long)rows, self.err.message,
                   self.err.detail);
        check_whole(&self, "at once");
        UNIT_CHECK(run(&self.receiver, kit->arrives) > 0, "%s", kit->arrives);
        UNIT_CHECK(move(&self, ALL) == 0, "again: %s", self.err.message);
        check_whole(&self, "again");
        run(&self.receiver, kit->opens);
        UNIT_CHECK(move(&self, ALL) == 0, "behind %s: %s", kit->opens, self.err.message);
        UNIT_CHECK(count(&self.receiver, "audit", "event->>'action' = 'project.import'") > 0,
                   "the trail says so");
    }
    teardown(&self);
}

static void move_in_parts(struct loop *loop, void *arg UNUSED)
{
    struct tenant_kit_case self;

    if (setup(&self, loop)) {
        int64_t total = 0, added = 0;

        for (int pages = 1; pages < 100; pages++) {
            added = move(&self, pages);
            UNIT_CHECK(added >= 0, "%d pages: %s", pages, self.err.message);
            total += added;
        }
        UNIT_CHECK(added == 0 && total > 3, "%lld rows", (long long)total);
        check_whole(&self, "in parts");
    }
    teardown(&self);
}

static bool names_row(const char *message, size_t row)
{
    const char *at = strstr(message, "ow ");

    while (at && at[-1] != 'R' && at[-1] != 'r')
        at = strstr(at + 1, "ow ");
    return !at || strtoul(at + strlen("ow "), NULL, 10) == row;
}

/* Expects the receiver to refuse the first table's page after `change`, and to add none of its
 * rows. */
static void refuse(struct tenant_kit_case *self, const char *label, const char *from,
                   const char *to)
{
    for (const struct tenant_table *table = travelling(); table->name; table++) {
        long before = count(&self->receiver, table->name, "true");
        struct tenant_json rows[ROWS];
        const char *was = from, *becomes = to, *at;
        struct tenant_page page;
        int64_t added;
        char *changed;

        if (!read_page(self, &self->sender, table, NULL, &page) || page.count == 0)
            continue;
        memcpy(rows, page.items, page.count * sizeof(rows[0]));
        if (!strstr(rows[page.count - 1].value, was) && kit->account) {
            was = kit->account;
            becomes = strcmp(to, TENANT_KIT_OTHER) == 0 ? kit->other_account : to;
        }
        at = strstr(rows[page.count - 1].value, was);
        if (!UNIT_CHECK(at, "%s: %s has %s", label, table->name, was))
            continue;
        changed = arena_printf(self->req.arena, "%.*s%s%s", (int)(at - rows[page.count - 1].value),
                               rows[page.count - 1].value, becomes, at + strlen(was));
        rows[page.count - 1].value = changed;
        page.items = rows;
        error_clear(&self->err);
        UNIT_CHECK(add_to(self, table, &page, &added) < 0 && self->err.code == ERR_CONFLICT,
                   "%s: %s takes %s: %s", label, table->name, changed, self->err.message);
        /* If rows reference missing ones, the receiver can name any of them. */
        UNIT_CHECK(names_row(self->err.message, page.count) || names_row(self->err.message, 1),
                   "%s: %s: row %zu: %s", label, table->name, page.count, self->err.message);
        UNIT_CHECK(count(&self->receiver, table->name, "true") == before,
                   "%s: %s: nothing is added", label, table->name);
    }
}

/* Sends malformed rows, as a tampered file can contain. */
static void refuse_texts(struct tenant_kit_case *self)
{
    static const char *const texts[] = {
        "",     "{",  "}",     "null", "5",    "\"x\"",          "[]",
        "[{}]", "{}", "{},{}", "{}]",  "\xff", "{\"\\u0000\":1}"};

    for (const struct tenant_table *table = travelling(); table->name; table++)
        for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
            UNIT_CHECK(
                tenant_kit_add(self, table->name, texts[i]) < 0 && self->err.code == ERR_CONFLICT &&
                    count(&self->receiver, table->name, "true") == 0,
                "%s takes %s: %s %s", table->name, texts[i], self->err.message, self->err.detail);
}

/* True if one of the table's rows moves with a sealed value. */
static bool moves_sealed(struct tenant_kit_case *self, const struct tenant_table *table)
{
    struct tenant_page page;
    const char *none;
    bool found = false;

    if (!table->sealed[0].column || !read_page(self, &self->sender, table, NULL, &page))
        return false;
    none = arena_printf(self->req.arena, "\"%s\":null", table->sealed[0].column);
    for (size_t i = 0; i < page.count && !found; i++)
        found = !strstr(page.items[i].value, none);
    return found;
}

/* A sealed value that none of the sender's keys opens is not moved. */
static void refuse_other_keys(struct tenant_kit_case *self)
{
    const struct seal_keys keys = self->sender.keys;
    struct tenant_page page;

    for (const struct tenant_table *table = travelling(); table->name; table++) {
        bool sealed = moves_sealed(self, table);

        self->sender.keys = unit_seal_keys(3);
        UNIT_CHECK((read_by(self, &self->sender, table, NULL, &page) < 0) == sealed, "%s",
                   table->name);
        self->sender.keys = keys;
    }
}

static void refuse_rows(struct loop *loop, void *arg UNUSED)
{
    struct tenant_kit_case self;

    if (setup(&self, loop)) {
        refuse(&self, "of another project", TENANT_KIT_PROJECT, TENANT_KIT_OTHER);
        refuse(&self, "no identifier", TENANT_KIT_PROJECT, "x");
        refuse(&self, "a further column", "{", "{\"nonsense\":1,");
        refuse(&self, "a column of another name", "{\"", "{\"x");
        refuse_texts(&self);
        refuse_other_keys(&self);
        UNIT_CHECK(move(&self, ALL) > 3, "%s", self.err.message);
        run(&self.receiver, kit->conflict);
        UNIT_CHECK(move(&self, ALL) < 0 && self.err.code == ERR_CONFLICT, "a changed row: %s",
                   self.err.message);
    }
    teardown(&self);
}

/* The nil UUID is not a project: it is the installation where rows name a project or
 * organization. */
static void refuse_first(struct tenant_kit_case *self)
{
    const struct tenant_table *table = travelling();
    const char *row, *at;
    struct tenant_page page;

    if (!read_page(self, &self->sender, table, NULL, &page) || page.count == 0)
        return;
    row = page.items[0].value;
    while ((at = strstr(row, TENANT_KIT_PROJECT)))
        row = arena_printf(self->req.arena, "%.*s" UUID_NIL "%s", (int)(at - row), row,
                           at + strlen(TENANT_KIT_PROJECT));
    UNIT_CHECK(uuid_parse(UUID_NIL, &self->project) == 0, "the nil UUID");
    UNIT_CHECK(tenant_kit_add(self, table->name, row) < 0 && self->err.code == ERR_CONFLICT,
               "%s takes %s: %s", table->name, row, self->err.message);
    UNIT_CHECK(count(&self->receiver, table->name, "true") == 0, "%s: nothing is added",
               table->name);
}

static void refuse_nil(struct loop *loop, void *arg UNUSED)
{
    struct tenant_kit_case self;

    if (setup(&self, loop)) {
        refuse_first(&self);
    }
    teardown(&self);
}

/* Counts the rows of kit.subject for which a change is refused as read-only, each tried alone and
 * undone. */
#define TRY(change_)                                                                            \
    "create temp table if not exists tried (refused int); delete from tried; "                  \
    "insert into tried values (0); "                                                            \
    "do $try$ declare at tid; tab text := current_setting('kit.subject'); one text := (select " \
    "attname from pg_attribute where attrelid = tab::regclass and attnum = 1); "                \
    "begin for at in execute format('select ctid from %I', tab) loop "                          \
    "begin execute format('" change_ "', tab, one) using at; raise division_by_zero; "          \
    "exception when sqlstate 'RO001' then update tried set refused = refused + 1; "             \
    "when others then null; end; end loop; end $try$; select refused from tried"

static const char *const changes[] = {
    /* insert must be the last one: see has_generated_columns() */
    TRY("update %1$I set %2$I = %2$I where ctid = $1"),
    TRY("delete from %1$I where ctid = $1"),
    TRY("insert into %1$I select (t).* from %1$I t where ctid = $1"),
};

/* A table with generated columns cannot take rows back as they were read. */
static bool has_generated_columns(const struct tenant_kit_case *self, const char *table)
{
    const char *sql = arena_printf(self->req.arena,
                                   "select count(*) from pg_attribute where attgenerated <> '' "
                                   "and attrelid = '%s.%s'::regclass",
                                   self->sender.schema, table);

    return pg_exec(server, sql) > 0;
}

/* Checks that every kind of change to the read-only project's rows is refused, and to another
 * project's rows is not; the table has equally many rows of both. */
static void check_guard(struct tenant_kit_case *self, const char *table)
{
    long rows = count(&self->sender, table, "true");

    for (size_t i = 0; i < ARRAY_SIZE(changes) - has_generated_columns(self, table); i++) {
        const char *sql =
            arena_printf(self->req.arena, "set kit.subject = '%s'; %s", table, changes[i]);
        long refused = run(&self->sender, sql);

        UNIT_CHECK(rows > 0 && refused * 2 == rows, "%s, change %zu: %ld of %ld rows are refused",
                   table, i, refused, rows);
    }
}

static void hold(struct loop *loop, void *arg UNUSED)
{
    static const char held[] = "insert into project_hold values "
                               "('" TENANT_KIT_PROJECT "', '" TENANT_KIT_PROJECT "', 0)";
    struct tenant_kit_case self;

    if (setup(&self, loop)) {
        run(&self.sender, held);
        run(&self.sender, "select project_hold_apply()");
        for (const struct tenant_table *table = travelling(); table->name; table++)
            check_guard(&self, table->name);
        for (const char *const *table = kit->further; table && *table; table++)
            check_guard(&self, *table);
        run(&self.receiver, held);
        run(&self.receiver, "select project_hold_apply()");
        UNIT_CHECK(move(&self, ALL) < 0 && self.err.code == ERR_PROJECT_READ_ONLY,
                   "a row is added: %s %s", self.err.message, self.err.detail);
        error_clear(&self.err);
        run(&self.receiver, "delete from project_hold");
        UNIT_CHECK(move(&self, ALL) > 3, "it is read as ever: %s", self.err.message);
    }
    teardown(&self);
}

static void run_case(struct loop *loop, void *arg)
{
    void (*const *fn)(struct tenant_kit_case *) = arg;
    struct tenant_kit_case self;

    if (setup(&self, loop))
        (*fn)(&self);
    teardown(&self);
}

void tenant_kit_run(void (*fn)(struct tenant_kit_case *self))
{
    unit_on_fiber(run_case, &fn);
}

struct loop *tenant_kit_loop(const struct tenant_kit_case *self)
{
    return self->loop;
}

static const struct installation *side_of(const struct tenant_kit_case *self,
                                          enum tenant_kit_side side)
{
    return side == TENANT_KIT_SENDER ? &self->sender : &self->receiver;
}

long tenant_kit_sql(const struct tenant_kit_case *self, enum tenant_kit_side side, const char *sql)
{
    return run(side_of(self, side), sql);
}

PGconn *tenant_kit_connect(const struct tenant_kit_case *self, enum tenant_kit_side side)
{
    PGconn *conn = PQconnectdb(server->conninfo);
    char sql[64];

    snprintf(sql, sizeof(sql), "set search_path to %s", side_of(self, side)->schema);
    PQclear(PQexec(conn, sql));
    return conn;
}

const char *tenant_kit_text(struct tenant_kit_case *self, enum tenant_kit_side side,
                            const char *sql)
{
    PGconn *conn = tenant_kit_connect(self, side);
    PGresult *result = PQexec(conn, sql);
    const char *text = "";

    if (UNIT_CHECK(PQntuples(result) == 1, "%.60s: %s", sql, PQresultErrorMessage(result)))
        text = arena_strdup(self->req.arena, PQgetvalue(result, 0, 0));
    PQclear(result);
    PQfinish(conn);
    return text;
}

int64_t tenant_kit_move(struct tenant_kit_case *self, bool whole)
{
    return move_tables(self, travelling_in(whole ? 0 : ROWS), ALL);
}

int64_t tenant_kit_add(struct tenant_kit_case *self, const char *table, const char *row)
{
    const struct tenant_json json = {row};
    const struct tenant_page page = {&json, 1};
    int64_t added;

    error_clear(&self->err);
    return add_to(self, find_table(kit->tables, table), &page, &added) < 0 ? -1 : added;
}

int64_t tenant_kit_read_behind(struct tenant_kit_case *self, const char *table, const char *after)
{
    struct tenant_page page;

    error_clear(&self->err);
    return read_by(self, &self->sender, find_table(kit->tables, table), after, &page) < 0
               ? -1
               : (int64_t)page.count;
}

const struct error *tenant_kit_error(const struct tenant_kit_case *self)
{
    return &self->err;
}

#define ON_FIBER(name_, fn_)      \
    static void name_(void)       \
    {                             \
        unit_on_fiber(fn_, NULL); \
    }
ON_FIBER(every_table_travels_or_has_a_reason, name_tables)
ON_FIBER(every_row_comes_over_as_it_was, move_all)
ON_FIBER(what_was_interrupted_goes_on, move_in_parts)
ON_FIBER(rows_that_are_not_the_tenants_are_refused, refuse_rows)
ON_FIBER(the_nil_uuid_is_no_project, refuse_nil)
ON_FIBER(rows_of_a_read_only_project_stay, hold)

int tenant_kit_main(const char *name, const struct tenant_kit *self)
{
    struct unit_case cases[CASES_MAX] = {
        CASE(every_table_travels_or_has_a_reason), CASE(every_row_comes_over_as_it_was),
        CASE(what_was_interrupted_goes_on),        CASE(rows_that_are_not_the_tenants_are_refused),
        CASE(the_nil_uuid_is_no_project),          CASE(rows_of_a_read_only_project_stay),
    };
    size_t n = 6;
    int failed;

    for (const struct unit_case *next = self->cases; next && next->fn && n < CASES_MAX; next++)
        cases[n++] = *next;
    kit = self;
    server = pg_new();
    failed = unit_run(name, cases, n);
    pg_destroy(&server);
    return failed;
}
