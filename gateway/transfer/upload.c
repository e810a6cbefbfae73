/*
 * upload.c - see upload.h.
 *
 * Each full piece has a fiber that writes it. libmicrohttpd can't answer in mid-body, so a refused
 * form's rest is read and dropped, up to DROP_MAX.
 */
#include "gateway/transfer/upload.h"

#include "gateway/auth/authenticate.h"
#include "gateway/http/multipart.h"
#include "gateway/transfer/stream.h"

enum {
    WRITE_MS = 10000,
    END_MS = 60000, /* maximum time to complete a file: syncing and hashing gigabytes is slow */
    ABORT_MS = 2000,
    WAKE_MS = 10000,
    DROP_MAX = 256 * 1024 * 1024, /* bytes dropped so that the client sees the refusal */
    DROP_MS = 60000,
    STEP = 256 * 1024, /* this many bytes restart the read timeout */
};

struct upload {
    struct exchange *exchange;
    struct gateway *gateway;
    struct endpoint *endpoint;
    struct multipart multipart;
    struct form form;
    const struct request *req;
    const struct form_ticket *ticket; /* NULL: not accepted yet */
    struct fiber *fiber;              /* the fiber that is in upload_run() */
    struct piece *filling, *waiting, **waiting_tail;
    size_t out; /* pieces waiting or being written */
    int64_t size;
    uint64_t dropped; /* bytes since the failure */
    uint64_t step;    /* bytes since the timeout was restarted */
    int64_t given_up_ms;
    bool failed; /* `err` says why */
    bool left;   /* the client disconnected */
    bool body_over;
    struct error err;
};

struct upload *upload_new(struct exchange *exchange, struct error *err)
{
    struct upload *self = arena_alloc(exchange->arena, sizeof(*self));

    self->exchange = exchange;
    self->gateway = exchange->gateway;
    self->endpoint = exchange->endpoint;
    self->waiting_tail = &self->waiting;
    error_init(&self->err, exchange->arena);
    if (multipart_init(&self->multipart, exchange->head.content_type, exchange->arena, err) < 0)
        return NULL;
    return self;
}

static bool is_given_up(const struct upload *self)
{
    return self->failed || self->left;
}

/* Stops reading while the daemon checks the fields or is busy. */
static bool is_full(const struct upload *self)
{
    if (is_given_up(self))
        return false;
    return self->ticket ? self->out >= stream_window(self->gateway) : self->multipart.file_begun;
}

static void go_on(struct upload *self)
{
    if (!self->left && !is_full(self))
        exchange_unpause(self->exchange);
}

static void wake(struct upload *self)
{
    if (self->fiber)
        fiber_wake(self->fiber);
}

static void drop_pieces(struct upload *self)
{
    piece_destroy(self->gateway, &self->filling);
    while (self->waiting) {
        struct piece *piece = self->waiting;

        self->waiting = piece->next;
        self->out--;
        piece_destroy(self->gateway, &piece);
    }
    self->waiting_tail = &self->waiting;
}

static void give_up(struct upload *self, const struct error *err)
{
    if (is_given_up(self))
        return;
    if (err != &self->err)
        self->err = *err;
    self->failed = true;
    self->given_up_ms = clock_mono_ms();
    drop_pieces(self);
    wake(self);
    go_on(self);
}

static void write_piece(void *arg)
{
    struct piece *piece = arg;
    struct upload *self = piece->owner;
    struct form_write_in in = {self->ticket->ticket, piece->offset, {piece->bytes, piece->size}};
    struct nothing out;
    struct error err;

    activity_enter(self->gateway->service.loop, &self->exchange->activity);
    error_init(&err, piece->arena);
    if (!is_given_up(self) &&
        stream_call(self->gateway, self->endpoint->route.service, self->req, piece->arena,
                    &(struct stream_call){"form_write", &form_write_in_table, &nothing_table, &in,
                                          &out, WRITE_MS},
                    &err) < 0) {
        /* The arena is freed below. */
        err.arena = NULL;
        err.problems = err.members = NULL;
        give_up(self, &err);
    }
    piece_destroy(self->gateway, &piece);
    self->out--;
    wake(self);
    go_on(self);
}

static void start_piece(struct upload *self, struct piece *piece)
{
    if (fiber_start(self->gateway->service.loop, write_piece, piece, &self->err) == 0)
        return;
    self->out--;
    piece_destroy(self->gateway, &piece);
    give_up(self, &self->err);
}

static void send_piece(struct upload *self)
{
    struct piece *piece = self->filling;

    self->filling = NULL;
    self->out++;
    if (self->ticket) {
        start_piece(self, piece);
        return;
    }
    *self->waiting_tail = piece;
    self->waiting_tail = &piece->next;
}

static void send_waiting(struct upload *self)
{
    while (self->waiting) {
        struct piece *piece = self->waiting;

        self->waiting = piece->next;
        piece->next = NULL;
        if (!self->waiting)
            self->waiting_tail = &self->waiting;
        start_piece(self, piece);
    }
}

static void check_size(struct upload *self)
{
    if (self->ticket && self->size > self->ticket->sizeMax) {
        (void)error_set(&self->err, ERR_ENTITY_TOO_LARGE,
                        "Your proposed upload exceeds the maximum allowed size.");
        give_up(self, &self->err);
    } else if (self->ticket && self->ticket->quotaLeft != FORM_NO_QUOTA &&
               self->size > self->ticket->quotaLeft) {
        (void)error_set(&self->err, ERR_QUOTA_EXCEEDED,
                        "The account or project has reached its limit of documents or bytes.");
        give_up(self, &self->err);
    }
}

static void on_file(void *arg, const uint8_t *bytes, size_t size)
{
    struct upload *self = arg;

    self->size += (int64_t)size;
    check_size(self);
    while (size > 0 && !is_given_up(self)) {
        struct piece *piece = self->filling;
        size_t count;

        if (!piece) {
            piece = piece_new(self->gateway, self, self->size - (int64_t)size,
                              stream_piece_size(self->gateway));
            piece->bytes = piece->room = arena_alloc_raw(piece->arena, piece->held);
            self->filling = piece;
        }
        count = MIN(size, piece->held - piece->size);
        memcpy(piece->room + piece->size, bytes, count);
        piece->size += count;
        bytes += count;
        size -= count;
        if (piece->size == piece->held)
            send_piece(self);
    }
}

static void give_time(struct upload *self, size_t size)
{
    self->step += size;
    if (self->step >= STEP) {
        self->step = 0;
        connection_enter(self->exchange->connection, CONNECTION_READING, clock_mono_ms());
    }
}

bool upload_append(struct upload *self, const uint8_t *bytes, size_t size)
{
    give_time(self, size);
    if (self->failed) {
        self->dropped += size;
        return self->dropped <= DROP_MAX && clock_mono_ms() - self->given_up_ms <= DROP_MS;
    }
    self->multipart.on_file = on_file;
    self->multipart.arg = self;
    if (multipart_feed(&self->multipart, bytes, size, &self->err) < 0)
        give_up(self, &self->err);
    if (is_full(self))
        exchange_pause(self->exchange);
    return true;
}

bool upload_has_begun(const struct upload *self)
{
    return self->multipart.file_begun;
}

void upload_end_body(struct upload *self)
{
    if (self->body_over)
        return;
    self->body_over = true;
    if (!self->failed && self->multipart.file_begun && !self->multipart.file_ended) {
        (void)error_set(&self->err, ERR_BAD_REQUEST, "The form is malformed.");
        give_up(self, &self->err);
    }
    if (self->filling)
        send_piece(self);
    wake(self);
}

void upload_leave(struct upload *self)
{
    self->left = true;
    drop_pieces(self);
    wake(self);
}

/* ---- on the request's fiber ---- */

const struct form *upload_form(struct upload *self, struct error *err)
{
    if (self->failed) {
        *err = self->err;
        return NULL;
    }
    if (!self->multipart.file_begun) {
        (void)error_set(err, ERR_BAD_REQUEST, "The form has no field `file`.");
        return NULL;
    }
    self->form.fields = (struct field_list){self->multipart.fields, self->multipart.field_count};
    return &self->form;
}

void upload_refuse(struct upload *self)
{
    (void)error_set(&self->err, ERR_BAD_REQUEST, "The upload form was rejected.");
    give_up(self, &self->err);
}

static bool is_under_way(const struct upload *self)
{
    return self->out > 0 || (!is_given_up(self) && !self->body_over);
}

static int abort_upload(struct upload *self, struct error *err)
{
    struct form_abort_in in = {self->ticket->ticket};
    struct nothing out;
    struct error ignored;

    error_init(&ignored, self->req->arena);
    (void)!stream_call(self->gateway, self->endpoint->route.service, self->req, self->req->arena,
                       &(struct stream_call){"form_abort", &form_abort_in_table, &nothing_table,
                                             &in, &out, ABORT_MS},
                       &ignored);
    if (!self->failed)
        return error_set(err, ERR_BAD_REQUEST, "The client closed the connection.");
    *err = self->err;
    return -1;
}

int upload_run(struct upload *self, const struct request *req, const struct form_ticket *ticket,
               struct error *err)
{
    struct form_end_in in = {ticket->ticket, 0};
    struct nothing out;

    self->req = req;
    self->ticket = ticket;
    self->fiber = fiber_self(self->gateway->service.loop);
    if (authenticate_form(self->gateway, &ticket->session, &self->err) < 0)
        give_up(self, &self->err);
    else
        check_size(self);
    send_waiting(self);
    go_on(self);
    while (is_under_way(self))
        if (fiber_park(self->gateway->service.loop, clock_mono_ms() + WAKE_MS) == FIBER_CANCELLED)
            upload_leave(self);
    self->fiber = NULL;
    if (!is_given_up(self) && self->size < ticket->sizeMin) {
        (void)error_set(&self->err, ERR_BAD_REQUEST,
                        "Your proposed upload is smaller than the minimum allowed size.");
        give_up(self, &self->err);
    }
    if (is_given_up(self))
        return abort_upload(self, err);
    in.size = self->size;
    return stream_call(self->gateway, self->endpoint->route.service, req, req->arena,
                       &(struct stream_call){"form_end", &form_end_in_table, &nothing_table, &in,
                                             &out, END_MS},
                       err);
}
