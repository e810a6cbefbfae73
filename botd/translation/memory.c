/* memory.c - see memory.h. */
#include "botd/translation/memory.h"

#include <sodium.h>
#include <string.h>

#include "botd/sql/translation.h"
#include "common/base/clock.h"

#define UNUSED_LIFE DAYS(30)

enum {
    USED_MS = HOURS(1), /* precision of the last use */
    TRIMS_MAX = 50,     /* per request */
    SWEEP_ROWS = 1000,
    SWEEP_PROJECTS = 20,
};

/* Increase it when mask_render() changes. */
static const char key_purpose[] = "translation memory key 1";

void memory_key(const struct secret *secret, struct uuid project, const char *provider,
                const struct provider_call *call, const char *shown,
                uint8_t ret[static MEMORY_KEY_SIZE])
{
    const char *parts[] = {project.text, provider, call->from->code, call->to->code, shown};
    uint8_t key[SEAL_KEY_SIZE];
    crypto_generichash_state state;

    secret_derive(secret, key_purpose, key);
    crypto_generichash_init(&state, key, sizeof(key), MEMORY_KEY_SIZE);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) /* the NUL separates parts */
        crypto_generichash_update(&state, (const uint8_t *)parts[i], strlen(parts[i]) + 1);
    crypto_generichash_final(&state, ret, MEMORY_KEY_SIZE);
    sodium_memzero(&state, sizeof(state));
    sodium_memzero(key, sizeof(key));
}

static const char *value_purpose(struct arena *arena, const uint8_t *key)
{
    return arena_printf(arena, "translation memory %s", secret_encode(arena, key, MEMORY_KEY_SIZE));
}

/* Opens a stored translation. A text whose value cannot be opened is translated again. */
static void open_value(struct botd *d, const struct request *req, struct field_bytes value,
                       const uint8_t *key, struct memory_text *text)
{
    struct sealed sealed = {value.bytes, value.size};
    uint8_t *plain;
    size_t size;

    if (seal_open(req->arena, &d->svc.seal, value_purpose(req->arena, key), sealed, &plain, &size) <
        0)
        return;
    text->answer = (const char *)plain;
    text->recalled = true;
}

static int note_use(struct botd *d, const struct request *req, const struct db_array *keys,
                    struct error *err)
{
    struct sql_memory_use_in in = {.project = req->caller->project,
                                   .now = req->now_ms,
                                   .keys = *keys,
                                   .used_before = req->now_ms - USED_MS};

    return sql_memory_use(d->svc.db, req, &in, err) < 0 ? -1 : 0;
}

static int recall_by(struct botd *d, const struct request *req, const struct provider_call *call,
                     const struct secret *secret, bool older, struct memory_text *texts,
                     size_t count, struct error *err)
{
    struct sql_memory_find_in find = {.project = req->caller->project,
                                      .used_before = req->now_ms - USED_MS};
    struct sql_memory_find_rows found;
    struct db_array keys = db_array_new(req->arena, count, DB_ARRAY_BYTES(MEMORY_KEY_SIZE));
    struct db_array stale = db_array_new(req->arena, count, DB_ARRAY_BYTES(MEMORY_KEY_SIZE));
    struct memory_text **wanted = arena_calloc(req->arena, count, sizeof(struct memory_text *));
    uint8_t(*by)[MEMORY_KEY_SIZE] = arena_calloc(req->arena, count, MEMORY_KEY_SIZE);
    size_t wanted_count = 0, stale_count = 0;

    for (size_t i = 0; i < count; i++) {
        uint8_t *key = by[wanted_count];

        if (!texts[i].shown || texts[i].answer)
            continue;
        memory_key(secret, req->caller->project, d->provider.name, call, texts[i].shown, key);
        if (!older)
            memcpy(texts[i].key, key, MEMORY_KEY_SIZE);
        db_array_add_bytes(&keys, key, MEMORY_KEY_SIZE);
        wanted[wanted_count++] = &texts[i];
    }
    if (wanted_count == 0)
        return 0;
    find.keys = keys;
    if (sql_memory_find(d->svc.db, req, &find, &found, err) < 0)
        return -1;
    for (size_t i = 0; i < found.count; i++) {
        const struct sql_memory_find_row *row = &found.items[i];
        size_t at = (size_t)row->place - 1;

        open_value(d, req, row->value, by[at], wanted[at]);
        wanted[at]->older = older;
        if (row->is_stale) {
            db_array_add_bytes(&stale, by[at], MEMORY_KEY_SIZE);
            stale_count++;
        }
    }
    return stale_count > 0 && !older ? note_use(d, req, &stale, err) : 0;
}

int memory_recall(struct botd *d, const struct request *req, const struct provider_call *call,
                  struct memory_text *texts, size_t count, struct error *err)
{
    const struct seal_keys *keys = &d->svc.seal;
    size_t last = seal_keys_hashing(keys, req->now_ms, UNUSED_LIFE);

    if (d->config->translation_memory_entries == 0)
        return 0;
    for (size_t i = 0; i < last; i++)
        if (recall_by(d, req, call, &keys->items[i].secret, i > 0, texts, count, err) < 0)
            return -1;
    return 0;
}

struct memory_rows memory_rows(struct botd *d, const struct request *req,
                               const struct memory_text *texts, size_t count)
{
    struct sealed *values = arena_calloc(req->arena, count, sizeof(*values));
    struct memory_rows rows = {
        .keys = db_array_new(req->arena, count, DB_ARRAY_BYTES(MEMORY_KEY_SIZE))};
    size_t size = 0;

    for (size_t i = 0; i < count && d->config->translation_memory_entries > 0; i++) {
        if (!texts[i].answer || (texts[i].recalled && !texts[i].older))
            continue;
        values[rows.count] =
            seal_value(req->arena, &d->svc.seal, value_purpose(req->arena, texts[i].key),
                       texts[i].answer, strlen(texts[i].answer));
        db_array_add_bytes(&rows.keys, texts[i].key, MEMORY_KEY_SIZE);
        size += DB_ARRAY_BYTES(values[rows.count++].size) + 1;
    }
    rows.values = db_array_new(req->arena, 1, size); /* their sizes differ widely */
    for (size_t i = 0; i < rows.count; i++)
        db_array_add_bytes(&rows.values, values[i].bytes, values[i].size);
    return rows;
}

int memory_trim(struct botd *d, const struct request *req, int64_t entries, int64_t bytes,
                struct error *err)
{
    int64_t entries_max = d->config->translation_memory_entries;
    int64_t bytes_max = d->config->translation_memory_size;

    for (int i = 0; i < TRIMS_MAX && (entries > entries_max || bytes > bytes_max); i++) {
        struct sql_memory_trim_in in = {
            .project = req->caller->project, .entries_max = entries_max, .bytes_max = bytes_max};
        struct sql_memory_trim_row left;
        int trimmed = sql_memory_trim(d->svc.db, req, &in, &left, err);

        if (trimmed <= 0)
            return trimmed;
        entries = left.entries;
        bytes = left.bytes;
    }
    return 0;
}

int memory_sweep(struct botd *d, const struct request *req, struct error *err)
{
    int64_t before_ms = req->now_ms - UNUSED_LIFE;

    for (int i = 0; i < SWEEP_PROJECTS; i++) {
        struct sql_memory_oldest_in before = {.before = before_ms};
        struct sql_memory_oldest_row oldest;
        int found = sql_memory_oldest(d->svc.db, req, &before, &oldest, err);

        if (found <= 0)
            return found;
        if (sql_memory_expire(d->svc.db, req,
                              &(struct sql_memory_expire_in){.project = oldest.project,
                                                             .before = before_ms,
                                                             .count = SWEEP_ROWS},
                              err) < 0)
            return -1;
    }
    return 0;
}
