/*
 * db_result.c - PostgreSQL's answers as errors, C values and structs. A struct db_result is a
 * PGresult, so needs no second allocation.
 */
#include <endian.h>
#include <limits.h>

#include "common/base/log.h"
#include "common/pg/db_private.h"
#include "common/pg/statement.h"

struct sqlstate_row {
    const char *state;
    enum error_code code;
    int64_t retry_after_s;
    const char *message;
};

static const struct sqlstate_row sqlstates[] = {
#define SQLSTATE(state, code, retry_after_s, message) {state, code, retry_after_s, message},
#include "common/pg/sqlstate.def"
#undef SQLSTATE
    {"", ERR_INTERNAL, 0, "Internal error."},
};

static const PGresult *pg(const struct db_result *self)
{
    return (const PGresult *)self;
}

void db_pg_clear(PGresult **result_p)
{
    PQclear(TAKE_PTR(*result_p));
}

void db_result_destroy(struct db_result **self_p)
{
    PQclear((PGresult *)TAKE_PTR(*self_p));
}

static const char *field_of(const PGresult *result, int code)
{
    const char *text = PQresultErrorField(result, code);

    return text ? text : "";
}

/* True for messages without data: class 42 concerns the statement's text, 53 and 58 the server. */
static bool has_plain_message(const char *state)
{
    static const char *const classes[] = {"42", "53", "58"};

    for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
        if (strncmp(state, classes[i], 2) == 0)
            return true;
    return false;
}

/* Writes "client_list, settingsd/sql/client/client_list.sql:7" if the position is known. */
static void describe(const PGresult *result, const struct db_statement *statement, char *ret,
                     size_t size)
{
    size_t position = (size_t)strtoul(field_of(result, PG_DIAG_STATEMENT_POSITION), NULL, 10);
    const struct sql_shape *shape = statement ? statement->shape : NULL;
    int line;

    if (!shape || position == 0) {
        snprintf(ret, size, "%s", statement ? statement->name : "command");
        return;
    }
    line = shape->line;
    for (const char *next = statement->text; *next != '\0' && --position > 0; next++)
        line += *next == '\n';
    snprintf(ret, size, "%s:%d", shape->file, line);
}

int db_result_error(const PGresult *result, const struct db_statement *statement, struct error *err)
{
    char what[256];
    const char *state = field_of(result, PG_DIAG_SQLSTATE);
    const char *constraint = field_of(result, PG_DIAG_CONSTRAINT_NAME);
    const struct sqlstate_row *row = sqlstates;

    while (strncmp(state, row->state, strlen(row->state)) != 0)
        row++;
    describe(result, statement, what, sizeof(what));
    error_set(err, row->code, "%s", row->message);
    err->retry_after_s = row->retry_after_s;
    snprintf(err->sqlstate, sizeof(err->sqlstate), "%s", state);
    snprintf(err->constraint, sizeof(err->constraint), "%s", constraint);
    return error_detail(err, "%s %s%s%s", what, state, has_plain_message(state) ? " " : "",
                        has_plain_message(state) ? field_of(result, PG_DIAG_MESSAGE_PRIMARY)
                                                 : constraint);
}

bool db_result_is(const PGresult *result, const char *state)
{
    return PQresultStatus(result) == PGRES_FATAL_ERROR &&
           strncmp(field_of(result, PG_DIAG_SQLSTATE), state, strlen(state)) == 0;
}

/* ---- values ---- */

static NORETURN void wrong_type(const PGresult *result, int column, const char *wanted)
{
    const char *name = PQfname(result, column);

    log_event(LOG_CRIT, "db", "column of another type", "column", name ? name : "?", "wanted",
              wanted, NULL);
    log_die("db", "a statement and its reader disagree");
}

size_t db_rows(const struct db_result *self)
{
    return (size_t)PQntuples(pg(self));
}

size_t db_affected(const struct db_result *self)
{
    return (size_t)strtoul(PQcmdTuples((PGresult *)(uintptr_t)self), NULL, 10);
}

bool db_is_null(const struct db_result *self, size_t row, int column)
{
    return PQgetisnull(pg(self), (int)row, column);
}

static const uint8_t *value_of(const PGresult *result, size_t row, int column)
{
    const char *value = PQgetvalue(result, row <= INT_MAX ? (int)row : -1, column);

    if (!value)
        log_die("db", "no such row or column");
    return (const uint8_t *)value;
}

const char *db_text(const struct db_result *self, size_t row, int column)
{
    const uint8_t *value = value_of(pg(self), row, column);

    switch (PQftype(pg(self), column)) {
    case OID_TEXT:
    case OID_VARCHAR:
    case OID_BPCHAR:
    case OID_VOID:
        return (const char *)value;
    default:
        wrong_type(pg(self), column, "text");
    }
}

int64_t db_int(const struct db_result *self, size_t row, int column)
{
    const uint8_t *value = value_of(pg(self), row, column);
    bool null = db_is_null(self, row, column);
    uint64_t big;
    uint32_t middle;
    uint16_t small;

    switch (PQftype(pg(self), column)) {
    case OID_INT8:
        memcpy(&big, value, null ? 0 : sizeof(big));
        return null ? 0 : (int64_t)be64toh(big);
    case OID_INT4:
        memcpy(&middle, value, null ? 0 : sizeof(middle));
        return null ? 0 : (int32_t)be32toh(middle);
    case OID_INT2:
        memcpy(&small, value, null ? 0 : sizeof(small));
        return null ? 0 : (int16_t)be16toh(small);
    default:
        wrong_type(pg(self), column, "integer");
    }
}

bool db_bool(const struct db_result *self, size_t row, int column)
{
    const uint8_t *value = value_of(pg(self), row, column);

    if (PQftype(pg(self), column) != OID_BOOL)
        wrong_type(pg(self), column, "boolean");
    return !db_is_null(self, row, column) && value[0] != 0;
}

struct uuid db_uuid(const struct db_result *self, size_t row, int column)
{
    const uint8_t *value = value_of(pg(self), row, column);
    struct uuid id = {""};

    if (PQftype(pg(self), column) != OID_UUID)
        wrong_type(pg(self), column, "uuid");
    if (!db_is_null(self, row, column))
        uuid_from_bytes(value, &id);
    return id;
}

struct field_bytes db_bytes(const struct db_result *self, size_t row, int column)
{
    const uint8_t *value = value_of(pg(self), row, column);

    if (PQftype(pg(self), column) != OID_BYTEA)
        wrong_type(pg(self), column, "bytea");
    if (db_is_null(self, row, column))
        return (struct field_bytes){NULL, 0};
    return (struct field_bytes){value, (size_t)PQgetlength(pg(self), (int)row, column)};
}

const char *db_text_copy(const struct db_result *self, size_t row, int column, struct arena *arena)
{
    return db_is_null(self, row, column) ? NULL : arena_strdup(arena, db_text(self, row, column));
}

enum tristate db_tristate(const struct db_result *self, size_t row, int column)
{
    if (db_is_null(self, row, column))
        return TRISTATE_UNSET;
    return db_bool(self, row, column) ? TRISTATE_TRUE : TRISTATE_FALSE;
}

struct field_bytes db_bytes_copy(const struct db_result *self, size_t row, int column,
                                 struct arena *arena)
{
    struct field_bytes bytes = db_bytes(self, row, column);

    if (bytes.bytes)
        bytes.bytes = arena_memdup(arena, bytes.bytes, bytes.size);
    return bytes;
}

/* ---- rows to structs ---- */

static const struct field *field_named(const struct field_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(name, table->rows[i].name) == 0)
            return &table->rows[i];
    return NULL;
}

static int map_columns(const PGresult *result, const struct field_table *table,
                       const struct field *fields[static DB_COLUMNS_MAX])
{
    int count = PQnfields(result);

    if (count > DB_COLUMNS_MAX)
        log_die("db", "too many columns");
    for (int column = 0; column < count; column++)
        fields[column] = field_named(table, PQfname(result, column));
    return count;
}

static void fill_member(const struct db_result *self, size_t row, int column,
                        const struct field *field, struct arena *arena, void *member)
{
    switch (field->type) {
    case FIELD_TYPE_TEXT:
    case FIELD_TYPE_EMAIL:
    case FIELD_TYPE_JSON:
    case FIELD_TYPE_JSON_OBJECT:
        *(const char **)member = db_text_copy(self, row, column, arena);
        break;
    case FIELD_TYPE_ENUM:
        *(unsigned *)member = fields_choice(field->choices, db_text(self, row, column));
        break;
    case FIELD_TYPE_UUID:
        *(struct uuid *)member = db_uuid(self, row, column);
        break;
    case FIELD_TYPE_INT:
    case FIELD_TYPE_TIME:
        *(int64_t *)member = db_int(self, row, column);
        break;
    case FIELD_TYPE_BOOL:
        *(bool *)member = db_bool(self, row, column);
        break;
    case FIELD_TYPE_TRISTATE:
        *(enum tristate *)member = db_tristate(self, row, column);
        break;
    case FIELD_TYPE_BYTES:
        *(struct field_bytes *)member = db_bytes_copy(self, row, column, arena);
        break;
    case FIELD_TYPE_OBJECT:
    case FIELD_TYPE_OBJECTS:
    case FIELD_TYPE_TEXTS:
        wrong_type(pg(self), column, "a plain field");
    }
}

static void fill_row(const struct db_result *self, size_t row, const struct field *const *fields,
                     int count, struct arena *arena, char *out)
{
    for (int column = 0; column < count; column++)
        if (fields[column])
            fill_member(self, row, column, fields[column], arena, out + fields[column]->offset);
}

void db_row(const struct db_result *self, size_t row, const struct field_table *table,
            struct arena *arena, void *out)
{
    const struct field *fields[DB_COLUMNS_MAX];
    int count = map_columns(pg(self), table, fields);

    fill_row(self, row, fields, count, arena, out);
}

struct field_list db_list(const struct db_result *self, const struct field_table *table,
                          struct arena *arena)
{
    const struct field *fields[DB_COLUMNS_MAX];
    int count = map_columns(pg(self), table, fields);
    size_t rows = db_rows(self);
    char *items = arena_calloc(arena, rows ? rows : 1, table->size);

    for (size_t row = 0; row < rows; row++)
        fill_row(self, row, fields, count, arena, items + row * table->size);
    return (struct field_list){.items = items, .count = rows};
}
