/*
 * store_s3_pieces.c - receives files in pieces from another installation. Each piece has its own
 * key until keep() joins them.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "docd/store/store_s3_private.h"

enum {
    KEEP_PIECES = 8, /* Amazon requires 5 MiB per part */
    PIECES_PAGE = 1000,
};

static const char arriving[] = "arriving/";

/* Returns "arriving/<project>/<object>/". */
static const char *pieces_prefix(const struct request *req, struct store_key key)
{
    return arena_printf(req->arena, "%s%s/%s/", arriving, key.project.text, key.object.text);
}

static const char *piece_key(const struct request *req, struct store_key key, int64_t number)
{
    return arena_printf(req->arena, "%s%08lld", pieces_prefix(req, key), (long long)number);
}

static int list_pieces(const struct store_s3 *self, const struct request *req, struct store_key key,
                       const char *after, struct store_s3_page *ret, struct error *err)
{
    *ret = (struct store_s3_page){
        .keys = arena_alloc(req->arena, PIECES_PAGE * sizeof(*ret->keys)),
        .room = PIECES_PAGE,
    };
    return store_s3_list(self, req, pieces_prefix(req, key), after, ret, err);
}

/* Counts pieces up to the first gap. */
static int count_pieces(const struct store_s3 *self, const struct request *req,
                        struct store_key key, int64_t *ret, struct error *err)
{
    struct store_s3_page page;
    const char *after = NULL;

    *ret = 0;
    do {
        if (list_pieces(self, req, key, after, &page, err) < 0)
            return -1;
        for (size_t i = 0; i < page.count; i++) {
            if (strcmp(page.keys[i], piece_key(req, key, *ret)) != 0)
                return 0;
            ++*ret;
        }
        after = page.more ? page.keys[page.count - 1] : NULL;
    } while (after);
    return 0;
}

int store_s3_pieces_remove(const struct store_s3 *self, const struct request *req,
                           struct store_key key, struct error *err)
{
    struct store_s3_page page;
    const char *after = NULL;

    do {
        if (list_pieces(self, req, key, after, &page, err) < 0)
            return -1;
        for (size_t i = 0; i < page.count; i++)
            if (store_s3_delete(self, req, page.keys[i], NULL, err) < 0)
                return -1;
        after = page.more ? page.keys[page.count - 1] : NULL;
    } while (after);
    return 0;
}

static int put_bytes(const struct store_s3 *self, const struct request *req, const char *key,
                     const char *query, struct field_bytes bytes, const char **ret_etag,
                     struct error *err)
{
    struct s3_call call = {.method = "PUT",
                           .key = key,
                           .query = query,
                           .body = bytes.size > 0 ? (const char *)bytes.bytes : NULL,
                           .body_size = bytes.size,
                           .try_ms = store_s3_copy_ms((int64_t)bytes.size)};
    struct s3_answer answer;

    if (store_s3_make(self, req, &call, &answer, err) < 0)
        return -1;
    *ret_etag = answer.etag;
    return answer.status == 200 && answer.etag ? 0 : store_s3_unexpected(req, &call, &answer, err);
}

/* ---- appending ---- */

/* Finds a key. *ret_size: 0 if there is no such key. */
static int find(const struct store_s3 *self, const struct request *req, const char *key,
                bool *ret_found, int64_t *ret_size, struct error *err)
{
    struct object_head head = {.etag = ""};

    *ret_found = store_s3_look(self, req, key, &head, err) == 0;
    if (!*ret_found && err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    *ret_size = head.size;
    return 0;
}

static int is_kept(const struct store_s3 *self, const struct request *req, struct store_key key,
                   int64_t size, bool *ret, struct error *err)
{
    int64_t found;

    if (find(self, req, store_s3_object_key(req, key), ret, &found, err) < 0)
        return -1;
    *ret = *ret && found == size;
    return 0;
}

/* True when the piece is the first or follows another. */
static int is_next(const struct store_s3 *self, const struct request *req, struct store_key key,
                   int64_t number, bool *ret, struct error *err)
{
    int64_t size;

    *ret = true;
    return number == 0 ? 0 : find(self, req, piece_key(req, key, number - 1), ret, &size, err);
}

static int append_piece(const struct store_s3 *self, const struct request *req,
                        struct store_key key, int64_t offset, struct field_bytes bytes,
                        int64_t size, int64_t *ret_have, struct error *err)
{
    int64_t number = offset / STORE_PIECE, end = offset + (int64_t)bytes.size, count;
    bool whole =
        bytes.size > 0 && offset % STORE_PIECE == 0 && (bytes.size == STORE_PIECE || end == size);
    const char *etag;

    if (whole && is_next(self, req, key, number, &whole, err) < 0)
        return -1;
    if (!whole) {
        if (count_pieces(self, req, key, &count, err) < 0)
            return -1;
        *ret_have = MIN(count * STORE_PIECE, size);
        return 0;
    }
    *ret_have = end;
    return put_bytes(self, req, piece_key(req, key, number), NULL, bytes, &etag, err);
}

/* Appends a piece, and checks at the start and at the end if the object is finished. */
int store_s3_append(struct store *store, const struct request *req, struct store_key key,
                    int64_t offset, struct field_bytes bytes, int64_t size, int64_t *ret_have,
                    struct error *err)
{
    const struct store_s3 *self = store_s3_of(store);
    bool kept = false;

    if ((offset == 0 || bytes.size == 0) && is_kept(self, req, key, size, &kept, err) < 0)
        return -1;
    *ret_have = size;
    return kept ? 0 : append_piece(self, req, key, offset, bytes, size, ret_have, err);
}

/* ---- keeping ---- */

struct keeping {
    const struct store_s3 *self;
    const struct request *req;
    struct store_key key;
    int64_t size, done;
    uint8_t *bytes;
    size_t count;
    crypto_generichash_state state;
    struct stored *stored;
};

static void hash_part(void *arg)
{
    struct keeping *keeping = arg;

    crypto_generichash_update(&keeping->state, keeping->bytes, keeping->count);
}

/* Reads pieces, or the object if it is finished. */
static int read_part(struct keeping *keeping, bool kept, struct error *err)
{
    const struct store_s3 *self = keeping->self;
    const struct request *req = keeping->req;

    keeping->count = 0;
    while (keeping->count < (size_t)KEEP_PIECES * STORE_PIECE && keeping->done < keeping->size) {
        size_t wanted = (size_t)MIN(keeping->size - keeping->done, STORE_PIECE), size = 0;
        const char *key = kept ? store_s3_object_key(req, keeping->key)
                               : piece_key(req, keeping->key, keeping->done / STORE_PIECE);

        if (store_s3_get(self, req, key, kept ? keeping->done : 0, keeping->bytes + keeping->count,
                         wanted, &size, err) < 0)
            return -1;
        if (size < wanted)
            return store_s3_not_found(err);
        keeping->count += size;
        keeping->done += (int64_t)size;
    }
    if (keeping->done == (int64_t)keeping->count) {
        struct field_bytes *head = &keeping->stored->head;
        uint8_t *copy = arena_alloc(req->arena, STORE_HEAD_MAX);

        *head = (struct field_bytes){copy, MIN(keeping->count, (size_t)STORE_HEAD_MAX)};
        memcpy(copy, keeping->bytes, head->size);
    }
    return offload_run(self->options.pool, hash_part, keeping, req->deadline_mono_ms, err);
}

static int check_hash(struct keeping *keeping, const char *hash, struct error *err)
{
    uint8_t bytes[STORE_S3_TAG_HASH];
    char hex[2 * STORE_S3_TAG_HASH + 1];

    crypto_generichash_final(&keeping->state, bytes, sizeof(bytes));
    sodium_bin2hex(hex, sizeof(hex), bytes, sizeof(bytes));
    return strcmp(hex, hash) == 0
               ? 0
               : error_set(err, ERR_BAD_REQUEST, "The file differs from the one that was sent.");
}

/* Joins the pieces as parts. The object appears with the last step, after the hash was checked. */
static int keep_parts(struct keeping *keeping, struct store_s3_parts *parts, const char *hash,
                      struct error *err)
{
    const char *etag;

    while (keeping->count > 0) {
        if (put_bytes(keeping->self, keeping->req, parts->key, store_s3_parts_query(parts),
                      (struct field_bytes){keeping->bytes, keeping->count}, &etag, err) < 0)
            return -1;
        store_s3_parts_add(parts, etag);
        if (read_part(keeping, false, err) < 0)
            return -1;
    }
    if (check_hash(keeping, hash, err) < 0)
        return -1;
    return store_s3_parts_complete(parts, keeping->size, err);
}

static int keep_large(struct keeping *keeping, const char *hash, struct error *err)
{
    struct store_s3_parts parts;

    if (store_s3_parts_begin(&parts, keeping->self, keeping->req,
                             store_s3_object_key(keeping->req, keeping->key), err) < 0)
        return -1;
    if (keep_parts(keeping, &parts, hash, err) == 0)
        return 0;
    store_s3_parts_abort(&parts);
    return -1;
}

static int keep_small(struct keeping *keeping, const char *hash, struct error *err)
{
    const char *etag;

    return check_hash(keeping, hash, err) < 0 ||
                   put_bytes(keeping->self, keeping->req,
                             store_s3_object_key(keeping->req, keeping->key), NULL,
                             (struct field_bytes){keeping->bytes, keeping->count}, &etag, err) < 0
               ? -1
               : 0;
}

/* Checks an object that was finished but not recorded. */
static int keep_again(struct keeping *keeping, const char *hash, struct error *err)
{
    while (keeping->done < keeping->size)
        if (read_part(keeping, true, err) < 0)
            return -1;
    return check_hash(keeping, hash, err);
}

static int keep_all(struct keeping *keeping, const char *hash, struct error *err)
{
    bool kept = false;

    if (is_kept(keeping->self, keeping->req, keeping->key, keeping->size, &kept, err) < 0 ||
        read_part(keeping, kept, err) < 0)
        return -1;
    if (kept)
        return keep_again(keeping, hash, err);
    return (keeping->done < keeping->size ? keep_large : keep_small)(keeping, hash, err);
}

int store_s3_keep(struct store *store, const struct request *req, struct store_key key,
                  int64_t size, const char *hash, struct stored *ret, struct error *err)
{
    const struct store_s3 *self = store_s3_of(store);
    struct keeping keeping = {.self = self, .req = req, .key = key, .size = size, .stored = ret};
    struct object_head head = {.etag = ""};
    struct error ignored; /* remove() tries again */
    int result;

    *ret = (struct stored){.size = size};
    crypto_generichash_init(&keeping.state, NULL, 0, STORE_S3_TAG_HASH);
    keeping.bytes = malloc((size_t)KEEP_PIECES * STORE_PIECE);
    if (!keeping.bytes)
        log_die("s3", "out of memory");
    result = keep_all(&keeping, hash, err);
    free(keeping.bytes);
    error_init(&ignored, NULL);
    if (result == 0 || err->code == ERR_BAD_REQUEST)
        (void)!store_s3_pieces_remove(self, req, key, &ignored);
    if (result < 0 ||
        store_s3_look_at_copy(self, req, store_s3_object_key(req, key), &head, err) < 0)
        return -1;
    ret->etag = store_s3_tag(req, &head);
    return 0;
}
