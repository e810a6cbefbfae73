/*
 * trail_tree.c - reads trees' sizes, hashes and proofs, see trail.h.
 *
 * A proof is computed twice: first to collect the tiles it needs, then with these tiles, read in
 * one statement. Later growth keeps a tile's earlier hashes.
 */
#include <sodium.h>
#include <string.h>

#include "authd/sql/trail.h"
#include "authd/trail/trail.h"

enum { TILES_MAX = 64 }; /* per proof; 2^60 leaves need fewer */

int trail_size(struct authd *d, const struct request *req, struct uuid project, int64_t *ret,
               struct error *err)
{
    const struct sql_trail_tree_get_in in = {.project = project};
    struct sql_trail_tree_get_row row = {.size = 0};
    int found = sql_trail_tree_get(d->svc.db, req, &in, &row, err);

    *ret = found > 0 ? row.size : 0;
    return MIN(found, 0);
}

/* ---- tiles ---- */

struct tiles {
    struct merkle_tile *items[TILES_MAX];
    size_t count;
    struct arena *arena;
    bool learning; /* collects missing tiles */
};

static const struct merkle_tile *tile_find(void *arg, int level, int64_t index)
{
    struct tiles *self = arg;
    struct merkle_tile *tile;

    for (size_t i = 0; i < self->count; i++) {
        if (self->items[i]->level == level && self->items[i]->index == index)
            return self->items[i];
    }
    if (!self->learning || self->count == TILES_MAX)
        return NULL;
    tile = self->items[self->count++] = arena_alloc(self->arena, sizeof(*tile));
    *tile = (struct merkle_tile){.level = level, .index = index, .count = MERKLE_TILE_HASHES};
    return tile;
}

static int tiles_read(struct authd *d, const struct request *req, struct uuid project,
                      struct tiles *tiles, struct error *err)
{
    struct sql_trail_tile_list_in in = {.project = project,
                                        .levels = db_array_new(req->arena, tiles->count, 24),
                                        .tiles = db_array_new(req->arena, tiles->count, 24)};
    struct sql_trail_tile_list_rows rows;

    tiles->learning = false;
    for (size_t i = 0; i < tiles->count; i++) {
        db_array_add_int(&in.levels, tiles->items[i]->level);
        db_array_add_int(&in.tiles, tiles->items[i]->index);
        tiles->items[i]->count = 0;
    }
    if (sql_trail_tile_list(d->svc.db, req, &in, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++) {
        const struct merkle_tile *found =
            tile_find(tiles, (int)rows.items[i].level, rows.items[i].tile);
        size_t size = MIN(rows.items[i].hashes.size, sizeof(found->hashes));

        for (size_t k = 0; found && k < tiles->count; k++) {
            if (tiles->items[k] != found)
                continue;
            memcpy(tiles->items[k]->hashes, rows.items[i].hashes.bytes, size);
            tiles->items[k]->count = size / MERKLE_HASH_SIZE;
        }
    }
    return 0;
}

static int out_of_tree(struct error *err)
{
    return error_set(err, ERR_INTERNAL, "A tree of the audit log is incomplete.");
}

/* ---- proofs ---- */

int trail_root(struct authd *d, const struct request *req, struct uuid project, int64_t size,
               struct merkle_hash *ret, struct error *err)
{
    struct tiles tiles = {.arena = req->arena, .learning = true};

    if (merkle_root(size, tile_find, &tiles, ret) < 0)
        return out_of_tree(err);
    if (tiles.count == 0)
        return 0;
    if (tiles_read(d, req, project, &tiles, err) < 0)
        return -1;
    return merkle_root(size, tile_find, &tiles, ret) < 0 ? out_of_tree(err) : 0;
}

int trail_prove_leaf(struct authd *d, const struct request *req, struct uuid project, int64_t size,
                     int64_t index, struct merkle_proof *ret, struct error *err)
{
    struct tiles tiles = {.arena = req->arena, .learning = true};

    if (merkle_prove_leaf(size, index, tile_find, &tiles, ret) < 0)
        return out_of_tree(err);
    if (tiles_read(d, req, project, &tiles, err) < 0)
        return -1;
    return merkle_prove_leaf(size, index, tile_find, &tiles, ret) < 0 ? out_of_tree(err) : 0;
}

int trail_prove_tree(struct authd *d, const struct request *req, struct uuid project, int64_t size,
                     int64_t older, struct merkle_proof *ret, struct error *err)
{
    struct tiles tiles = {.arena = req->arena, .learning = true};

    if (merkle_prove_tree(size, older, tile_find, &tiles, ret) < 0)
        return error_problem(err, "from", "must be the size of an older checkpoint");
    if (tiles_read(d, req, project, &tiles, err) < 0)
        return -1;
    return merkle_prove_tree(size, older, tile_find, &tiles, ret) < 0 ? out_of_tree(err) : 0;
}

struct field_texts trail_proof_texts(struct arena *arena, const struct merkle_proof *proof)
{
    enum {
        TEXT_SIZE = sodium_base64_ENCODED_LEN(MERKLE_HASH_SIZE, sodium_base64_VARIANT_ORIGINAL)
    };
    struct field_texts texts = {arena_calloc(arena, proof->count + 1, sizeof(*texts.items)),
                                proof->count};

    for (size_t i = 0; i < proof->count; i++) {
        char *text = arena_alloc(arena, TEXT_SIZE);

        sodium_bin2base64(text, TEXT_SIZE, proof->hashes[i].bytes, MERKLE_HASH_SIZE,
                          sodium_base64_VARIANT_ORIGINAL);
        texts.items[i] = text;
    }
    return texts;
}

/* ---- leaves ---- */

int trail_leaf_find(struct authd *d, const struct request *req, struct uuid project,
                    const struct trail_place *place, int64_t *ret, struct error *err)
{
    const struct sql_trail_place_find_in find = {
        .project = project, .daemon = place->daemon, .sequence = place->sequence};
    struct sql_trail_place_find_row row;
    int found = sql_trail_place_find(d->svc.db, req, &find, &row, err);
    struct trail_place at;

    if (found < 0)
        return -1;
    for (size_t i = 0; found > 0 && i < row.places.size / TRAIL_PLACE_SIZE; i++) {
        trail_place_read(row.places.bytes + i * TRAIL_PLACE_SIZE, &at);
        if (at.daemon == place->daemon && at.sequence == place->sequence) {
            *ret = row.tile * MERKLE_TILE_HASHES + (int64_t)i;
            return 0;
        }
    }
    return error_set(err, ERR_NOT_FOUND, "Audit event not found.");
}
