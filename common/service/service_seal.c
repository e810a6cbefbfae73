/*
 * service_seal.c - a daemon's seal keys against its database: whether they are the right ones, and
 * their exchange.
 *
 * The table seal_key says which keys have sealed. An instance starts only with a file that holds
 * all of them that are not retired, so neither a wrong file nor one that lost a line is noticed by
 * values that do not open. The exchange has three steps, for which `atriumctl keys rotate --seal`
 * writes the file and asks the instances:
 *
 *   prepared  OLD NEW   every instance can read what the new key will seal; none seals with it yet
 *   switched  NEW OLD   the new key seals; a task seals anew, page by page, what the old one has
 *             sealed
 *   retired   NEW       nothing is sealed by the old key; the table keeps it, sealed, for hashes
 *             that it has made
 *
 * A key that is new stands second first: an instance refuses a file whose first key the table does
 * not know.
 */
#include <sodium.h>
#include <string.h>

#include "common/service/service_private.h"

enum {
    OPEN_MS = 10000,
    PERIOD_MS = 1000,
    RUN_MS = 500,             /* of each second */
    TURN_MS = 10 * PERIOD_MS, /* what a dead instance has begun goes on after that */
    PAGE_ROWS = 200,
    PAGE_MS = 5000,
    IDLE_RUNS = 600, /* runs left out after a pass that found nothing */
    TABLES_MAX = 16,
    KEY_TEXT = 128,    /* characters of a row's key */
    TRIAL_ROWS = 50,   /* values of a table that are tried before a key is trusted */
    COUNT_MAX = 10000, /* values that doctor counts, */
    COUNT_MS = 2000,   /* and for how long */
};

enum {
#define SQL(name, class, params, text) name,
#include "common/service/seal_sql.def"
#undef SQL
    STATEMENT_COUNT
};

static const struct db_statement statements[STATEMENT_COUNT] = {
#define SQL(name, class, params, text) DB_STATEMENT(#name, class, params, text),
#include "common/service/seal_sql.def"
#undef SQL
};

enum {
#define SQL(name, class, params, text) name,
#include "common/service/seal_outbox_sql.def"
#undef SQL
    OUTBOX_STATEMENT_COUNT
};

static const struct db_statement outbox_statements[OUTBOX_STATEMENT_COUNT] = {
#define SQL(name, class, params, text) DB_STATEMENT(#name, class, params, text),
#include "common/service/seal_outbox_sql.def"
#undef SQL
};

static const char key_purpose[] = "retired seal key";

struct service_seal {
    int first_statement;
    struct seal_table tables[TABLES_MAX];
    size_t table_count;
    bool switched; /* the second key of the file is the older one */
    bool single;
    /* where the task is */
    size_t table, idle;
    char after[KEY_TEXT]; /* "": at the table's start */
    int64_t found;        /* by this pass */
    uint64_t *resealed;
};

/* ---- tables ---- */

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
    int first;

    self->sealing = sealing;
    first = sealing->first_statement = db_extend(self->db, statements, STATEMENT_COUNT);
    for (; own && own->name; own++)
        add_table(sealing, own);
    add_table(sealing, &(struct seal_table){.name = "seal_key",
                                            .purpose = key_purpose,
                                            .page = first + SQL_SEAL_KEY_PAGE,
                                            .reseal = first + SQL_SEAL_KEY_RESEAL});
    if (definition->outbox_methods) {
        first = db_extend(self->db, outbox_statements, OUTBOX_STATEMENT_COUNT);
        add_table(sealing, &(struct seal_table){.name = "outbox",
                                                .purpose = "outbox",
                                                .page = first + SQL_OUTBOX_PAGE,
                                                .reseal = first + SQL_OUTBOX_RESEAL});
    }
    sealing->resealed = metrics_counter(self->metrics, "atrium_seal_resealed_total", "",
                                        "Values that were sealed anew because the key changed.");
}

/* ---- a page ---- */

struct page {
    const char *next; /* NULL at the end of the table; from the request's arena */
    int64_t rows, other, unopened, resealed;
};

/* What a page has to write. */
struct page_values {
    struct db_array keys, olds, news;
    size_t count;
};

static int read_page(struct service *self, const struct request *req,
                     const struct seal_table *table, const char *after, int64_t rows,
                     struct db_result **ret, struct error *err)
{
    uint8_t id[SEAL_ID_SIZE];

    (void)sodium_hex2bin(id, sizeof(id), self->seal.items[0].id, SEAL_ID_TEXT - 1, NULL, NULL,
                         NULL);
    return db_query(self->db, req, table->page, ret, err, DB_TEXT(after), DB_BYTES(id, sizeof(id)),
                    DB_INT(rows));
}

/* The plain value of a row that another key has sealed; NULL when none of the keys opens it. */
static const char *plain_value(const struct service *self, const struct request *req,
                               const struct seal_table *table, const struct db_result *res,
                               size_t row, const char **ret_purpose, size_t *ret_size)
{
    struct field_bytes sealed = db_bytes(res, row, 3);
    uint8_t *plain;

    *ret_purpose = db_is_null(res, row, 1)
                       ? table->purpose
                       : arena_printf(req->arena, "%s %s", table->purpose, db_text(res, row, 1));
    if (db_is_null(res, row, 3)) {
        const char *text =
            table->missing ? table->missing(&self->seal, req->arena, db_text(res, row, 0)) : NULL;

        *ret_size = text ? strlen(text) : 0;
        return text;
    }
    if (seal_open(req->arena, &self->seal, *ret_purpose, (struct sealed){sealed.bytes, sealed.size},
                  &plain, ret_size) < 0)
        return NULL;
    return (const char *)plain;
}

static void page_add(struct service *self, const struct request *req,
                     const struct seal_table *table, const struct db_result *res, size_t row,
                     struct page_values *values, struct page *page)
{
    struct field_bytes old = db_bytes(res, row, 3);
    const char *purpose, *plain;
    struct sealed sealed;
    size_t size;

    page->other++;
    plain = plain_value(self, req, table, res, row, &purpose, &size);
    if (!plain) {
        page->unopened++;
        return;
    }
    sealed = seal_value(req->arena, &self->seal, purpose, plain, size);
    sodium_memzero((char *)(uintptr_t)plain, size);
    db_array_add(&values->keys, db_text(res, row, 0));
    if (db_is_null(res, row, 3))
        db_array_add(&values->olds, "null");
    else
        db_array_add_bytes(&values->olds, old.bytes, old.size);
    db_array_add_bytes(&values->news, sealed.bytes, sealed.size);
    values->count++;
}

static struct page_values page_values_new(const struct request *req, const struct db_result *res)
{
    size_t bytes = 0, rows = db_rows(res);

    for (size_t row = 0; row < rows; row++)
        bytes += DB_ARRAY_BYTES(db_bytes(res, row, 3).size + SECRET_MAX) + 1;
    return (struct page_values){.keys = db_array_new(req->arena, rows, KEY_TEXT),
                                .olds = db_array_new(req->arena, 1, bytes),
                                .news = db_array_new(req->arena, 1, bytes)};
}

/* Seals a page of a table anew. A row that was written meanwhile keeps what was written: that is of
 * a key that may write, and the next pass looks at it again. */
static int reseal_page(struct service *self, const struct request *req,
                       const struct seal_table *table, const char *after, struct page *ret,
                       struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL, *made = NULL;
    struct sql_audit audit;
    struct page_values values;

    *ret = (struct page){.rows = 0};
    if (read_page(self, req, table, after, PAGE_ROWS, &res, err) < 0)
        return -1;
    ret->rows = (int64_t)db_rows(res);
    values = page_values_new(req, res);
    for (size_t row = 0; row < db_rows(res); row++)
        if (db_bool(res, row, 2))
            page_add(self, req, table, res, row, &values, ret);
    if (ret->rows == PAGE_ROWS)
        ret->next = arena_strdup(req->arena, db_text(res, db_rows(res) - 1, 0));
    if (values.count == 0)
        return 0;
    audit = audit_row(req, &(struct audit){.action = "seal_key.reseal", .detail = table->name});
    if (db_query(self->db, req, table->reseal, &made, err, DB_TEXT(values.keys.text),
                 DB_TEXT(values.olds.text), DB_TEXT(values.news.text), DB_AUDIT(audit)) < 0)
        return -1;
    ret->resealed = db_int(made, 0, 0);
    *self->sealing->resealed += (uint64_t)ret->resealed;
    return 0;
}

/* ---- the task ---- */

static int take_turn(struct service *self, const struct request *req, bool *ret_ours,
                     struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    int64_t now_ms = clock_real_ms();

    if (db_query(self->db, req, self->sealing->first_statement + SQL_SEAL_TURN, &res, err,
                 DB_TEXT(self->seal.items[0].id), DB_TEXT(self->instance), DB_INT(now_ms),
                 DB_INT(now_ms + TURN_MS)) < 0)
        return -1;
    *ret_ours = db_affected(res) > 0;
    return 0;
}

/* The next page of the pass; after the last table the next pass begins. */
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
              sealing->found == 0 ? "nothing is sealed by the old key" : "a pass is over", "key",
              self->seal.items[1].id, NULL);
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

/* ---- the start ---- */

/* A row of seal_key. */
struct known_key {
    const char *id;
    int64_t writes_since, retired_at;
    struct field_bytes sealed;
};

struct known_keys {
    struct known_key items[64]; /* newest first */
    size_t count;
};

static int read_known(struct service *self, const struct request *req, struct known_keys *ret,
                      struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(self->db, req, self->sealing->first_statement + SQL_SEAL_KEYS, &res, err) < 0)
        return -1;
    ret->count = MIN(db_rows(res), ARRAY_SIZE(ret->items));
    for (size_t row = 0; row < ret->count; row++) {
        struct field_bytes sealed = db_bytes(res, row, 3);

        ret->items[row] = (struct known_key){
            .id = arena_strdup(req->arena, db_text(res, row, 0)),
            .writes_since = db_int(res, row, 1),
            .retired_at = db_int(res, row, 2),
            .sealed = {sealed.bytes ? arena_memdup(req->arena, sealed.bytes, sealed.size) : NULL,
                       sealed.size}};
    }
    return 0;
}

static const struct known_key *find_known(const struct known_keys *known, const char *id)
{
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->items[i].id, id) == 0)
            return &known->items[i];
    return NULL;
}

static int register_key(struct service *self, const struct request *req, const char *id,
                        bool writes, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    const struct sql_audit audit = audit_row(
        req, &(struct audit){.action = writes ? "seal_key.write" : "seal_key.add", .detail = id});

    return db_query(self->db, req, self->sealing->first_statement + SQL_SEAL_REGISTER, &res, err,
                    DB_TEXT(id), DB_INT(req->now_ms), DB_BOOL(writes), DB_AUDIT(audit));
}

/* Whether the keys open what a database holds that was made before it named its keys. */
static int try_values(struct service *self, const struct request *req, struct error *err)
{
    const struct service_seal *sealing = self->sealing;
    size_t opened = 0, tried = 0;

    for (size_t i = 0; i < sealing->table_count; i++) {
        CLEANUP(db_result_destroy) struct db_result *res = NULL;

        if (read_page(self, req, &sealing->tables[i], NULL, TRIAL_ROWS, &res, err) < 0)
            return -1;
        for (size_t row = 0; row < db_rows(res); row++) {
            const char *purpose, *plain;
            size_t size;

            if (!db_bool(res, row, 2) || db_is_null(res, row, 3))
                continue;
            plain = plain_value(self, req, &sealing->tables[i], res, row, &purpose, &size);
            tried++;
            opened += plain != NULL;
            if (plain)
                sodium_memzero((char *)(uintptr_t)plain, size);
        }
    }
    if (tried == 0 || opened > 0)
        return 0;
    return error_set(err, ERR_INTERNAL,
                     "%s: holds another key than the one that sealed this database; put that back.",
                     service_seal_key_path(self));
}

/* Refuses a file that lacks a key which values may need, and a first key that others may not
 * know. */
static int judge_file(const struct service *self, const struct known_keys *known, struct error *err)
{
    const char *path = service_seal_key_path(self);
    const struct known_key *first = find_known(known, self->seal.items[0].id);
    bool any = false;

    for (size_t i = 0; i < self->seal.in_file; i++)
        any |= find_known(known, self->seal.items[i].id) != NULL;
    if (!any)
        return error_set(
            err, ERR_INTERNAL,
            "%s: holds another key than the one that sealed this database; put that back.", path);
    for (size_t i = 0; i < known->count; i++) {
        const struct known_key *key = &known->items[i];

        if (key->writes_since > 0 && key->retired_at == 0 && !seal_keys_find(&self->seal, key->id))
            return error_set(err, ERR_INTERNAL,
                             "%s: lacks the key %s, which values are sealed with; put it back as "
                             "the second line.",
                             path, key->id);
    }
    if (!first)
        return error_set(err, ERR_INTERNAL,
                         "%s: its first key, %s, is new: it must be the second line until every "
                         "instance has it (atriumctl keys rotate --seal).",
                         path, self->seal.items[0].id);
    if (first->retired_at > 0)
        return error_set(err, ERR_INTERNAL,
                         "%s: its first key, %s, was exchanged; the newer one must be there.", path,
                         first->id);
    return 0;
}

/* Adds the keys that were exchanged, which open nothing but the hashes that they made. */
static int open_retired(struct service *self, const struct request *req,
                        const struct known_keys *known, struct error *err)
{
    for (size_t i = 0; i < known->count; i++) {
        CLEANUP(secret_wipe) struct secret secret = {.length = SEAL_KEY_SIZE};
        const struct known_key *key = &known->items[i];
        uint8_t *plain;
        size_t size;

        if (!key->sealed.bytes || self->seal.count == SEAL_KEYS_MAX)
            continue;
        if (seal_open(req->arena, &self->seal,
                      arena_printf(req->arena, "%s %s", key_purpose, key->id),
                      (struct sealed){key->sealed.bytes, key->sealed.size}, &plain, &size) < 0 ||
            size != SEAL_KEY_SIZE)
            return error_set(err, ERR_INTERNAL, "The retired seal key %s cannot be opened.",
                             key->id);
        memcpy(secret.bytes, plain, size);
        sodium_memzero(plain, size);
        seal_keys_add(&self->seal, &secret, key->retired_at);
    }
    return 0;
}

static bool is_switched(const struct service *self, const struct known_keys *known)
{
    const struct known_key *first = find_known(known, self->seal.items[0].id);
    const struct known_key *second =
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
    struct known_keys known;

    if (self->seal.count == 0 || !self->sealing)
        return 0;
    if (read_known(self, req, &known, err) < 0 ||
        (known.count == 0 ? try_values(self, req, err) : judge_file(self, &known, err)) < 0)
        return -1;
    for (size_t i = 0; i < self->seal.in_file; i++)
        if (register_key(self, req, self->seal.items[i].id, i == 0, err) < 0)
            return -1;
    if (read_known(self, req, &known, err) < 0 || open_retired(self, req, &known, err) < 0)
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

/* Values that another key than the one that writes has sealed, of those that are looked at in
 * time. */
static int count_other(struct service *self, const struct request *req, int64_t *ret,
                       bool *ret_more, struct error *err)
{
    int64_t until_ms = clock_mono_ms() + COUNT_MS;

    *ret = 0;
    for (size_t i = 0; i < self->sealing->table_count; i++) {
        const char *after = NULL;

        do {
            CLEANUP(db_result_destroy) struct db_result *res = NULL;
            size_t rows;

            *ret_more = clock_mono_ms() > until_ms || *ret > COUNT_MAX;
            if (*ret_more)
                return 0;
            if (read_page(self, req, &self->sealing->tables[i], after, PAGE_ROWS, &res, err) < 0)
                return -1;
            rows = db_rows(res);
            for (size_t row = 0; row < rows; row++)
                *ret += db_bool(res, row, 2);
            after = rows == PAGE_ROWS ? arena_strdup(req->arena, db_text(res, rows - 1, 0)) : NULL;
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
        return check_warn(req, ret, NULL, "%s writes; %s is to replace it and only reads yet",
                          keys[0].id, keys[1].id);
    if (count_other(self, req, &count, &more, err) < 0)
        return -1;
    if (count > 0 || more)
        return check_warn(req, ret,
                          "Wait: a task seals them anew. Until then the file keeps both keys.",
                          "%s%lld values still need the key %s", more ? "more than " : "",
                          (long long)count, keys[1].id);
    return check_warn(req, ret, NULL, "nothing needs the key %s any more: it may go", keys[1].id);
}

const struct check service_seal_checks[] = {
    {"seal key", CHECK_DATABASE,
     "Run atriumctl keys rotate --seal again: it says which instances to restart, and ends what "
     "it has begun.",
     check_seal},
    {.name = NULL},
};

static const struct field seal_reseal_in_rows[] = {
    FIELD_INT(struct seal_reseal_in, table, 0, TABLES_MAX, FIELD_REQUIRED, 0, "Number of the table",
              "0"),
    FIELD_TEXT(struct seal_reseal_in, after, 0, KEY_TEXT, 0, "Key of the row before the page", "a"),
};
FIELD_TABLE(seal_reseal_in);

static const struct field seal_reseal_out_rows[] = {
    FIELD_INT(struct seal_reseal_out, tables, 0, INT64_MAX, 0, 0, "How many there are", "3"),
    FIELD_TEXT(struct seal_reseal_out, name, 0, 64, 0, "The table", "mfa_factor"),
    FIELD_TEXT(struct seal_reseal_out, next, 0, KEY_TEXT, 0, "Where to go on", "a"),
    FIELD_INT(struct seal_reseal_out, waiting, 0, INT64_MAX, 0, 0, "Sealed by another key", "0"),
    FIELD_INT(struct seal_reseal_out, resealed, 0, INT64_MAX, 0, 0, "Sealed anew", "0"),
    FIELD_INT(struct seal_reseal_out, unopened, 0, INT64_MAX, 0, 0, "Opened by no key", "0"),
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
               : error_set(err, ERR_CONFLICT, "No exchange of the seal key is under way here.");
}

/* Fails: CONFLICT (no exchange), NOT_FOUND (no such table). */
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

/* Fails: CONFLICT (no exchange, or not of this key). */
int seal_retire(struct service *self, const struct request *req, const struct seal_retire_in *in,
                struct nothing *out UNUSED, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    const struct seal_key *old = &self->seal.items[1];
    struct sql_audit audit;
    struct sealed sealed;

    if (refuse_unless_switched(self, err) < 0)
        return -1;
    if (strcmp(old->id, in->id) != 0)
        return error_set(err, ERR_CONFLICT, "The key that may go is %s.", old->id);
    sealed =
        seal_value(req->arena, &self->seal, arena_printf(req->arena, "%s %s", key_purpose, old->id),
                   old->secret.bytes, old->secret.length);
    audit = audit_row(req, &(struct audit){.action = "seal_key.retire", .detail = old->id});
    return db_query(self->db, req, self->sealing->first_statement + SQL_SEAL_RETIRE, &res, err,
                    DB_TEXT(old->id), DB_SEALED(sealed), DB_INT(req->now_ms), DB_AUDIT(audit));
}
