/*
 * audit_chain.c - see audit_chain.h.
 *
 * A round's transaction locks the row of the chain's end; other instances skip a locked one.
 * Unsealed rows have an index, so an idle round is cheap.
 */
#include "common/service/audit_chain.h"

#include <endian.h>
#include <sodium.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/service/sql/audit.h"

enum {
    BATCH = 1000,
    SEAL_MS = 5000,         /* per batch */
    MONTH_RETRY_MS = 10000, /* after a lock prevented a new partition */
    YEAR_MAX = 9999,
};

static const struct field audit_record_rows[] = {
    FIELD_INT(struct audit_record, sequence, 1, INT64_MAX, 0, FIELD_REQUIRED, "Place in the chain",
              "1"),
    FIELD_INT(struct audit_record, id, INT64_MIN, INT64_MAX, 0, FIELD_REQUIRED, "Its row", "1"),
    FIELD_INT(struct audit_record, at, INT64_MIN, INT64_MAX, 0, FIELD_REQUIRED, "When, ms", "1"),
    FIELD_UUID(struct audit_record, project, 0, "Of which project"),
    FIELD_TEXT(struct audit_record, entity, 0, 1 << 16, 0, "About what", "Session/1"),
    FIELD_TEXT(struct audit_record, event, 0, 1 << 20, FIELD_REQUIRED, "What happened", "{}"),
    FIELD_BYTES(struct audit_record, hash, 1024, 0, "Over it and the row before"),
};
FIELD_TABLE(audit_record);

static const struct field audit_event_rows[] = {
    FIELD_INT(struct audit_event, sequence, 1, INT64_MAX, 0, FIELD_REQUIRED, "Place in the chain",
              "1"),
    FIELD_INT(struct audit_event, at, INT64_MIN, INT64_MAX, 0, FIELD_REQUIRED, "When, ms", "1"),
    FIELD_UUID(struct audit_event, project, FIELD_REQUIRED, "Of which project"),
    FIELD_TEXT(struct audit_event, entity, 0, 1 << 16, 0, "About what", "Session/1"),
    FIELD_TEXT(struct audit_event, action, 0, 64, FIELD_REQUIRED, "What happened",
               "session.create"),
    FIELD_TEXT(struct audit_event, account, 0, 64, 0, "Whom it is about", ""),
    FIELD_TEXT(struct audit_event, role, 0, 64, 0, "As what", "Patient"),
    FIELD_TEXT(struct audit_event, actor, 0, 64, 0, "The account that did it", ""),
};
FIELD_TABLE(audit_event);

static const struct field audit_gap_rows[] = {
    FIELD_INT(struct audit_gap, first, INT64_MIN, INT64_MAX, 0, FIELD_REQUIRED, "First row", "1"),
    FIELD_INT(struct audit_gap, last, INT64_MIN, INT64_MAX, 0, FIELD_REQUIRED, "Last row", "9"),
    FIELD_BYTES(struct audit_gap, hash, 1024, 0, "Of the last row"),
};
FIELD_TABLE(audit_gap);

struct audit_chain {
    struct db *db;
    int month; /* 12 * year + month; it and the next have partitions */
    int64_t month_retry_mono_ms;
    uint64_t *sealed;
    int64_t *waiting_s;
};

struct audit_chain *audit_chain_new(struct arena *arena, struct db *db, struct metrics *metrics)
{
    struct audit_chain *self = arena_alloc(arena, sizeof(*self));

    db_extend_sql(db, service_audit_sql);
    *self = (struct audit_chain){
        .db = db,
        .sealed = metrics_counter(metrics, "atrium_audit_sealed_total", "",
                                  "Rows of the audit log that were sealed."),
        .waiting_s = metrics_gauge_cell(
            metrics, "atrium_audit_waiting_seconds",
            "How long the oldest unsealed row of the audit log had waited at the last check."),
    };
    return self;
}

/* ---- the hash ---- */

static void hash_bytes(crypto_hash_sha256_state *state, const void *bytes, size_t size)
{
    uint64_t length = htobe64(size);

    crypto_hash_sha256_update(state, (const uint8_t *)&length, sizeof(length));
    crypto_hash_sha256_update(state, bytes, size);
}

static void hash_text(crypto_hash_sha256_state *state, const char *text)
{
    uint64_t null = UINT64_MAX;

    if (text)
        hash_bytes(state, text, strlen(text));
    else
        crypto_hash_sha256_update(state, (const uint8_t *)&null, sizeof(null));
}

static void hash_int(crypto_hash_sha256_state *state, int64_t value)
{
    uint64_t bytes = htobe64((uint64_t)value);

    hash_bytes(state, &bytes, sizeof(bytes));
}

void audit_hash(const struct audit_record *record, struct field_bytes previous,
                uint8_t ret[static AUDIT_HASH_SIZE])
{
    crypto_hash_sha256_state state;

    crypto_hash_sha256_init(&state);
    hash_text(&state, "atrium audit 1");
    hash_bytes(&state, previous.bytes, previous.size);
    hash_int(&state, record->sequence);
    hash_int(&state, record->id);
    hash_int(&state, record->at);
    hash_text(&state, uuid_is_set(&record->project) ? record->project.text : NULL);
    hash_text(&state, record->entity);
    hash_text(&state, record->event);
    crypto_hash_sha256_final(&state, ret);
}

/* ---- sealing ---- */

struct links {
    struct db_array ids, hashes;
    int64_t sequence;
    uint8_t hash[AUDIT_HASH_SIZE];
    size_t hash_size; /* 0 before the very first row */
};

static void link_row(struct links *self, const struct audit_record *row)
{
    struct audit_record record = *row;

    record.sequence = ++self->sequence;
    audit_hash(&record, (struct field_bytes){self->hash, self->hash_size}, self->hash);
    self->hash_size = AUDIT_HASH_SIZE;
    db_array_add_int(&self->ids, record.id);
    db_array_add_bytes(&self->hashes, self->hash, AUDIT_HASH_SIZE);
}

static int seal_rows(struct db_tx **tx_p, const struct request *req, struct links *links,
                     struct field_list rows, struct error *err)
{
    const struct audit_record *records = rows.items;
    struct sql_audit_seal_in in = {.first = links->sequence + 1};
    struct sql_audit_seal_row done;

    for (size_t i = 0; i < rows.count; i++)
        link_row(links, &records[i]);
    in.ids = links->ids;
    in.hashes = links->hashes;
    in.last = links->sequence;
    in.hash = (struct field_bytes){links->hash, AUDIT_HASH_SIZE};
    if (sql_audit_seal(*tx_p, req, &in, &done, err) < 0)
        return -1;
    if (done.sealed != (int64_t)rows.count) {
        error_set(err, ERR_INTERNAL, "The audit log cannot be sealed.");
        return error_detail(err, "rows of it went while they were being sealed");
    }
    return db_commit(tx_p, err);
}

static struct links links_new(struct arena *arena, const struct sql_audit_head_lock_row *head,
                              size_t count)
{
    struct links links = {
        .ids = db_array_new(arena, count, DB_ARRAY_INT),
        .hashes = db_array_new(arena, count, DB_ARRAY_BYTES(AUDIT_HASH_SIZE)),
        .sequence = head->sequence,
        .hash_size = MIN(head->hash.size, sizeof(links.hash)),
    };

    if (links.hash_size > 0)
        memcpy(links.hash, head->hash.bytes, links.hash_size);
    return links;
}

static int seal_batch(struct audit_chain *self, const struct request *round, int64_t *after,
                      size_t *ret_count, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_audit_unsealed_in next = {.after = *after, .count = BATCH};
    struct sql_audit_head_lock_row head;
    struct request req = *round;
    struct field_list rows;
    struct links links;
    int found;

    *ret_count = 0;
    req.arena = scratch;
    if (db_begin(self->db, MAX(req.deadline_mono_ms, clock_mono_ms() + SEAL_MS), &tx, err) < 0 ||
        (found = sql_audit_head_lock(tx, &req, &head, err)) < 0)
        return -1;
    if (found == 0)
        return 0;
    if (sql_audit_unsealed(tx, &req, &next, &rows, err) < 0)
        return -1;
    if (rows.count == 0)
        return 0;
    *after = ((const struct audit_record *)rows.items)[rows.count - 1].id;
    links = links_new(scratch, &head, rows.count);
    if (seal_rows(&tx, &req, &links, rows, err) < 0)
        return -1;
    *ret_count = rows.count;
    return 0;
}

/* Seals a batch. A running transaction can hold a lower id; the next round seals its row. */
static int seal(struct audit_chain *self, const struct request *req, struct error *err)
{
    struct sql_audit_waiting_row waiting;
    int found = sql_audit_waiting(self->db, req, &waiting, err);
    int64_t after = INT64_MIN;
    size_t count = BATCH;

    if (found < 0)
        return -1;
    *self->waiting_s = 0;
    if (found == 0)
        return 0;
    *self->waiting_s = MAX(req->now_ms - waiting.at, (int64_t)0) / 1000;
    while (count == BATCH && clock_mono_ms() < req->deadline_mono_ms) {
        if (seal_batch(self, req, &after, &count, err) < 0)
            return -1;
        *self->sealed += count;
    }
    return 0;
}

/* ---- partitions ---- */

/* Returns the first millisecond of a month (12 * year + month). */
static int64_t month_start(int month)
{
    struct tm day = {.tm_year = month / 12 - 1900, .tm_mon = month % 12, .tm_mday = 1};

    return (int64_t)timegm(&day) * 1000;
}

/* Creates a month's partition. *ret_done: it exists, or must not be created. */
static int month_make(struct audit_chain *self, const struct request *req, int month,
                      bool *ret_done, struct error *err)
{
    struct sql_audit_month_create_in in = {.name = arena_printf(req->arena, "audit_%04d_%02d",
                                                                month / 12, month % 12 + 1),
                                           .from_at = month_start(month),
                                           .until_at = month_start(month + 1)};
    struct sql_audit_month_create_row row;

    if (sql_audit_month_create(self->db, req, &in, &row, err) < 0)
        return -1;
    *ret_done = row.done;
    return 0;
}

int audit_chain_months(struct audit_chain *self, const struct request *req, struct error *err)
{
    time_t now = (time_t)(req->now_ms / 1000);
    bool done = true;
    struct tm day;
    int month;

    /* rows of such a wrong clock go to audit_other */
    if (req->now_ms < 0 || !gmtime_r(&now, &day) || day.tm_year + 1900 >= YEAR_MAX)
        return 0;
    month = 12 * (day.tm_year + 1900) + day.tm_mon;
    if (month == self->month || clock_mono_ms() < self->month_retry_mono_ms)
        return 0;
    self->month_retry_mono_ms = clock_mono_ms() + MONTH_RETRY_MS;
    for (int next = month; next <= month + 1 && done; next++)
        if (month_make(self, req, next, &done, err) < 0)
            return -1;
    if (done) {
        self->month = month;
        self->month_retry_mono_ms = 0;
    }
    return 0;
}

int audit_chain_run(struct audit_chain *self, const struct request *req, struct error *err)
{
    if (seal(self, req, err) < 0)
        return -1;
    return audit_chain_months(self, req, err);
}

/* ---- reading ---- */

int audit_chain_state(struct audit_chain *self, const struct request *req, struct audit_state *ret,
                      struct error *err)
{
    struct sql_audit_state_row row;
    int found = sql_audit_state(self->db, req, &row, err);

    if (found < 0)
        return -1;
    if (found == 0)
        return error_set(err, ERR_INTERNAL,
                         "The row with the end of the audit log's chain is missing.");
    *ret = (struct audit_state){
        .sequence = row.sequence,
        .unsealed = row.unsealed,
        .waiting_since = row.waiting_since ? *row.waiting_since : 0,
        .hash = row.hash,
    };
    return 0;
}

int audit_chain_page(struct audit_chain *self, const struct request *req, struct uuid project,
                     int64_t after, int64_t count, struct field_list *ret, struct error *err)
{
    struct sql_audit_page_in page = {.after = after, .count = count};
    struct sql_audit_page_of_project_in of_project = {
        .project = project, .after = after, .count = count};
    int rc = uuid_is_set(&project) ? sql_audit_page_of_project(self->db, req, &of_project, ret, err)
                                   : sql_audit_page(self->db, req, &page, ret, err);

    return rc < 0 ? -1 : 0;
}

int audit_chain_gaps(struct audit_chain *self, const struct request *req, int64_t after,
                     int64_t count, struct field_list *ret, struct error *err)
{
    struct sql_audit_gaps_in in = {.after = after, .count = count};

    return sql_audit_gaps(self->db, req, &in, ret, err) < 0 ? -1 : 0;
}

int audit_chain_end(struct audit_chain *self, const struct request *req, int64_t *ret,
                    struct error *err)
{
    struct sql_audit_end_row row;

    if (sql_require(sql_audit_end(self->db, req, &row, err), err, ERR_INTERNAL,
                    "The row with the end of the audit log's chain is missing.") < 0)
        return -1;
    *ret = row.sequence;
    return 0;
}

int audit_chain_events(struct audit_chain *self, const struct request *req, int64_t after,
                       int64_t last, struct db_array actions, struct db_array projects,
                       int64_t count, struct field_list *ret, struct error *err)
{
    const struct sql_audit_events_in in = {
        .after = after, .last = last, .actions = actions, .projects = projects, .most = count};

    return sql_audit_events(self->db, req, &in, ret, err) < 0 ? -1 : 0;
}

int audit_chain_place(struct audit_chain *self, const struct request *req, int64_t since,
                      int64_t end, int64_t *ret, struct error *err)
{
    const struct sql_audit_place_in in = {.since = since, .last = end};
    struct sql_audit_place_row row = {.sequence = 0};

    if (since > 0 && sql_audit_place(self->db, req, &in, &row, err) < 0)
        return -1;
    *ret = since > 0 ? row.sequence : end;
    return 0;
}
