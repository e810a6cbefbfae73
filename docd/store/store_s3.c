/*
 * store_s3.c - objects in a bucket of S3; see store.h.
 *
 * A form can be sent again for as long as it is good, so it never names an object: what it brings
 * is copied, within the server, to the object's own key, which no form was ever made for. What is
 * told of the object is then asked of the copy.
 */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/runtime/fiber_sem.h"
#include "common/wire/codec.h"
#include "docd/store/post_policy.h"
#include "docd/store/s3_xml.h"
#include "docd/store/store.h"

enum {
    SECOND_MS = 1000,
    PIECE = 1024 * 1024, /* of open() */
    TAG_HASH = 32,
    KEEP_PIECES = 8, /* of a part that keep() makes: Amazon wants 5 MiB at least */
    PIECES_PAGE = 1000,
};

static const char incoming[] = "incoming/", arriving[] = "arriving/";

struct store_s3 {
    struct store store; /* first */
    struct loop *loop;
    struct s3 *s3;
    struct store_s3_options options;
    struct uuid probe_name;
    struct fiber_sem probe;
};

static struct store_s3 *s3_of(struct store *store)
{
    return (struct store_s3 *)store;
}

static const char *object_key(const struct request *req, struct store_key key)
{
    return arena_printf(req->arena, "%s/%s", key.project.text, key.object.text);
}

static const char *form_key(const struct request *req, struct store_key form)
{
    return arena_printf(req->arena, "%s%s/%s", incoming, form.project.text, form.object.text);
}

static int not_found(struct error *err)
{
    return error_set(err, ERR_NOT_FOUND, "File not found.");
}

/* How long a server may copy so many bytes: it says little before it is done, and may be dead as
 * well. */
static int64_t copy_ms(int64_t size)
{
    return 10000 + size / 4096;
}

/* An answer that is neither good nor expected: the operator has something to do. */
static int unexpected(const struct request *req, const struct s3_call *call,
                      const struct s3_answer *answer, struct error *err)
{
    return s3_unavailable(err, call->method,
                          arena_printf(req->arena, "%d %s", answer->status, answer->code));
}

/* ---- forms ---- */

static int s3_form(struct store *store, const struct request *req, const struct store_form *form,
                   struct store_form_made *ret, struct error *err UNUSED)
{
    const struct store_s3 *self = s3_of(store);
    struct post_policy policy = {
        .bucket = self->options.s3.bucket,
        .key = form_key(req, form->key),
        .content_type = form->content_type,
        .size_max = form->size_max,
        .expires_ms = form->expires_ms,
    };

    ret->url = s3_bucket_url(self->s3);
    ret->fields = post_policy_sign(&self->options.s3.signer, &policy, req->now_ms, req->arena);
    return 0;
}

/* ---- looking ---- */

struct facts {
    int64_t size;
    const char *etag;             /* S3's */
    int64_t modified_ms, date_ms; /* by its clock, to the second; 0: it does not tell */
};

static int look(const struct store_s3 *self, const struct request *req, const char *key,
                struct facts *ret, struct error *err)
{
    struct s3_call call = {.method = "HEAD", .key = key};
    struct s3_answer answer;

    if (s3_call(self->s3, req, &call, &answer, err) < 0)
        return -1;
    if (answer.status == 404)
        return not_found(err);
    if (answer.status != 200 || answer.length < 0 || !answer.etag)
        return unexpected(req, &call, &answer, err);
    *ret = (struct facts){answer.length, answer.etag, answer.modified, answer.date};
    return 0;
}

static int s3_arrived(struct store *store, const struct request *req, struct store_key form,
                      int64_t *ret_ms, struct error *err)
{
    struct facts facts = {.etag = ""};
    int result = look(s3_of(store), req, form_key(req, form), &facts, err);

    *ret_ms = facts.modified_ms;
    return result;
}

struct listing {
    const struct request *req;
    const char *prefix; /* of the keys that count */
    struct store_key *found;
    size_t room, count;
    const char *last;
    bool told, more; /* whether this is the end; it is not */
};

/* Of keys that are not ours only the place is kept. */
static void list_element(void *arg, const char *path, const char *text)
{
    struct listing *self = arg;
    size_t prefix = strlen(self->prefix);

    if (strcmp(path, "ListBucketResult/IsTruncated") == 0) {
        self->told = true;
        self->more = strcmp(text, "true") == 0;
    }
    if (strcmp(path, "ListBucketResult/Contents/Key") != 0 || self->count == self->room)
        return;
    self->last = arena_strdup(self->req->arena, text);
    if (strncmp(text, self->prefix, prefix) == 0 &&
        store_key_read(text + prefix, &self->found[self->count]) == 0)
        self->count++;
}

/* Documents are given up for what a list does not have: an answer that may be something else is
 * none. */
static bool is_list(const struct s3_answer *answer, struct listing *listing)
{
    return answer->status == 200 &&
           s3_xml_read(answer->text, answer->size, "ListBucketResult", list_element, listing) ==
               0 &&
           listing->told && (!listing->more || listing->last);
}

static int list(struct store *store, const struct request *req, const char *prefix,
                const char **cursor, struct store_key *ret, size_t room, size_t *ret_count,
                struct error *err)
{
    struct listing listing = {.req = req, .prefix = prefix, .found = ret, .room = room};
    struct s3_call call = {.method = "GET", .key = ""};
    struct s3_answer answer;

    call.query = arena_printf(req->arena, "list-type=2&max-keys=%zu&prefix=%s%s%s", room,
                              s3_encode(req->arena, prefix), *cursor ? "&start-after=" : "",
                              *cursor ? s3_encode(req->arena, *cursor) : "");
    if (s3_call(s3_of(store)->s3, req, &call, &answer, err) < 0)
        return -1;
    if (!is_list(&answer, &listing))
        return unexpected(req, &call, &answer, err);
    *ret_count = listing.count;
    *cursor = listing.more ? listing.last : NULL;
    return 0;
}

static int s3_direct_uploads(struct store *store, const struct request *req, const char **cursor,
                             struct store_key *ret, size_t room, size_t *ret_count,
                             struct error *err)
{
    return list(store, req, incoming, cursor, ret, room, ret_count, err);
}

/* All keys of the bucket, of which those of objects count. */
static int s3_objects(struct store *store, const struct request *req, const char **cursor,
                      struct store_key *ret, size_t room, size_t *ret_count, struct error *err)
{
    return list(store, req, "", cursor, ret, room, ret_count, err);
}

/* ---- adopting ---- */

static int changed(struct error *err, const char *method)
{
    return s3_unavailable(err, method, "changed while it was copied");
}

/* The server may make it yet: a failure becomes ERR_UNCERTAIN, with the same texts. */
static int uncertain(struct error *err)
{
    struct error cause = *err;

    error_set(err, ERR_UNCERTAIN, "%s", cause.message);
    return error_detail(err, "%s", cause.detail);
}

/* As s3_call(), of what makes something. ERR_UNCERTAIN: the server may make it yet. */
static int make(const struct store_s3 *self, const struct request *req, const struct s3_call *call,
                struct s3_answer *ret, struct error *err)
{
    if (s3_call(self->s3, req, call, ret, err) == 0)
        return 0;
    return ret->abandoned ? uncertain(err) : -1;
}

static int read_copy(const struct request *req, const struct s3_call *call,
                     const struct s3_answer *answer, const char *etag_path, const char **ret_etag,
                     struct error *err)
{
    const char *code;

    if (answer->status == 404 && strcmp(answer->code, "NoSuchUpload") != 0)
        return not_found(err);
    if (answer->status == 412)
        return changed(err, call->method);
    if (answer->status != 200)
        return unexpected(req, call, answer, err);
    /* A server that has begun to answer can tell of a failure only there. */
    *ret_etag = s3_xml_text(req->arena, answer->text, answer->size, etag_path);
    if (*ret_etag)
        return 0;
    code = s3_xml_text(req->arena, answer->text, answer->size, "Error/Code");
    return s3_unavailable(err, call->method, code ? code : "neither a result nor an error");
}

/* What a second try was refused, an abandoned first one may still make. */
static int copy_answer(const struct request *req, const struct s3_call *call,
                       const struct s3_answer *answer, const char *etag_path, const char **ret_etag,
                       struct error *err)
{
    if (read_copy(req, call, answer, etag_path, ret_etag, err) == 0)
        return 0;
    return answer->abandoned ? uncertain(err) : -1;
}

/* The facts of an object that was just copied. One that is not there may come yet. */
static int look_at_copy(const struct store_s3 *self, const struct request *req, const char *key,
                        struct facts *ret, struct error *err)
{
    if (look(self, req, key, ret, err) == 0)
        return 0;
    if (err->code != ERR_NOT_FOUND)
        return -1;
    (void)!s3_unavailable(err, "HEAD", "404 of what was copied");
    return uncertain(err);
}

static int copy_whole(const struct store_s3 *self, const struct request *req, const char *from,
                      const char *to, const struct facts *facts, struct error *err)
{
    const char *source = arena_printf(req->arena, "%s/%s", self->options.s3.bucket, from), *etag;
    struct s3_call call = {.method = "PUT",
                           .key = to,
                           .try_ms = copy_ms(facts->size),
                           .headers = {{"x-amz-copy-source", source},
                                       {"x-amz-copy-source-if-match", facts->etag}}};
    struct s3_answer answer;

    if (make(self, req, &call, &answer, err) < 0)
        return -1;
    return copy_answer(req, &call, &answer, "CopyObjectResult/ETag", &etag, err);
}

static int part_begin(const struct store_s3 *self, const struct request *req, const char *key,
                      const char **ret_upload, struct error *err)
{
    struct s3_call call = {.method = "POST", .key = key, .query = "uploads=", .once = true};
    struct s3_answer answer;
    const char *upload;

    if (make(self, req, &call, &answer, err) < 0)
        return -1;
    upload = answer.status == 200 ? s3_xml_text(req->arena, answer.text, answer.size,
                                                "InitiateMultipartUploadResult/UploadId")
                                  : NULL;
    if (!upload)
        return unexpected(req, &call, &answer, err);
    *ret_upload = s3_encode(req->arena, upload);
    return 0;
}

static int part_copy(const struct store_s3 *self, const struct request *req, const char *from,
                     const char *to, const char *upload, const struct facts *facts, int number,
                     const char **ret_etag, struct error *err)
{
    const char *source = arena_printf(req->arena, "%s/%s", self->options.s3.bucket, from);
    int64_t first = (number - 1) * self->options.part_size,
            last = MIN(first + self->options.part_size, facts->size) - 1;
    struct s3_call call = {
        .method = "PUT",
        .key = to,
        .query = arena_printf(req->arena, "partNumber=%d&uploadId=%s", number, upload),
        .try_ms = copy_ms(last - first),
        .headers = {{"x-amz-copy-source", source},
                    {"x-amz-copy-source-if-match", facts->etag},
                    {"x-amz-copy-source-range", arena_printf(req->arena, "bytes=%lld-%lld",
                                                             (long long)first, (long long)last)}}};
    struct s3_answer answer;

    if (make(self, req, &call, &answer, err) < 0)
        return -1;
    return copy_answer(req, &call, &answer, "CopyPartResult/ETag", ret_etag, err);
}

/* A second try that finds the upload gone was a first one whose answer was lost: what is there then
 * is looked at. */
static int parts_complete(const struct store_s3 *self, const struct request *req, const char *to,
                          const char *upload, const struct facts *facts, const char *body,
                          struct error *err)
{
    struct s3_call call = {.method = "POST",
                           .key = to,
                           .query = arena_printf(req->arena, "uploadId=%s", upload),
                           .body = body,
                           .try_ms = copy_ms(facts->size)};
    struct s3_answer answer;
    const char *etag;

    if (make(self, req, &call, &answer, err) < 0)
        return -1;
    if (answer.status == 404 && strcmp(answer.code, "NoSuchUpload") == 0)
        return 0;
    return copy_answer(req, &call, &answer, "CompleteMultipartUploadResult/ETag", &etag, err);
}

/* Some servers copy parts whatever "if-match" says: without this, those of a form that was sent
 * again meanwhile would become one file with those from before. */
static int check_unchanged(const struct store_s3 *self, const struct request *req, const char *key,
                           const struct facts *before, struct error *err)
{
    struct facts now = {.etag = ""};

    if (look(self, req, key, &now, err) < 0)
        return -1;
    return now.size == before->size && strcmp(now.etag, before->etag) == 0 &&
                   now.modified_ms == before->modified_ms
               ? 0
               : changed(err, "HEAD");
}

/* A file that was replaced and then replaced by its own bytes looks as it did but for the time,
 * of which the server gives whole seconds: one that came in this very second is copied in the
 * next. */
static int wait_for_second(const struct store_s3 *self, const struct facts *facts,
                           struct error *err)
{
    if (facts->modified_ms == 0 || facts->date_ms != facts->modified_ms)
        return 0;
    return fiber_sleep_until(self->loop, clock_mono_ms() + SECOND_MS, err);
}

static void add_part(const struct request *req, struct codec_buffer *body, int number,
                     const char *etag)
{
    const char *line = arena_printf(
        req->arena, "<Part><PartNumber>%d</PartNumber><ETag>&quot;%.*s&quot;</ETag></Part>", number,
        (int)strcspn(etag + (etag[0] == '"'), "\"<>&"), etag + (etag[0] == '"'));

    codec_write(body, line, strlen(line));
}

static int copy_parts(const struct store_s3 *self, const struct request *req, const char *from,
                      const char *to, const char *upload, const struct facts *facts,
                      struct error *err)
{
    const int count = (int)((facts->size + self->options.part_size - 1) / self->options.part_size);
    struct codec_buffer body;
    const char *etag;

    codec_buffer_init(&body, req->arena);
    codec_write(&body, "<CompleteMultipartUpload>", strlen("<CompleteMultipartUpload>"));
    for (int number = 1; number <= count; number++) {
        if (part_copy(self, req, from, to, upload, facts, number, &etag, err) < 0)
            return -1;
        add_part(req, &body, number, etag);
    }
    codec_write(&body, "</CompleteMultipartUpload>", sizeof("</CompleteMultipartUpload>"));
    if (check_unchanged(self, req, from, facts, err) < 0)
        return -1;
    return parts_complete(self, req, to, upload, facts, (const char *)body.bytes, err);
}

static int abort_parts(const struct store_s3 *self, const struct request *req, const char *key,
                       const char *upload, struct error *err)
{
    struct s3_call call = {
        .method = "DELETE", .key = key, .query = arena_printf(req->arena, "uploadId=%s", upload)};
    struct s3_answer answer;

    if (s3_call(self->s3, req, &call, &answer, err) < 0)
        return -1;
    return answer.status == 204 || answer.status == 200 || answer.status == 404
               ? 0
               : unexpected(req, &call, &answer, err);
}

static int copy_large(const struct store_s3 *self, const struct request *req, const char *from,
                      const char *to, const struct facts *facts, struct error *err)
{
    const char *upload = NULL;
    struct error ignored; /* remove() tries that again */

    if (wait_for_second(self, facts, err) < 0 || part_begin(self, req, to, &upload, err) < 0)
        return -1;
    if (copy_parts(self, req, from, to, upload, facts, err) == 0)
        return 0;
    error_init(&ignored, NULL);
    (void)!abort_parts(self, req, to, upload, &ignored);
    return -1;
}

/* At most `size` bytes, into `bytes`. */
static int get(const struct store_s3 *self, const struct request *req, const char *key,
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
        return not_found(err);
    if (answer.status != 206 && answer.status != 416 && (answer.status != 200 || offset > 0))
        return unexpected(req, &call, &answer, err);
    *ret_size = answer.status != 416 ? answer.size : 0;
    return 0;
}

/* S3's own tag is that of the bytes, and of how they came: it says nothing to clients, and is
 * not written here. */
static const char *tag_of(const struct request *req, const struct facts *facts)
{
    const char *text = arena_printf(req->arena, "%s %lld", facts->etag, (long long)facts->size);
    uint8_t hash[TAG_HASH];
    char hex[2 * TAG_HASH + 1];

    crypto_generichash(hash, sizeof(hash), (const uint8_t *)text, strlen(text), NULL, 0);
    sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
    return arena_printf(req->arena, "\"%s\"", hex);
}

static int s3_adopt(struct store *store, const struct request *req, struct store_key form,
                    struct store_key key, struct stored *ret, struct error *err)
{
    const struct store_s3 *self = s3_of(store);
    const char *from = form_key(req, form), *to = object_key(req, key);
    uint8_t *head = arena_alloc_raw(req->arena, STORE_HEAD_MAX);
    struct facts facts = {.etag = ""};
    size_t size = 0;

    if (look(self, req, from, &facts, err) < 0)
        return -1;
    if ((facts.size > self->options.part_size ? copy_large : copy_whole)(self, req, from, to,
                                                                         &facts, err) < 0 ||
        look_at_copy(self, req, to, &facts, err) < 0 ||
        (facts.size > 0 && get(self, req, to, 0, head, STORE_HEAD_MAX, &size, err) < 0))
        return -1;
    *ret = (struct stored){facts.size, tag_of(req, &facts), {head, size}};
    return 0;
}

/* ---- removing ---- */

static int remove_key(const struct store_s3 *self, const struct request *req, const char *key,
                      struct error *err)
{
    struct s3_call call = {.method = "DELETE", .key = key};
    struct s3_answer answer;

    if (s3_call(self->s3, req, &call, &answer, err) < 0)
        return -1;
    return answer.status == 204 || answer.status == 200 || answer.status == 404
               ? 0
               : unexpected(req, &call, &answer, err);
}

static int s3_forget(struct store *store, const struct request *req, struct store_key form,
                     struct error *err)
{
    return remove_key(s3_of(store), req, form_key(req, form), err);
}

struct uploads {
    const struct request *req;
    const char *key, *ids[8]; /* one adoption makes one */
    size_t count;
    bool ours;
};

/* Key comes before UploadId. */
static void uploads_element(void *arg, const char *path, const char *text)
{
    struct uploads *self = arg;

    if (strcmp(path, "ListMultipartUploadsResult/Upload/Key") == 0)
        self->ours = strcmp(text, self->key) == 0;
    if (strcmp(path, "ListMultipartUploadsResult/Upload/UploadId") == 0 && self->ours &&
        self->count < ARRAY_SIZE(self->ids))
        self->ids[self->count++] = s3_encode(self->req->arena, text);
}

/* Parts of a copy that was interrupted, which are invisible and cost money. A server that
 * cannot list them is left to its own rules. */
static int remove_parts(const struct store_s3 *self, const struct request *req, const char *key,
                        struct error *err)
{
    struct uploads uploads = {.req = req, .key = key};
    struct s3_call call = {.method = "GET",
                           .key = "",
                           .query = arena_printf(req->arena,
                                                 "prefix=%s&uploads=", s3_encode(req->arena, key))};
    struct s3_answer answer;

    if (s3_call(self->s3, req, &call, &answer, err) < 0)
        return -1;
    if (answer.status == 501)
        return 0;
    if (answer.status != 200 || s3_xml_read(answer.text, answer.size, "ListMultipartUploadsResult",
                                            uploads_element, &uploads) < 0)
        return unexpected(req, &call, &answer, err);
    for (size_t i = 0; i < uploads.count; i++)
        if (abort_parts(self, req, key, uploads.ids[i], err) < 0)
            return -1;
    return 0;
}

/* ---- files of other installations ---- */

/* "arriving/<project>/<object>/", behind which pieces have their numbers. */
static const char *pieces_prefix(const struct request *req, struct store_key key)
{
    return arena_printf(req->arena, "%s%s/%s/", arriving, key.project.text, key.object.text);
}

static const char *piece_key(const struct request *req, struct store_key key, int64_t number)
{
    return arena_printf(req->arena, "%s%08lld", pieces_prefix(req, key), (long long)number);
}

struct pieces {
    const struct request *req;
    const char *keys[PIECES_PAGE];
    size_t count;
    bool told, more;
};

static void pieces_element(void *arg, const char *path, const char *text)
{
    struct pieces *self = arg;

    if (strcmp(path, "ListBucketResult/IsTruncated") == 0) {
        self->told = true;
        self->more = strcmp(text, "true") == 0;
    }
    if (strcmp(path, "ListBucketResult/Contents/Key") == 0 && self->count < PIECES_PAGE)
        self->keys[self->count++] = arena_strdup(self->req->arena, text);
}

/* A page of the keys of pieces, behind the key `after`. */
static int list_pieces(const struct store_s3 *self, const struct request *req, struct store_key key,
                       const char *after, struct pieces *ret, struct error *err)
{
    struct s3_call call = {.method = "GET", .key = ""};
    struct s3_answer answer;

    *ret = (struct pieces){.req = req};
    call.query =
        arena_printf(req->arena, "list-type=2&max-keys=%d&prefix=%s%s%s", (int)PIECES_PAGE,
                     s3_encode(req->arena, pieces_prefix(req, key)), after ? "&start-after=" : "",
                     after ? s3_encode(req->arena, after) : "");
    if (s3_call(self->s3, req, &call, &answer, err) < 0)
        return -1;
    if (answer.status != 200 ||
        s3_xml_read(answer.text, answer.size, "ListBucketResult", pieces_element, ret) < 0 ||
        !ret->told)
        return unexpected(req, &call, &answer, err);
    return 0;
}

/* How many pieces there are from the first on, without a gap. */
static int count_pieces(const struct store_s3 *self, const struct request *req,
                        struct store_key key, int64_t *ret, struct error *err)
{
    struct pieces page;
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
        after = page.count > 0 ? page.keys[page.count - 1] : NULL;
    } while (page.more && after);
    return 0;
}

static int remove_pieces(const struct store_s3 *self, const struct request *req,
                         struct store_key key, struct error *err)
{
    struct pieces page;
    const char *after = NULL;

    do {
        if (list_pieces(self, req, key, after, &page, err) < 0)
            return -1;
        for (size_t i = 0; i < page.count; i++)
            if (remove_key(self, req, page.keys[i], err) < 0)
                return -1;
        after = page.count > 0 ? page.keys[page.count - 1] : NULL;
    } while (page.more && after);
    return 0;
}

/* Puts bytes; *ret_etag is the server's. */
static int put_bytes(const struct store_s3 *self, const struct request *req, const char *key,
                     const char *query, struct field_bytes bytes, const char **ret_etag,
                     struct error *err)
{
    struct s3_call call = {.method = "PUT",
                           .key = key,
                           .query = query,
                           .body = bytes.size > 0 ? (const char *)bytes.bytes : NULL,
                           .body_size = bytes.size,
                           .try_ms = copy_ms((int64_t)bytes.size)};
    struct s3_answer answer;

    if (make(self, req, &call, &answer, err) < 0)
        return -1;
    *ret_etag = answer.etag;
    return answer.status == 200 && answer.etag ? 0 : unexpected(req, &call, &answer, err);
}

/* Whether the object is finished, by its size. */
static int is_kept(const struct store_s3 *self, const struct request *req, struct store_key key,
                   int64_t size, bool *ret, struct error *err)
{
    struct facts facts = {.etag = ""};
    int result = look(self, req, object_key(req, key), &facts, err);

    if (result < 0 && err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    *ret = result == 0 && facts.size == size;
    return 0;
}

/* Whether a piece may be put there: the first, and one behind another. */
static int is_next(const struct store_s3 *self, const struct request *req, struct store_key key,
                   int64_t number, bool *ret, struct error *err)
{
    struct facts facts = {.etag = ""};

    *ret = number == 0 || look(self, req, piece_key(req, key, number - 1), &facts, err) == 0;
    if (!*ret && err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    return 0;
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

/* Whether it is finished is asked at the start and at the end: what comes between is left alone. */
static int s3_append(struct store *store, const struct request *req, struct store_key key,
                     int64_t offset, struct field_bytes bytes, int64_t size, int64_t *ret_have,
                     struct error *err)
{
    const struct store_s3 *self = s3_of(store);
    bool kept = false;

    if ((offset == 0 || bytes.size == 0) && is_kept(self, req, key, size, &kept, err) < 0)
        return -1;
    *ret_have = size;
    return kept ? 0 : append_piece(self, req, key, offset, bytes, size, ret_have, err);
}

/* Pieces on their way to the object, of which the hash is taken apart from the loop. */
struct keeping {
    const struct store_s3 *self;
    const struct request *req;
    struct store_key key;
    int64_t size, done; /* bytes */
    uint8_t *bytes;     /* of a part */
    size_t count;
    crypto_generichash_state state;
    struct stored *stored;
};

static void hash_part(void *arg)
{
    struct keeping *keeping = arg;

    crypto_generichash_update(&keeping->state, keeping->bytes, keeping->count);
}

/* Reads the next bytes, from pieces or, where it is there already, from the object. */
static int read_part(struct keeping *keeping, bool kept, struct error *err)
{
    const struct store_s3 *self = keeping->self;
    const struct request *req = keeping->req;

    keeping->count = 0;
    while (keeping->count < (size_t)KEEP_PIECES * STORE_PIECE && keeping->done < keeping->size) {
        size_t wanted = (size_t)MIN(keeping->size - keeping->done, STORE_PIECE), size = 0;
        const char *key = kept ? object_key(req, keeping->key)
                               : piece_key(req, keeping->key, keeping->done / STORE_PIECE);

        if (get(self, req, key, kept ? keeping->done : 0, keeping->bytes + keeping->count, wanted,
                &size, err) < 0)
            return -1;
        if (size < wanted)
            return not_found(err);
        keeping->count += size;
        keeping->done += (int64_t)size;
    }
    if (keeping->done == (int64_t)keeping->count) { /* the first */
        struct field_bytes *head = &keeping->stored->head;
        uint8_t *copy = arena_alloc(req->arena, STORE_HEAD_MAX);

        *head = (struct field_bytes){copy, MIN(keeping->count, (size_t)STORE_HEAD_MAX)};
        memcpy(copy, keeping->bytes, head->size);
    }
    return offload_run(self->options.pool, hash_part, keeping, req->deadline_mono_ms, err);
}

static int check_hash(struct keeping *keeping, const char *hash, struct error *err)
{
    uint8_t bytes[TAG_HASH];
    char hex[2 * TAG_HASH + 1];

    crypto_generichash_final(&keeping->state, bytes, sizeof(bytes));
    sodium_bin2hex(hex, sizeof(hex), bytes, sizeof(bytes));
    return strcmp(hex, hash) == 0
               ? 0
               : error_set(err, ERR_BAD_REQUEST, "The file did not arrive as it was sent.");
}

/* All parts; the object is there only when the last step is done, behind the hash. */
static int keep_parts(struct keeping *keeping, const char *upload, const char *hash,
                      struct error *err)
{
    const struct request *req = keeping->req;
    const char *to = object_key(req, keeping->key), *etag;
    const struct facts facts = {.size = keeping->size, .etag = ""};
    struct codec_buffer body;
    int number = 1;

    codec_buffer_init(&body, req->arena);
    codec_write(&body, "<CompleteMultipartUpload>", strlen("<CompleteMultipartUpload>"));
    for (; keeping->count > 0; number++) {
        if (put_bytes(keeping->self, req, to,
                      arena_printf(req->arena, "partNumber=%d&uploadId=%s", number, upload),
                      (struct field_bytes){keeping->bytes, keeping->count}, &etag, err) < 0)
            return -1;
        add_part(req, &body, number, etag);
        if (read_part(keeping, false, err) < 0)
            return -1;
    }
    codec_write(&body, "</CompleteMultipartUpload>", sizeof("</CompleteMultipartUpload>"));
    if (check_hash(keeping, hash, err) < 0)
        return -1;
    return parts_complete(keeping->self, req, to, upload, &facts, (const char *)body.bytes, err);
}

static int keep_large(struct keeping *keeping, const char *hash, struct error *err)
{
    const char *to = object_key(keeping->req, keeping->key), *upload = NULL;
    struct error ignored; /* remove() tries that again */

    if (part_begin(keeping->self, keeping->req, to, &upload, err) < 0)
        return -1;
    if (keep_parts(keeping, upload, hash, err) == 0)
        return 0;
    error_init(&ignored, NULL);
    (void)!abort_parts(keeping->self, keeping->req, to, upload, &ignored);
    return -1;
}

static int keep_small(struct keeping *keeping, const char *hash, struct error *err)
{
    const char *etag;

    return check_hash(keeping, hash, err) < 0 ||
                   put_bytes(keeping->self, keeping->req, object_key(keeping->req, keeping->key),
                             NULL, (struct field_bytes){keeping->bytes, keeping->count}, &etag,
                             err) < 0
               ? -1
               : 0;
}

/* One that was finished before, when that could not be written down, is only read. */
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

static int s3_keep(struct store *store, const struct request *req, struct store_key key,
                   int64_t size, const char *hash, struct stored *ret, struct error *err)
{
    const struct store_s3 *self = s3_of(store);
    struct keeping keeping = {.self = self, .req = req, .key = key, .size = size, .stored = ret};
    struct facts facts = {.etag = ""};
    struct error ignored; /* remove() tries that again */
    int result;

    *ret = (struct stored){.size = size};
    crypto_generichash_init(&keeping.state, NULL, 0, TAG_HASH);
    keeping.bytes = malloc((size_t)KEEP_PIECES * STORE_PIECE);
    if (!keeping.bytes)
        log_die("s3", "out of memory");
    result = keep_all(&keeping, hash, err);
    free(keeping.bytes);
    error_init(&ignored, NULL);
    if (result == 0 || err->code == ERR_BAD_REQUEST)
        (void)!remove_pieces(self, req, key, &ignored);
    if (result < 0 || look_at_copy(self, req, object_key(req, key), &facts, err) < 0)
        return -1;
    ret->etag = tag_of(req, &facts);
    return 0;
}

static int s3_remove(struct store *store, const struct request *req, struct store_key key,
                     struct error *err)
{
    const struct store_s3 *self = s3_of(store);
    const char *name = object_key(req, key);

    return remove_key(self, req, name, err) < 0 || remove_parts(self, req, name, err) < 0
               ? -1
               : remove_pieces(self, req, key, err);
}

/* ---- trying it ---- */

static int probe_step(const struct store_s3 *self, const struct request *req,
                      const struct s3_call *call, struct s3_answer *ret, struct error *err)
{
    if (s3_call(self->s3, req, call, ret, err) < 0)
        return -1;
    return ret->status / 100 == 2 ? 0 : unexpected(req, call, ret, err);
}

static int probe_bytes(const struct store_s3 *self, const struct request *req, const char *key,
                       struct error *err)
{
    const char *bytes = uuid_random().text;
    struct s3_answer answer;

    if (probe_step(self, req, &(struct s3_call){.method = "PUT", .key = key, .body = bytes},
                   &answer, err) < 0 ||
        probe_step(self, req, &(struct s3_call){.method = "GET", .key = key}, &answer, err) < 0)
        return -1;
    return answer.size == strlen(bytes) && memcmp(answer.text, bytes, answer.size) == 0
               ? 0
               : s3_unavailable(err, "GET", "other bytes than were put");
}

/* What was put is removed whatever came of it; the first failure is returned. */
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

/* One at a time: all have the same key, so that what could not be removed is there once only. It
 * does not lie below incoming/, where it would be taken for what a form brought, nor could an
 * object have its name. */
static int s3_probe(struct store *store, const struct request *req, struct error *err)
{
    struct store_s3 *self = s3_of(store);
    int rc;

    if (fiber_sem_acquire(&self->probe, 1, req->deadline_mono_ms, err) < 0)
        return s3_unavailable(err, "all", "another request tries it just now");
    rc = probe_all(self, req, err);
    fiber_sem_release(&self->probe, 1);
    return rc;
}

/* ---- reading ---- */

static int s3_check_object(struct store *store, const struct request *req, struct store_key key,
                           bool hash UNUSED, int64_t *ret_size, const char **ret_etag,
                           struct error *err)
{
    struct facts facts = {.etag = ""};

    if (look(s3_of(store), req, object_key(req, key), &facts, err) < 0)
        return -1;
    *ret_size = facts.size;
    *ret_etag = tag_of(req, &facts);
    return 0;
}

static int s3_read(struct store *store, const struct request *req, struct store_key key,
                   int64_t offset, void *bytes, size_t size, size_t *ret_size, struct error *err)
{
    *ret_size = 0;
    return size == 0
               ? 0
               : get(s3_of(store), req, object_key(req, key), offset, bytes, size, ret_size, err);
}

/* A piece on its way to the file. */
struct piece {
    const char *dir; /* makes the file, when there is none */
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
    for (size_t done = 0; piece->file >= 0 && done < piece->size;) {
        ssize_t count = pwrite(piece->file, piece->bytes + done, piece->size - done,
                               piece->offset + (int64_t)done);

        if (count < 0 && errno != EINTR) {
            piece->error = errno;
            return;
        }
        done += (size_t)MAX(count, (ssize_t)0);
    }
    piece->error = piece->file < 0 ? errno : 0;
}

static int fetch(const struct store_s3 *self, const struct request *req, const char *key,
                 struct piece *piece, struct error *err)
{
    do {
        if (get(self, req, key, piece->offset, piece->bytes, PIECE, &piece->size, err) < 0 ||
            offload_run(self->options.pool, write_piece, piece, req->deadline_mono_ms, err) < 0)
            return -1;
        if (piece->error != 0) {
            (void)error_retry(err, ERR_UNAVAILABLE, 5, "The file cannot be read now.");
            return error_detail(err, "%s: %s", piece->dir, strerror(piece->error));
        }
        piece->offset += (int64_t)piece->size;
    } while (piece->size == PIECE);
    return lseek(piece->file, 0, SEEK_SET) == 0 ? 0 : error_set(err, ERR_INTERNAL, "no file");
}

/* Into a file without a name, piece by piece: never more than one of them is in memory. */
static int s3_open(struct store *store, const struct request *req, struct store_key key,
                   int *ret_file, struct error *err)
{
    const struct store_s3 *self = s3_of(store);
    struct piece piece = {.dir = self->options.dir, .file = -1, .bytes = malloc(PIECE)};
    int result;

    if (!piece.bytes)
        log_die("s3", "out of memory");
    result = fetch(self, req, object_key(req, key), &piece, err);
    free(piece.bytes);
    if (result == 0)
        *ret_file = piece.file;
    else if (piece.file >= 0)
        close(piece.file);
    return result;
}

static void s3_store_destroy(struct store *store)
{
    struct store_s3 *self = s3_of(store);

    s3_destroy(&self->s3);
    free(self);
}

static const struct store_functions functions = {
    .form = s3_form,
    .arrived = s3_arrived,
    .adopt = s3_adopt,
    .forget = s3_forget,
    .direct_uploads = s3_direct_uploads,
    .append = s3_append,
    .keep = s3_keep,
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
    struct store_s3 *self = calloc(1, sizeof(*self));

    if (!self)
        log_die("s3", "out of memory");
    self->store.functions = &functions;
    self->loop = loop;
    fiber_sem_init(&self->probe, loop, 1, FIBER_SEM_UNBOUNDED);
    self->options = *options;
    self->probe_name = uuid_random();
    self->s3 = s3_new(loop, &self->options.s3);
    return &self->store;
}
