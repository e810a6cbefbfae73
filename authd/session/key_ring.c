/*
 * key_ring.c - see key_ring.h.
 */
#include "authd/session/key_ring.h"

#include <sodium.h>
#include <string.h>

#include "authd/sql_part.h"

static struct jws_key **find_place(struct key_ring *ring, const char *kid)
{
    for (size_t i = 0; i < ring->count; i++) {
        if (ring->keys[i] && strcmp(ring->keys[i]->kid, kid) == 0)
            return &ring->keys[i];
    }
    return NULL;
}

struct jws_key *key_open_sealed(struct authd *d, struct arena *arena, const char *purpose,
                                const char *kid, const char *alg_name, struct field_bytes bytes,
                                struct error *err)
{
    const struct sealed sealed = {bytes.bytes, bytes.size};
    struct jws_key *key = NULL;
    uint8_t *der = NULL;
    size_t size = 0;
    enum jws_alg alg;

    if (jws_alg_parse(alg_name, &alg) == 0 &&
        seal_open(arena, &d->svc.seal, purpose, sealed, &der, &size) == 0) {
        key = jws_key_parse(alg, der, size);
        sodium_memzero(der, size);
    }
    if (!key) {
        (void)error_set(err, ERR_INTERNAL, "A signing key cannot be opened.");
        (void)error_detail(err, "kid %s: sealed with another seal_key?", kid);
    }
    return key;
}

static int open_new(struct authd *d, struct arena *arena, const char *purpose,
                    const struct sql_key_read_rows *rows, struct key_ring *known,
                    struct key_ring *next, struct error *err)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct sql_key_read_row *row = &rows->items[i];

        next->count++;
        if (find_place(known, row->kid))
            continue;
        next->keys[i] =
            key_open_sealed(d, arena, purpose, row->kid, row->alg, row->private_sealed, err);
        if (!next->keys[i])
            return -1;
    }
    return 0;
}

int key_ring_read(struct authd *d, const struct request *req, const struct db_statement *statement,
                  const char *purpose, struct key_ring *ring, struct error *err)
{
    const struct sql_key_read_in in = {.now = req->now_ms, .most = KEYS_MAX};
    struct sql_key_read_rows rows;
    struct key_ring next = {.count = 0};

    if (sql_key_read(d->svc.db, req, statement, &in, &rows, err) < 0)
        return -1;
    if (open_new(d, req->arena, purpose, &rows, ring, &next, err) < 0) {
        key_ring_clear(&next);
        return -1;
    }
    for (size_t i = 0; i < next.count; i++) {
        if (!next.keys[i])
            next.keys[i] = TAKE_PTR(*find_place(ring, rows.items[i].kid));
        next.keys[i]->created_at = rows.items[i].created_at;
        next.keys[i]->active_at = rows.items[i].active_at;
        next.keys[i]->retire_at = rows.items[i].retire_at;
    }
    key_ring_clear(ring);
    *ring = next;
    return 0;
}

void key_ring_clear(struct key_ring *ring)
{
    for (size_t i = 0; i < ring->count; i++)
        jws_key_destroy(&ring->keys[i]);
    ring->count = 0;
}

const struct jws_key *key_ring_find(struct key_ring *ring, const char *kid)
{
    struct jws_key **place = find_place(ring, kid);

    return place ? *place : NULL;
}

const struct jws_key *key_ring_current(const struct key_ring *ring, enum jws_alg alg,
                                       int64_t now_ms)
{
    const struct jws_key *oldest = NULL;

    for (size_t i = 0; i < ring->count; i++) {
        if (ring->keys[i]->alg != alg)
            continue;
        if (ring->keys[i]->active_at <= now_ms)
            return ring->keys[i];
        oldest = ring->keys[i];
    }
    return oldest;
}
