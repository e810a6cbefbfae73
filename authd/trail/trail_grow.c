/*
 * trail_grow.c - adds rows that daemons have sealed to projects' trees, see trail.h.
 *
 * One transaction adds a page of a daemon's leaves: it reads the sizes and edge tiles of their
 * trees, adds the leaves in memory, and writes the changes, one statement per table. For authd's
 * own log, it also counts sign-ins by hour.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "authd/sql/trail.h"
#include "authd/trail/trail.h"
#include "common/service/audit_leaf.h"

enum {
    GROW_MS = 10000, /* per page */
    OWN = 0,         /* authd's index in trail_daemons */
};

const char *const trail_daemons[TRAIL_DAEMONS] = {"authd", "settingsd", "maild", "docd", "botd"};

static void trail_place_write(const struct trail_place *place, uint8_t ret[static TRAIL_PLACE_SIZE])
{
    uint64_t sequence = htobe64((uint64_t)place->sequence);

    ret[0] = (uint8_t)place->daemon;
    memcpy(ret + 1, &sequence, sizeof(sequence));
}

void trail_place_read(const uint8_t bytes[static TRAIL_PLACE_SIZE], struct trail_place *ret)
{
    uint64_t sequence;

    memcpy(&sequence, bytes + 1, sizeof(sequence));
    ret->daemon = bytes[0];
    ret->sequence = (int64_t)be64toh(sequence);
}

/* ---- changes ---- */

struct tile_write {
    const char *project;
    int level;
    int64_t tile, top_at;
    struct field_bytes hashes, places;
};

struct written_place {
    const char *project;
    int64_t sequence, tile;
};

struct tree_write {
    const char *project;
    int64_t size;
};

struct writes {
    struct tile_write *tiles;
    struct written_place *places;
    struct tree_write *trees;
    size_t tile_count, places_count, tree_count;
};

static struct writes writes_new(struct arena *arena, size_t leaves)
{
    return (struct writes){
        /* a tile per leaf, if all projects differ, and one more per full tile */
        .tiles = arena_calloc(arena, 3 * leaves + MERKLE_LEVELS_MAX, sizeof(struct tile_write)),
        .places = arena_calloc(arena, leaves, sizeof(struct written_place)),
        .trees = arena_calloc(arena, leaves, sizeof(struct tree_write)),
    };
}

/* ---- one tree ---- */

struct growth {
    struct arena *arena;
    struct writes *writes;
    const char *project;
    int daemon;
    struct merkle_edge edge;
    uint8_t places[MERKLE_TILE_HASHES * TRAIL_PLACE_SIZE]; /* for the last tile of level 0 */
    bool has_daemon; /* the last tile of level 0 has a leaf of this daemon */
    int64_t top_at;
    int changed; /* levels with a changed last tile */
};

static struct field_bytes copied(struct arena *arena, const void *bytes, size_t size)
{
    return (struct field_bytes){arena_memdup(arena, bytes, size), size};
}

static void write_tile(struct growth *self, const struct merkle_tile *tile)
{
    self->writes->tiles[self->writes->tile_count++] = (struct tile_write){
        .project = self->project,
        .level = tile->level,
        .tile = tile->index,
        .top_at = tile->level == 0 ? self->top_at : 0,
        .hashes = copied(self->arena, tile->hashes, tile->count * MERKLE_HASH_SIZE),
        .places = copied(self->arena, self->places,
                         tile->level == 0 ? tile->count * TRAIL_PLACE_SIZE : 0),
    };
}

static void on_full(void *arg, const struct merkle_tile *tile)
{
    struct growth *self = arg;

    write_tile(self, tile);
    if (tile->level == 0)
        self->has_daemon = false;
    self->changed = MAX(self->changed, tile->level + 2);
}

static void add_leaf(struct growth *self, const struct audit_leaf *leaf)
{
    const struct merkle_tile *tile = &self->edge.tiles[0];
    const struct trail_place place = {self->daemon, leaf->sequence};

    if (!self->has_daemon)
        self->writes->places[self->writes->places_count++] =
            (struct written_place){self->project, leaf->sequence, tile->index};
    self->has_daemon = true;
    trail_place_write(&place, self->places + tile->count * TRAIL_PLACE_SIZE);
    self->top_at = MAX(self->top_at, leaf->at);
    self->changed = MAX(self->changed, 1);
    merkle_append(&self->edge, &leaf->hash, on_full, self);
}

/* Writes the tiles that are not full. */
static void finish(struct growth *self)
{
    for (int level = 0; level < self->changed && level < MERKLE_LEVELS_MAX; level++) {
        if (self->edge.tiles[level].count > 0)
            write_tile(self, &self->edge.tiles[level]);
    }
    self->writes->trees[self->writes->tree_count++] =
        (struct tree_write){self->project, self->edge.size};
}

/* ---- trees ---- */

/* A daemon's leaves, by project and sequence. */
struct page {
    int daemon;
    struct audit_leaf *leaves;
    size_t count;
    struct sql_trail_tree_list_rows trees;
    struct sql_trail_edge_list_rows edges;
    size_t tree, edge; /* the current project's first rows */
};

static int by_project(const void *a, const void *b)
{
    const struct audit_leaf *x = a, *y = b;
    int order = strcmp(x->project.text, y->project.text);

    return order != 0 ? order : x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static void page_open(struct page *self, struct arena *arena, int daemon, struct field_bytes leaves)
{
    *self = (struct page){.daemon = daemon, .count = leaves.size / AUDIT_LEAF_SIZE};
    self->leaves = arena_calloc(arena, self->count + 1, sizeof(*self->leaves));
    for (size_t i = 0; i < self->count; i++)
        audit_leaf_read(leaves.bytes + i * AUDIT_LEAF_SIZE, &self->leaves[i]);
    qsort(self->leaves, self->count, sizeof(*self->leaves), by_project);
}

static bool begins_project(const struct page *self, size_t i)
{
    return i == 0 || !uuid_equal(&self->leaves[i].project, &self->leaves[i - 1].project);
}

static int read_trees(struct page *self, struct db_tx *tx, const struct request *req,
                      struct error *err)
{
    struct sql_trail_tree_list_in in = {
        .projects = db_array_new(req->arena, self->count, sizeof(struct uuid))};

    for (size_t i = 0; i < self->count; i++) {
        if (begins_project(self, i))
            db_array_add(&in.projects, self->leaves[i].project.text);
    }
    return sql_trail_tree_list(tx, req, &in, &self->trees, err) < 0 ? -1 : 0;
}

/* Reads the trees' edges, and the tile before an empty last tile of level 0, for its time. */
static int read_edges(struct page *self, struct db_tx *tx, const struct request *req,
                      struct error *err)
{
    size_t most = self->trees.count * (MERKLE_LEVELS_MAX + 1);
    struct sql_trail_edge_list_in in = {.projects =
                                            db_array_new(req->arena, most, sizeof(struct uuid)),
                                        .levels = db_array_new(req->arena, most, 24),
                                        .tiles = db_array_new(req->arena, most, 24)};

    for (size_t i = 0; i < self->trees.count; i++) {
        int64_t rest = self->trees.items[i].size;

        for (int level = 0; rest > 0; level++, rest >>= MERKLE_TILE_BITS) {
            bool empty = (rest & (MERKLE_TILE_HASHES - 1)) == 0;

            if (empty && level > 0)
                continue;
            db_array_add(&in.projects, self->trees.items[i].project.text);
            db_array_add_int(&in.levels, level);
            db_array_add_int(&in.tiles, (rest >> MERKLE_TILE_BITS) - (empty ? 1 : 0));
        }
    }
    return sql_trail_edge_list(tx, req, &in, &self->edges, err) < 0 ? -1 : 0;
}

/* Returns -1 if the row contradicts the tree's size. */
static int edge_fill(struct growth *growth, const struct sql_trail_edge_list_row *row)
{
    struct merkle_tile *tile = &growth->edge.tiles[row->level];
    struct trail_place place;

    if (row->level == 0)
        growth->top_at = row->top_at;
    if (row->tile != tile->index)
        return row->level == 0 && tile->count == 0 ? 0 : -1;
    if (row->hashes.size != tile->count * MERKLE_HASH_SIZE ||
        (row->level == 0 && row->places.size != tile->count * TRAIL_PLACE_SIZE))
        return -1;
    memcpy(tile->hashes, row->hashes.bytes, row->hashes.size);
    for (size_t i = 0; row->level == 0 && i < tile->count; i++) {
        memcpy(growth->places + i * TRAIL_PLACE_SIZE, row->places.bytes + i * TRAIL_PLACE_SIZE,
               TRAIL_PLACE_SIZE);
        trail_place_read(growth->places + i * TRAIL_PLACE_SIZE, &place);
        growth->has_daemon = growth->has_daemon || place.daemon == growth->daemon;
    }
    return 0;
}

static int growth_open(struct page *page, const struct uuid *project, struct growth *ret,
                       struct error *err)
{
    const struct sql_trail_tree_list_row *tree = &page->trees.items[page->tree];
    bool known = page->tree < page->trees.count && uuid_equal(&tree->project, project);

    ret->project = project->text;
    ret->daemon = page->daemon;
    ret->has_daemon = false;
    ret->top_at = ret->changed = 0;
    merkle_edge_open(&ret->edge, known ? tree->size : 0);
    page->tree += known;
    for (; page->edge < page->edges.count &&
           uuid_equal(&page->edges.items[page->edge].project, project);
         page->edge++) {
        if (edge_fill(ret, &page->edges.items[page->edge]) < 0)
            return error_set(err, ERR_INTERNAL, "A tree of the audit log is incomplete.");
    }
    return 0;
}

static int grow_trees(struct page *page, struct arena *arena, struct writes *writes,
                      struct error *err)
{
    struct growth *growth = arena_alloc(arena, sizeof(*growth));

    *growth = (struct growth){.arena = arena, .writes = writes};
    for (size_t i = 0; i < page->count; i++) {
        if (begins_project(page, i) && growth_open(page, &page->leaves[i].project, growth, err) < 0)
            return -1;
        add_leaf(growth, &page->leaves[i]);
        if (i + 1 == page->count || begins_project(page, i + 1))
            finish(growth);
    }
    return 0;
}

/* ---- writing ---- */

static int write_tiles(struct db_tx *tx, const struct request *req, const struct writes *writes,
                       struct error *err)
{
    enum {
        HASHES = MERKLE_TILE_HASHES * MERKLE_HASH_SIZE, /* the statement's widths */
        PLACES = MERKLE_TILE_HASHES * TRAIL_PLACE_SIZE,
    };
    size_t count = writes->tile_count;
    uint8_t *hashes = arena_alloc(req->arena, count * HASHES);
    uint8_t *places = arena_alloc(req->arena, count * PLACES);
    struct sql_trail_tile_put_in in = {.projects =
                                           db_array_new(req->arena, count, sizeof(struct uuid)),
                                       .levels = db_array_new(req->arena, count, 24),
                                       .tiles = db_array_new(req->arena, count, 24),
                                       .hash_sizes = db_array_new(req->arena, count, 24),
                                       .leaf_sizes = db_array_new(req->arena, count, 24),
                                       .top_ats = db_array_new(req->arena, count, 24),
                                       .hashes = {hashes, count * HASHES},
                                       .places = {places, count * PLACES}};

    for (size_t i = 0; i < count; i++) {
        const struct tile_write *tile = &writes->tiles[i];

        db_array_add(&in.projects, tile->project);
        db_array_add_int(&in.levels, tile->level);
        db_array_add_int(&in.tiles, tile->tile);
        db_array_add_int(&in.hash_sizes, (int64_t)tile->hashes.size);
        db_array_add_int(&in.leaf_sizes, (int64_t)tile->places.size);
        db_array_add_int(&in.top_ats, tile->top_at);
        memcpy(hashes + i * HASHES, tile->hashes.bytes, tile->hashes.size);
        memcpy(places + i * PLACES, tile->places.bytes, tile->places.size);
    }
    return sql_trail_tile_put(tx, req, &in, err) < 0 ? -1 : 0;
}

static int write_places(struct db_tx *tx, const struct request *req, const struct writes *writes,
                        int daemon, struct error *err)
{
    struct sql_trail_place_put_in in = {
        .daemon = daemon,
        .projects = db_array_new(req->arena, writes->places_count, sizeof(struct uuid)),
        .sequences = db_array_new(req->arena, writes->places_count, 24),
        .tiles = db_array_new(req->arena, writes->places_count, 24)};

    for (size_t i = 0; i < writes->places_count; i++) {
        db_array_add(&in.projects, writes->places[i].project);
        db_array_add_int(&in.sequences, writes->places[i].sequence);
        db_array_add_int(&in.tiles, writes->places[i].tile);
    }
    return sql_trail_place_put(tx, req, &in, err) < 0 ? -1 : 0;
}

static int write_trees(struct db_tx *tx, const struct request *req, const struct writes *writes,
                       struct error *err)
{
    struct sql_trail_tree_put_in in = {.projects = db_array_new(req->arena, writes->tree_count,
                                                                sizeof(struct uuid)),
                                       .sizes = db_array_new(req->arena, writes->tree_count, 24)};

    for (size_t i = 0; i < writes->tree_count; i++) {
        db_array_add(&in.projects, writes->trees[i].project);
        db_array_add_int(&in.sizes, writes->trees[i].size);
    }
    return sql_trail_tree_put(tx, req, &in, err) < 0 ? -1 : 0;
}

static int count_sign_ins(struct db_tx *tx, const struct request *req, int64_t after, int64_t last,
                          struct error *err)
{
    const struct sql_sign_in_count_in in = {.after = after, .last = last};

    return sql_sign_in_count(tx, req, &in, err) < 0 ? -1 : 0;
}

/* Adds a page of a daemon's leaves. *ret_done: this instance added it; false: another one adds or
 * has added it. */
static int grow_page(struct authd *d, const struct request *req, int daemon, int64_t after,
                     const struct audit_leaves_out *leaves, bool *ret_done, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_trail_source_put_in put = {
        .daemon = trail_daemons[daemon], .before = after, .sequence = leaves->sequence};
    struct writes writes = writes_new(req->arena, leaves->leaves.size / AUDIT_LEAF_SIZE);
    struct page page;
    int found;

    *ret_done = false;
    page_open(&page, req->arena, daemon, leaves->leaves);
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        (found = sql_trail_lock(tx, req, err)) < 0)
        return -1;
    if (found == 0)
        return 0;
    found = sql_trail_source_put(tx, req, &put, err);
    if (found <= 0) /* another instance added the page */
        return found;
    if (page.count > 0 &&
        (read_trees(&page, tx, req, err) < 0 || read_edges(&page, tx, req, err) < 0 ||
         grow_trees(&page, req->arena, &writes, err) < 0 ||
         write_tiles(tx, req, &writes, err) < 0 ||
         write_places(tx, req, &writes, daemon, err) < 0 || write_trees(tx, req, &writes, err) < 0))
        return -1;
    if (daemon == OWN && count_sign_ins(tx, req, after, leaves->sequence, err) < 0)
        return -1;
    *ret_done = true;
    return db_commit(&tx, err);
}

/* ---- reading ---- */

static int read_leaves(struct authd *d, const struct request *req, int daemon,
                       const struct audit_leaves_in *in, struct audit_leaves_out *ret,
                       struct error *err)
{
    const struct bus_method method = audit_leaves_method(trail_daemons[daemon]);

    if (daemon == OWN)
        return audit_leaves(&d->svc, req, in, ret, err);
    return bus_call(d->svc.bus, &method, req, in, ret, err);
}

/* Adds the next page of a daemon's leaves. *ret_more: there are further pages. */
static int grow_next(struct authd *d, const struct request *round, int daemon, bool *ret_more,
                     struct error *err)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    const struct sql_trail_source_get_in get = {.daemon = trail_daemons[daemon]};
    struct sql_trail_source_get_row row = {.sequence = 0};
    struct audit_leaves_out leaves = {.sequence = 0};
    struct audit_leaves_in in = {.after = 0};
    struct request req = *round;
    bool done;

    *ret_more = false;
    req.arena = scratch;
    req.deadline_mono_ms = MAX(req.deadline_mono_ms, clock_mono_ms() + GROW_MS);
    if (sql_trail_source_get(d->svc.db, &req, &get, &row, err) < 0)
        return -1;
    in.after = row.sequence;
    if (read_leaves(d, &req, daemon, &in, &leaves, err) < 0)
        return -1;
    if (leaves.sequence <= in.after)
        return 0;
    if (grow_page(d, &req, daemon, in.after, &leaves, &done, err) < 0)
        return -1;
    *ret_more = done && leaves.sequence < leaves.end;
    return 0;
}

/* Adds new leaves of all daemons. A daemon that does not answer delays the others only in this
 * round. */
int trail_grow(void *daemon, const struct request *req, struct error *err)
{
    struct authd *d = daemon;
    int result = 0;

    for (int i = 0; i < TRAIL_DAEMONS; i++) {
        bool more = i == 0 || bus_has_peer(d->svc.bus, trail_daemons[i]);

        while (more && !d->svc.stopping) {
            if (result < 0)
                error_clear(err);
            if (grow_next(d, req, i, &more, err) < 0) {
                result = -1;
                break;
            }
        }
    }
    return result;
}
