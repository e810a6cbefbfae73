/*
 * verify.c - finds documents without bytes and bytes without a document, for `atriumctl documents
 * verify`. Both happen when database and files are restored from different backups.
 *
 * Removes nothing: a marked document answers 404 until a later run finds its bytes. Bytes without a
 * document get a row and are swept a week later.
 */
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "docd/bytes_api.h"
#include "docd/docd.h"
#include "docd/document/fiber_each.h"
#include "docd/sql/document.h"
#include "docd/sql/object.h"

enum {
    LOOKERS = 8,
    HASH_LOOKERS = 2, /* fibers, when all bytes are read */
    PAGE_MS = 2000,   /* after this time, no further object is begun */
};

static const struct uuid nil = {UUID_NIL};
static const struct uuid last_project = {UUID_MAX};

struct look {
    struct docd *d;
    const struct request *req;
    struct sql_document_list_files_rows page;
    const char **problems;
    size_t checked;
    bool hash;
};

static int look_at(void *arg, size_t at, struct error *err)
{
    const struct look *look = arg;
    const struct sql_document_list_files_row *row = &look->page.items[at];
    struct store *store = look->d->store;
    struct store_key key = {row->project, row->object};
    const char *etag = NULL;
    int64_t size = 0;
    bool found = store->functions->check(store, look->req, key, look->hash, &size, &etag, err) == 0;

    if (!found && err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    if (!found)
        look->problems[at] = "missing";
    else if (size != row->size)
        look->problems[at] = "size";
    else if (look->hash && etag && strcmp(etag, row->etag) != 0)
        look->problems[at] = "changed";
    else if (row->missing)
        look->problems[at] = "found";
    return 0;
}

/* Does nothing if the document has changed. */
static int mark(struct docd *d, const struct request *req,
                const struct sql_document_list_files_row *row, bool missing, int64_t *marked,
                struct error *err)
{
    const struct sql_document_mark_in in = {
        .project = row->project,
        .id = row->id,
        .object = row->object,
        .missing_at = missing ? &req->now_ms : NULL,
        .audit = audit_row(req, &(struct audit){.action =
                                                    missing ? "document.missing" : "document.found",
                                                .project = row->project,
                                                .type = DOCUMENT_TYPE,
                                                .id = row->id})};
    int rows = sql_document_mark(d->svc.db, req, &in, err);

    if (rows < 0)
        return -1;
    *marked += rows;
    return 0;
}

static int report(struct look *look, bool repair, struct documents_verified *out, struct error *err)
{
    struct document_problem *problems =
        arena_calloc(look->req->arena, look->checked, sizeof(*problems));

    out->problems.items = problems;
    for (size_t i = 0; i < look->checked; i++) {
        const struct sql_document_list_files_row *row = &look->page.items[i];
        const char *problem = look->problems[i];

        if (!problem)
            continue;
        problems[out->problems.count++] = (struct document_problem){.projectId = row->project,
                                                                    .id = row->id,
                                                                    .fileName = row->file_name,
                                                                    .size = row->size,
                                                                    .problem = problem};
        if (repair && strcmp(problem, "changed") != 0 &&
            mark(look->d, look->req, row, strcmp(problem, "found") != 0, &out->marked, err) < 0)
            return -1;
    }
    return 0;
}

int documents_verify(struct docd *d, const struct request *req,
                     const struct documents_verify_in *in, struct documents_verified *out,
                     struct error *err)
{
    struct look look = {.d = d, .req = req, .hash = in->hash};
    struct fiber_each each = {
        .most = in->hash ? HASH_LOOKERS : LOOKERS, .run = look_at, .arg = &look};
    bool of_one = uuid_is_set(&in->projectId), begun = uuid_is_set(&in->afterProject);
    const struct sql_document_list_files_in list = {.project = begun    ? in->afterProject
                                                               : of_one ? in->projectId
                                                                        : nil,
                                                    .id = begun ? in->afterId : nil,
                                                    .last_project =
                                                        of_one ? in->projectId : last_project,
                                                    .most = VERIFY_PAGE_MAX};

    if (sql_document_list_files(d->svc.db, req, &list, &look.page, err) < 0)
        return -1;
    look.problems = arena_calloc(req->arena, look.page.count, sizeof(*look.problems));
    each.count = look.page.count;
    each.until_mono_ms = clock_mono_ms() + PAGE_MS;
    if (fiber_each(d->svc.loop, &each, &look.checked, err) < 0 ||
        report(&look, in->repair, out, err) < 0)
        return -1;
    out->checked = (int64_t)look.checked;
    out->more = look.checked < look.page.count || look.checked == VERIFY_PAGE_MAX;
    if (look.checked > 0) {
        out->lastProject = look.page.items[look.checked - 1].project;
        out->lastId = look.page.items[look.checked - 1].id;
    }
    return 0;
}

static int make_due(struct docd *d, const struct request *req, struct store_key key,
                    struct error *err)
{
    const struct sql_object_insert_orphan_in in = {
        .project = uuid_is_set(&key.project) ? key.project : nil,
        .id = key.object,
        .sweep_at = req->now_ms + ORPHAN_SWEEP_MS,
        .audit = audit_row(req, &(struct audit){.action = "object.orphan",
                                                .project = key.project,
                                                .type = "Object",
                                                .id = key.object})};

    return sql_object_insert_orphan(d->svc.db, req, &in, err) < 0 ? -1 : 0;
}

static const struct store_key *find_key(const struct store_key *keys, size_t count, struct uuid id)
{
    for (size_t i = 0; i < count; i++)
        if (uuid_equal(&keys[i].object, &id))
            return &keys[i];
    return NULL;
}

/* Verifies a page of stored objects. An object's row outlives its bytes, so bytes without a row
 * belong to nothing. */
int objects_verify(struct docd *d, const struct request *req, const struct objects_verify_in *in,
                   struct objects_verified *out, struct error *err)
{
    struct store_key *keys = arena_calloc(req->arena, VERIFY_PAGE_MAX, sizeof(*keys));
    struct sql_object_list_unknown_in list = {
        .ids = db_array_new(req->arena, VERIFY_PAGE_MAX, sizeof(keys->object.text))};
    struct sql_object_list_unknown_rows orphans;
    const char *cursor = in->cursor;
    size_t count = 0;

    if (d->store->functions->objects(d->store, req, &cursor, keys, VERIFY_PAGE_MAX, &count, err) <
        0)
        return -1;
    for (size_t i = 0; i < count; i++)
        db_array_add(&list.ids, keys[i].object.text);
    if (sql_object_list_unknown(d->svc.db, req, &list, &orphans, err) < 0)
        return -1;
    for (size_t i = 0; in->repair && i < orphans.count; i++) {
        const struct store_key *key = find_key(keys, count, orphans.items[i].id);

        if (key && make_due(d, req, *key, err) < 0)
            return -1;
    }
    *out = (struct objects_verified){(int64_t)count, (int64_t)orphans.count, cursor};
    return 0;
}

void bytes_not_found(struct docd *d, const struct request *req, struct store_key key,
                     struct error *err)
{
    const struct sql_document_find_by_object_in in = {.project = key.project, .object = key.object};
    struct sql_document_find_by_object_row document;
    struct error ignored;

    error_init(&ignored, NULL);
    if (sql_document_find_by_object(d->svc.db, req, &in, &document, &ignored) <= 0)
        return;
    ++*d->bytes_missing;
    log_event(LOG_WARNING, "document", "the store does not have the bytes of a document", "trace",
              req->trace, "project", key.project.text, "document", document.id.text, NULL);
    error_clear(err);
    error_set(err, ERR_NOT_FOUND, BYTES_MISSING);
}
