/*
 * verify.c - `atriumctl documents verify`: which documents lack their bytes, and which bytes lack
 * their document.
 *
 * Both happen when database and files are restored from back-ups of different times.  Nothing here
 * removes anything: a document is marked, and answers 404 until a later verification finds its
 * bytes; bytes without a document get a row by which they are swept a week later.
 */
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/runtime/fiber.h"
#include "docd/docd.h"

enum {
    LOOKERS = 8,      /* objects that are looked at at once; */
    HASH_LOOKERS = 2, /* of which all bytes are read: the disk serves others too */
    PAGE_MS = 2000,   /* after which no other object of the page is begun */
};

static const char nil[] = "00000000-0000-0000-0000-000000000000";
static const char last_project[] = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/* Columns of SQL_DOCUMENTS_VERIFY. */
enum { COL_PROJECT, COL_ID, COL_OBJECT, COL_SIZE, COL_ETAG, COL_FILE_NAME, COL_MARKED };

/* ---- documents ---- */

struct look {
    struct docd *d;
    const struct request *req;
    const struct db_result *res;
    const char **problems; /* of each row; NULL: none */
    size_t next, lookers;
    int64_t until_ms;
    bool hash;
    struct fiber_queue ended;
    struct error *err; /* the first failure */
};

static int look_at(const struct look *look, size_t row, struct error *err)
{
    struct store *store = look->d->store;
    struct store_key key = {db_uuid(look->res, row, COL_PROJECT),
                            db_uuid(look->res, row, COL_OBJECT)};
    const char *etag = NULL;
    int64_t size = 0;
    bool found = store->functions->check(store, look->req, key, look->hash, &size, &etag, err) == 0;

    if (!found && err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    if (!found)
        look->problems[row] = "missing";
    else if (size != db_int(look->res, row, COL_SIZE))
        look->problems[row] = "size";
    else if (look->hash && etag && strcmp(etag, db_text(look->res, row, COL_ETAG)) != 0)
        look->problems[row] = "changed";
    else if (db_bool(look->res, row, COL_MARKED))
        look->problems[row] = "found";
    return 0;
}

static void look_on(struct look *look)
{
    struct error err;

    while (look->next < db_rows(look->res) && look->err->code == ERR_NONE &&
           (look->next == 0 || clock_mono_ms() < look->until_ms)) {
        error_init(&err, NULL);
        if (look_at(look, look->next++, &err) < 0 && look->err->code == ERR_NONE) {
            err.arena = look->err->arena;
            *look->err = err;
        }
    }
}

static void looker_fiber(void *arg)
{
    struct look *look = arg;

    look_on(look);
    if (--look->lookers == 0)
        fiber_queue_wake_all(&look->ended);
}

/* Rows before look->next were looked at. */
static int look_all(struct look *look)
{
    struct loop *loop = look->d->svc.loop;
    size_t max = look->hash ? HASH_LOOKERS : LOOKERS;
    struct error ignored;

    error_init(&ignored, NULL);
    while (look->lookers + 1 < max && fiber_start(loop, looker_fiber, look, &ignored) == 0)
        look->lookers++;
    look_on(look);
    while (look->lookers > 0) /* each has its deadline, and looks at what is here */
        (void)!fiber_queue_wait(loop, &look->ended, INT64_MAX);
    return look->err->code == ERR_NONE ? 0 : -1;
}

/* Marks it, or takes the mark away. What was changed since it was looked at is left alone. */
static int mark(struct docd *d, const struct request *req, const struct db_result *res, size_t row,
                bool missing, int64_t *marked, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *done = NULL;
    struct uuid project = db_uuid(res, row, COL_PROJECT), id = db_uuid(res, row, COL_ID);
    struct sql_audit audit =
        audit_row(req, &(struct audit){.action = missing ? "document.missing" : "document.found",
                                       .project = project,
                                       .type = DOCUMENT_TYPE,
                                       .id = id});

    if (db_query(d->svc.db, req, SQL_DOCUMENT_MISSING, &done, err, DB_UUID(project), DB_UUID(id),
                 DB_UUID(db_uuid(res, row, COL_OBJECT)), missing ? DB_INT(req->now_ms) : DB_NULL,
                 DB_AUDIT(audit)) < 0)
        return -1;
    *marked += (int64_t)db_rows(done);
    return 0;
}

static int report(struct look *look, bool repair, struct documents_verified *out, struct error *err)
{
    const struct db_result *res = look->res;
    struct document_problem *problems =
        arena_calloc(look->req->arena, look->next, sizeof(*problems));

    out->problems.items = problems;
    for (size_t i = 0; i < look->next; i++) {
        const char *problem = look->problems[i];

        if (!problem)
            continue;
        problems[out->problems.count++] = (struct document_problem){
            .projectId = db_uuid(res, i, COL_PROJECT),
            .id = db_uuid(res, i, COL_ID),
            .fileName = arena_strdup(look->req->arena, db_text(res, i, COL_FILE_NAME)),
            .size = db_int(res, i, COL_SIZE),
            .problem = problem};
        if (repair && strcmp(problem, "changed") != 0 &&
            mark(look->d, look->req, res, i, strcmp(problem, "found") != 0, &out->marked, err) < 0)
            return -1;
    }
    return 0;
}

int documents_verify(struct docd *d, const struct request *req,
                     const struct documents_verify_in *in, struct documents_verified *out,
                     struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct look look = {.d = d, .req = req, .hash = in->hash, .err = err};
    const char *project = uuid_is_set(&in->projectId) ? in->projectId.text : NULL;
    bool begun = uuid_is_set(&in->afterProject);

    if (db_query(d->svc.db, req, SQL_DOCUMENTS_VERIFY, &res, err,
                 DB_TEXT(begun     ? in->afterProject.text
                         : project ? project
                                   : nil),
                 DB_TEXT(begun ? in->afterId.text : nil), DB_TEXT(project ? project : last_project),
                 DB_INT(VERIFY_PAGE_MAX)) < 0)
        return -1;
    look.res = res;
    look.problems = arena_calloc(req->arena, db_rows(res), sizeof(*look.problems));
    look.until_ms = clock_mono_ms() + PAGE_MS;
    if (look_all(&look) < 0 || report(&look, in->repair, out, err) < 0)
        return -1;
    out->checked = (int64_t)look.next;
    out->more = look.next < db_rows(res) || look.next == VERIFY_PAGE_MAX;
    if (look.next > 0) {
        out->lastProject = db_uuid(res, look.next - 1, COL_PROJECT);
        out->lastId = db_uuid(res, look.next - 1, COL_ID);
    }
    return 0;
}

/* ---- bytes ---- */

static int make_due(struct docd *d, const struct request *req, struct store_key key,
                    struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *done = NULL;
    struct sql_audit audit = audit_row(req, &(struct audit){.action = "object.orphan",
                                                            .project = key.project,
                                                            .type = "Object",
                                                            .id = key.object});

    return db_query(d->svc.db, req, SQL_OBJECT_ORPHAN, &done, err,
                    DB_TEXT(uuid_is_set(&key.project) ? key.project.text : nil),
                    DB_UUID(key.object), DB_INT(req->now_ms + ORPHAN_SWEEP_MS), DB_AUDIT(audit));
}

static const struct store_key *find_key(const struct store_key *keys, size_t count, struct uuid id)
{
    for (size_t i = 0; i < count; i++)
        if (uuid_equal(&keys[i].object, &id))
            return &keys[i];
    return NULL;
}

/* The row of an object is there before its first byte and goes after its last one, so bytes without
 * a row belong to no document and to no upload that is under way. */
int objects_verify(struct docd *d, const struct request *req, const struct objects_verify_in *in,
                   struct objects_verified *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct store_key *keys = arena_calloc(req->arena, VERIFY_PAGE_MAX, sizeof(*keys));
    struct db_array ids = db_array_new(req->arena, VERIFY_PAGE_MAX, sizeof(keys->object.text));
    const char *cursor = in->cursor;
    size_t count = 0;

    if (d->store->functions->objects(d->store, req, &cursor, keys, VERIFY_PAGE_MAX, &count, err) <
        0)
        return -1;
    for (size_t i = 0; i < count; i++)
        db_array_add(&ids, keys[i].object.text);
    if (db_query(d->svc.db, req, SQL_OBJECTS_UNKNOWN, &res, err, DB_TEXT(ids.text)) < 0)
        return -1;
    for (size_t i = 0; in->repair && i < db_rows(res); i++) {
        const struct store_key *key = find_key(keys, count, db_uuid(res, i, 0));

        if (key && make_due(d, req, *key, err) < 0)
            return -1;
    }
    *out = (struct objects_verified){(int64_t)count, (int64_t)db_rows(res), cursor};
    return 0;
}

/* ---- reads ---- */

void bytes_not_found(struct docd *d, const struct request *req, struct store_key key,
                     struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct error ignored;

    error_init(&ignored, NULL);
    if (db_query(d->svc.db, req, SQL_DOCUMENT_OF_OBJECT, &res, &ignored, DB_UUID(key.project),
                 DB_UUID(key.object)) < 0 ||
        db_rows(res) == 0)
        return;
    ++*d->bytes_missing;
    log_event(LOG_WARNING, "document", "the store does not have the bytes of a document", "trace",
              req->trace, "project", key.project.text, "document", db_uuid(res, 0, 0).text, NULL);
    error_clear(err);
    error_set(err, ERR_NOT_FOUND, BYTES_MISSING);
}
