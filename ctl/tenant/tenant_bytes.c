/* tenant_bytes.c - see tenant_bytes.h. */
#include "ctl/tenant/tenant_bytes.h"

#include <assert.h>
#include <jansson.h>
#include <string.h>

#include "common/base/clock.h"
#include "ctl/ctl_bus.h"
#include "docd/bytes_api.h"
#include "docd/docd_api.h"

enum {
    ID_SIZE = 36,
    OFFSET_SIZE = 8,
    HEAD_SIZE = TENANT_BYTES_HEAD,
    WHOLE_MS = MINUTES(15), /* reads a whole file */
};

static_assert(HEAD_SIZE == ID_SIZE + OFFSET_SIZE, "as tenant_bytes.h has it");

static int64_t read_offset(const uint8_t *row)
{
    uint64_t offset = 0;

    for (int i = 0; i < OFFSET_SIZE; i++)
        offset = offset << 8 | row[ID_SIZE + i];
    return offset > INT64_MAX ? -1 : (int64_t)offset;
}

static int read_head(const uint8_t *row, size_t size, struct tenant_bytes_place *ret,
                     struct error *err)
{
    char text[ID_SIZE + 1] = "";

    ret->offset = -1;
    if (size >= HEAD_SIZE && size - HEAD_SIZE <= TENANT_BYTES_MAX) {
        memcpy(text, row, ID_SIZE);
        ret->offset = read_offset(row);
    }
    return ret->offset < 0 || uuid_parse(text, &ret->object) < 0
               ? error_set(err, ERR_CONFLICT,
                           "a row of " TENANT_BYTES_TABLE " is of another release")
               : 0;
}

int tenant_bytes_behind(const uint8_t head[static TENANT_BYTES_HEAD], size_t size,
                        struct tenant_bytes_place *ret, struct error *err)
{
    if (read_head(head, size, ret, err) < 0)
        return -1;
    ret->offset += (int64_t)(size - HEAD_SIZE);
    return 0;
}

/* ---- reading ---- */

struct bytes_walk {
    struct ctl *ctl;
    struct uuid project;
    const struct tenant_sink *sink;
    struct progress *progress;
    struct arena *arena;
    int64_t pieces;
    struct tenant_bytes_place from; /* earlier rows are skipped */
};

static int get_piece(struct bytes_walk *self, struct uuid object, int64_t offset,
                     struct tenant_bytes_got *ret, struct error *err)
{
    const struct tenant_bytes_get_in in = {
        .projectId = self->project, .objectId = object, .offset = offset};

    arena_reset(self->arena);
    return ctl_bus_call(self->ctl->bus, self->arena, &docd_tenant_bytes_get_method, &in, ret, err);
}

static int hand_over(struct bytes_walk *self, struct uuid object, int64_t offset,
                     struct field_bytes piece, struct error *err)
{
    uint8_t *row = arena_alloc_raw(self->arena, HEAD_SIZE + piece.size);

    memcpy(row, object.text, ID_SIZE);
    for (int i = 0; i < OFFSET_SIZE; i++)
        row[ID_SIZE + i] = (uint8_t)((uint64_t)offset >> (8 * (OFFSET_SIZE - 1 - i)));
    if (piece.size > 0)
        memcpy(row + HEAD_SIZE, piece.bytes, piece.size);
    progress_count(self->progress, ++self->pieces, 0);
    return self->sink->row(self->sink->arg, row, HEAD_SIZE + piece.size, err);
}

static int walk_object(struct bytes_walk *self, struct uuid object, int64_t offset,
                       struct error *err)
{
    struct tenant_bytes_got piece;
    bool begun = offset > 0;

    do {
        if (get_piece(self, object, offset, &piece, err) < 0) {
            if (err->code != ERR_NOT_FOUND || begun)
                return -1;
            error_clear(err); /* the bytes are missing */
            return 0;
        }
        if (piece.bytes.size == 0 && piece.size > offset)
            return error_set(err, ERR_INTERNAL, "docd returned no bytes of %s", object.text);
        if (piece.bytes.size == 0 && begun)
            return 0;
        if (hand_over(self, object, offset, piece.bytes, err) < 0)
            return -1;
        begun = true;
        offset += (int64_t)piece.bytes.size;
    } while (offset < piece.size);
    return 0;
}

static int walk_document(void *arg, const void *row, size_t size, struct error *err)
{
    struct bytes_walk *self = arg;
    struct tenant_bytes_place from = self->from;
    json_auto_t *json = json_loadb(row, size, 0, NULL);
    const char *text = json_string_value(json_object_get(json, "object_id"));
    struct uuid object;

    if (!text)
        return 0;
    if (uuid_parse(text, &object) < 0)
        return error_set(err, ERR_INTERNAL, "docd already has a document with the object %s", text);
    if (!uuid_is_set(&from.object))
        return walk_object(self, object, 0, err);
    if (!uuid_equal(&from.object, &object))
        return 0;
    self->from.object = (struct uuid){""};
    return walk_object(self, object, from.offset, err);
}

int tenant_bytes_walk(struct ctl *ctl, struct uuid project, struct tenant_bytes_place from,
                      const struct tenant_sink *sink, struct progress *progress, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct bytes_walk self = {.ctl = ctl,
                              .project = project,
                              .sink = sink,
                              .progress = progress,
                              .arena = arena,
                              .from = from};
    const struct tenant_sink documents = {.table = NULL, .row = walk_document, .arg = &self};

    if (tenant_rows_table(ctl, project, "docd", "document", &documents, err) < 0)
        return -1;
    return uuid_is_set(&self.from.object)
               ? error_set(err, ERR_CONFLICT, "the document of the object %s was deleted",
                           from.object.text)
               : 0;
}

/* ---- adding ---- */

static int put(struct tenant_bytes_adder *self, struct tenant_bytes_put_in *in,
               struct tenant_bytes_put_out *ret, struct error *err)
{
    int64_t since = clock_mono_ms();
    struct request req;

    in->projectId = self->project;
    in->objectId = self->object;
    do {
        arena_reset(self->arena);
        req = ctl_bus_request(self->ctl->bus, self->arena);
        if (in->hash)
            req.deadline_mono_ms = clock_mono_ms() + WHOLE_MS;
        *ret = (struct tenant_bytes_put_out){.have = 0};
        if (docd_tenant_bytes_put(self->ctl->bus->bus, &req, in, ret, err) == 0)
            return 0;
    } while (ctl_bus_retry(self->ctl->bus, since, err) == 0);
    return -1;
}

static int begin(struct tenant_bytes_adder *self, struct uuid object, struct error *err)
{
    struct tenant_bytes_put_in in = {.offset = 0};
    struct tenant_bytes_put_out out;

    if (!self->arena)
        self->arena = arena_new();
    self->object = object;
    self->have = 0;
    crypto_generichash_init(&self->hash, NULL, 0, TENANT_BYTES_HASH / 2);
    self->skip = put(self, &in, &out, err) < 0;
    if (self->skip && err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    self->have = out.have;
    self->skip = self->skip || out.done;
    return 0;
}

int tenant_bytes_end(struct tenant_bytes_adder *self, struct error *err)
{
    uint8_t hash[TENANT_BYTES_HASH / 2];
    char text[TENANT_BYTES_HASH + 1];
    struct tenant_bytes_put_in in = {.offset = self->have, .hash = text};
    struct tenant_bytes_put_out out;

    if (!uuid_is_set(&self->object) || self->skip)
        return 0;
    crypto_generichash_final(&self->hash, hash, sizeof(hash));
    sodium_bin2hex(text, sizeof(text), hash, sizeof(hash));
    if (put(self, &in, &out, err) < 0)
        return -1;
    if (!out.done)
        return error_set(err, ERR_CONFLICT,
                         "docd lost bytes of %s that it had: run this command again",
                         self->object.text);
    self->files++;
    self->skip = true;
    return 0;
}

/* Adds a piece without the bytes that are stored already. */
static int put_piece(struct tenant_bytes_adder *self, int64_t offset, const uint8_t *bytes,
                     size_t size, struct error *err)
{
    int64_t there = MIN(MAX(self->have - offset, 0), (int64_t)size);
    struct tenant_bytes_put_in in = {.offset = offset + there,
                                     .bytes = {bytes + there, size - (size_t)there}};
    struct tenant_bytes_put_out out;

    crypto_generichash_update(&self->hash, bytes, size);
    if (self->skip || there == (int64_t)size)
        return 0;
    if (put(self, &in, &out, err) < 0)
        return -1;
    self->have = out.have;
    return self->have >= offset + (int64_t)size
               ? 0
               : error_set(err, ERR_CONFLICT,
                           "docd lacks bytes of %s before %lld: run this command again",
                           self->object.text, (long long)offset);
}

int tenant_bytes_add(struct tenant_bytes_adder *self, const void *row, size_t size,
                     struct error *err)
{
    struct tenant_bytes_place at;

    if (read_head(row, size, &at, err) < 0)
        return -1;
    if (!uuid_equal(&at.object, &self->object) &&
        (tenant_bytes_end(self, err) < 0 || begin(self, at.object, err) < 0))
        return -1;
    return put_piece(self, at.offset, (const uint8_t *)row + HEAD_SIZE, size - HEAD_SIZE, err);
}

void tenant_bytes_adder_wipe(struct tenant_bytes_adder *self)
{
    arena_destroy(&self->arena);
}
