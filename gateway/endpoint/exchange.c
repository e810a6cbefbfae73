/*
 * exchange.c - see exchange.h.
 *
 * libmicrohttpd 0.9.75 can't answer in mid-body, and an answer before the body resets the
 * connection. So a refusal waits until the body was read and dropped. Larger bodies get an answer
 * that bypasses libmicrohttpd and closes the connection.
 */
#include "gateway/endpoint/exchange.h"

#include <strings.h>

#include <sodium.h>

#include "common/base/memory.h"
#include "gateway/endpoint/endpoints.h"
#include "gateway/http/body.h"
#include "gateway/http/mhd_socket.h"
#include "gateway/http/request_span.h"
#include "gateway/transfer/download.h"
#include "gateway/transfer/upload.h"

enum { SPARE_MAX = 256 };

static struct exchange *exchange_new(struct site *site)
{
    struct gateway *gateway = site->gateway;
    struct exchange *self = gateway->spare;

    if (self) {
        gateway->spare = self->next;
        gateway->spare_count--;
        memset(&self->mhd, 0, offsetof(struct exchange, path) - offsetof(struct exchange, mhd));
    } else {
        self = memory_new(sizeof(*self));
        self->arena = arena_new();
    }
    self->site = site;
    self->gateway = gateway;
    gateway->in_flight++;
    return self;
}

static void exchange_recycle(struct exchange *self)
{
    struct gateway *gateway = self->gateway;

    body_free(self);
    cached_file_release(&self->cached);
    if (self->response)
        MHD_destroy_response(self->response);
    if (self->file_place)
        file_receiver_release(gateway->files);
    loop_cancel(gateway->service.loop, &self->floor);
    arena_reset(self->arena);
    gateway->in_flight--;
    if (gateway->spare_count == SPARE_MAX) {
        arena_destroy(&self->arena);
        free(self);
        return;
    }
    self->next = gateway->spare;
    gateway->spare = self;
    gateway->spare_count++;
}

void exchange_free_spare(struct gateway *gateway)
{
    while (gateway->spare) {
        struct exchange *self = gateway->spare;

        gateway->spare = self->next;
        arena_destroy(&self->arena);
        free(self);
    }
    gateway->spare_count = 0;
}

void *exchange_on_begin(void *arg, const char *target, struct MHD_Connection *mhd UNUSED)
{
    struct exchange *self = exchange_new(arg);
    size_t size = strlen(target) + 1;

    self->arrived_us = clock_mono_us();
    self->target = size <= TARGET_SHORT ? self->target_short : arena_alloc(self->arena, size);
    memcpy(self->target, target, size);
    return self;
}

void exchange_on_connection(void *arg, struct MHD_Connection *mhd, void **socket_context,
                            enum MHD_ConnectionNotificationCode what)
{
    struct site *site = arg;

    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *socket_context = connection_new(&site->connections, mhd, clock_mono_ms());
    } else {
        struct connection *connection = *socket_context;

        connection_destroy(&connection);
        *socket_context = NULL;
    }
}

static void exchange_count(struct exchange *self, int64_t duration_us)
{
    static const char *const labels[] = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};
    struct service *service = &self->gateway->service;
    struct endpoint *endpoint = self->endpoint;
    size_t class = self->status / 100 % ARRAY_SIZE(labels);

    histogram_add(self->gateway->durations, duration_us);
    if (!endpoint)
        return;
    if (!endpoint->answers[class])
        endpoint->answers[class] = metrics_counter(
            service->metrics, "atrium_gateway_answers_total",
            arena_printf(service->arena, "method=\"%s\",route=\"%s\",status=\"%s\"",
                         endpoint->route.method, endpoint->route.path, labels[class]),
            "Answers by route and class of status; none: the client went away.");
    (*endpoint->answers[class])++;
}

static void exchange_log(struct exchange *self, int64_t duration_us)
{
    const struct gateway_config *config = gateway_config(self->gateway);
    char address[INET6_ADDRSTRLEN];
    struct access_line line = {
        .method = self->method,
        .route = self->endpoint ? self->endpoint->route.path : "-",
        .status = self->status,
        .duration_us = duration_us,
        .trace = self->trace,
        .trace_id = self->activity.spans ? self->trace_id : NULL,
    };

    if (!config->access_log)
        return;
    if (config->access_log_address) {
        struct address client = exchange_client(self);

        address_format(&client, address);
        line.address = address;
    }
    access_log_add(&self->gateway->log, &line);
}

/* True if the connection ends with this exchange, because the client or this side asked for it (RFC
 * 9112, section 9.6). */
static bool is_last(const struct exchange *self)
{
    const char *option = MHD_lookup_connection_value(self->mhd, MHD_HEADER_KIND, "Connection");

    return self->close || (option && strcasestr(option, "close"));
}

void exchange_on_end(void *arg UNUSED, struct MHD_Connection *mhd UNUSED, void **request,
                     enum MHD_RequestTerminationCode why UNUSED)
{
    struct exchange *self = *request;

    if (!self)
        return;
    *request = NULL;
    if (self->opened) {
        int64_t now_us = clock_mono_us();

        self->connection->exchange = NULL;
        self->connection->answering = self->connection->begun = false;
        connection_enter(self->connection, CONNECTION_IDLE, now_us / 1000);
        exchange_count(self, now_us - self->arrived_us);
        exchange_log(self, now_us - self->arrived_us);
        request_span_end(self);
        self->connection->ended++;
        if (self->connection->framing.status && !is_last(self))
            mhd_socket_check(self->connection);
        /* the client sent its last byte and has all answers */
        if (self->connection->over && self->connection->ended == self->connection->framing.requests)
            mhd_socket_shutdown(self->connection->fd);
    }
    self->ended = true;
    if (self->upload)
        upload_leave(self->upload);
    if (self->download)
        download_leave(self->download);
    if (!self->on_fiber)
        exchange_recycle(self);
}

static int check_framing(struct exchange *self, const char *version)
{
    if (!head_is_ambiguous(&self->head, version))
        return 0;
    self->close = true;
    return error_set(&self->err, ERR_BAD_REQUEST, "The request is malformed.");
}

static int find_endpoint(struct exchange *self)
{
    size_t size = strlen(self->target) + 1;
    char *scratch = size <= TARGET_SHORT ? self->path_short : arena_alloc(self->arena, size);

    if (size > TARGET_MAX)
        return error_set(&self->err, ERR_BAD_REQUEST, "The request target is too long.");
    if (target_split(self->target, &self->parts, &self->err) < 0 ||
        path_decode(self->parts.path, scratch, &self->path, &self->err) < 0)
        return -1;
    router_match(self->site->router, self->method, &self->path, &self->match);
    self->endpoint = self->match.endpoint ? self->match.endpoint : no_endpoint_page(self);
    return 0;
}

static uint64_t declared_size(const struct exchange *self)
{
    return self->head.content_length ? strtoull(self->head.content_length, NULL, 10) : 0;
}

static void open_upload(struct exchange *self)
{
    if (head_is_encoded(&self->head))
        (void)error_set(&self->err, ERR_UNSUPPORTED_MEDIA, UNENCODED);
    else
        self->upload = upload_new(self, &self->err);
    self->refused = !self->upload;
}

static void exchange_open(struct exchange *self, struct MHD_Connection *mhd, const char *method,
                          const char *version)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    self->opened = true;
    self->mhd = mhd;
    self->method = method;
    self->connection = info->socket_context;
    self->connection->exchange = self;
    connection_enter(self->connection, CONNECTION_READING, self->arrived_us / 1000);
    head_read(&self->head, mhd, gateway_config(self->gateway)->forwarded_header);
    request_span_begin(self);
    error_init(&self->err, self->arena);
    self->match.allow[0] = '\0';
    /* Even if the framing is invalid, because the route decides how early an error can be sent. */
    self->refused = find_endpoint(self) < 0;
    if (check_framing(self, version) < 0)
        self->refused = true;
    if (!self->refused && self->endpoint && self->endpoint->route.flags & R_FORM)
        open_upload(self);
}

static void run_endpoint(void *arg)
{
    struct exchange *self = arg;

    activity_enter(self->gateway->service.loop, &self->activity);
    self->endpoint->serve(self);
    self->on_fiber = false;
    if (self->ended)
        exchange_recycle(self);
}

/* True if the request counts as a registration, even an invalid one. serve.c counts it before any
 * check. */
static bool is_counted(const struct exchange *self)
{
    return self->endpoint && self->endpoint->route.flags & R_THROTTLE_REGISTER;
}

static void exchange_dispatch(struct exchange *self)
{
    struct endpoint *endpoint = self->endpoint;

    self->dispatched = true;
    self->dispatched_us = clock_mono_us();
    if (self->refused && !is_counted(self))
        exchange_fail(self, NULL);
    else if (!endpoint)
        no_endpoint_serve(self);
    else if (!endpoint->on_fiber)
        endpoint->serve(self);
    else if (fiber_start(self->gateway->service.loop, run_endpoint, self, &self->err) < 0)
        exchange_fail(self, NULL);
    else
        self->on_fiber = true;
}

static enum MHD_Result exchange_send(struct exchange *self)
{
    enum MHD_Result result;

    connection_enter(self->connection, CONNECTION_WRITING,
                     loop_mono_ms(self->gateway->service.loop));
    connection_allow(self->connection, (int64_t)self->answer_size);
    self->connection->answering = true;
    result = MHD_queue_response(self->mhd, self->status, self->response);
    MHD_destroy_response(self->response);
    self->response = NULL;
    return result;
}

/* Calls the endpoint when the form's file begins, then pauses reading until the endpoint's fiber
 * has read the request's headers, even if the form has failed. */
static bool form_append(struct exchange *self, const char *bytes, size_t size)
{
    if (!upload_append(self->upload, (const uint8_t *)bytes, size))
        return false;
    if (!self->dispatched && upload_has_begun(self->upload)) {
        exchange_dispatch(self);
        if (self->on_fiber)
            exchange_pause(self);
    }
    return true;
}

/* Refuses a declared size above BODY_MAX before the body, if the client waits for "100 Continue",
 * or if the body is too large to read and drop. */
static bool refuse_early(struct exchange *self)
{
    uint64_t size = declared_size(self);
    bool large = !self->upload && size > BODY_MAX && (self->head.expect || size > BODY_DROP_MAX);

    if (!large)
        return false;
    if (!self->refused)
        (void)error_set(&self->err, ERR_TOO_LARGE, "The request body is too large.");
    self->refused = self->close = true;
    return true;
}

enum MHD_Result exchange_on_request(void *arg UNUSED, struct MHD_Connection *mhd,
                                    const char *url UNUSED, const char *method, const char *version,
                                    const char *upload, size_t *upload_size, void **request)
{
    struct exchange *self = *request;

    if (!self->opened) {
        exchange_open(self, mhd, method, version);
        if (!refuse_early(self))
            return MHD_YES;
    }
    if (*upload_size > 0) {
        size_t size = *upload_size;

        *upload_size = 0;
        if (self->upload ? form_append(self, upload, size) : body_append(self, upload, size))
            return MHD_YES;
        (void)exchange_on_unfinished(self->connection);
        return MHD_NO;
    }
    connection_enter(self->connection, CONNECTION_WORKING,
                     loop_mono_ms(self->gateway->service.loop));
    if (self->upload)
        upload_end_body(self->upload);
    if (!self->dispatched)
        exchange_dispatch(self);
    if (self->released)
        return exchange_send(self);
    self->suspended = true;
    self->gateway->suspended++;
    MHD_suspend_connection(mhd);
    return MHD_YES;
}

/* ---- past libmicrohttpd ---- */

static void send_text(struct gateway *gateway, struct connection *connection,
                      const struct endpoint *endpoint, struct error *err, const char *trace,
                      struct arena *arena, unsigned *ret_status)
{
    struct answer answer;
    const char *text;

    exchange_answer_error(endpoint ? endpoint->route.flags : 0, err, arena, &answer);
    answer.trace = trace;
    answer.close = true;
    *ret_status = answer.status;
    text = answer_text(&answer, clock_now_ms(gateway->service.clock), arena);
    connection_cut(connection, text, strlen(text));
}

static int describe(struct error *err, int status)
{
    switch (status) {
    case 413:
        return error_set(err, ERR_TOO_LARGE, "The request body is too large.");
    case 414:
        return error_set(err, ERR_TARGET_TOO_LONG, "The request target is too long.");
    case 431:
        return error_set(err, ERR_HEADERS_TOO_LARGE, "The request headers are too large.");
    default:
        return error_set(err, ERR_BAD_REQUEST, "The request is malformed.");
    }
}

void exchange_on_refused(struct connection *connection, int status)
{
    struct site *site = connection->all->arg;
    struct gateway *gateway = site->gateway;
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct exchange *exchange = connection->exchange;
    struct access_line line = {.method = "", .route = "-"};
    char trace[TRACE_SIZE];
    struct error err;

    if (gateway->service.stopping)
        return;
    error_init(&err, arena);
    (void)!describe(&err, status);
    trace_choose(&gateway->traces, NULL, NULL, trace);
    line.trace = exchange ? exchange->trace : trace;
    send_text(gateway, connection, exchange ? exchange->endpoint : NULL, &err, line.trace, arena,
              &line.status);
    if (exchange)
        exchange->status = line.status;
    else if (gateway_config(gateway)->access_log)
        access_log_add(&gateway->log, &line);
}

bool exchange_on_unfinished(struct connection *connection)
{
    struct exchange *self = connection->exchange;
    bool told = self->refused || self->released;
    bool slow = self->endpoint && (self->endpoint->route.flags & R_SLOW_ERRORS);

    if (slow && clock_mono_us() / 1000 - self->arrived_us / 1000 <= SLOW_ERROR_MS)
        return false;
    ++*self->gateway->bodies_unfinished;
    if (!told)
        (void)error_set(&self->err, ERR_REQUEST_TIMEOUT,
                        "The request body did not arrive in time.");
    self->refused = true;
    send_text(self->gateway, connection, self->endpoint, &self->err, self->trace, self->arena,
              &self->status);
    return true;
}
