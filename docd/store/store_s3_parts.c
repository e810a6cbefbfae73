/* store_s3_parts.c - multipart uploads. */
#include <stdio.h>
#include <string.h>

#include "docd/store/s3_xml.h"
#include "docd/store/store_s3_private.h"

static void write_body(struct store_s3_parts *self, const char *text)
{
    codec_write(&self->body, text, strlen(text));
}

int store_s3_parts_begin(struct store_s3_parts *self, const struct store_s3 *store,
                         const struct request *req, const char *key, struct error *err)
{
    struct s3_call call = {.method = "POST", .key = key, .query = "uploads=", .once = true};
    struct s3_answer answer;
    const char *upload;

    if (store_s3_make(store, req, &call, &answer, err) < 0)
        return -1;
    upload = answer.status == 200 ? s3_xml_text(req->arena, answer.text, answer.size,
                                                "InitiateMultipartUploadResult/UploadId")
                                  : NULL;
    if (!upload)
        return store_s3_unexpected(req, &call, &answer, err);
    *self = (struct store_s3_parts){.self = store,
                                    .req = req,
                                    .key = key,
                                    .upload = s3_encode(req->arena, upload),
                                    .number = 1};
    codec_buffer_init(&self->body, req->arena);
    write_body(self, "<CompleteMultipartUpload>");
    return 0;
}

const char *store_s3_parts_query(const struct store_s3_parts *self)
{
    return arena_printf(self->req->arena, "partNumber=%d&uploadId=%s", self->number, self->upload);
}

void store_s3_parts_add(struct store_s3_parts *self, const char *etag)
{
    const char *bare = etag + (etag[0] == '"');

    write_body(self, arena_printf(self->req->arena,
                                  "<Part><PartNumber>%d</PartNumber><ETag>&quot;%.*s&quot;</ETag>"
                                  "</Part>",
                                  self->number, (int)strcspn(bare, "\"<>&"), bare));
    self->number++;
}

/* Completes an upload. If a retry finds no upload, the response was lost: checks the object. */
int store_s3_parts_complete(struct store_s3_parts *self, int64_t size, struct error *err)
{
    struct s3_call call = {.method = "POST",
                           .key = self->key,
                           .query = arena_printf(self->req->arena, "uploadId=%s", self->upload),
                           .try_ms = store_s3_copy_ms(size)};
    struct s3_answer answer;
    const char *etag;

    codec_write(&self->body, "</CompleteMultipartUpload>", sizeof("</CompleteMultipartUpload>"));
    call.body = (const char *)self->body.bytes;
    if (store_s3_make(self->self, self->req, &call, &answer, err) < 0)
        return -1;
    if (answer.status == 404 && strcmp(answer.code, "NoSuchUpload") == 0)
        return 0;
    return store_s3_copy_answer(self->req, &call, &answer, "CompleteMultipartUploadResult/ETag",
                                &etag, err);
}

static int give_up(const struct store_s3 *store, const struct request *req, const char *key,
                   const char *upload, struct error *err)
{
    return store_s3_delete(store, req, key, arena_printf(req->arena, "uploadId=%s", upload), err);
}

void store_s3_parts_abort(const struct store_s3_parts *self)
{
    struct error ignored;

    error_init(&ignored, NULL);
    (void)!give_up(self->self, self->req, self->key, self->upload, &ignored);
}

struct uploads {
    const struct request *req;
    const char *key, *ids[8]; /* ids of more uploads than one adoption begins */
    size_t count;
    bool ours;
};

/* In the response, Key comes before UploadId. */
static void uploads_element(void *arg, const char *path, const char *text)
{
    struct uploads *self = arg;

    if (strcmp(path, "ListMultipartUploadsResult/Upload/Key") == 0)
        self->ours = strcmp(text, self->key) == 0;
    if (strcmp(path, "ListMultipartUploadsResult/Upload/UploadId") == 0 && self->ours &&
        self->count < ARRAY_SIZE(self->ids))
        self->ids[self->count++] = s3_encode(self->req->arena, text);
}

int store_s3_parts_remove(const struct store_s3 *store, const struct request *req, const char *key,
                          struct error *err)
{
    struct uploads uploads = {.req = req, .key = key};
    struct s3_call call = {.method = "GET",
                           .key = "",
                           .query = arena_printf(req->arena,
                                                 "prefix=%s&uploads=", s3_encode(req->arena, key))};
    struct s3_answer answer;

    if (s3_call(store->s3, req, &call, &answer, err) < 0)
        return -1;
    if (answer.status == 501)
        return 0;
    if (answer.status != 200 || s3_xml_read(answer.text, answer.size, "ListMultipartUploadsResult",
                                            uploads_element, &uploads) < 0)
        return store_s3_unexpected(req, &call, &answer, err);
    for (size_t i = 0; i < uploads.count; i++)
        if (give_up(store, req, key, uploads.ids[i], err) < 0)
            return -1;
    return 0;
}
