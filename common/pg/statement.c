/* statement.c - see statement.h. */
#include "common/pg/statement.h"

#include <endian.h>
#include <strings.h>

#include "common/base/log.h"
#include "common/pg/db_private.h"

enum { UUID_BYTES = 16 };

/* ---- types ---- */

static Oid oid_of(enum sql_type type)
{
    switch (type) {
    case SQL_TYPE_UUID:
        return OID_UUID;
    case SQL_TYPE_TEXT:
    case SQL_TYPE_ROLE:
        return OID_TEXT;
    case SQL_TYPE_INT8:
        return OID_INT8;
    case SQL_TYPE_BOOL:
        return OID_BOOL;
    case SQL_TYPE_BYTEA:
        return OID_BYTEA;
    case SQL_TYPE_UUID_ARRAY:
        return OID_UUID_ARRAY;
    case SQL_TYPE_TEXT_ARRAY:
        return OID_TEXT_ARRAY;
    case SQL_TYPE_INT8_ARRAY:
        return OID_INT8_ARRAY;
    case SQL_TYPE_BYTEA_ARRAY:
        return OID_BYTEA_ARRAY;
    case SQL_TYPE_STRUCT:
        break;
    }
    return InvalidOid;
}

void db_statement_types(const struct db_statement *self, Oid ret[static DB_PARAMS_MAX])
{
    for (int i = 0; i < self->params; i++)
        ret[i] = self->shape ? oid_of(self->shape->params[i].type) : InvalidOid;
}

/* ---- parameters ---- */

/* Memory that a parameter needs until it is sent. */
struct binary {
    uint8_t bytes[UUID_BYTES];
};

static struct db_param binary_param(struct binary *binary, const void *bytes, size_t size)
{
    memcpy(binary->bytes, bytes, size);
    return db_param_bytes(binary->bytes, size);
}

static struct db_param int_param(int64_t value, struct binary *binary)
{
    uint64_t big = htobe64((uint64_t)value);

    return binary_param(binary, &big, sizeof(big));
}

static struct db_param bool_param(bool value, struct binary *binary)
{
    uint8_t byte = value;

    return binary_param(binary, &byte, sizeof(byte));
}

static struct db_param uuid_param(const struct uuid *value, struct binary *binary)
{
    if (!uuid_is_set(value))
        return DB_NULL;
    uuid_to_bytes(value, binary->bytes);
    return db_param_bytes(binary->bytes, UUID_BYTES);
}

static struct db_param param_of(const struct sql_value *value, const void *member,
                                struct binary *binary)
{
    const struct field_bytes *bytes = member;
    const int64_t *number = member;

    switch (value->type) {
    case SQL_TYPE_UUID:
        return uuid_param(member, binary);
    case SQL_TYPE_TEXT:
        return DB_TEXT(*(const char *const *)member);
    case SQL_TYPE_ROLE:
        return DB_TEXT(role_text(*(const enum role *)member));
    case SQL_TYPE_INT8:
        if (value->null)
            number = *(const int64_t *const *)member;
        return number ? int_param(*number, binary) : DB_NULL;
    case SQL_TYPE_BOOL:
        if (!value->null)
            return bool_param(*(const bool *)member, binary);
        if (*(const enum tristate *)member == TRISTATE_UNSET)
            return DB_NULL;
        return bool_param(*(const enum tristate *)member == TRISTATE_TRUE, binary);
    case SQL_TYPE_BYTEA:
        return db_param_bytes(bytes->bytes, bytes->size);
    case SQL_TYPE_UUID_ARRAY:
    case SQL_TYPE_TEXT_ARRAY:
    case SQL_TYPE_INT8_ARRAY:
    case SQL_TYPE_BYTEA_ARRAY:
        return DB_TEXT(((const struct db_array *)member)->text);
    case SQL_TYPE_STRUCT:
        break;
    }
    log_die("db", "a parameter is a struct");
}

static int value_error(const struct db_statement *statement, const struct sql_value *value,
                       const char *wrong, struct error *err)
{
    error_set(err, ERR_INTERNAL, "Internal error.");
    return error_detail(err, "%s: %s is %s", statement->shape->file, value->name, wrong);
}

static int fill_params(const struct db_statement *statement, const void *in,
                       struct db_param params[static DB_PARAMS_MAX],
                       struct binary binaries[static DB_PARAMS_MAX], struct error *err)
{
    for (int i = 0; i < statement->params; i++) {
        const struct sql_value *value = &statement->shape->params[i];

        params[i] = param_of(value, (const char *)in + value->offset, &binaries[i]);
        if (!value->null && !params[i].text && !params[i].bytes)
            return value_error(statement, value, "null", err);
    }
    return 0;
}

/* ---- rows ---- */

static void fill_value(const struct db_result *res, size_t row, int column,
                       const struct sql_value *value, struct arena *arena, void *member)
{
    int64_t number;

    switch (value->type) {
    case SQL_TYPE_UUID:
        *(struct uuid *)member = db_uuid(res, row, column);
        return;
    case SQL_TYPE_TEXT:
        *(const char **)member = db_text_copy(res, row, column, arena);
        return;
    case SQL_TYPE_ROLE:
        *(enum role *)member = role_parse(db_text(res, row, column));
        return;
    case SQL_TYPE_INT8:
        number = db_int(res, row, column);
        if (!value->null)
            *(int64_t *)member = number;
        else
            *(const int64_t **)member =
                db_is_null(res, row, column) ? NULL : arena_memdup(arena, &number, sizeof(number));
        return;
    case SQL_TYPE_BOOL:
        if (!value->null)
            *(bool *)member = db_bool(res, row, column);
        else
            *(enum tristate *)member = db_tristate(res, row, column);
        return;
    case SQL_TYPE_BYTEA:
        *(struct field_bytes *)member = db_bytes_copy(res, row, column, arena);
        return;
    case SQL_TYPE_STRUCT: /* see fill_structs() */
    case SQL_TYPE_UUID_ARRAY:
    case SQL_TYPE_TEXT_ARRAY:
    case SQL_TYPE_INT8_ARRAY:
    case SQL_TYPE_BYTEA_ARRAY:
        break;
    }
    log_die("db", "a column is an array");
}

/* Fills all rows in one call, to look up names once. */
static void fill_structs(const struct sql_shape *shape, const struct sql_value *value,
                         const struct db_result *res, struct arena *arena, char *items)
{
    struct field_list structs = db_list(res, value->table, arena);

    for (size_t row = 0; row < structs.count; row++)
        *(const void **)(void *)(items + row * shape->row_size + value->offset) =
            (const char *)structs.items + row * value->table->size;
}

static int fill_columns(const struct db_statement *statement, const struct db_result *res,
                        struct arena *arena, char *items, struct error *err)
{
    const struct sql_shape *shape = statement->shape;
    void *member;

    for (size_t i = 0; i < shape->column_count; i++) {
        const struct sql_value *value = &shape->columns[i];

        if (value->type == SQL_TYPE_STRUCT) {
            fill_structs(shape, value, res, arena, items);
            continue;
        }
        for (size_t row = 0; row < db_rows(res); row++) {
            if (!value->null && db_is_null(res, row, (int)i))
                return value_error(statement, value, "null", err);
            member = items + row * shape->row_size + value->offset;
            fill_value(res, row, (int)i, value, arena, member);
            if (value->type == SQL_TYPE_ROLE && !db_is_null(res, row, (int)i) &&
                *(const enum role *)member == ROLE_NONE)
                return value_error(statement, value, "unknown", err);
        }
    }
    return 0;
}

static int fill_row(const struct db_statement *statement, const struct db_result *res,
                    struct arena *arena, void *out, struct error *err)
{
    if (!statement->shape->table)
        return fill_columns(statement, res, arena, out, err);
    db_row(res, 0, statement->shape->table, arena, out);
    return 0;
}

static int fill_rows(const struct db_statement *statement, const struct db_result *res,
                     struct arena *arena, void *out, struct error *err)
{
    const struct sql_shape *shape = statement->shape;
    struct field_list list = {.count = db_rows(res)};
    char *items;

    if (shape->table) {
        list = db_list(res, shape->table, arena);
    } else {
        list.items = items = arena_calloc(arena, MAX(list.count, (size_t)1), shape->row_size);
        if (fill_columns(statement, res, arena, items, err) < 0)
            return -1;
    }
    /* A struct sql_x_rows has struct field_list's members. */
    memcpy(out, &list, sizeof(list));
    return (int)list.count;
}

static int answer(const struct db_statement *statement, const struct db_result *res,
                  struct arena *arena, void *out, struct error *err)
{
    switch (statement->shape->rows) {
    case SQL_ROWS_NONE:
        return (int)MIN(db_affected(res), (size_t)INT32_MAX);
    case SQL_ROWS_MANY:
        return fill_rows(statement, res, arena, out, err);
    case SQL_ROWS_ONE:
        break;
    }
    if (db_rows(res) > 1) {
        error_set(err, ERR_INTERNAL, "Internal error.");
        return error_detail(err, "%s: more than one row", statement->shape->file);
    }
    if (db_rows(res) == 1 && out && fill_row(statement, res, arena, out, err) < 0)
        return -1;
    return (int)db_rows(res);
}

int sql_run(struct db *db, const struct request *req, const struct db_statement *statement,
            const void *in, void *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct db_param params[DB_PARAMS_MAX];
    struct binary binaries[DB_PARAMS_MAX];

    if (fill_params(statement, in, params, binaries, err) < 0 ||
        db_query(db, req->deadline_mono_ms, statement, params, &res, err) < 0)
        return -1;
    return answer(statement, res, req->arena, out, err);
}

int sql_run_tx(struct db_tx *tx, const struct request *req, const struct db_statement *statement,
               const void *in, void *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct db_param params[DB_PARAMS_MAX];
    struct binary binaries[DB_PARAMS_MAX];

    if (fill_params(statement, in, params, binaries, err) < 0 ||
        db_tx_query(tx, statement, params, &res, err) < 0)
        return -1;
    return answer(statement, res, req->arena, out, err);
}

int sql_require(int rows, struct error *err, enum error_code code, const char *message)
{
    if (rows == 0)
        return error_set(err, code, "%s", message);
    return rows < 0 ? -1 : 0;
}

/* ---- the check at start ---- */

static bool is_integer(Oid type)
{
    return type == OID_INT8 || type == OID_INT4 || type == OID_INT2;
}

static bool is_text(Oid type)
{
    return type == OID_TEXT || type == OID_VARCHAR || type == OID_BPCHAR || type == OID_VOID;
}

static bool type_fits(enum sql_type type, Oid server)
{
    switch (type) {
    case SQL_TYPE_TEXT:
    case SQL_TYPE_ROLE:
        return is_text(server);
    case SQL_TYPE_INT8:
        return is_integer(server);
    default:
        return server == oid_of(type);
    }
}

static bool field_fits(const struct field *field, Oid server)
{
    switch (field->type) {
    case FIELD_TYPE_TEXT:
    case FIELD_TYPE_EMAIL:
    case FIELD_TYPE_ENUM:
    case FIELD_TYPE_JSON:
    case FIELD_TYPE_JSON_OBJECT:
        return is_text(server);
    case FIELD_TYPE_UUID:
        return server == OID_UUID;
    case FIELD_TYPE_INT:
    case FIELD_TYPE_TIME:
        return is_integer(server);
    case FIELD_TYPE_BOOL:
    case FIELD_TYPE_TRISTATE:
        return server == OID_BOOL;
    case FIELD_TYPE_BYTES:
        return server == OID_BYTEA;
    case FIELD_TYPE_OBJECT:
    case FIELD_TYPE_OBJECTS:
    case FIELD_TYPE_TEXTS:
        break;
    }
    return false;
}

/* folded: ignore case, as SQL does for names without quotes. */
static const struct field *table_field(const struct field_table *table, const char *name,
                                       bool folded)
{
    if (!folded)
        return fields_find(table, name);
    for (size_t i = 0; i < table->count; i++)
        if (strcasecmp(table->rows[i].name, name) == 0)
            return &table->rows[i];
    return NULL;
}

static const struct field *struct_field(const struct sql_shape *shape, const char *name,
                                        bool folded)
{
    const struct field *found = NULL;

    if (shape->table)
        return table_field(shape->table, name, folded);
    for (size_t i = 0; !found && i < shape->column_count; i++)
        if (shape->columns[i].table)
            found = table_field(shape->columns[i].table, name, folded);
    return found;
}

static size_t scalar_count(const struct sql_shape *shape)
{
    size_t count = 0;

    while (count < shape->column_count && shape->columns[count].type != SQL_TYPE_STRUCT)
        count++;
    return count;
}

/* Compares a column of the result with the column in the file. A column that is no scalar of the
 * file must be a field of its struct. */
static int check_column(const struct sql_shape *shape, const PGresult *described, int column,
                        struct error *err)
{
    size_t index = (size_t)column;
    const struct sql_value *scalar = index < scalar_count(shape) ? &shape->columns[index] : NULL;
    const char *name = PQfname(described, column);
    const struct field *field = scalar ? NULL : struct_field(shape, name, false);
    Oid type = PQftype(described, column);

    if (scalar ? strcmp(name, scalar->name) == 0 && type_fits(scalar->type, type)
               : field && field_fits(field, type))
        return 0;
    error_set(err, ERR_INTERNAL, "A statement is wrong.");
    if (scalar && strcmp(name, scalar->name) != 0)
        return error_detail(err, "%s: column %d is %s, its `row` has %s there", shape->file,
                            column + 1, name, scalar->name);
    if (scalar || field)
        return error_detail(err, "%s: column %d, %s, is of another type than its `row` says",
                            shape->file, column + 1, name);
    field = struct_field(shape, name, true);
    if (field)
        return error_detail(err, "%s: column %d is %s, its `row` has \"%s\": it needs the quotes",
                            shape->file, column + 1, name, field->name);
    return error_detail(err, "%s: column %d, %s, is not in its `row`", shape->file, column + 1,
                        name);
}

int db_statement_check(const struct db_statement *self, const PGresult *described,
                       struct error *err)
{
    const struct sql_shape *shape = self->shape;
    int count = PQnfields(described);

    if (!shape)
        return 0;
    for (int i = 0; i < count; i++)
        if (check_column(shape, described, i, err) < 0)
            return -1;
    if ((size_t)count >= scalar_count(shape))
        return 0;
    error_set(err, ERR_INTERNAL, "A statement is wrong.");
    return error_detail(err, "%s: it answers %d columns, its `row` has more: %s is missing",
                        shape->file, count, shape->columns[count].name);
}
