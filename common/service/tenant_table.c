/* tenant_table.c - see tenant_table.h. */
#include "common/service/tenant_table.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

#include "common/pg/db.h"

static const struct field tenant_json_rows[] = {
    FIELD_TEXT(struct tenant_json, value, 2, INT32_MAX, FIELD_REQUIRED, "A row", "{}"),
};
FIELD_TABLE(tenant_json);

const struct tenant_table tenant_common_tables[] = {
    TENANT_STAYS("audit", "the audit log proves what happened at its own installation"),
    TENANT_STAYS("audit_gap", "part of that audit log"),
    TENANT_STAYS("audit_head", "part of that audit log"),
    TENANT_STAYS("audit_other", "part of that audit log"),
    TENANT_STAYS("project_hold", "the read-only state is not moved"),
    TENANT_STAYS("project_purge", "a tenant that is being deleted is not moved"),
    TENANT_STAYS("schema_migration", "belongs to the schema, not to a project"),
    TENANT_STAYS("seal_key", "the receiver seals values again with its own key"),
    {.name = NULL},
};

/* ---- sealed columns ---- */

/* Returns the end of a JSON value: a text, number, word, object or array. */
static const char *skip_value(const char *at)
{
    bool text = false;
    int depth = 0;

    for (; *at; at++) {
        if (text && *at == '\\' && at[1])
            at++;
        else if (*at == '"')
            text = !text;
        else if (!text && (*at == '{' || *at == '['))
            depth++;
        else if (!text && (*at == '}' || *at == ']') && depth-- == 0)
            return at;
        else if (!text && *at == ',' && depth == 0)
            return at;
    }
    return at;
}

struct span {
    const char *begin, *end;
};

/* Returns the column's JSON value in row_to_json()'s output, or an empty span. */
static struct span find_column(const char *row, const char *column)
{
    size_t length = strlen(column);
    const char *at = row;

    while (*at == '{' || *at == ',') {
        const char *name = at + 1, *end = skip_value(name);
        bool found = *name == '"' && strncmp(name + 1, column, length) == 0 &&
                     strncmp(name + 1 + length, "\":", 2) == 0;

        if (found)
            return (struct span){name + length + 3, end};
        at = end;
    }
    return (struct span){at, at};
}

static const char *replace(struct arena *arena, const char *row, struct span span, const char *text)
{
    return arena_printf(arena, "%.*s%s%s", (int)(span.begin - row), row, text, span.end);
}

/* print_bytes() prints a bytea in JSON's form; parse_bytes() reads it and returns -1 if it is
 * invalid. */
static const char *print_bytes(struct arena *arena, const uint8_t *bytes, size_t size)
{
    char *text = arena_alloc(arena, 2 * size + 6);

    memcpy(text, "\"\\\\x", 4);
    sodium_bin2hex(text + 4, 2 * size + 1, bytes, size);
    memcpy(text + 4 + 2 * size, "\"", 2);
    return text;
}

static int parse_bytes(struct arena *arena, struct span span, uint8_t **ret, size_t *ret_size)
{
    size_t length = (size_t)(span.end - span.begin);
    const char *end;

    if (length < 5 || memcmp(span.begin, "\"\\\\x", 4) != 0 || span.end[-1] != '"')
        return -1;
    *ret = arena_alloc(arena, length / 2 + 1);
    return sodium_hex2bin(*ret, length / 2, span.begin + 4, length - 5, NULL, ret_size, &end) ||
                   end != span.end - 1
               ? -1
               : 0;
}

static const char *text_of(struct arena *arena, const char *row, const char *column)
{
    struct span span = find_column(row, column);

    return span.end - span.begin < 2
               ? ""
               : arena_strndup(arena, span.begin + 1, (size_t)(span.end - span.begin) - 2);
}

static const char *purpose_of(struct arena *arena, const char *row,
                              const struct tenant_sealed *sealed)
{
    return sealed->subject
               ? arena_printf(arena, "%s %s", sealed->purpose, text_of(arena, row, sealed->subject))
               : sealed->purpose;
}

static bool is_null(struct span span)
{
    return span.end - span.begin == 4 && memcmp(span.begin, "null", 4) == 0;
}

/* Returns the row with the column open, or NULL if no key opens it. */
static const char *open_column(struct arena *arena, const struct seal_keys *keys, const char *row,
                               const struct tenant_sealed *sealed)
{
    struct span span = find_column(row, sealed->column);
    uint8_t *bytes, *plain;
    size_t size;

    if (is_null(span)) {
        const char *text =
            sealed->missing ? sealed->missing(keys, arena, text_of(arena, row, sealed->of)) : NULL;

        return text ? replace(arena, row, span,
                              print_bytes(arena, (const uint8_t *)text, strlen(text)))
                    : row;
    }
    if (parse_bytes(arena, span, &bytes, &size) < 0 ||
        seal_open(arena, keys, purpose_of(arena, row, sealed), (struct sealed){bytes, size}, &plain,
                  &size) < 0)
        return NULL;
    return replace(arena, row, span, print_bytes(arena, plain, size));
}

/* Seals the column again; NULL if it is not in open_column()'s form. */
static const char *seal_column(struct arena *arena, const struct seal_keys *keys, const char *row,
                               const struct tenant_sealed *sealed)
{
    struct span span = find_column(row, sealed->column);
    struct sealed value;
    uint8_t *plain;
    size_t size;

    if (is_null(span))
        return row;
    if (parse_bytes(arena, span, &plain, &size) < 0)
        return NULL;
    value = seal_value(arena, keys, purpose_of(arena, row, sealed), plain, size);
    return replace(arena, row, span, print_bytes(arena, value.bytes, value.size));
}

/* Applies `turn` to a page's sealed columns. Returns the name of one that it failed for, or
 * NULL. */
static const char *turn_page(const struct tenant_table *table, const struct seal_keys *keys,
                             struct arena *arena,
                             const char *(*turn)(struct arena *, const struct seal_keys *,
                                                 const char *, const struct tenant_sealed *),
                             struct tenant_page *page)
{
    struct tenant_json *rows = arena_calloc(arena, page->count + 1, sizeof(*rows));

    for (size_t i = 0; i < page->count; i++) {
        rows[i] = page->items[i];
        for (const struct tenant_sealed *sealed = table->sealed; sealed->column; sealed++) {
            rows[i].value = turn(arena, keys, rows[i].value, sealed);
            if (!rows[i].value)
                return sealed->column;
        }
    }
    page->items = rows;
    return NULL;
}

/* Returns the row as a key, in which sealed columns stay sealed, because statements must not get
 * open values. */
static const char *key_of(const struct tenant_table *table, struct arena *arena, const char *row)
{
    for (const struct tenant_sealed *sealed = table->sealed; sealed->column; sealed++) {
        struct span span = find_column(row, sealed->column);

        if (span.begin < span.end)
            row = replace(arena, row, span, "null");
    }
    return row;
}

/* ---- pages ---- */

int tenant_table_page(const struct tenant_table *table, struct db *db, const struct request *req,
                      const struct sql_tenant_page *in, struct tenant_page *ret, struct error *err)
{
    const struct sql_tenant_read_in read = {.tenant_page = *in};
    struct sql_tenant_read_rows rows;

    if (table->page)
        return table->page(table, db, req, in, ret, err);
    if (sql_tenant_read(db, req, *table->read, &read, &rows, err) < 0)
        return -1;
    *ret = (struct tenant_page){rows.items, rows.count};
    return 0;
}

int tenant_table_read(const struct tenant_table *table, const struct tenant_store *from,
                      const struct request *req, struct uuid project, const char *after,
                      struct tenant_page *ret, struct error *err)
{
    const struct sql_tenant_page in = {.project = project,
                                       .after =
                                           after ? key_of(table, req->arena, after) : table->first,
                                       .most = table->rows};
    const char *column;

    if (tenant_table_page(table, from->db, req, &in, ret, err) < 0)
        return -1;
    column = turn_page(table, from->keys, req->arena, open_column, ret);
    return column ? error_set(err, ERR_INTERNAL, "%s of a row of %s is sealed with another key.",
                              column, table->name)
                  : 0;
}

static const char *join(struct arena *arena, const struct tenant_page *page)
{
    size_t size = 2 + page->count;
    char *text, *at;

    for (size_t i = 0; i < page->count; i++)
        size += strlen(page->items[i].value);
    text = at = arena_alloc_raw(arena, size + 1);
    *at++ = '[';
    for (size_t i = 0; i < page->count; i++) {
        size_t length = strlen(page->items[i].value);

        if (i > 0)
            *at++ = ',';
        memcpy(at, page->items[i].value, length);
        at += length;
    }
    memcpy(at, "]", 2);
    return text;
}

struct addition {
    const struct tenant_table *table;
    const struct tenant_store *to;
    const struct request *req;
    struct sql_audit audit;
    struct uuid project;
    struct tenant_page page; /* sealed by the receiver */
    bool values;             /* search for an invalid value, even if rows have other faults */
};

/* Adds the first `count` rows. *ret_others: rows that exist with other values. */
static int add_rows(const struct addition *self, struct db_tx *tx, size_t count, int64_t *ret_added,
                    int64_t *ret_others, struct error *err)
{
    const struct tenant_page page = {self->page.items, count};
    const struct sql_tenant_add_in in = {.tenant_insert = {.project = self->project,
                                                           .rows = join(self->req->arena, &page)},
                                         .audit = self->audit};
    const struct tenant_table *table = self->table;
    struct sql_tenant_add_row row;

    if ((table->insert ? table->insert(table, tx, self->req, &in, &row, err)
                       : sql_tenant_add(tx, self->req, *table->add, &in, &row, err)) < 0)
        return -1;
    *ret_added = row.added;
    *ret_others = (int64_t)count - row.added - row.same;
    return 0;
}

/* True for faults of the file: invalid JSON or values (SQLSTATE class 22), violated constraints
 * (class 23). */
static bool is_of_rows(const struct error *err)
{
    return strncmp(err->sqlstate, "22", 2) == 0 || strncmp(err->sqlstate, "23", 2) == 0;
}

/* Tests whether the first `count` rows can be added (1) or not (0), and rolls back. */
static int try_rows(const struct addition *self, size_t count)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    int64_t added, others;
    struct error err;

    error_init(&err, self->req->arena);
    if (db_begin(self->to->db, self->req->deadline_mono_ms, &tx, &err) < 0)
        return -1;
    if (add_rows(self, tx, count, &added, &others, &err) == 0)
        return others == 0 || self->values;
    if (is_of_rows(&err))
        return 0;
    return err.code == ERR_CONFLICT ? self->values : -1;
}

/* Returns the first row that cannot be added, from 1; 0: no longer known. Tries it with all before
 * it, since rows can refer to each other. */
static size_t first_refused(const struct addition *self)
{
    size_t good = 0, bad = self->page.count;

    while (good + 1 < bad) {
        size_t middle = good + (bad - good) / 2;
        int can = try_rows(self, middle);

        if (can < 0)
            return 0;
        if (can)
            good = middle;
        else
            bad = middle;
    }
    return bad;
}

/* Names the row of an error; leaves errors that no row caused. */
static int refuse_values(struct addition *self, int64_t before, struct error *err)
{
    const char *name = self->table->name, *constraint;
    size_t row;

    if (!is_of_rows(err))
        return -1;
    constraint = arena_strdup(self->req->arena, err->constraint);
    error_clear(err);
    self->values = true;
    row = first_refused(self);
    if (row == 0)
        return error_set(err, ERR_CONFLICT, "Rows of %s have values that its columns do not have.",
                         name);
    if (*constraint)
        return error_set(err, ERR_CONFLICT, "Row %" PRId64 " of %s breaks the constraint %s.",
                         before + (int64_t)row, name, constraint);
    return error_set(err, ERR_CONFLICT,
                     "Row %" PRId64 " of %s has a value that its columns do not have.",
                     before + (int64_t)row, name);
}

static int refuse_others(const struct addition *self, int64_t before, int64_t others,
                         struct error *err)
{
    size_t row = first_refused(self);

    return error_set(err, ERR_CONFLICT,
                     "%" PRId64
                     " of %zu rows of %s do not belong to this project, differ from existing rows, "
                     "or are of another release; the first is row %" PRId64 ".",
                     others, self->page.count, self->table->name, before + (int64_t)row);
}

/* Rejects the nil UUID as a project: it means the installation, so a file's row would apply to all
 * projects. */
static int refuse_nil(struct uuid project, struct error *err)
{
    static const struct uuid nil = {UUID_NIL};

    return uuid_equal(&project, &nil)
               ? error_set(err, ERR_CONFLICT, "The nil UUID is not a project.")
               : 0;
}

/* Applies routes' checks, which others rely on, to a file's rows. */
static int check_rows(const struct tenant_table *table, struct arena *arena,
                      const struct tenant_page *page, int64_t before, struct error *err)
{
    for (size_t i = 0; table->check && i < page->count; i++) {
        struct error why;

        error_init(&why, arena);
        if (table->check(arena, page->items[i].value, &why) < 0)
            return error_set(err, ERR_CONFLICT, "Row %" PRId64 " of %s: %s %s",
                             before + (int64_t)i + 1, table->name,
                             why.problems ? why.problems->name : "it",
                             why.problems ? why.problems->value : "is not JSON");
    }
    return 0;
}

/* Adds the page in a transaction that stays open. */
static int begin_page(const struct tenant_table *table, const struct tenant_store *to,
                      const struct request *req, struct uuid project,
                      const struct tenant_page *page, int64_t before, struct db_tx **ret,
                      int64_t *ret_added, struct error *err)
{
    const struct audit audit = {.action = "project.import",
                                .project = project,
                                .type = "Project",
                                .id = project,
                                .detail = table->name};
    struct addition self = {.table = table,
                            .to = to,
                            .req = req,
                            .audit = audit_row(req, &audit),
                            .project = project,
                            .page = *page};
    const char *column;
    int64_t others;

    if (refuse_nil(project, err) < 0 || check_rows(table, req->arena, page, before, err) < 0)
        return -1;
    column = turn_page(table, to->keys, req->arena, seal_column, &self.page);
    if (column)
        return error_set(err, ERR_CONFLICT, "%s of a row of %s is of another release.", column,
                         table->name);
    if (db_begin(to->db, req->deadline_mono_ms, ret, err) < 0)
        return -1;
    if (add_rows(&self, *ret, page->count, ret_added, &others, err) < 0) {
        db_tx_destroy(ret); /* releases locks that first_refused() would wait for */
        return refuse_values(&self, before, err);
    }
    if (others != 0) {
        db_tx_destroy(ret);
        return refuse_others(&self, before, others, err);
    }
    return 0;
}

int tenant_table_add(const struct tenant_table *table, const struct tenant_store *to,
                     const struct request *req, struct uuid project, const struct tenant_page *page,
                     int64_t before, int64_t *ret_added, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    int64_t added;

    if (begin_page(table, to, req, project, page, before, &tx, &added, err) < 0 ||
        db_commit(&tx, err) < 0)
        return -1;
    *ret_added = added;
    return 0;
}

int tenant_table_try(const struct tenant_table *table, const struct tenant_store *to,
                     const struct request *req, struct uuid project, const struct tenant_page *page,
                     int64_t before, tenant_look_fn *look, void *arg, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    int64_t added;

    if (begin_page(table, to, req, project, page, before, &tx, &added, err) < 0)
        return -1;
    return look(tx, join(req->arena, page), arg, err);
}
