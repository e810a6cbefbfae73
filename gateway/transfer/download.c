/*
 * download.c - see download.h.
 *
 * Fibers fetch pieces ahead of the client, in order. A file of a few pieces is sent when complete.
 * For a larger one libmicrohttpd asks for bytes, and the connection pauses until the first piece is
 * there. The daemon can restart meanwhile.
 */
#include "gateway/transfer/download.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "gateway/http/range.h"
#include "gateway/transfer/stream.h"

enum { READ_MS = 10000, BLOCK_SIZE = 64 * 1024 };

/* Opened in a browser, a file can't run or load anything and has no origin. */
static const char content_policy[] = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

struct download {
    struct arena *arena;
    struct gateway *gateway;
    const char *service;
    struct request req;       /* texts in `arena` */
    struct activity activity; /* activity of the request, whose span may have ended */
    const char *handle;
    struct exchange *exchange;    /* NULL: ended */
    int64_t next, end;            /* not requested yet */
    struct piece *pieces, **tail; /* requested, in order */
    size_t piece_count, taken;    /* `taken`: sent bytes of the first piece */
    size_t readers;
    struct fiber *waiter;
    bool over; /* no longer used by libmicrohttpd */
    bool failed;
};

static bool is_page(const struct exchange *exchange)
{
    return exchange->endpoint->route.flags & R_PAGE;
}

static struct download *download_new(struct exchange *exchange, const struct request *req,
                                     const struct content *content, const struct range_answer *part)
{
    struct arena *arena = arena_new();
    struct download *self = arena_alloc(arena, sizeof(*self));

    self->arena = arena;
    self->gateway = exchange->gateway;
    self->service =
        is_page(exchange) ? exchange->gateway->content_service : exchange->endpoint->route.service;
    self->req = (struct request){.arena = arena,
                                 .service = req->service,
                                 .trace = arena_strdup(arena, req->trace),
                                 .address = arena_strdup(arena, req->address),
                                 .userAgent = "",
                                 .now_ms = req->now_ms};
    self->activity = exchange->activity;
    self->activity.request_id = self->req.trace;
    self->activity.state = arena_strdup(arena, exchange->activity.state);
    self->handle = arena_strdup(arena, content->handle);
    self->exchange = exchange;
    self->next = part->first;
    self->end = part->first + part->size;
    self->tail = &self->pieces;
    return self;
}

static void drop_first(struct download *self)
{
    struct piece *piece = self->pieces;

    self->pieces = piece->next;
    if (!self->pieces)
        self->tail = &self->pieces;
    self->piece_count--;
    self->taken = 0;
    piece_destroy(self->gateway, &piece);
}

/* Frees the download once neither libmicrohttpd nor a running reader uses its pieces. */
static void end_if_unused(struct download *self)
{
    struct arena *arena = self->arena;

    if (!self->over || self->readers > 0)
        return;
    while (self->pieces)
        drop_first(self);
    arena_destroy(&arena);
}

void download_leave(struct download *self)
{
    self->exchange = NULL;
}

/* ---- cached files ---- */

static void set_text(const struct field_table *table, void *input, const char *name,
                     const char *value)
{
    const struct field *row = fields_find(table, name);

    if (row)
        memcpy((char *)input + row->offset, &value, sizeof(value));
}

static bool is_head(const struct exchange *exchange)
{
    return strcmp(exchange->method, MHD_HTTP_METHOD_HEAD) == 0;
}

void download_prepare(struct exchange *exchange, void *input)
{
    const struct field_table *table = exchange->endpoint->route.input;
    const char *receiver = is_head(exchange) ? NULL : file_receiver_ask(exchange->gateway->files);

    exchange->cached =
        file_cache_find(exchange->gateway->file_cache, &exchange->parts, clock_mono_ms());
    if (exchange->cached)
        set_text(table, input, "kept", cached_file_handle(exchange->cached));
    exchange->file_place = receiver != NULL;
    if (receiver)
        set_text(table, input, "fileTo", receiver);
}

/* Pages are personal, so their files aren't cached. */
static void note(const struct exchange *exchange, const char *handle,
                 const struct MHD_IoVec *places, size_t count)
{
    if (is_page(exchange))
        return;
    file_cache_note(exchange->gateway->file_cache, &exchange->parts, handle, places, count,
                    clock_mono_ms());
}

static void on_sent(void *arg)
{
    struct cached_file *cached = arg;

    cached_file_release(&cached);
}

static struct MHD_Response *respond_kept(struct exchange *exchange, const struct content *content,
                                         const struct range_answer *part)
{
    struct cached_file *cached = exchange->cached;
    struct MHD_Response *response;

    if (!cached || strcmp(cached_file_handle(cached), content->handle) != 0 ||
        (int64_t)cached_file_size(cached) != content->size)
        return NULL;
    /* libmicrohttpd only reads the buffer. */
    response = MHD_create_response_from_buffer_with_free_callback_cls(
        (size_t)part->size, (void *)(uintptr_t)(cached_file_bytes(cached) + part->first), on_sent,
        cached);
    if (response)
        exchange->cached = NULL;
    return response;
}

/* ---- passed descriptors ---- */

/* Returns -1 if there is no file, or its size differs from the described one. */
static int take_file(const struct exchange *exchange, const struct content *content)
{
    struct stat status;
    int file = -1;

    if (content->file > 0)
        file = file_receiver_claim(exchange->gateway->files, content->file);
    if (file < 0 || (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                     (int64_t)status.st_size == content->size))
        return file;
    close(file);
    return -1;
}

static struct MHD_Response *respond_file(struct exchange *exchange, int *file,
                                         const struct range_answer *part)
{
    struct MHD_Response *response =
        *file < 0 ? NULL
                  : MHD_create_response_from_fd_at_offset64((uint64_t)part->size, *file,
                                                            (uint64_t)part->first);

    if (!response)
        return NULL;
    *file = -1;
    exchange->connection->file_end = (off_t)(part->first + part->size);
    ++*exchange->gateway->files_sent;
    return response;
}

static void read_piece(void *arg)
{
    struct piece *piece = arg;
    struct download *self = piece->owner;
    struct content_read_in in = {self->handle, piece->offset, (int64_t)piece->held};
    struct content_read_out out = {0};
    struct error err;

    activity_enter(self->gateway->service.loop, &self->activity);
    error_init(&err, piece->arena);
    if (!self->over && !self->failed &&
        stream_call(self->gateway, self->service, &self->req, piece->arena,
                    &(struct stream_call){"content_read", &content_read_in_table,
                                          &content_read_out_table, &in, &out, READ_MS},
                    &err) == 0 &&
        out.bytes.size == piece->held) {
        piece->bytes = out.bytes.bytes;
        piece->size = out.bytes.size;
    } else {
        self->failed = true;
    }
    self->readers--;
    if (self->waiter)
        fiber_wake(self->waiter);
    else if (self->exchange)
        exchange_unpause(self->exchange);
    end_if_unused(self);
}

static void fetch(struct download *self)
{
    struct error err;

    error_init(&err, NULL);
    while (!self->failed && self->next < self->end &&
           self->piece_count < stream_window(self->gateway)) {
        size_t size =
            (size_t)MIN((int64_t)stream_piece_size(self->gateway), self->end - self->next);
        struct piece *piece = piece_new(self->gateway, self, self->next, size);

        *self->tail = piece;
        self->tail = &piece->next;
        self->piece_count++;
        self->next += (int64_t)size;
        self->readers++;
        if (fiber_start(self->gateway->service.loop, read_piece, piece, &err) < 0) {
            self->readers--;
            self->failed = true;
        }
    }
}

/* ---- libmicrohttpd's side ---- */

static ssize_t on_read(void *arg, uint64_t position UNUSED, char *bytes, size_t max)
{
    struct download *self = arg;
    struct piece *piece = self->pieces;
    size_t count;

    if (self->failed && (!piece || !piece->bytes))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (!piece || !piece->bytes) {
        exchange_pause(self->exchange);
        return 0;
    }
    count = MIN(max, piece->size - self->taken);
    memcpy(bytes, piece->bytes + self->taken, count);
    self->taken += count;
    if (self->taken == piece->size) {
        drop_first(self);
        fetch(self);
        connection_enter(self->exchange->connection, CONNECTION_WRITING, clock_mono_ms());
    }
    return (ssize_t)count;
}

static void on_over(void *arg)
{
    struct download *self = arg;

    self->over = true;
    if (self->exchange)
        self->exchange->download = NULL;
    self->exchange = NULL; /* the exchange is reused while pieces still arrive */
    end_if_unused(self);
}

static struct MHD_Response *respond_ahead(struct download *self, int64_t size)
{
    return MHD_create_response_from_callback((uint64_t)size, BLOCK_SIZE, on_read, self, on_over);
}

/* Returns a response with all bytes. NULL: a piece failed or memory is short. `whole`: the part is
 * the whole file. Parks. */
static struct MHD_Response *respond_whole(struct download *self, bool whole)
{
    struct loop *loop = self->gateway->service.loop;
    struct MHD_IoVec places[STREAM_WINDOW];
    unsigned count = 0;

    self->waiter = fiber_self(loop);
    while (self->readers > 0 && !self->failed)
        if (fiber_park(loop, clock_mono_ms() + READ_MS) == FIBER_CANCELLED)
            self->failed = true;
    self->waiter = NULL;
    if (self->failed)
        return NULL;
    for (const struct piece *piece = self->pieces; piece; piece = piece->next)
        places[count++] = (struct MHD_IoVec){piece->bytes, piece->size};
    if (whole && self->exchange)
        note(self->exchange, self->handle, places, count);
    return MHD_create_response_from_iovec(places, count, on_over, self);
}

static int respond(struct exchange *exchange, const struct request *req,
                   const struct content *content, const struct range_answer *part,
                   struct answer *answer, struct error *err)
{
    struct download *self = download_new(exchange, req, content, part);
    bool head = is_head(exchange);

    exchange->download = self;
    if (!head)
        fetch(self);
    if (head || self->next < self->end) {
        answer->response = respond_ahead(self, part->size);
    } else {
        answer->response = respond_whole(self, part->size == content->size);
        answer->size = (size_t)part->size;
    }
    if (answer->response)
        return 0;
    on_over(self);
    return error_set(err, ERR_UNAVAILABLE, "The file is temporarily unavailable.");
}

static struct range_answer decide(const struct exchange *exchange, const struct content *content)
{
    struct range_request request = {
        .range = exchange_header(exchange, "Range"),
        .if_range = exchange_header(exchange, "If-Range"),
        .if_none_match = exchange->head.if_none_match,
        .if_modified_since = exchange_header(exchange, "If-Modified-Since"),
        .etag = exchange_header(exchange, "ETag"),
    };
    struct range_file file = {content->etag, content->lastModified, content->size};

    return range_decide(&request, &file);
}

static const char *content_range(struct arena *arena, const struct range_answer *part, int64_t size)
{
    if (part->status == 416)
        return arena_printf(arena, "bytes */%" PRId64, size);
    if (part->status != 206)
        return NULL;
    return arena_printf(arena, "bytes %" PRId64 "-%" PRId64 "/%" PRId64, part->first,
                        part->first + part->size - 1, size);
}

static int fill_body(struct exchange *exchange, const struct request *req,
                     const struct content *content, const struct range_answer *part, int *file,
                     struct answer *answer, struct error *err)
{
    struct MHD_IoVec all = {content->bytes.bytes, content->bytes.size};

    answer->content_type = content->contentType;
    if (part->size == 0) {
        answer->body = "";
        return 0;
    }
    answer->response = respond_kept(exchange, content, part);
    if (!answer->response)
        answer->response = respond_file(exchange, file, part);
    if (!answer->response && !content->bytes.bytes)
        return respond(exchange, req, content, part, answer, err);
    answer->size = (size_t)part->size;
    if (answer->response)
        return 0;
    answer->body = (const char *)content->bytes.bytes + part->first;
    if (part->size == content->size)
        note(exchange, content->handle, &all, 1);
    return 0;
}

static const char *cache_of(const struct exchange *exchange, const struct content *content)
{
    if (is_page(exchange))
        return NULL;
    if (content->maxAge == 0)
        return "private, no-cache";
    return arena_printf(exchange->arena, "public, max-age=%" PRId64 ", must-revalidate",
                        content->maxAge);
}

int download_send(struct exchange *exchange, const struct request *req,
                  const struct content *content, const char *transport, struct error *err)
{
    CLEANUP(file_close_descriptor) int file = take_file(exchange, content);
    struct range_answer part = decide(exchange, content);
    struct answer answer = {.status = 0};
    char modified[HTTP_DATE_SIZE] = "";
    bool body = part.status == 200 || part.status == 206;

    if (part.status == 416) {
        (void)error_set(err, ERR_RANGE, "The requested range is outside the file.");
        answer_from_error(err, exchange->arena, &answer);
    } else if (body && fill_body(exchange, req, content, &part, &file, &answer, err) < 0) {
        return -1;
    }
    if (content->lastModified > 0)
        http_date_format(content->lastModified, modified);
    answer.status = part.status;
    answer.page = is_page(exchange);
    answer.cache = cache_of(exchange, content);
    answer.etag = content->etag;
    answer.more = (struct answer_header[]){
        {"Accept-Ranges", "bytes"},
        {"Content-Range", content_range(exchange->arena, &part, content->size)},
        {"Last-Modified", modified[0] ? modified : NULL},
        {"Content-Disposition", body ? content->disposition : NULL},
        {"Content-Security-Policy", body ? content_policy : NULL},
        {"Strict-Transport-Security", transport},
        {NULL, NULL},
    };
    exchange_reply(exchange, &answer);
    return 0;
}

int download_serve(struct exchange *exchange, const struct request *req,
                   const msgpack_object *output, struct error *err)
{
    struct content content;

    if (fields_unpack(&content_table, output, exchange->arena, &content, err) < 0)
        return -1;
    return download_send(exchange, req, &content, NULL, err);
}
