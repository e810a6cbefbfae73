/*
 * document.c - the rows of documents. A document that the access policy hides from a caller does
 * not exist for it.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/domain/reference.h"
#include "common/runtime/fiber_sem.h"
#include "docd/docd.h"
#include "docd/document/list_cache.h"
#include "docd/document_api.h"
#include "docd/sql/document.h"

enum { TOKEN_BYTES = 32, SEARCH_LOOK_MS = 3000 };

static const int64_t form_life_ms = HOURS(1);

/* ---- tokens ---- */

/* Lists show public tokens, so a hash alone would not do: tokens are stored sealed, and found by
 * their hash. A stolen database opens no files. */
struct token {
    struct sealed sealed;
    uint8_t hash[SECRET_HASH_SIZE];
};

static struct field_bytes token_sealed(const struct token *token)
{
    return (struct field_bytes){token->sealed.bytes, token->sealed.size};
}

static struct field_bytes token_hash(const struct token *token)
{
    return (struct field_bytes){token->sealed.bytes ? token->hash : NULL, SECRET_HASH_SIZE};
}

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

struct document_row {
    struct uuid id; /* unset if there is no such row */
    int64_t lastUpdated;
    const char *author, *authorDisplay;
    const char *fileName, *contentType;
    int64_t size; /* -1: not uploaded yet */
    struct field_bytes token;
    int64_t total;
    int64_t version; /* state of the author's list; 0: unknown */
    bool pending;    /* the store may have a file */
};
FIELD_DECLARE(document_row);

static const struct field document_row_rows[] = {
    FIELD_UUID(struct document_row, id, 0, "Its id"),
    FIELD_TIME(struct document_row, lastUpdated, 0, "When it was changed"),
    FIELD_TEXT(struct document_row, author, 0, 0, 0, "Type and id", "Patient/5f0c4a52"),
    FIELD_TEXT(struct document_row, authorDisplay, 0, 0, 0, "Name", "Ada Lovelace"),
    FIELD_TEXT(struct document_row, fileName, 0, FILE_NAME_MAX, 0, "Of its file", "scan.png"),
    FIELD_TEXT(struct document_row, contentType, 0, MEDIA_TYPE_MAX, 0, "Of its file", "image/png"),
    FIELD_INT(struct document_row, size, 0, 0, 0, 0, "Of its file, in bytes", "1000"),
    FIELD_BYTES(struct document_row, token, 1024, 0, "Its public token, sealed"),
    FIELD_INT(struct document_row, total, 0, 0, 0, 0, "Of all pages", "1"),
    FIELD_INT(struct document_row, version, 0, 0, 0, 0, "Of the list of one author", "1"),
    FIELD_BOOL(struct document_row, pending, false, 0, "A file may have come to the store"),
};
FIELD_TABLE(document_row);

int document_scope(struct docd *d, const struct request *req, enum policy_interaction interaction,
                   struct uuid *ret_author, struct error *err)
{
    enum policy_scope scope = policy_scopes_of(d->policies, req, DOCUMENT_TYPE, interaction);

    if (scope == POLICY_NONE)
        return error_set(err, ERR_FORBIDDEN, "Forbidden");
    *ret_author = scope == POLICY_OWN ? req->caller->profile : (struct uuid){""};
    return 0;
}

int require_document(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "Document not found.");
}

static void document_from_row(const struct docd *d, const struct request *req,
                              const struct document_row *row, struct document *out)
{
    struct reference *author = arena_alloc(req->arena, sizeof(*author));

    *author = (struct reference){row->author, row->authorDisplay};
    *out = (struct document){
        .id = row->id,
        .lastUpdated = row->lastUpdated,
        .author = author,
        .fileName = row->fileName,
        .contentType = row->contentType,
        .size = row->size,
        .publicToken = token_open(d, req->arena, row->token),
    };
}

static struct sql_audit document_audit(const struct request *req, const char *action,
                                       struct uuid id, const char *detail)
{
    return audit_row(
        req, &(struct audit){.action = action, .type = DOCUMENT_TYPE, .id = id, .detail = detail});
}

/* ---- upload forms ---- */

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

/* ---- quotas ---- */

static const int64_t *limit(const int64_t *most)
{
    return *most > 0 ? most : NULL;
}

static struct sql_upload_insert form_values(const struct request *req,
                                            const struct form_given *form)
{
    return (struct sql_upload_insert){.id = form->upload,
                                      .expires_at = form->expires_ms,
                                      .session = req->caller->session,
                                      .bytes_max = limit(&req->caller->bytesMax),
                                      .project_bytes_max = limit(&req->caller->projectBytesMax)};
}

/* Lets an author's requests create documents one after another. Counting the author's documents
 * takes a database lock; requests waiting for that would occupy connections. */
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
    each = memory_new(sizeof(*each));
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
    if (!fiber_sem_is_idle(&self->sem))
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
        return -1;
    *ret = turn;
    return 0;
}

/* ---- searching ---- */

/* True for the default order of all documents, which has a statement of its own. */
static bool is_usual(const struct document_search_in *in, const struct document_sort *sort)
{
    return !in->kind && strcmp(sort->keys[0], "-_lastUpdated") == 0 && !sort->keys[1];
}

/* True for an order that has an index of all documents. */
static bool has_index(const struct document_sort *sort)
{
    return !sort->keys[1] && !strstr(sort->keys[0], "contentType");
}

static int list(struct docd *d, const struct request *req, const struct document_search_in *in,
                struct uuid author, struct field_list *ret, struct error *err)
{
    const struct sql_document_list_in all = {.project = req->caller->project,
                                             .count = in->_count,
                                             .offset = in->_offset,
                                             .direct = d->direct_uploads != NULL};
    const struct sql_document_list_own_in own = {.project = all.project,
                                                 .author = author,
                                                 .count = all.count,
                                                 .offset = all.offset,
                                                 .direct = all.direct};

    if (uuid_is_set(&author))
        return sql_document_list_own(d->svc.db, req, &own, ret, err);
    return sql_document_list(d->svc.db, req, &all, ret, err);
}

static int list_kind(struct docd *d, const struct request *req, const struct document_search_in *in,
                     const struct document_sort *sort, struct field_list *ret, struct error *err)
{
    const struct sql_document_list_kind_in of_kind = {.project = req->caller->project,
                                                      .kind = in->kind,
                                                      .sort = sort->keys[0],
                                                      .count = in->_count,
                                                      .offset = in->_offset,
                                                      .direct = d->direct_uploads != NULL};

    return sql_document_list_kind(d->svc.db, req, &of_kind, ret, err);
}

static int list_sorted(struct docd *d, const struct request *req,
                       const struct document_search_in *in, const struct document_sort *sort,
                       struct uuid author, struct field_list *ret, struct error *err)
{
    const struct sql_document_list_sorted_in all = {.project = req->caller->project,
                                                    .kind = in->kind,
                                                    .first = sort->keys[0],
                                                    .second = sort->keys[1],
                                                    .third = sort->keys[2],
                                                    .count = in->_count,
                                                    .offset = in->_offset,
                                                    .direct = d->direct_uploads != NULL};
    const struct sql_document_list_own_sorted_in own = {.project = all.project,
                                                        .author = author,
                                                        .kind = all.kind,
                                                        .first = all.first,
                                                        .second = all.second,
                                                        .third = all.third,
                                                        .count = all.count,
                                                        .offset = all.offset,
                                                        .direct = all.direct};

    if (uuid_is_set(&author))
        return sql_document_list_own_sorted(d->svc.db, req, &own, ret, err);
    return sql_document_list_sorted(d->svc.db, req, &all, ret, err);
}

static int list_named(struct docd *d, const struct request *req,
                      const struct document_search_in *in, const struct document_sort *sort,
                      struct uuid author, struct field_list *ret, struct error *err)
{
    const struct sql_document_list_named_in named = {.project = req->caller->project,
                                                     .author = author,
                                                     .kind = in->kind,
                                                     .search = in->search,
                                                     .first = sort->keys[0],
                                                     .second = sort->keys[1],
                                                     .third = sort->keys[2],
                                                     .count = in->_count,
                                                     .offset = in->_offset,
                                                     .direct = d->direct_uploads != NULL};

    return sql_document_list_named(d->svc.db, req, &named, ret, err);
}

static bool is_search(const struct document_search_in *in)
{
    return in->search && in->search[0];
}

/* Searches for documents. An empty page has one row, without an id. */
static int search(struct docd *d, const struct request *req, const struct document_search_in *in,
                  const struct list_key *key, struct field_list *ret, struct error *err)
{
    static const struct document_sort usual = {{"-_lastUpdated"}};
    const struct document_sort *sort = key->sort->keys[0] ? key->sort : &usual;
    int rows;

    if (is_search(in))
        rows = list_named(d, req, in, sort, key->author, ret, err);
    else if (is_usual(in, sort))
        rows = list(d, req, in, key->author, ret, err);
    else if (!uuid_is_set(&key->author) && has_index(sort))
        rows = list_kind(d, req, in, sort, ret, err);
    else
        rows = list_sorted(d, req, in, sort, key->author, ret, err);
    return rows < 0 ? -1 : 0;
}

/* Returns 1 if *out is the cached list and current. It stays valid until the response is encoded:
 * no other fiber can replace it before. */
static int find_kept(struct docd *d, const struct request *req, const struct list_key *key,
                     struct documents *out, struct error *err)
{
    const struct sql_document_list_version_in in = {.project = key->project, .author = key->author};
    struct sql_document_list_version_row row;
    const struct documents *kept;
    int found;

    if (!uuid_is_set(&key->author) || !list_cache_has(d->lists, key))
        return 0;
    found = sql_document_list_version(d->svc.db, req, &in, &row, err);
    if (found <= 0)
        return found;
    kept = list_cache_get(d->lists, key, row.version);
    if (!kept)
        return 0;
    *out = *kept;
    return 1;
}

/* A list with a pending file is not cached: the file can appear without a change of a row. */
static bool may_be_kept(const struct list_key *key, const struct field_list *page)
{
    const struct document_row *rows = page->items;

    if (!uuid_is_set(&key->author) || rows[0].version == 0)
        return false;
    for (size_t i = 0; i < page->count; i++) {
        if (rows[i].pending)
            return false;
    }
    return true;
}

/* ---- handlers ---- */

static int insert(struct docd *d, const struct request *req, const struct document_create_in *in,
                  const struct token *token, const struct form_given *form, struct document *out,
                  struct error *err)
{
    const struct caller *caller = req->caller;
    struct uuid id = uuid_random();
    const struct sql_document_insert_in insert = {.project = caller->project,
                                                  .id = id,
                                                  .account = caller->account,
                                                  .role = caller->role,
                                                  .profile = caller->profile,
                                                  .display = caller->display,
                                                  .file_name = in->fileName,
                                                  .content_type = in->contentType,
                                                  .token = token_sealed(token),
                                                  .token_hash = token_hash(token),
                                                  .now = req->now_ms,
                                                  .documents_max = limit(&caller->documentsMax),
                                                  .upload = form_values(req, form),
                                                  .audit = document_audit(req, "document.create",
                                                                          id, NULL)};
    struct document_row row = {0};
    int rows = sql_document_insert(d->svc.db, req, &insert, &row, err);

    if (sql_require(rows, err, ERR_UNAUTHORIZED, "Unauthorized") < 0)
        return -1;
    if (!uuid_is_set(&row.id))
        return document_over_quota(err);
    document_from_row(d, req, &row, out);
    return 0;
}

int document_create(struct docd *d, const struct request *req, const struct document_create_in *in,
                    struct document *out, struct error *err)
{
    CLEANUP(author_leave) struct author_turn *turn = NULL;
    struct token token = {0};
    struct form_given form;

    if (policy_check(req, DOCUMENT_TYPE, POLICY_CREATE, err) < 0 ||
        form_give(d, req, in->contentType, in->host, in->scheme, &form, err) < 0)
        return -1;
    if (in->isPublic == TRISTATE_TRUE)
        token_make(d, req, &token);
    if (author_enter(d, req, &turn, err) < 0 || insert(d, req, in, &token, &form, out, err) < 0)
        return -1;
    out->uploadOptions = form.options;
    return 0;
}

/* Adopts a page's pending files. True: the page has changed. Ignores failures. */
static bool scan_pending(struct docd *d, const struct request *req, const struct field_list *page)
{
    const struct document_row *rows = page->items;
    struct uuid *pending = arena_calloc(req->arena, page->count, sizeof(*pending));
    struct request soon = *req;
    struct error err;
    bool changed = false;
    size_t count = 0;

    error_init(&err, req->arena);
    soon.deadline_mono_ms = MIN(req->deadline_mono_ms, clock_mono_ms() + SEARCH_LOOK_MS);
    for (size_t i = 0; i < page->count; i++)
        if (rows[i].pending)
            pending[count++] = rows[i].id;
    if (count > 0 && direct_uploads_scan(d->direct_uploads, &soon, req->caller->project, pending,
                                         count, &changed, &err) < 0)
        log_event(LOG_WARNING, "document", "a list can be older than the store", "trace",
                  req->trace, "error", err.message, "detail", err.detail, NULL);
    return changed;
}

static void documents_from_rows(const struct docd *d, const struct request *req,
                                const struct field_list *page, struct documents *out)
{
    const struct document_row *rows = page->items;
    struct document *found;

    out->total = rows[0].total;
    if (!uuid_is_set(&rows[0].id))
        return;
    found = arena_calloc(req->arena, page->count, sizeof(*found));
    for (size_t i = 0; i < page->count; i++)
        document_from_row(d, req, &rows[i], &found[i]);
    out->resources = (struct field_list){found, page->count};
}

int document_search(struct docd *d, const struct request *req, const struct document_search_in *in,
                    struct documents *out, struct error *err)
{
    struct document_sort sort;
    struct list_key key = {
        .project = req->caller->project, .count = in->_count, .offset = in->_offset, .sort = &sort};
    struct field_list page;
    bool is_filtered;
    int kept;

    if (document_scope(d, req, POLICY_SEARCH, &key.author, err) < 0)
        return -1;
    if (document_sort_parse(in->_sort ? in->_sort : "", &sort) < 0)
        return error_problem(err, "_sort", "must be a list of keys");
    is_filtered = is_search(in) || in->kind;
    kept = is_filtered ? 0 : find_kept(d, req, &key, out, err);
    if (kept != 0)
        return MIN(kept, 0);
    if (search(d, req, in, &key, &page, err) < 0)
        return -1;
    if (d->direct_uploads && scan_pending(d, req, &page) &&
        search(d, req, in, &key, &page, err) < 0)
        return -1;
    documents_from_rows(d, req, &page, out);
    if (!is_filtered && may_be_kept(&key, &page))
        list_cache_put(d->lists, &key, ((const struct document_row *)page.items)->version, out);
    return 0;
}

int document_replace(struct docd *d, const struct request *req,
                     const struct document_replace_in *in, struct document *out, struct error *err)
{
    struct sql_document_replace_in replace;
    struct document_row row = {0};
    struct form_given form;
    struct uuid author;

    if (document_scope(d, req, POLICY_UPDATE, &author, err) < 0 ||
        form_give(d, req, in->contentType, in->host, in->scheme, &form, err) < 0)
        return -1;
    replace = (struct sql_document_replace_in){.project = req->caller->project,
                                               .id = in->id,
                                               .author = author,
                                               .file_name = in->fileName,
                                               .content_type = in->contentType,
                                               .now = req->now_ms,
                                               .upload = form_values(req, &form),
                                               .audit = document_audit(req, "document.replace",
                                                                       in->id, NULL)};
    if (require_document(sql_document_replace(d->svc.db, req, &replace, &row, err), err) < 0)
        return -1;
    if (!uuid_is_set(&row.id))
        return document_over_quota(err);
    document_from_row(d, req, &row, out);
    /* Until the upload the document keeps the old file and name. */
    out->fileName = in->fileName;
    out->contentType = in->contentType;
    out->uploadOptions = form.options;
    return 0;
}

static const char *visibility(enum tristate public)
{
    return public == TRISTATE_UNSET ? NULL : public == TRISTATE_TRUE ? "public" : "private";
}

int document_update(struct docd *d, const struct request *req, const struct document_update_in *in,
                    struct document *out, struct error *err)
{
    struct document_meta *meta = arena_alloc(req->arena, sizeof(*meta));
    struct sql_document_update_in update;
    struct document_row row = {0};
    struct token token = {0};
    struct uuid author;

    if (document_scope(d, req, POLICY_UPDATE, &author, err) < 0)
        return -1;
    if (in->isPublic == TRISTATE_TRUE)
        token_make(d, req, &token);
    update = (struct sql_document_update_in){.project = req->caller->project,
                                             .id = in->id,
                                             .author = author,
                                             .file_name = in->fileName,
                                             .is_public = in->isPublic,
                                             .token = token_sealed(&token),
                                             .token_hash = token_hash(&token),
                                             .now = req->now_ms,
                                             .audit = document_audit(req, "document.update", in->id,
                                                                     visibility(in->isPublic))};
    if (require_document(sql_document_update(d->svc.db, req, &update, &row, err), err) < 0)
        return -1;
    document_from_row(d, req, &row, out);
    meta->lastUpdated = out->lastUpdated;
    out->lastUpdated = 0;
    out->meta = meta;
    return 0;
}

/* Removes an object's bytes. If that fails, the sweep removes them. */
static void remove_bytes(struct docd *d, const struct request *req,
                         const struct sql_document_delete_rows *due, struct error *err)
{
    for (size_t i = 0; i < due->count; i++) {
        if (!uuid_is_set(&due->items[i].object) ||
            object_sweep(d, req, req->caller->project, due->items[i].object, err) == 0)
            continue;
        log_event(LOG_WARNING, "document", "a deleted document's bytes remain until the sweep",
                  "trace", req->trace, "error", err->message, "detail", err->detail, NULL);
        error_clear(err);
    }
}

int document_delete(struct docd *d, const struct request *req, const struct document_delete_in *in,
                    struct document_deleted *out, struct error *err)
{
    struct sql_document_delete_in delete = {.project = req->caller->project,
                                            .id = in->id,
                                            .now = req->now_ms,
                                            .audit = document_audit(req, "document.delete", in->id,
                                                                    NULL)};
    struct sql_document_delete_rows due;

    if (document_scope(d, req, POLICY_DELETE, &delete.author, err) < 0 ||
        require_document(sql_document_delete(d->svc.db, req, &delete, &due, err), err) < 0)
        return -1;
    out->message = "Document deleted successfully";
    remove_bytes(d, req, &due, err);
    return 0;
}
