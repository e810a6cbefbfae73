/*
 * service_seal.c - checks a daemon's seal keys against its database, and rotates them.
 *
 * Table seal_key lists the keys that have sealed. An instance starts only with a file that has all
 * that are not retired. `atriumctl keys rotate --seal` writes the file and calls the instances:
 *   prepared  OLD NEW   every instance can read the new key's values; none seals with it yet
 *   switched  NEW OLD   the new key seals; a task reseals the old values page by page
 *   retired   NEW       the table keeps the old key, sealed, for its hashes
 */
#include <sodium.h>

#include "common/service/service_private.h"
#include "common/service/sql/seal.h"
#include "common/service/sql/seal_outbox.h"

enum {
    OPEN_MS = 10000,
    PERIOD_MS = 1000,
    RUN_MS = 500,             /* work per second */
    TURN_MS = 10 * PERIOD_MS, /* if an instance does nothing for so long, another takes its turn */
    PAGE_ROWS = 200,
    PAGE_MS = 5000,
    IDLE_RUNS = 600, /* runs skipped after a pass that found no old value */
    TABLES_MAX = 16,
    KEY_TEXT = 128,    /* characters */
    TRIAL_ROWS = 50,   /* a table's values tried before a key is trusted */
    COUNT_MAX = 10000, /* doctor's limit of values ... */
    COUNT_MS = 2000,   /* ... and time */
};

static const char key_purpose[] = "retired seal key";

struct service_seal {
    struct seal_table tables[TABLES_MAX];
    size_t table_count;
    bool switched; /* the file's second key is the older one */
    bool single;
    /* the task's position */
    size_t table, idle;
    char after[KEY_TEXT]; /* "": the table's start */
    int64_t found;        /* old values found in this pass */
    uint64_t *resealed;
};

/* ---- tables ---- */

static const struct field seal_row_rows[] = {
    FIELD_TEXT(struct seal_row, key, 0, KEY_TEXT, FIELD_REQUIRED, "Key of the row", "a"),
    FIELD_TEXT(struct seal_row, subject, 0, KEY_TEXT, 0, "Object that the value belongs to", "a"),
    FIELD_BOOL(struct seal_row, other, false, FIELD_REQUIRED, "Value sealed with another key"),
    FIELD_BYTES(struct seal_row, value, INT32_MAX, 0, "The value, if so"),
};
FIELD_TABLE(seal_row);

static void add_table(struct service_seal *self, const struct seal_table *table)
{
    if (self->table_count == TABLES_MAX)
        log_die("seal", "too many tables");
    self->tables[self->table_count++] = *table;
}

void service_seal_extend(struct service *self)
{
    const struct service_definition *definition = self->definition;
    struct service_seal *sealing = arena_calloc(self->arena, 1, sizeof(*sealing));
    const struct seal_table *own = definition->seal_tables;

    self->sealing = sealing;
    db_extend_sql(self->db, service_seal_sql);
    for (; own && own->name; own++)
        add_table(sealing, own);
    add_table(sealing,
              &(struct seal_table){"seal_key", key_purpose, SEAL_TABLE(retired_key), NULL});
    if (definition->outbox_methods) {
        db_extend_sql(self->db, service_seal_outbox_sql);
        add_table(sealing, &(struct seal_table){"outbox", "outbox", SEAL_TABLE(outbox), NULL});
    }
    sealing->resealed = metrics_counter(self->metrics, "atrium_seal_resealed_total", "",
                                        "Values that were sealed again because the key changed.");
}

/* ---- pages ---- */

struct page {
    const char *next; /* or NULL at the table's end */
    int64_t rows, other, unopened, resealed;
};

struct page_values {
    struct sql_seal_write_in in;
    size_t count;
};

static int read_page(struct service *self, const struct request *req,
                     const struct seal_table *table, const char *after, int64_t most,
                     struct sql_seal_page_rows *ret, struct error *err)
{
    uint8_t id[SEAL_ID_SIZE];
    const struct sql_seal_page_in in = {
        .after = after, .most = most, .seal_other = {.key_id = {id, sizeof(id)}}};

    (void)sodium_hex2bin(id, sizeof(id), self->seal.items[0].id, SEAL_ID_TEXT - 1, NULL, NULL,
                         NULL);
    return MIN(sql_seal_page(self->db, req, *table->page, &in, ret, err), 0);
}

/* Opens a value sealed by another key; NULL if no key opens it. */
static const char *plain_value(const struct service *self, const struct request *req,
                               const struct seal_table *table, const struct seal_row *row,
                               const char **ret_purpose, size_t *ret_size)
{
    const struct sealed sealed = {row->value.bytes, row->value.size};
    uint8_t *plain;

    *ret_purpose = row->subject ? arena_printf(req->arena, "%s %s", table->purpose, row->subject)
                                : table->purpose;
    if (!sealed.bytes) {
        const char *text =
            table->missing ? table->missing(&self->seal, req->arena, row->key) : NULL;

        *ret_size = text ? strlen(text) : 0;
        return text;
    }
    if (seal_open(req->arena, &self->seal, *ret_purpose, sealed, &plain, ret_size) < 0)
        return NULL;
    return (const char *)plain;
}

static void page_add(struct service *self, const struct request *req,
                     const struct seal_table *table, const struct seal_row *row,
                     struct page_values *values, struct page *page)
{
    const char *purpose, *plain;
    struct sealed sealed;
    size_t size;

    page->other++;
    plain = plain_value(self, req, table, row, &purpose, &size);
    if (!plain) {
        page->unopened++;
        return;
    }
    sealed = seal_value(req->arena, &self->seal, purpose, plain, size);
    sodium_memzero((char *)(uintptr_t)plain, size);
    db_array_add(&values->in.seal_replace.keys, row->key);
    if (row->value.bytes)
        db_array_add_bytes(&values->in.seal_replace.olds, row->value.bytes, row->value.size);
    else
        db_array_add(&values->in.seal_replace.olds, "null");
    db_array_add_bytes(&values->in.seal_replace.news, sealed.bytes, sealed.size);
    values->count++;
}

static struct page_values page_values_new(const struct request *req,
                                          const struct sql_seal_page_rows *rows)
{
    size_t bytes = 0;

    for (size_t i = 0; i < rows->count; i++)
        bytes += DB_ARRAY_BYTES(rows->items[i].value.size + SECRET_MAX) + 1;
    return (struct page_values){
        .in.seal_replace = {.keys = db_array_new(req->arena, rows->count, KEY_TEXT),
                            .olds = db_array_new(req->arena, 1, bytes),
                            .news = db_array_new(req->arena, 1, bytes)}};
}

/* Skips rows that were written meanwhile; the next pass checks them. */
static int reseal_page(struct service *self, const struct request *req,
                       const struct seal_table *table, const char *after, struct page *ret,
                       struct error *err)
{
    struct sql_seal_write_row written;
    struct page_values values;
    struct sql_seal_page_rows rows;

    *ret = (struct page){.rows = 0};
    if (read_page(self, req, table, after, PAGE_ROWS, &rows, err) < 0)
        return -1;
    ret->rows = (int64_t)rows.count;
    values = page_values_new(req, &rows);
    for (size_t i = 0; i < rows.count; i++)
        if (rows.items[i].other)
            page_add(self, req, table, &rows.items[i], &values, ret);
    if (ret->rows == PAGE_ROWS)
        ret->next = rows.items[rows.count - 1].key;
    if (values.count == 0)
        return 0;
    values.in.audit =
        audit_row(req, &(struct audit){.action = "seal_key.reseal", .detail = table->name});
    if (sql_seal_write(self->db, req, *table->replace, &values.in, &written, err) < 0)
        return -1;
    ret->resealed = written.total;
    *self->sealing->resealed += (uint64_t)ret->resealed;
    return 0;
}

/* ---- the task ---- */

static int take_turn(struct service *self, const struct request *req, bool *ret_ours,
                     struct error *err)
{
    int64_t now_ms = clock_real_ms();
    const struct sql_seal_key_take_turn_in turn = {.id = self->seal.items[0].id,
                                                   .instance = self->instance,
                                                   .now = now_ms,
                                                   .until = now_ms + TURN_MS};
    int taken = sql_seal_key_take_turn(self->db, req, &turn, err);

    *ret_ours = taken > 0;
    return MIN(taken, 0);
}

/* Reseals the next page; after the last table a new pass begins. */
static int task_step(struct service *self, struct error *err)
{
    CLEANUP(service_request_destroy) struct request *req = service_request_new(self, PAGE_MS);
    struct service_seal *sealing = self->sealing;
    struct page page;

    if (reseal_page(self, req, &sealing->tables[sealing->table],
                    *sealing->after ? sealing->after : NULL, &page, err) < 0)
        return -1;
    sealing->found += page.other - page.unopened;
    snprintf(sealing->after, sizeof(sealing->after), "%s", page.next ? page.next : "");
    if (page.next)
        return 0;
    sealing->table++;
    if (sealing->table < sealing->table_count)
        return 0;
    if (sealing->found == 0)
        sealing->idle = IDLE_RUNS;
    log_event(LOG_NOTICE, "seal",
              sealing->found == 0 ? "no value is sealed with the old key" : "a pass has finished",
              "key", self->seal.items[1].id, NULL);
    sealing->table = 0;
    sealing->found = 0;
    return 0;
}

static int run_task(void *daemon, const struct request *req, struct error *err)
{
    struct service *self = daemon;
    struct service_seal *sealing = self->sealing;
    int64_t until_ms = clock_mono_ms() + RUN_MS;
    bool ours;

    if (sealing->idle > 0) {
        sealing->idle--;
        return 0;
    }
    if (take_turn(self, req, &ours, err) < 0)
        return -1;
    while (ours && !self->stopping && sealing->idle == 0 && clock_mono_ms() < until_ms)
        if (task_step(self, err) < 0)
            return -1;
    return 0;
}

/* ---- start ---- */

static const struct sql_seal_key_list_row *find_known(const struct sql_seal_key_list_rows *known,
                                                      const char *id)
{
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->items[i].id, id) == 0)
            return &known->items[i];
    return NULL;
}

static int register_key(struct service *self, const struct request *req, const char *id,
                        bool writes, struct error *err)
{
    const struct audit audit = {.action = writes ? "seal_key.write" : "seal_key.add", .detail = id};
    const struct sql_seal_key_register_in key = {
        .id = id, .now = req->now_ms, .writes = writes, .audit = audit_row(req, &audit)};

    return MIN(sql_seal_key_register(self->db, req, &key, err), 0);
}

/* Checks that the keys open the values of a database that names no keys yet. */
static int try_values(struct service *self, const struct request *req, struct error *err)
{
    const struct service_seal *sealing = self->sealing;
    size_t opened = 0, tried = 0;

    for (size_t i = 0; i < sealing->table_count; i++) {
        struct sql_seal_page_rows rows;

        if (read_page(self, req, &sealing->tables[i], NULL, TRIAL_ROWS, &rows, err) < 0)
            return -1;
        for (size_t j = 0; j < rows.count; j++) {
            const struct seal_row *row = &rows.items[j];
            const char *purpose, *plain;
            size_t size;

            if (!row->other || !row->value.bytes)
                continue;
            plain = plain_value(self, req, &sealing->tables[i], row, &purpose, &size);
            tried++;
            opened += plain != NULL;
            if (plain)
                sodium_memzero((char *)(uintptr_t)plain, size);
        }
    }
    if (tried == 0 || opened > 0)
        return 0;
    return error_set(
        err, ERR_INTERNAL,
        "%s: has a different key than the one that sealed this database; restore that key.",
        service_seal_key_path(self));
}

/* Rejects a file that lacks a needed key, or whose first key others may not know. */
static int judge_file(const struct service *self, const struct sql_seal_key_list_rows *known,
                      struct error *err)
{
    const char *path = service_seal_key_path(self);
    const struct sql_seal_key_list_row *first = find_known(known, self->seal.items[0].id);
    bool any = false;

    for (size_t i = 0; i < self->seal.in_file; i++)
        any |= find_known(known, self->seal.items[i].id) != NULL;
    if (!any)
        return error_set(
            err, ERR_INTERNAL,
            "%s: has a different key than the one that sealed this database; restore that key.",
            path);
    for (size_t i = 0; i < known->count; i++) {
        const struct sql_seal_key_list_row *key = &known->items[i];

        if (key->writes_since > 0 && key->retired_at == 0 && !seal_keys_find(&self->seal, key->id))
            return error_set(err, ERR_INTERNAL,
                             "%s: lacks the key %s, with which values are sealed; restore it as "
                             "the second line.",
                             path, key->id);
    }
    if (!first)
        return error_set(err, ERR_INTERNAL,
                         "%s: its first key, %s, is new: it must be the second line until every "
                         "instance has read it (atriumctl keys rotate --seal).",
                         path, self->seal.items[0].id);
    if (first->retired_at > 0)
        return error_set(err, ERR_INTERNAL,
                         "%s: its first key, %s, was replaced; the newer key must be there.", path,
                         first->id);
    return 0;
}

/* Adds rotated keys, which only open their hashes. */
static int open_retired(struct service *self, const struct request *req,
                        const struct sql_seal_key_list_rows *known, struct error *err)
{
    for (size_t i = 0; i < known->count; i++) {
        CLEANUP(secret_wipe) struct secret secret = {.length = SEAL_KEY_SIZE};
        const struct sql_seal_key_list_row *key = &known->items[i];
        uint8_t *plain;
        size_t size;

        if (!key->sealed.bytes || self->seal.count == SEAL_KEYS_MAX)
            continue;
        if (seal_open(req->arena, &self->seal,
                      arena_printf(req->arena, "%s %s", key_purpose, key->id),
                      (struct sealed){key->sealed.bytes, key->sealed.size}, &plain, &size) < 0 ||
            size != SEAL_KEY_SIZE)
            return error_set(err, ERR_INTERNAL, "The retired seal key %s cannot be decrypted.",
                             key->id);
        memcpy(secret.bytes, plain, size);
        sodium_memzero(plain, size);
        seal_keys_add(&self->seal, &secret, key->retired_at);
    }
    return 0;
}

static bool is_switched(const struct service *self, const struct sql_seal_key_list_rows *known)
{
    const struct sql_seal_key_list_row *first = find_known(known, self->seal.items[0].id);
    const struct sql_seal_key_list_row *second =
        self->seal.in_file > 1 ? find_known(known, self->seal.items[1].id) : NULL;

    return first && second && first < second; /* newest first */
}

int service_seal_load(struct service *self, struct error *err)
{
    const char *path = service_seal_key_path(self);

    return path ? seal_keys_load(path, &self->seal, err) : 0;
}

int service_seal_open(struct service *self, struct error *err)
{
    CLEANUP(service_request_destroy) struct request *req = service_request_new(self, OPEN_MS);
    struct sql_seal_key_list_rows known;

    if (self->seal.count == 0 || !self->sealing)
        return 0;
    if (sql_seal_key_list(self->db, req, &known, err) < 0 ||
        (known.count == 0 ? try_values(self, req, err) : judge_file(self, &known, err)) < 0)
        return -1;
    for (size_t i = 0; i < self->seal.in_file; i++)
        if (register_key(self, req, self->seal.items[i].id, i == 0, err) < 0)
            return -1;
    if (sql_seal_key_list(self->db, req, &known, err) < 0 ||
        open_retired(self, req, &known, err) < 0)
        return -1;
    self->sealing->single = self->seal.in_file == 1;
    self->sealing->switched = is_switched(self, &known);
    if (self->seal.count > self->seal.in_file)
        self->seal.oldest = self->seal.count - 1;
    else
        self->seal.oldest = self->sealing->switched ? 1 : 0;
    if (self->sealing->switched)
        service_every(self, "seal", PERIOD_MS, run_task);
    return 0;
}

/* ---- for operators ---- */

const char *service_seal_ids(const struct service *self, struct arena *arena)
{
    const struct seal_key *keys = self->seal.items;

    if (!self->sealing)
        return NULL;
    return self->seal.in_file > 1 ? arena_printf(arena, "%s %s", keys[0].id, keys[1].id)
                                  : keys[0].id;
}

const char *service_seal_state(const struct service *self)
{
    if (!self->sealing)
        return NULL;
    return self->sealing->single ? "single" : self->sealing->switched ? "switched" : "prepared";
}

/* Counts values sealed by other keys, until time runs out. */
static int count_other(struct service *self, const struct request *req, int64_t *ret,
                       bool *ret_more, struct error *err)
{
    int64_t until_ms = clock_mono_ms() + COUNT_MS;

    *ret = 0;
    for (size_t i = 0; i < self->sealing->table_count; i++) {
        const char *after = NULL;

        do {
            struct sql_seal_page_rows rows;

            *ret_more = clock_mono_ms() > until_ms || *ret > COUNT_MAX;
            if (*ret_more)
                return 0;
            if (read_page(self, req, &self->sealing->tables[i], after, PAGE_ROWS, &rows, err) < 0)
                return -1;
            for (size_t row = 0; row < rows.count; row++)
                *ret += rows.items[row].other;
            after = rows.count == PAGE_ROWS ? rows.items[rows.count - 1].key : NULL;
        } while (after);
    }
    return 0;
}

static int check_seal(void *daemon, const struct request *req, struct finding *ret,
                      struct error *err)
{
    struct service *self = daemon;
    const struct seal_key *keys = self->seal.items;
    int64_t count;
    bool more = false;

    if (!self->sealing)
        return 0;
    if (self->sealing->single)
        return check_ok(req, ret, "%s", keys[0].id);
    if (!self->sealing->switched)
        return check_warn(req, ret, NULL,
                          "%s encrypts; %s will replace it, but only decrypts until then",
                          keys[0].id, keys[1].id);
    if (count_other(self, req, &count, &more, err) < 0)
        return -1;
    if (count > 0 || more)
        return check_warn(
            req, ret, "Wait: a task is sealing them again. Until then, the file keeps both keys.",
            "%s%lld values still need the key %s", more ? "more than " : "", (long long)count,
            keys[1].id);
    return check_warn(req, ret, NULL, "no value needs the key %s any more: it can be removed",
                      keys[1].id);
}

const struct check service_seal_checks[] = {
    {"seal key", CHECK_DATABASE,
     "Run atriumctl keys rotate --seal again: it says which instances to restart, and completes "
     "the rotation.",
     check_seal},
    {.name = NULL},
};

static const struct field seal_reseal_in_rows[] = {
    FIELD_INT(struct seal_reseal_in, table, 0, TABLES_MAX, 0, FIELD_REQUIRED, "Number of the table",
              "0"),
    FIELD_TEXT(struct seal_reseal_in, after, 0, KEY_TEXT, 0, "Key of the row before the page", "a"),
};
FIELD_TABLE(seal_reseal_in);

static const struct field seal_reseal_out_rows[] = {
    FIELD_INT(struct seal_reseal_out, tables, 0, INT64_MAX, 0, 0, "Number of values", "3"),
    FIELD_TEXT(struct seal_reseal_out, name, 0, 64, 0, "The table", "mfa_factor"),
    FIELD_TEXT(struct seal_reseal_out, next, 0, KEY_TEXT, 0, "Where to continue", "a"),
    FIELD_INT(struct seal_reseal_out, waiting, 0, INT64_MAX, 0, 0, "Sealed with another key", "0"),
    FIELD_INT(struct seal_reseal_out, resealed, 0, INT64_MAX, 0, 0, "Sealed again", "0"),
    FIELD_INT(struct seal_reseal_out, unopened, 0, INT64_MAX, 0, 0, "Decrypted with no key", "0"),
};
FIELD_TABLE(seal_reseal_out);

static const struct field seal_retire_in_rows[] = {
    FIELD_TEXT(struct seal_retire_in, id, 1, SEAL_ID_TEXT - 1, FIELD_REQUIRED, "The key",
               "4c1f0a6d93b2e871"),
};
FIELD_TABLE(seal_retire_in);

static int refuse_unless_switched(const struct service *self, struct error *err)
{
    return self->sealing && self->sealing->switched
               ? 0
               : error_set(err, ERR_CONFLICT, "No rotation of the seal key is in progress here.");
}

/* Reseals a page of a table. Fails: CONFLICT (no rotation is in progress), NOT_FOUND (no such
 * table). */
int seal_reseal(struct service *self, const struct request *req, const struct seal_reseal_in *in,
                struct seal_reseal_out *out, struct error *err)
{
    const struct service_seal *sealing = self->sealing;
    struct page page;

    if (refuse_unless_switched(self, err) < 0)
        return -1;
    if (in->table >= (int64_t)sealing->table_count)
        return error_set(err, ERR_NOT_FOUND, "There are %zu tables.", sealing->table_count);
    if (reseal_page(self, req, &sealing->tables[in->table], in->after, &page, err) < 0)
        return -1;
    *out = (struct seal_reseal_out){.tables = (int64_t)sealing->table_count,
                                    .name = sealing->tables[in->table].name,
                                    .next = page.next,
                                    .waiting = page.other,
                                    .resealed = page.resealed,
                                    .unopened = page.unopened};
    return 0;
}

/* Retires the file's second key. Fails: CONFLICT (no rotation of this key is in progress). */
int seal_retire(struct service *self, const struct request *req, const struct seal_retire_in *in,
                struct nothing *out UNUSED, struct error *err)
{
    const struct seal_key *old = &self->seal.items[1];
    const struct audit audit = {.action = "seal_key.retire", .detail = old->id};
    struct sql_seal_key_retire_in retire = {.id = old->id, .now = req->now_ms};
    struct sealed sealed;

    if (refuse_unless_switched(self, err) < 0)
        return -1;
    if (strcmp(old->id, in->id) != 0)
        return error_set(err, ERR_CONFLICT, "The key that can be removed is %s.", old->id);
    sealed =
        seal_value(req->arena, &self->seal, arena_printf(req->arena, "%s %s", key_purpose, old->id),
                   old->secret.bytes, old->secret.length);
    retire.sealed = (struct field_bytes){sealed.bytes, sealed.size};
    retire.audit = audit_row(req, &audit);
    return MIN(sql_seal_key_retire(self->db, req, &retire, err), 0);
}
