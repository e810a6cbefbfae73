/*
 * document.c - what is known of documents: made, listed, changed, given another file, deleted.
 *
 * Who may do what to which of them is the access policy's business; what is hidden from a caller
 * does not exist for it.
 */
#include <stdlib.h>
#include <string.h>

#include "common/runtime/fiber_sem.h"
#include "docd/docd.h"

enum { TOKEN_BYTES = 32, SEARCH_LOOK_MS = 3000 };

static const int64_t form_life_ms = 3600 * 1000;

/* ---- tokens ---- */

/* A token is shown in every list, so it is kept sealed, and found by its hash: who reads the
 * database, or a copy of it, cannot read the files. */
struct token {
    struct sealed sealed;
    uint8_t hash[SECRET_HASH_SIZE];
};
#define DB_TOKEN(token_)        \
    DB_SEALED((token_).sealed), \
        DB_BYTES((token_).sealed.bytes ? (token_).hash : NULL, SECRET_HASH_SIZE)

static void token_make(const struct docd *d, const struct request *req, struct token *ret)
{
    char *text = secret_random_text(req->arena, TOKEN_BYTES);

    ret->sealed = seal_value(req->arena, &d->svc.seal, DOCUMENT_TOKEN_PURPOSE, text, strlen(text));
    secret_hash(text, ret->hash);
}

static const char *token_open(const struct docd *d, struct arena *arena, struct field_bytes sealed)
{
    uint8_t *text;
    size_t size;

    if (!sealed.bytes || seal_open(arena, &d->svc.seal, DOCUMENT_TOKEN_PURPOSE,
                                   (struct sealed){sealed.bytes, sealed.size}, &text, &size) < 0)
        return NULL;
    return (const char *)text;
}

/* ---- rows ---- */

int document_scope(struct docd *d, const struct request *req, enum policy_interaction interaction,
                   struct uuid *ret_author, struct error *err)
{
    enum policy_scope scope = policy_scopes_of(d->policies, req, DOCUMENT_TYPE, interaction);

    if (scope == POLICY_NONE)
        return error_set(err, ERR_FORBIDDEN, "Forbidden");
    *ret_author = scope == POLICY_OWN ? req->caller->profile : (struct uuid){""};
    return 0;
}

int document_not_found(struct error *err)
{
    return error_set(err, ERR_NOT_FOUND, "Document not found.");
}

/* DOCUMENT_COLUMNS from `column` on. */
static void record(const struct docd *d, const struct request *req, const struct db_result *res,
                   size_t row, int column, struct document *out)
{
    struct arena *arena = req->arena;
    struct reference *author = arena_alloc(arena, sizeof(*author));

    *author = (struct reference){arena_strdup(arena, db_text(res, row, column + 2)),
                                 arena_strdup(arena, db_text(res, row, column + 3))};
    *out = (struct document){
        .id = db_uuid(res, row, column),
        .lastUpdated = db_int(res, row, column + 1),
        .author = author,
        .fileName = arena_strdup(arena, db_text(res, row, column + 4)),
        .contentType = arena_strdup(arena, db_text(res, row, column + 5)),
        .size = db_int(res, row, column + 6),
        .publicToken = token_open(d, arena, db_bytes(res, row, column + 7)),
    };
}

/* ---- the form ---- */

struct form_given {
    struct uuid upload;
    int64_t expires_ms;
    const struct upload_options *options;
};

static int form_give(struct docd *d, const struct request *req, const char *content_type,
                     const char *host, const char *scheme, struct form_given *ret,
                     struct error *err)
{
    struct upload_options *options = arena_alloc(req->arena, sizeof(*options));
    struct store_form_made made;

    *ret = (struct form_given){uuid_random(), req->now_ms + form_life_ms, options};
    struct store_form form = {.key = {req->caller->project, ret->upload},
                              .content_type = content_type,
                              .size_max = d->config->max_upload,
                              .expires_ms = ret->expires_ms,
                              .host = host,
                              .scheme = scheme};
    if (d->store->functions->form(d->store, req, &form, &made, err) < 0)
        return -1;
    *options = (struct upload_options){made.url, made.fields};
    return 0;
}

/* ---- what may be kept ---- */

/* A limit of the caller's, 0: none. */
static struct db_param limit(int64_t most)
{
    return most > 0 ? DB_INT(most) : DB_NULL;
}

/* Documents of one patient are counted one after the other, by a lock in the database: who sends
 * many at once waits here for its own, not in every connection that others need. */
struct author_turn {
    LIST_ENTRY(author_turn) entry;
    struct uuid author;
    struct fiber_sem sem;
};

static struct author_turn *author_find(struct docd *d, const struct uuid *author)
{
    struct author_turn *each;

    LIST_FOREACH(each, &d->authors, entry)
    {
        if (uuid_equal(&each->author, author))
            return each;
    }
    each = calloc(1, sizeof(*each));
    if (!each)
        log_die("document", "out of memory");
    each->author = *author;
    fiber_sem_init(&each->sem, d->svc.loop, 1, FIBER_SEM_UNBOUNDED);
    LIST_INSERT_HEAD(&d->authors, each, entry);
    return each;
}

static void author_leave(struct author_turn **self_p)
{
    struct author_turn *self = *self_p;

    if (!self)
        return;
    fiber_sem_release(&self->sem, 1);
    if (!fiber_sem_is_idle(&self->sem)) /* it is the next one's */
        return;
    LIST_REMOVE(self, entry);
    free(self);
}

static int author_enter(struct docd *d, const struct request *req, struct author_turn **ret,
                        struct error *err)
{
    struct author_turn *turn;

    if (req->caller->documentsMax == 0 && req->caller->bytesMax == 0)
        return 0;
    turn = author_find(d, &req->caller->profile);
    if (fiber_sem_acquire(&turn->sem, 1, req->deadline_mono_ms, err) < 0)
        return -1; /* another one has it */
    *ret = turn;
    return 0;
}

/* ---- searching ---- */

/* Newest first is what an index gives; any other order is sorted for. */
static bool is_usual_order(const struct document_sort *sort)
{
    return !sort->keys[0] || (strcmp(sort->keys[0], "-_lastUpdated") == 0 && !sort->keys[1]);
}

static int search(struct docd *d, const struct request *req, const struct document_search_in *in,
                  struct uuid author, struct db_result **ret, struct error *err)
{
    const struct uuid project = req->caller->project;
    bool own = uuid_is_set(&author);
    const struct db_param taken = DB_BOOL(d->direct_uploads != NULL);
    struct document_sort sort;

    if (document_sort_parse(in->_sort ? in->_sort : "", &sort) < 0)
        return error_problem(err, "_sort", "must be a list of keys");
    if (is_usual_order(&sort) && own)
        return db_query(d->svc.db, req, SQL_DOCUMENTS_OWN, ret, err, DB_UUID(project),
                        DB_UUID(author), DB_INT(in->_count), DB_INT(in->_offset), taken);
    if (is_usual_order(&sort))
        return db_query(d->svc.db, req, SQL_DOCUMENTS, ret, err, DB_UUID(project),
                        DB_INT(in->_count), DB_INT(in->_offset), taken);
    if (own)
        return db_query(d->svc.db, req, SQL_DOCUMENTS_OWN_SORTED, ret, err, DB_UUID(project),
                        DB_UUID(author), DB_INT(in->_count), DB_INT(in->_offset),
                        DB_TEXT(sort.keys[0]), DB_TEXT(sort.keys[1]), DB_TEXT(sort.keys[2]), taken);
    return db_query(d->svc.db, req, SQL_DOCUMENTS_SORTED, ret, err, DB_UUID(project),
                    DB_INT(in->_count), DB_INT(in->_offset), DB_TEXT(sort.keys[0]),
                    DB_TEXT(sort.keys[1]), DB_TEXT(sort.keys[2]), taken);
}

/* ---- handlers ---- */

/* Fails: FORBIDDEN, BAD_REQUEST, QUOTA_EXCEEDED. */
int document_create(struct docd *d, const struct request *req, const struct document_create_in *in,
                    struct document *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    CLEANUP(author_leave) struct author_turn *turn = NULL;
    const struct caller *caller = req->caller;
    struct uuid id = uuid_random();
    struct token token = {0};
    struct form_given form;
    struct sql_audit audit = audit_row(
        req, &(struct audit){.action = "document.create", .type = DOCUMENT_TYPE, .id = id});

    if (policy_check(req, DOCUMENT_TYPE, POLICY_CREATE, err) < 0 ||
        form_give(d, req, in->contentType, in->host, in->scheme, &form, err) < 0)
        return -1;
    if (in->isPublic == TRISTATE_TRUE)
        token_make(d, req, &token);
    if (author_enter(d, req, &turn, err) < 0)
        return -1;
    if (db_query(d->svc.db, req, SQL_DOCUMENT_CREATE, &res, err, DB_UUID(caller->project),
                 DB_UUID(id), DB_TEXT(caller->role), DB_UUID(caller->profile),
                 DB_TEXT(caller->display), DB_TEXT(in->fileName), DB_TEXT(in->contentType),
                 DB_TOKEN(token), DB_INT(req->now_ms), DB_UUID(form.upload),
                 DB_INT(form.expires_ms), DB_UUID(caller->session), limit(caller->bytesMax),
                 limit(caller->projectBytesMax), limit(caller->documentsMax), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return document_over_quota(err);
    record(d, req, res, 0, 0, out);
    out->uploadOptions = form.options;
    return 0;
}

/* What has come for documents of a page that may have more to come. A list is no place to fail in:
 * what the store cannot tell now is there next time. */
static bool search_arrivals(struct docd *d, const struct request *req, const struct db_result *res)
{
    struct uuid *pending = arena_calloc(req->arena, db_rows(res), sizeof(*pending));
    struct request soon = *req;
    struct error err;
    bool changed = false;
    size_t count = 0;

    error_init(&err, req->arena);
    soon.deadline_mono_ms = MIN(req->deadline_mono_ms, clock_mono_ms() + SEARCH_LOOK_MS);
    for (size_t i = 0; i < db_rows(res); i++)
        if (db_bool(res, i, 9))
            pending[count++] = db_uuid(res, i, 1);
    if (count > 0 && direct_uploads_scan(d->direct_uploads, &soon, req->caller->project, pending,
                                         count, &changed, &err) < 0)
        log_event(LOG_WARNING, "document", "a list may be older than the store", "trace",
                  req->trace, "error", err.message, "detail", err.detail, NULL);
    return changed;
}

/* Fails: FORBIDDEN. */
int document_search(struct docd *d, const struct request *req, const struct document_search_in *in,
                    struct documents *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct document *found;
    struct uuid author;

    if (document_scope(d, req, POLICY_SEARCH, &author, err) < 0 ||
        search(d, req, in, author, &res, err) < 0)
        return -1;
    if (d->direct_uploads && !db_is_null(res, 0, 1) && search_arrivals(d, req, res)) {
        db_result_destroy(&res);
        if (search(d, req, in, author, &res, err) < 0)
            return -1;
    }
    out->total = db_int(res, 0, 0);
    if (db_is_null(res, 0, 1))
        return 0;
    found = arena_calloc(req->arena, db_rows(res), sizeof(*found));
    for (size_t i = 0; i < db_rows(res); i++)
        record(d, req, res, i, 1, &found[i]);
    out->resources = (struct field_list){found, db_rows(res)};
    return 0;
}

/* Fails: FORBIDDEN, NOT_FOUND (absent, or hidden from the caller), BAD_REQUEST, QUOTA_EXCEEDED. */
int document_replace(struct docd *d, const struct request *req,
                     const struct document_replace_in *in, struct document *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct uuid author;
    struct form_given form;
    struct sql_audit audit = audit_row(
        req, &(struct audit){.action = "document.replace", .type = DOCUMENT_TYPE, .id = in->id});

    if (document_scope(d, req, POLICY_UPDATE, &author, err) < 0 ||
        form_give(d, req, in->contentType, in->host, in->scheme, &form, err) < 0)
        return -1;
    if (db_query(d->svc.db, req, SQL_DOCUMENT_REPLACE, &res, err, DB_UUID(req->caller->project),
                 DB_UUID(in->id), DB_UUID(author), DB_TEXT(in->fileName), DB_TEXT(in->contentType),
                 DB_INT(req->now_ms), DB_UUID(form.upload), DB_INT(form.expires_ms),
                 DB_UUID(req->caller->session), limit(req->caller->bytesMax),
                 limit(req->caller->projectBytesMax), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return document_not_found(err);
    if (db_is_null(res, 0, 0))
        return document_over_quota(err);
    record(d, req, res, 0, 0, out);
    /* What it will be; until then the bytes before serve, under their own name. */
    out->fileName = in->fileName;
    out->contentType = in->contentType;
    out->uploadOptions = form.options;
    return 0;
}

static const char *visibility(enum tristate public)
{
    return public == TRISTATE_UNSET ? NULL : public == TRISTATE_TRUE ? "public" : "private";
}

/* Fails: FORBIDDEN, NOT_FOUND. */
int document_update(struct docd *d, const struct request *req, const struct document_update_in *in,
                    struct document *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct document_meta *meta = arena_alloc(req->arena, sizeof(*meta));
    struct token token = {0};
    struct uuid author;
    struct sql_audit audit = audit_row(req, &(struct audit){.action = "document.update",
                                                            .type = DOCUMENT_TYPE,
                                                            .id = in->id,
                                                            .detail = visibility(in->isPublic)});

    if (document_scope(d, req, POLICY_UPDATE, &author, err) < 0)
        return -1;
    if (in->isPublic == TRISTATE_TRUE)
        token_make(d, req, &token);
    if (db_query(d->svc.db, req, SQL_DOCUMENT_UPDATE, &res, err, DB_UUID(req->caller->project),
                 DB_UUID(in->id), DB_UUID(author), DB_TEXT(in->fileName), DB_BOOL(in->isPublic),
                 DB_TOKEN(token), DB_INT(req->now_ms), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return document_not_found(err);
    record(d, req, res, 0, 0, out);
    meta->lastUpdated = out->lastUpdated;
    out->lastUpdated = 0;
    out->meta = meta;
    return 0;
}

/* The document is gone, and its bytes are due: what cannot be removed now, the sweep sees to. */
static void remove_bytes(struct docd *d, const struct request *req, const struct db_result *due,
                         struct error *err)
{
    for (size_t i = 0; i < db_rows(due); i++) {
        if (db_is_null(due, i, 0) ||
            object_sweep(d, req, req->caller->project, db_uuid(due, i, 0), err) == 0)
            continue;
        log_event(LOG_WARNING, "document", "bytes of a deleted document are left to the sweep",
                  "trace", req->trace, "error", err->message, "detail", err->detail, NULL);
        error_clear(err);
    }
}

/* Removes the bytes too, before it is answered. Fails: FORBIDDEN, NOT_FOUND. */
int document_delete(struct docd *d, const struct request *req, const struct document_delete_in *in,
                    struct document_deleted *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct uuid author;
    struct sql_audit audit = audit_row(
        req, &(struct audit){.action = "document.delete", .type = DOCUMENT_TYPE, .id = in->id});

    if (document_scope(d, req, POLICY_DELETE, &author, err) < 0)
        return -1;
    if (db_query(d->svc.db, req, SQL_DOCUMENT_DELETE, &res, err, DB_UUID(req->caller->project),
                 DB_UUID(in->id), DB_UUID(author), DB_INT(req->now_ms), DB_AUDIT(audit)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return document_not_found(err);
    out->message = "Document deleted successfully";
    remove_bytes(d, req, res, err);
    return 0;
}
