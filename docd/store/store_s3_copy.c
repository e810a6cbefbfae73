/*
 * store_s3_copy.c - makes an arrived file an object by a copy within the server.
 */
#include <string.h>

#include "common/base/clock.h"
#include "docd/store/s3_xml.h"
#include "docd/store/store_s3_private.h"

int64_t store_s3_copy_ms(int64_t size)
{
    return 10000 + size / 4096;
}

static int changed(struct error *err, const char *method)
{
    return s3_unavailable(err, method, "changed while it was copied");
}

/* Fails with UNCERTAIN: the server may still make the object. */
static int uncertain(struct error *err)
{
    struct error cause = *err;

    error_set(err, ERR_UNCERTAIN, "%s", cause.message);
    return error_detail(err, "%s", cause.detail);
}

int store_s3_make(const struct store_s3 *self, const struct request *req,
                  const struct s3_call *call, struct s3_answer *ret, struct error *err)
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
        return store_s3_not_found(err);
    if (answer->status == 412)
        return changed(err, call->method);
    if (answer->status != 200)
        return store_s3_unexpected(req, call, answer, err);
    /* A server that has begun its response reports failures in the body. */
    *ret_etag = s3_xml_text(req->arena, answer->text, answer->size, etag_path);
    if (*ret_etag)
        return 0;
    code = s3_xml_text(req->arena, answer->text, answer->size, "Error/Code");
    return s3_unavailable(err, call->method, code ? code : "neither a result nor an error");
}

int store_s3_copy_answer(const struct request *req, const struct s3_call *call,
                         const struct s3_answer *answer, const char *etag_path,
                         const char **ret_etag, struct error *err)
{
    if (read_copy(req, call, answer, etag_path, ret_etag, err) == 0)
        return 0;
    return answer->abandoned ? uncertain(err) : -1;
}

int store_s3_look_at_copy(const struct store_s3 *self, const struct request *req, const char *key,
                          struct object_head *ret, struct error *err)
{
    if (store_s3_look(self, req, key, ret, err) == 0)
        return 0;
    if (err->code != ERR_NOT_FOUND)
        return -1;
    (void)!s3_unavailable(err, "HEAD", "404 of what was copied");
    return uncertain(err);
}

static int copy_whole(const struct store_s3 *self, const struct request *req, const char *from,
                      const char *to, const struct object_head *head, struct error *err)
{
    const char *source = arena_printf(req->arena, "%s/%s", self->options.s3.bucket, from), *etag;
    struct s3_call call = {.method = "PUT",
                           .key = to,
                           .try_ms = store_s3_copy_ms(head->size),
                           .headers = {{"x-amz-copy-source", source},
                                       {"x-amz-copy-source-if-match", head->etag}}};
    struct s3_answer answer;

    if (store_s3_make(self, req, &call, &answer, err) < 0)
        return -1;
    return store_s3_copy_answer(req, &call, &answer, "CopyObjectResult/ETag", &etag, err);
}

static int copy_part(const struct store_s3_parts *parts, const char *from,
                     const struct object_head *head, const char **ret_etag, struct error *err)
{
    const struct store_s3 *self = parts->self;
    const struct request *req = parts->req;
    const char *source = arena_printf(req->arena, "%s/%s", self->options.s3.bucket, from);
    int64_t first = (parts->number - 1) * self->options.part_size,
            last = MIN(first + self->options.part_size, head->size) - 1;
    struct s3_call call = {
        .method = "PUT",
        .key = parts->key,
        .query = store_s3_parts_query(parts),
        .try_ms = store_s3_copy_ms(last - first),
        .headers = {{"x-amz-copy-source", source},
                    {"x-amz-copy-source-if-match", head->etag},
                    {"x-amz-copy-source-range", arena_printf(req->arena, "bytes=%lld-%lld",
                                                             (long long)first, (long long)last)}}};
    struct s3_answer answer;

    if (store_s3_make(self, req, &call, &answer, err) < 0)
        return -1;
    return store_s3_copy_answer(req, &call, &answer, "CopyPartResult/ETag", ret_etag, err);
}

/* Checks that the file is unchanged, because some servers ignore "if-match" on part copies, and
 * would mix two files. */
static int check_unchanged(const struct store_s3 *self, const struct request *req, const char *key,
                           const struct object_head *before, struct error *err)
{
    struct object_head now = {.etag = ""};

    if (store_s3_look(self, req, key, &now, err) < 0)
        return -1;
    return now.size == before->size && strcmp(now.etag, before->etag) == 0 &&
                   now.modified_ms == before->modified_ms
               ? 0
               : changed(err, "HEAD");
}

/* The server's time has whole seconds, so an equal file sent again can look unchanged: one that
 * arrived this second is copied in the next. */
static int wait_for_second(const struct store_s3 *self, const struct object_head *head,
                           struct error *err)
{
    if (head->modified_ms == 0 || head->date_ms != head->modified_ms)
        return 0;
    return fiber_sleep_until(self->loop, clock_mono_ms() + SECONDS(1), err);
}

static int copy_parts(struct store_s3_parts *parts, const char *from,
                      const struct object_head *head, struct error *err)
{
    const int64_t part_size = parts->self->options.part_size;
    const int count = (int)((head->size + part_size - 1) / part_size);
    const char *etag;

    while (parts->number <= count) {
        if (copy_part(parts, from, head, &etag, err) < 0)
            return -1;
        store_s3_parts_add(parts, etag);
    }
    if (check_unchanged(parts->self, parts->req, from, head, err) < 0)
        return -1;
    return store_s3_parts_complete(parts, head->size, err);
}

static int copy_large(const struct store_s3 *self, const struct request *req, const char *from,
                      const char *to, const struct object_head *head, struct error *err)
{
    struct store_s3_parts parts;

    if (wait_for_second(self, head, err) < 0 ||
        store_s3_parts_begin(&parts, self, req, to, err) < 0)
        return -1;
    if (copy_parts(&parts, from, head, err) == 0)
        return 0;
    store_s3_parts_abort(&parts);
    return -1;
}

int store_s3_adopt(struct store *store, const struct request *req, struct store_key form,
                   struct store_key key, struct stored *ret, struct error *err)
{
    const struct store_s3 *self = store_s3_of(store);
    const char *from = store_s3_form_key(req, form), *to = store_s3_object_key(req, key);
    uint8_t *start = arena_alloc_raw(req->arena, STORE_HEAD_MAX);
    struct object_head head = {.etag = ""};
    size_t size = 0;

    if (store_s3_look(self, req, from, &head, err) < 0)
        return -1;
    if ((head.size > self->options.part_size ? copy_large : copy_whole)(self, req, from, to, &head,
                                                                        err) < 0 ||
        store_s3_look_at_copy(self, req, to, &head, err) < 0 ||
        (head.size > 0 && store_s3_get(self, req, to, 0, start, STORE_HEAD_MAX, &size, err) < 0))
        return -1;
    *ret = (struct stored){head.size, store_s3_tag(req, &head), {start, size}};
    return 0;
}
