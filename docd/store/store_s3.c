/*
 * store_s3.c - objects in an S3 bucket; see store.h. A valid form can be sent again, so it never
 * names an object: the server copies its file to the object's key, and properties are read from the
 * copy.
 */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/memory.h"
#include "docd/store/post_policy.h"
#include "docd/store/s3_xml.h"
#include "docd/store/store_s3_private.h"

enum { PIECE = 1024 * 1024 };

static const char incoming[] = "incoming/";

const char *store_s3_object_key(const struct request *req, struct store_key key)
{
    return arena_printf(req->arena, "%s/%s", key.project.text, key.object.text);
}

const char *store_s3_form_key(const struct request *req, struct store_key form)
{
    return arena_printf(req->arena, "%s%s/%s", incoming, form.project.text, form.object.text);
}

int store_s3_not_found(struct error *err)
{
    return error_set(err, ERR_NOT_FOUND, "File not found.");
}

int store_s3_unexpected(const struct request *req, const struct s3_call *call,
                        const struct s3_answer *answer, struct error *err)
{
    return s3_unavailable(err, call->method,
                          arena_printf(req->arena, "%d %s", answer->status, answer->code));
}

/* ---- forms ---- */

static int s3_form(struct store *store, const struct request *req, const struct store_form *form,
                   struct store_form_made *ret, struct error *err UNUSED)
{
    const struct store_s3 *self = store_s3_of(store);
    struct post_policy policy = {
        .bucket = self->options.s3.bucket,
        .key = store_s3_form_key(req, form->key),
        .content_type = form->content_type,
        .size_max = form->size_max,
        .expires_ms = form->expires_ms,
    };

    ret->url = s3_bucket_url(self->s3);
    ret->fields = post_policy_sign(&self->options.s3.signer, &policy, req->now_ms, req->arena);
    return 0;
}

/* ---- metadata ---- */

int store_s3_look(const struct store_s3 *self, const struct request *req, const char *key,
                  struct object_head *ret, struct error *err)
{
    struct s3_call call = {.method = "HEAD", .key = key};
    struct s3_answer answer;

    if (s3_call(self->s3, req, &call, &answer, err) < 0)
        return -1;
    if (answer.status == 404)
        return store_s3_not_found(err);
    if (answer.status != 200 || answer.length < 0 || !answer.etag)
        return store_s3_unexpected(req, &call, &answer, err);
    *ret = (struct object_head){answer.length, answer.etag, answer.modified, answer.date};
    return 0;
}

static int s3_arrived(struct store *store, const struct request *req, struct store_key form,
                      int64_t *ret_ms, struct error *err)
{
    struct object_head head = {.etag = ""};
    int result = store_s3_look(store_s3_of(store), req, store_s3_form_key(req, form), &head, err);

    *ret_ms = head.modified_ms;
    return result;
}

struct listing {
    const struct request *req;
    struct store_s3_page *page;
};

static void page_element(void *arg, const char *path, const char *text)
{
    struct listing *self = arg;
    struct store_s3_page *page = self->page;

    if (strcmp(path, "ListBucketResult/IsTruncated") == 0) {
        page->told = true;
        page->more = strcmp(text, "true") == 0;
    }
    if (strcmp(path, "ListBucketResult/Contents/Key") == 0 && page->count < page->room)
        page->keys[page->count++] = arena_strdup(self->req->arena, text);
}

int store_s3_list(const struct store_s3 *self, const struct request *req, const char *prefix,
                  const char *after, struct store_s3_page *page, struct error *err)
{
    struct s3_call call = {.method = "GET", .key = ""};
    struct listing listing = {req, page};
    struct s3_answer answer;

    page->count = 0;
    page->told = page->more = false;
    call.query = arena_printf(req->arena, "list-type=2&max-keys=%zu&prefix=%s%s%s", page->room,
                              s3_encode(req->arena, prefix), after ? "&start-after=" : "",
                              after ? s3_encode(req->arena, after) : "");
    if (s3_call(self->s3, req, &call, &answer, err) < 0)
        return -1;
    if (answer.status != 200 ||
        s3_xml_read(answer.text, answer.size, "ListBucketResult", page_element, &listing) < 0 ||
        !page->told || (page->more && page->count == 0))
        return store_s3_unexpected(req, &call, &answer, err);
    return 0;
}

static int list_keys(const struct store_s3 *self, const struct request *req, const char *prefix,
                     const char **cursor, struct store_key *ret, size_t room, size_t *ret_count,
                     struct error *err)
{
    struct store_s3_page page = {
        .keys = arena_alloc(req->arena, room * sizeof(*page.keys)),
        .room = room,
    };
    size_t length = strlen(prefix);

    if (store_s3_list(self, req, prefix, *cursor, &page, err) < 0)
        return -1;
    *ret_count = 0;
    for (size_t i = 0; i < page.count; i++)
        if (strncmp(page.keys[i], prefix, length) == 0 &&
            store_key_read(page.keys[i] + length, &ret[*ret_count]) == 0)
            ++*ret_count;
    *cursor = page.more ? page.keys[page.count - 1] : NULL;
    return 0;
}

static int s3_direct_uploads(struct store *store, const struct request *req, const char **cursor,
                             struct store_key *ret, size_t room, size_t *ret_count,
                             struct error *err)
{
    return list_keys(store_s3_of(store), req, incoming, cursor, ret, room, ret_count, err);
}

/* Skips keys that are not objects. */
static int s3_objects(struct store *store, const struct request *req, const char **cursor,
                      struct store_key *ret, size_t room, size_t *ret_count, struct error *err)
{
    return list_keys(store_s3_of(store), req, "", cursor, ret, room, ret_count, err);
}

/* ---- removing ---- */

int store_s3_delete(const struct store_s3 *self, const struct request *req, const char *key,
                    const char *query, struct error *err)
{
    struct s3_call call = {.method = "DELETE", .key = key, .query = query};
    struct s3_answer answer;

    if (s3_call(self->s3, req, &call, &answer, err) < 0)
        return -1;
    return answer.status == 204 || answer.status == 200 || answer.status == 404
               ? 0
               : store_s3_unexpected(req, &call, &answer, err);
}

static int s3_forget(struct store *store, const struct request *req, struct store_key form,
                     struct error *err)
{
    return store_s3_delete(store_s3_of(store), req, store_s3_form_key(req, form), NULL, err);
}

static int s3_remove(struct store *store, const struct request *req, struct store_key key,
                     struct error *err)
{
    const struct store_s3 *self = store_s3_of(store);
    const char *name = store_s3_object_key(req, key);

    return store_s3_delete(self, req, name, NULL, err) < 0 ||
                   store_s3_parts_remove(self, req, name, err) < 0
               ? -1
               : store_s3_pieces_remove(self, req, key, err);
}

/* ---- probing ---- */

static int probe_step(const struct store_s3 *self, const struct request *req,
                      const struct s3_call *call, struct s3_answer *ret, struct error *err)
{
    if (s3_call(self->s3, req, call, ret, err) < 0)
        return -1;
    return ret->status / 100 == 2 ? 0 : store_s3_unexpected(req, call, ret, err);
}

static int probe_bytes(const struct store_s3 *self, const struct request *req, const char *key,
                       struct error *err)
{
    const struct uuid id = uuid_random();
    const char *bytes = id.text;
    struct s3_answer answer;

    if (probe_step(self, req, &(struct s3_call){.method = "PUT", .key = key, .body = bytes},
                   &answer, err) < 0 ||
        probe_step(self, req, &(struct s3_call){.method = "GET", .key = key}, &answer, err) < 0)
        return -1;
    return answer.size == strlen(bytes) && memcmp(answer.text, bytes, answer.size) == 0
               ? 0
               : s3_unavailable(err, "GET", "other bytes than were put");
}

/* Always removes the probe object. */
static int probe_all(const struct store_s3 *self, const struct request *req, struct error *err)
{
    const char *key = arena_printf(req->arena, "doctor/%s", self->probe_name.text);
    int rc = probe_bytes(self, req, key, err);
    struct s3_answer answer;
    struct error later;

    error_init(&later, req->arena);
    if (probe_step(self, req, &(struct s3_call){.method = "DELETE", .key = key}, &answer,
                   rc == 0 ? err : &later) < 0 ||
        rc < 0)
        return -1;
    return probe_step(self, req,
                      &(struct s3_call){.method = "GET",
                                        .key = "",
                                        .query = "list-type=2&max-keys=1&prefix=incoming%2F"},
                      &answer, err);
}

/* Probes the bucket with a small object. All probes use one key, so at most one object is left
 * over. No object has that name. */
static int s3_probe(struct store *store, const struct request *req, struct error *err)
{
    struct store_s3 *self = store_s3_of(store);
    int rc;

    if (fiber_sem_acquire(&self->probe, 1, req->deadline_mono_ms, err) < 0)
        return s3_unavailable(err, "all", "another request tries it just now");
    rc = probe_all(self, req, err);
    fiber_sem_release(&self->probe, 1);
    return rc;
}

/* ---- reading ---- */

int store_s3_get(const struct store_s3 *self, const struct request *req, const char *key,
                 int64_t offset, void *bytes, size_t size, size_t *ret_size, struct error *err)
{
    struct s3_call call = {
        .method = "GET",
        .key = key,
        .headers = {{"range", arena_printf(req->arena, "bytes=%lld-%lld", (long long)offset,
                                           (long long)offset + (long long)size - 1)}},
        .target = bytes,
        .room = size};
    struct s3_answer answer;

    if (s3_call(self->s3, req, &call, &answer, err) < 0)
        return -1;
    if (answer.status == 404)
        return store_s3_not_found(err);
    if (answer.status != 206 && answer.status != 416 && (answer.status != 200 || offset > 0))
        return store_s3_unexpected(req, &call, &answer, err);
    *ret_size = answer.status != 416 ? answer.size : 0;
    return 0;
}

const char *store_s3_tag(const struct request *req, const struct object_head *head)
{
    const char *text = arena_printf(req->arena, "%s %lld", head->etag, (long long)head->size);
    uint8_t hash[STORE_S3_TAG_HASH];
    char hex[2 * STORE_S3_TAG_HASH + 1];

    crypto_generichash(hash, sizeof(hash), (const uint8_t *)text, strlen(text), NULL, 0);
    sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
    return arena_printf(req->arena, "\"%s\"", hex);
}

static int s3_check_object(struct store *store, const struct request *req, struct store_key key,
                           bool hash UNUSED, int64_t *ret_size, const char **ret_etag,
                           struct error *err)
{
    struct object_head head = {.etag = ""};

    if (store_s3_look(store_s3_of(store), req, store_s3_object_key(req, key), &head, err) < 0)
        return -1;
    *ret_size = head.size;
    *ret_etag = store_s3_tag(req, &head);
    return 0;
}

static int s3_read(struct store *store, const struct request *req, struct store_key key,
                   int64_t offset, void *bytes, size_t size, size_t *ret_size, struct error *err)
{
    *ret_size = 0;
    return size == 0 ? 0
                     : store_s3_get(store_s3_of(store), req, store_s3_object_key(req, key), offset,
                                    bytes, size, ret_size, err);
}

struct piece {
    const char *dir;
    int file;
    uint8_t *bytes;
    size_t size;
    int64_t offset;
    int error;
};

static void write_piece(void *arg)
{
    struct piece *piece = arg;

    if (piece->file < 0)
        piece->file = open(piece->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    piece->error =
        piece->file < 0 || file_write_all(piece->file, piece->bytes, piece->size, piece->offset) < 0
            ? errno
            : 0;
}

static int fetch(const struct store_s3 *self, const struct request *req, const char *key,
                 struct piece *piece, struct error *err)
{
    do {
        if (store_s3_get(self, req, key, piece->offset, piece->bytes, PIECE, &piece->size, err) <
                0 ||
            offload_run(self->options.pool, write_piece, piece, req->deadline_mono_ms, err) < 0)
            return -1;
        if (piece->error != 0) {
            (void)error_retry(err, ERR_UNAVAILABLE, 5,
                              "The file can't be read right now. Please try again later.");
            return error_detail(err, "%s: %s", piece->dir, strerror(piece->error));
        }
        piece->offset += (int64_t)piece->size;
    } while (piece->size == PIECE);
    return lseek(piece->file, 0, SEEK_SET) == 0 ? 0 : error_set(err, ERR_INTERNAL, "no file");
}

/* Copies with one piece in memory at a time. */
static int s3_open(struct store *store, const struct request *req, struct store_key key,
                   int *ret_file, struct error *err)
{
    const struct store_s3 *self = store_s3_of(store);
    struct piece piece = {.dir = self->options.dir, .file = -1, .bytes = memory_new(PIECE)};
    int result = fetch(self, req, store_s3_object_key(req, key), &piece, err);

    free(piece.bytes);
    if (result == 0)
        *ret_file = piece.file;
    else if (piece.file >= 0)
        close(piece.file);
    return result;
}

static void s3_store_destroy(struct store *store)
{
    struct store_s3 *self = store_s3_of(store);

    s3_destroy(&self->s3);
    free(self);
}

static const struct store_functions functions = {
    .form = s3_form,
    .arrived = s3_arrived,
    .adopt = store_s3_adopt,
    .forget = s3_forget,
    .direct_uploads = s3_direct_uploads,
    .append = store_s3_append,
    .keep = store_s3_keep,
    .read = s3_read,
    .open = s3_open,
    .check = s3_check_object,
    .objects = s3_objects,
    .remove = s3_remove,
    .probe = s3_probe,
    .destroy = s3_store_destroy,
};

struct store *store_s3_new(struct loop *loop, const struct store_s3_options *options)
{
    struct store_s3 *self = memory_new(sizeof(*self));

    self->store.functions = &functions;
    self->loop = loop;
    fiber_sem_init(&self->probe, loop, 1, FIBER_SEM_UNBOUNDED);
    self->options = *options;
    self->probe_name = uuid_random();
    self->s3 = s3_new(loop, &self->options.s3);
    return &self->store;
}
