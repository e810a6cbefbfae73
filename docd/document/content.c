/*
 * content.c - sends a document's bytes, to callers that can read it or have its public token.
 */
#include <string.h>
#include <strings.h>

#include "common/base/file.h"
#include "common/domain/etag.h"
#include "docd/docd.h"
#include "docd/document/disposition.h"
#include "docd/document/document_file.h"
#include "docd/document/sniff.h"
#include "docd/document_api.h"
#include "docd/export/export.h"
#include "docd/image_api.h"
#include "docd/sql/document.h"

enum { FILE_PASS_MIN = 32 * 1024 }; /* copying fewer bytes is cheaper */

struct wish {
    const char *etag, *if_none_match, *kept, *file_to;
    struct image_size size; /* both 0: the original */
};
#define WISH(in)                                                      \
    &(struct wish)                                                    \
    {                                                                 \
        (in)->etag, (in)->ifNoneMatch, (in)->kept, (in)->fileTo,      \
        {                                                             \
            (int)(in)->width, (int)(in)->height, image_fit((in)->fit) \
        }                                                             \
    }

static enum image_fit image_fit(const char *name)
{
    int fit = 0;

    while (name && strcmp(name, image_fit_names[fit]) != 0)
        fit++;
    return (enum image_fit)fit;
}

static bool client_has(const struct wish *wish, const struct content *content)
{
    return etag_is_sent(wish->etag, content->etag) ||
           etag_is_named(wish->if_none_match, content->etag);
}

/* A large file is read after the response has begun, too late for a 404. S3 is not asked first:
 * that would cost each range one more request. */
static int is_there(struct docd *d, const struct request *req, struct store_key key,
                    struct error *err)
{
    const char *etag;
    int64_t size;

    return d->direct_uploads
               ? 0
               : d->store->functions->check(d->store, req, key, false, &size, &etag, err);
}

/* Passes the open file. False: the gateway wants none, or the bytes go over the bus. */
static bool pass_file(struct docd *d, struct store_key key, const struct wish *wish,
                      struct content *out)
{
    const struct store_functions *store = d->store->functions;

    if (out->size < FILE_PASS_MIN || !d->config->pass_files || !store->open_cached ||
        !file_sender_knows(d->files, wish->file_to))
        return false;
    CLEANUP(file_close_descriptor) int file = store->open_cached(d->store, key, out->size);
    if (file >= 0)
        out->file = file_sender_send(d->files, wish->file_to, file);
    return out->file > 0;
}

/* Returns a small file's bytes immediately, unless the client or the gateway has them. */
static int whole(struct docd *d, const struct request *req, struct store_key key,
                 const struct wish *wish, struct content *out, struct error *err)
{
    size_t size = (size_t)out->size;
    uint8_t *bytes;

    if (size == 0 || client_has(wish, out) || (wish->kept && strcmp(wish->kept, out->handle) == 0))
        return 0;
    if (pass_file(d, key, wish, out))
        return 0;
    if (size > CONTENT_INLINE_MAX)
        return is_there(d, req, key, err);
    bytes = arena_alloc_raw(req->arena, size);
    if (d->store->functions->read(d->store, req, key, 0, bytes, size, &out->bytes.size, err) < 0)
        return -1;
    out->bytes.bytes = bytes;
    return out->bytes.size == size ? 0
                                   : error_set(err, ERR_INTERNAL, "A stored file is incomplete.");
}

/* Adapts the extension: "cat.gif" becomes "cat.png". */
static const char *name_as(struct arena *arena, const char *name, const char *type)
{
    static const struct {
        const char *extension, *type, *own; /* own: the extension that this type gets */
    } rows[] = {
        {".jpg", "image/jpeg", ".jpg"}, {".jpeg", "image/jpeg", NULL},
        {".png", "image/png", ".png"},  {".webp", "image/webp", ".webp"},
        {".gif", "image/gif", NULL},    {".heic", "image/heic", NULL},
        {".heif", "image/heif", NULL},  {".avif", "image/avif", NULL},
    };
    const char *dot = strrchr(name, '.'), *own = "";
    bool replace = false;

    for (size_t i = 0; dot && i < ARRAY_SIZE(rows); i++) {
        bool same = strcmp(rows[i].type, type) == 0;

        if (same && rows[i].own)
            own = rows[i].own;
        if (strcasecmp(dot, rows[i].extension) == 0)
            replace = !same;
    }
    return replace ? arena_printf(arena, "%.*s%s", (int)(dot - name), name, own) : name;
}

static int resized(struct docd *d, const struct request *req, struct store_key key,
                   const char *name, const struct wish *wish, struct content *out,
                   struct error *err)
{
    struct variant variant = {0};
    int64_t bytes = out->size;

    out->etag = variant_etag(req->arena, out->etag, &wish->size);
    out->size = 0;
    if (client_has(wish, out))
        return 0;
    if (variant_get(d->variants, req, key, bytes, &wish->size, &variant, err) < 0)
        return -1;
    out->contentType = variant.contentType;
    out->disposition = disposition(req->arena, false, name_as(req->arena, name, out->contentType));
    out->size = variant.size;
    out->handle = variant.handle;
    out->bytes = variant.bytes;
    return 0;
}

/* Looks for a file that arrived in the store. *ret_again: the document now has another file. */
static int look_again(struct docd *d, const struct request *req, const struct document_file *file,
                      bool *ret_again, struct error *err)
{
    *ret_again = false;
    if (!d->direct_uploads || !file->pending)
        return 0;
    return direct_uploads_scan(d->direct_uploads, req, file->project, &file->id, 1, ret_again, err);
}

static int content_of(struct docd *d, const struct request *req, const struct document_file *file,
                      const struct wish *wish, struct content *out, struct error *err)
{
    struct store_key key = {file->project, file->object};
    bool other_size = wish->size.width > 0 || wish->size.height > 0;
    bool active;

    if (!uuid_is_set(&file->object))
        return error_set(err, ERR_NOT_FOUND, "File not uploaded yet.");
    if (file->missing)
        return error_set(err, ERR_NOT_FOUND, BYTES_MISSING);
    active = !other_size &&
             (media_type_is_active(file->contentType) || media_type_is_active(file->foundType));
    *out = (struct content){
        .etag = file->etag,
        .contentType = file->contentType,
        .disposition = disposition(req->arena, active, file->fileName),
        .size = file->size,
        .lastModified = file->lastUpdated,
        .handle = arena_printf(req->arena, "%s/%s", key.project.text, key.object.text),
    };
    if ((other_size ? resized(d, req, key, file->fileName, wish, out, err)
                    : whole(d, req, key, wish, out, err)) == 0)
        return 0;
    if (err->code == ERR_NOT_FOUND)
        bytes_not_found(d, req, key, err);
    return -1;
}

int document_content(struct docd *d, const struct request *req,
                     const struct document_content_in *in, struct content *out, struct error *err)
{
    struct document_file file;
    struct uuid author;
    bool again;

    if (document_scope(d, req, POLICY_READ, &author, err) < 0)
        return -1;
    do {
        if (require_document(document_file_get(d, req, &in->id, &author, &file, err), err) < 0 ||
            look_again(d, req, &file, &again, err) < 0)
            return -1;
    } while (again);
    return content_of(d, req, &file, WISH(in), out, err);
}

int document_public(struct docd *d, const struct request *req, const struct document_public_in *in,
                    struct content *out, struct error *err)
{
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_document_file_find_by_token_in find = {.token_hash = {hash, sizeof(hash)},
                                                            .direct = d->direct_uploads != NULL};
    struct document_file file;
    bool again;

    secret_hash(in->token, hash);
    do {
        file = (struct document_file){0};
        if (require_document(sql_document_file_find_by_token(d->svc.db, req, &find, &file, err),
                             err) < 0 ||
            look_again(d, req, &file, &again, err) < 0)
            return -1;
    } while (again);
    if (content_of(d, req, &file, WISH(in), out, err) < 0)
        return -1;
    out->maxAge = d->config->public_max_age;
    return 0;
}

int content_read(struct docd *d, const struct request *req, const struct content_read_in *in,
                 struct content_read_out *out, struct error *err)
{
    struct store_key key;
    uint8_t *bytes;

    if (export_is_handle(in->handle))
        return export_read(d, req, in, out, err);
    bytes = arena_alloc_raw(req->arena, (size_t)in->length);
    out->bytes.bytes = bytes;
    if (variant_is_handle(in->handle))
        return variant_read(d->variants, req, in->handle, in->offset, bytes, (size_t)in->length,
                            &out->bytes.size, err);
    if (store_key_read(in->handle, &key) < 0)
        return error_set(err, ERR_BAD_REQUEST, "File not found.");
    if (d->store->functions->read(d->store, req, key, in->offset, bytes, (size_t)in->length,
                                  &out->bytes.size, err) == 0)
        return 0;
    if (err->code == ERR_NOT_FOUND)
        bytes_not_found(d, req, key, err);
    return -1;
}
