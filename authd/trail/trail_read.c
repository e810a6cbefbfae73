/*
 * trail_read.c - a project's audit log for its admins, and each person's own rows. Handlers:
 * project_audit, project_audit_checkpoint, project_audit_proof, activity.
 *
 * A list walks the tree's leaves backwards, a bounded number per request. Tiles say which daemons
 * have the rows, each daemon filters its own, and the results are merged in the order of leaves.
 */
#include <string.h>

#include "authd/session/address_key.h"
#include "authd/sql/trail.h"
#include "authd/trail/trail.h"
#include "authd/trail/trail_api.h"
#include "common/service/audit_fhir.h"
#include "common/service/audit_leaf.h"
#include "common/service/page_cursor.h"
#include "common/wire/codec.h"

enum {
    STEP_TILES = 32, /* per statement: 1,024 leaves */
    WALK_TILES = 64, /* per request */
    PAGE_MAX = 100,
};

#define LATE_MS DAYS(1) /* maximum from a row's time to its leaf, with sane clocks */

/* ---- leaves ---- */

/* A filter and its results, newest first. */
struct search {
    struct uuid project;
    struct audit_rows_in want;
    int64_t count, below; /* below: index from which on all leaves are done */
    bool ended;
    struct found {
        int64_t index;
        int daemon;
        struct audit_record record, shown; /* shown: with opened addresses */
    } found[PAGE_MAX + 1];
    size_t found_count;
};

/* The leaves of some tiles, last first, and daemons' matching rows. */
struct step {
    struct sql_trail_leaf_list_rows tiles;
    struct audit_rows_out rows[TRAIL_DAEMONS];
    size_t next[TRAIL_DAEMONS];
    int64_t first[TRAIL_DAEMONS], last[TRAIL_DAEMONS]; /* sequences; last 0: none */
};

static int read_rows(struct authd *d, const struct request *req, int daemon,
                     const struct audit_rows_in *in, struct audit_rows_out *ret, struct error *err)
{
    const struct bus_method method = audit_rows_method(trail_daemons[daemon]);

    if (daemon == 0) /* authd */
        return audit_rows(&d->svc, req, in, ret, err);
    return bus_call(d->svc.bus, &method, req, in, ret, err);
}

/* Calls `each` for leaves below search->below, last first, until it returns false. */
static void each_leaf(struct step *step, struct search *search,
                      bool (*each)(struct step *step, struct search *search, int64_t index,
                                   const struct trail_place *place))
{
    for (size_t t = 0; t < step->tiles.count; t++) {
        const struct sql_trail_leaf_list_row *tile = &step->tiles.items[t];

        for (size_t i = tile->places.size / TRAIL_PLACE_SIZE; i > 0; i--) {
            int64_t index = tile->tile * MERKLE_TILE_HASHES + (int64_t)i - 1;
            struct trail_place place;

            trail_place_read(tile->places.bytes + (i - 1) * TRAIL_PLACE_SIZE, &place);
            if (index < search->below && place.daemon < TRAIL_DAEMONS &&
                !each(step, search, index, &place))
                return;
        }
    }
}

static bool note_range(struct step *step, struct search *search UNUSED, int64_t index UNUSED,
                       const struct trail_place *place)
{
    if (step->last[place->daemon] == 0)
        step->last[place->daemon] = place->sequence;
    step->first[place->daemon] = place->sequence;
    return true;
}

/* Takes the row that was found for this leaf, if any. Rows are in the order of leaves, so the next
 * row is for this leaf or an older one. */
static bool take_found(struct step *step, struct search *search, int64_t index,
                       const struct trail_place *place)
{
    const struct audit_rows_out *rows = &step->rows[place->daemon];
    const struct audit_record *row = rows->rows.items;
    size_t *next = &step->next[place->daemon];

    search->below = index;
    while (*next < rows->rows.count && row[*next].sequence > place->sequence)
        (*next)++;
    if (*next < rows->rows.count && row[*next].sequence == place->sequence)
        search->found[search->found_count++] =
            (struct found){.index = index, .daemon = place->daemon, .record = row[(*next)++]};
    return search->found_count <= (size_t)search->count;
}

static int step_read(struct authd *d, const struct request *req, struct search *search,
                     struct error *err)
{
    const struct sql_trail_leaf_list_in list = {.project = search->project,
                                                .before = (search->below + MERKLE_TILE_HASHES - 1) /
                                                          MERKLE_TILE_HASHES,
                                                .most = STEP_TILES};
    struct step *step = arena_calloc(req->arena, 1, sizeof(*step));
    size_t count;

    if (sql_trail_leaf_list(d->svc.db, req, &list, &step->tiles, err) < 0)
        return -1;
    count = step->tiles.count;
    if (count == 0 ||
        (search->want.since > 0 && step->tiles.items[0].top_at < search->want.since)) {
        search->ended = true;
        return 0;
    }
    each_leaf(step, search, note_range);
    for (int i = 0; i < TRAIL_DAEMONS; i++) {
        struct audit_rows_in in = search->want;

        in.project = search->project;
        in.first = step->first[i];
        in.last = step->last[i];
        in.most = search->count + 1; /* one row more than a page */
        if (in.last > 0 && read_rows(d, req, i, &in, &step->rows[i], err) < 0)
            return -1;
    }
    each_leaf(step, search, take_found);
    search->ended = search->below == 0 && search->found_count <= (size_t)search->count;
    return 0;
}

/* Bisects for the leaves after which all rows are newer than `until`, because tiles' latest times
 * only increase. */
static int seek_until(struct authd *d, const struct request *req, struct uuid project,
                      int64_t until, int64_t *below, struct error *err)
{
    int64_t low = 0, high = (*below + MERKLE_TILE_HASHES - 1) / MERKLE_TILE_HASHES;

    while (low < high) {
        const struct sql_trail_top_get_in get = {.project = project, .tile = (low + high) / 2};
        struct sql_trail_top_get_row row = {.top_at = INT64_MAX};

        if (sql_trail_top_get(d->svc.db, req, &get, &row, err) < 0)
            return -1;
        if (row.top_at > until)
            high = get.tile;
        else
            low = get.tile + 1;
    }
    *below = MIN(*below, (low + 1) * MERKLE_TILE_HASHES);
    return 0;
}

/* Runs a search. *ret_next: the next page's cursor; NULL: the end. */
static int search_run(struct authd *d, const struct request *req, struct search *search,
                      const char *key, const char *cursor, const char **ret_next, struct error *err)
{
    struct page_cursor at;
    int64_t size;

    *ret_next = NULL;
    if (page_cursor_read(req->arena, &d->svc.seal, key, req->now_ms, cursor, &at, err) < 0 ||
        trail_size(d, req, search->project, &size, err) < 0)
        return -1;
    search->below = cursor ? MIN(at.phase, size) : size;
    if (!cursor && search->want.until > 0 && search->want.until < INT64_MAX - LATE_MS &&
        seek_until(d, req, search->project, search->want.until + LATE_MS, &search->below, err) < 0)
        return -1;
    for (int walked = 0; !search->ended && walked < WALK_TILES &&
                         search->found_count <= (size_t)search->count && search->below > 0;
         walked += STEP_TILES) {
        if (step_read(d, req, search, err) < 0)
            return -1;
    }
    if (search->found_count > (size_t)search->count)
        search->below = search->found[search->found_count = (size_t)search->count].index + 1;
    else if (search->ended || search->below == 0)
        return 0;
    at = page_cursor_start;
    at.phase = search->below;
    *ret_next = page_cursor_new(req->arena, &d->svc.seal, key, req->now_ms, &at);
    return 0;
}

static int show_addresses(struct authd *d, const struct request *req, struct search *search,
                          struct error *err)
{
    struct audit_record *shown[PAGE_MAX + 1];

    for (size_t i = 0; i < search->found_count; i++) {
        search->found[i].shown = search->found[i].record;
        shown[i] = &search->found[i].shown;
    }
    return addresses_show(d, req, shown, search->found_count, err);
}

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

/* ---- project ---- */

/* The person that a filter names; NULL: unknown, or no person. */
struct named_person {
    const char *account, *profile;
};

/* Finds the person that a filter names. A former member is found only by account id. */
static int find_named(struct authd *d, const struct request *req, const char *name,
                      struct named_person *ret, struct error *err)
{
    static const char *const types[] = {"Account/", "Patient/", "Practitioner/"};
    struct sql_trail_person_find_in find = {.project = req->caller->project};
    struct sql_trail_person_find_row row;
    struct uuid id;
    int found;

    *ret = (struct named_person){NULL, NULL};
    for (size_t i = 0; name && i < ARRAY_SIZE(types); i++) {
        size_t length = strlen(types[i]);

        if (strncmp(name, types[i], length) != 0 || uuid_parse(name + length, &id) < 0)
            continue;
        *(i == 0 ? &find.account : &find.profile) = id;
    }
    if (!uuid_is_set(&find.account) && !uuid_is_set(&find.profile))
        return 0;
    found = sql_trail_person_find(d->svc.db, req, &find, &row, err);
    if (found > 0)
        *ret = (struct named_person){arena_strdup(req->arena, row.account.text), row.profile};
    else if (uuid_is_set(&find.account))
        ret->account = arena_strdup(req->arena, find.account.text);
    return found < 0 ? -1 : 0;
}

static void add_account(struct db_array *accounts, const char *id)
{
    struct uuid account;

    if (id && uuid_parse(id, &account) == 0)
        db_array_add(accounts, account.text);
}

/* Reads the project's members that the events or the filter name. */
static int name_people(struct authd *d, const struct request *req, const struct search *search,
                       const struct named_person *actor, const struct named_person *target,
                       struct field_list *ret, struct error *err)
{
    struct sql_trail_people_list_in list = {
        .project = search->project,
        .accounts = db_array_new(req->arena, 2 * search->found_count + 2, sizeof(struct uuid)),
        .now = req->now_ms};

    add_account(&list.accounts, actor->account);
    add_account(&list.accounts, target->account);
    for (size_t i = 0; i < search->found_count; i++) {
        json_auto_t *event =
            json_loads(search->found[i].record.event, JSON_REJECT_DUPLICATES, NULL);
        const json_t *agent = json_object_get(event, "agent");

        add_account(&list.accounts, json_string_value(json_object_get(event, "account")));
        add_account(&list.accounts, json_string_value(json_object_get(agent, "account")));
    }
    return MIN(sql_trail_people_list(d->svc.db, req, &list, ret, err), 0);
}

int project_audit(struct authd *d, const struct request *req, const struct project_audit_in *in,
                  struct project_audit_list *out, struct error *err)
{
    struct search *search = arena_calloc(req->arena, 1, sizeof(*search));
    const char *key =
        arena_printf(req->arena, "audit %s %lld %lld %s %s %s", req->caller->project.text,
                     (long long)in->since, (long long)in->until, or_dash(in->actor),
                     or_dash(in->action), or_dash(in->target));
    struct named_person actor, target;
    json_auto_t *list = json_array();

    if (find_named(d, req, in->actor, &actor, err) < 0 ||
        find_named(d, req, in->target, &target, err) < 0)
        return -1;
    search->project = req->caller->project;
    search->count = in->_count;
    search->want = (struct audit_rows_in){.since = in->since,
                                          .until = in->until,
                                          .actor = in->actor,
                                          .actorAccount = actor.account,
                                          .action = in->action,
                                          .target = in->target,
                                          .targetAccount = target.account,
                                          .targetProfile = target.profile};
    if (search_run(d, req, search, key, in->_cursor, &out->next, err) < 0 ||
        show_addresses(d, req, search, err) < 0 ||
        (in->people && name_people(d, req, search, &actor, &target, &out->people, err) < 0))
        return -1;
    for (size_t i = 0; i < search->found_count; i++)
        json_array_append_new(list, audit_fhir_event(trail_daemons[search->found[i].daemon],
                                                     &search->found[i].shown, req->arena));
    out->resources = codec_dump_json(req->arena, list);
    return 0;
}

/* Returns the checkpoint and, with `from`, the proof that the older tree is a prefix. */
int project_audit_checkpoint(struct authd *d, const struct request *req,
                             const struct project_audit_checkpoint_in *in,
                             struct project_audit_checkpoint *out, struct error *err)
{
    struct uuid project = request_project(req);
    struct merkle_proof proof = {.count = 0};

    if (trail_size(d, req, project, &out->size, err) < 0 ||
        (in->from > 0 && trail_prove_tree(d, req, project, out->size, in->from, &proof, err) < 0) ||
        trail_checkpoint(d, req, project, out->size, &out->checkpoint, &out->verifierKey, err) < 0)
        return -1;
    out->consistency = trail_proof_texts(req->arena, &proof);
    return 0;
}

static int parse_id(const char *id, struct trail_place *ret, struct error *err)
{
    for (int i = 0; i < TRAIL_DAEMONS; i++) {
        size_t length = strlen(trail_daemons[i]);
        char *end = NULL;

        if (strncmp(id, trail_daemons[i], length) != 0 || id[length] != '-' ||
            id[length + 1] < '1' || id[length + 1] > '9')
            continue;
        *ret = (struct trail_place){i, strtoll(id + length + 1, &end, 10)};
        if (*end == '\0' && ret->sequence < INT64_MAX)
            return 0;
    }
    return error_set(err, ERR_NOT_FOUND, "Audit event not found.");
}

/* Reads a row as it was hashed. *ret is NULL if the row was deleted. */
static int read_record(struct authd *d, const struct request *req, struct uuid project,
                       const struct trail_place *place, const char **ret, struct error *err)
{
    const struct audit_rows_in in = {
        .project = project, .first = place->sequence, .last = place->sequence, .most = 1};
    struct audit_rows_out out = {.rows = {NULL, 0}};

    *ret = NULL;
    if (read_rows(d, req, place->daemon, &in, &out, err) < 0)
        return -1;
    if (out.rows.count > 0)
        *ret = audit_leaf_text(req->arena, trail_daemons[place->daemon], out.rows.items);
    return 0;
}

/* Proves that a row is in the tree. NOT_FOUND also if it is not in the tree yet. */
int project_audit_proof(struct authd *d, const struct request *req,
                        const struct project_audit_proof_in *in, struct project_audit_proof *out,
                        struct error *err)
{
    struct uuid project = request_project(req);
    struct merkle_proof proof;
    struct trail_place place;

    if (parse_id(in->id, &place, err) < 0 ||
        trail_leaf_find(d, req, project, &place, &out->index, err) < 0 ||
        trail_size(d, req, project, &out->size, err) < 0 ||
        trail_prove_leaf(d, req, project, out->size, out->index, &proof, err) < 0 ||
        read_record(d, req, project, &place, &out->record, err) < 0)
        return -1;
    out->id = in->id;
    out->hashes = trail_proof_texts(req->arena, &proof);
    return trail_checkpoint(d, req, project, out->size, &out->checkpoint, &out->verifierKey, err);
}

/* ---- person ---- */

/* Hides the network addresses and reasons of other actors. */
static const char *event_of(const struct request *req, const struct found *found, bool *ret_own)
{
    json_auto_t *event = json_loads(found->shown.event, JSON_REJECT_DUPLICATES, NULL);
    const char *actor =
        json_string_value(json_object_get(json_object_get(event, "agent"), "account"));
    struct audit_record record = found->shown;
    json_auto_t *resource = NULL;

    *ret_own =
        actor ? strcmp(actor, req->caller->account.text) == 0 : !json_object_get(event, "reason");
    if (!*ret_own && event) {
        json_object_del(event, "address");
        json_object_del(event, "addressErased");
        json_object_del(event, "reason");
        json_object_del(event, "agent");
        json_object_set_new(event, "agent", json_pack("{s:s}", "service", "gateway"));
        record.event = codec_dump_json(req->arena, event);
    }
    resource = audit_fhir_event(trail_daemons[found->daemon], &record, req->arena);
    return codec_dump_json(req->arena, resource);
}

static int activity_row(struct authd *d, const struct request *req, const struct search *search,
                        const struct found *found, int64_t size, struct activity_row *ret,
                        struct error *err)
{
    struct merkle_proof proof;
    bool own;

    if (trail_prove_leaf(d, req, search->project, size, found->index, &proof, err) < 0)
        return -1;
    *ret = (struct activity_row){.event = event_of(req, found, &own),
                                 .index = found->index,
                                 .hashes = trail_proof_texts(req->arena, &proof)};
    if (own)
        ret->record = audit_leaf_text(req->arena, trail_daemons[found->daemon], &found->record);
    return 0;
}

int activity(struct authd *d, const struct request *req, const struct activity_in *in,
             struct activity_list *out, struct error *err)
{
    struct search *search = arena_calloc(req->arena, 1, sizeof(*search));
    const char *key = arena_printf(req->arena, "activity %s %s", req->caller->project.text,
                                   req->caller->account.text);
    struct activity_row *rows;

    search->project = req->caller->project;
    search->count = in->_count;
    search->want = (struct audit_rows_in){.account = req->caller->account.text};
    if (search_run(d, req, search, key, in->_cursor, &out->next, err) < 0 ||
        show_addresses(d, req, search, err) < 0 ||
        trail_size(d, req, search->project, &out->size, err) < 0)
        return -1;
    rows = arena_calloc(req->arena, search->found_count + 1, sizeof(*rows));
    for (size_t i = 0; i < search->found_count; i++) {
        if (activity_row(d, req, search, &search->found[i], out->size, &rows[i], err) < 0)
            return -1;
    }
    out->resources = (struct field_list){rows, search->found_count};
    return trail_checkpoint(d, req, search->project, out->size, &out->checkpoint, &out->verifierKey,
                            err);
}
