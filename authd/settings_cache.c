/*
 * settings_cache.c - see settings_cache.h.
 */
#include "authd/settings_cache.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "authd/session/change.h"
#include "authd/sql/change.h"
#include "common/base/cache.h"
#include "common/base/clock.h"
#include "common/wire/codec.h"

/* ---- change number ---- */

struct change_item {
    struct batch_item item;
    const struct request *req;
    int64_t change;
};

static int read_change(void *owner, const struct batch_item *own, struct batch_item *const *items,
                       size_t count, int64_t deadline_mono_ms, struct error *err)
{
    const struct authd *d = owner;
    struct request req = *((const struct change_item *)own)->req;
    struct sql_settings_change_get_row row;

    req.deadline_mono_ms = deadline_mono_ms;
    if (sql_settings_change_get(d->svc.db, &req, &row, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (items[i])
            ((struct change_item *)items[i])->change = row.change;
    }
    return 0;
}

static const struct batch_kind change_batch = {
    .run = read_change, .items_max = BATCH_ITEMS_MAX, .running_max = 2};

/* ---- answers ---- */

struct answer {
    int64_t change;
    int64_t until_mono_ms;
    size_t size;
    uint8_t bytes[]; /* msgpack of the method's output */
};

/* Zeroes the answer, which may contain hashes of client secrets. */
static void answer_destroy(void *value)
{
    struct answer *self = value;

    sodium_memzero(self->bytes, self->size);
    free(self);
}

void settings_cache_open(struct authd *d)
{
    batch_init(&d->settings_changes, &change_batch, d->svc.loop, d);
    d->settings_cache = cache_new(SETTINGS_CACHE_MAX, answer_destroy);
}

void settings_cache_close(struct authd *d)
{
    cache_destroy(&d->settings_cache);
}

static struct cache_key key_of(const struct authd *d, const struct request *req,
                               const struct bus_method *method, const void *in)
{
    struct codec_buffer question;

    codec_buffer_init(&question, req->arena);
    codec_write(&question, method->operation, strlen(method->operation) + 1);
    fields_pack(method->input, in, &question);
    return cache_key_of_bytes(d->settings_cache, question.bytes, question.size);
}

static bool find(struct authd *d, const struct request *req, const struct bus_method *method,
                 const struct cache_key *key, int64_t change, void *out)
{
    const struct answer *answer = cache_get(d->settings_cache, key);
    struct error ignored;
    msgpack_object map;

    if (!answer || answer->change != change || clock_mono_ms() >= answer->until_mono_ms)
        return false;
    error_init(&ignored, req->arena);
    return codec_unpack(answer->bytes, answer->size, req->arena, &map, &ignored) == 0 &&
           fields_unpack(method->output, &map, req->arena, out, &ignored) == 0;
}

static void keep(struct authd *d, const struct request *req, const struct bus_method *method,
                 const struct cache_key *key, int64_t change, const void *out)
{
    struct codec_buffer packed;
    struct answer *answer;

    codec_buffer_init(&packed, req->arena);
    fields_pack(method->output, out, &packed);
    if (packed.size > SETTINGS_ANSWER_MAX)
        return;
    answer = malloc(sizeof(*answer) + packed.size);
    if (!answer)
        log_die("settings", "out of memory");
    *answer = (struct answer){.change = change,
                              .until_mono_ms = clock_mono_ms() + CHANGE_ANSWER_LIFE,
                              .size = packed.size};
    memcpy(answer->bytes, packed.bytes, packed.size);
    cache_put(d->settings_cache, key, answer);
}

/* ---- views ---- */

static int read_number(struct authd *d, const struct request *req, int64_t *ret, struct error *err)
{
    struct change_item last = {.req = req};

    if (batch_run(&d->settings_changes, &last.item, req->deadline_mono_ms, err) < 0)
        return -1;
    *ret = last.change;
    return 0;
}

int settings_view_compare(struct settings_view *view, int64_t change, struct error *err)
{
    if (!view || view->settled)
        return 0;
    if (view->change != change)
        return error_set(err, ERR_CONFLICT, "The settings have changed.");
    view->settled = true;
    return 0;
}

int settings_view_settle(struct authd *d, const struct request *req, struct settings_view *view,
                         struct error *err)
{
    int64_t change;

    if (!view || view->settled)
        return 0;
    return read_number(d, req, &change, err) < 0 ? -1 : settings_view_compare(view, change, err);
}

bool settings_view_again(struct settings_view *view, int result, struct error *err)
{
    bool failed = result < 0 && error_kind(err->code)->level < LOG_INFO;

    if (view->settled || !view->change || failed)
        return false;
    error_clear(err);
    *view = (struct settings_view){.reads = true};
    return true;
}

/* Returns the change number for which an answer must be valid. The first answer of a view sets its
 * guess to `kept`, the cached answer's number (0: none). Otherwise a different number settles the
 * guess. */
static int number_for(struct authd *d, const struct request *req, struct settings_view *view,
                      int64_t kept, int64_t *ret, struct error *err)
{
    if (!view)
        return read_number(d, req, ret, err);
    if (!view->change && kept && !view->reads) {
        view->change = kept;
    } else if (!view->change) {
        if (read_number(d, req, &view->change, err) < 0)
            return -1;
        view->settled = true;
    } else if (kept != view->change && settings_view_settle(d, req, view, err) < 0) {
        return -1;
    }
    *ret = view->change;
    return 0;
}

int settings_cache_call(struct authd *d, const struct request *req, struct settings_view *view,
                        const struct bus_method *method, const void *in, void *out,
                        struct error *err)
{
    const struct cache_key key = key_of(d, req, method, in);
    const struct answer *answer = cache_get(d->settings_cache, &key);
    int64_t change;

    if (number_for(d, req, view, answer ? answer->change : 0, &change, err) < 0)
        return -1;
    if (find(d, req, method, &key, change, out)) {
        ++*d->count.settings_kept;
        return 0;
    }
    if (settings_view_settle(d, req, view, err) < 0)
        return -1;
    ++*d->count.settings_asked;
    if (bus_call(d->svc.bus, method, req, in, out, err) < 0)
        return -1;
    keep(d, req, method, &key, change, out);
    return 0;
}
