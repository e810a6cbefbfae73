/* otlp.c - see otlp.h.  Started by gateway.c. */
#include "gateway/endpoint/otlp.h"

#include <jansson.h>

#include "common/base/memory.h"
#include "common/domain/uri.h"
#include "common/runtime/curl_loop.h"
#include "common/service/span_json.h"
#include "common/wire/codec.h"
#include "gateway/endpoint/bus_fanout.h"
#include "gateway/gateway.h"

enum {
    PERIOD_MS = 1000,
    COLLECT_MS = 1000,
    SEND_MS = 3000, /* also what a receiver that hangs may add to the end of the process */
    CONNECT_MS = 2000,
    TRIES_MAX = 6,
    BACKOFF_MAX_MS = 30000,
    ANSWER_MAX = 64 * 1024,
};

struct batch {
    char *body; /* NULL: none is on its way */
    size_t size, spans;
    unsigned tries;
    int64_t next_mono_ms;
};

struct otlp {
    struct gateway *gateway;
    struct curl_loop *curl;
    struct curl_slist *headers;
    struct batch batch;
    bool failing; /* the last try failed, and the log says so */
    uint64_t *exported, *failures;
};

/* ---- collecting ---- */

static void write_text(FILE *file, const char *text)
{
    json_t *string = json_string(text);
    char *dumped = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;

    fputs(dumped ? dumped : "\"\"", file);
    free(dumped);
    json_decref(string);
}

static void write_resource(FILE *file, const char *service, const char *instance, bool first,
                           const char *spans)
{
    const char *const attributes[][2] = {{"service.name", service},
                                         {"service.namespace", "atrium"},
                                         {"service.instance.id", instance}};

    fprintf(file, "%s{\"resource\":{\"attributes\":[", first ? "" : ",");
    for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
        fprintf(file, "%s{\"key\":\"%s\",\"value\":{\"stringValue\":", i > 0 ? "," : "",
                attributes[i][0]);
        write_text(file, attributes[i][1]);
        fputs("}}", file);
    }
    fprintf(file, "]},\"scopeSpans\":[{\"scope\":{\"name\":\"atrium\"},\"spans\":%s}]}", spans);
}

static size_t write_peer(FILE *file, struct arena *arena, const struct fanout_reply *answer,
                         bool first)
{
    const struct service_spans_out *out = answer->out;
    size_t dot = strcspn(answer->peer, ".");

    if (!out || out->count <= 0)
        return 0;
    write_resource(file, arena_strndup(arena, answer->peer, dot),
                   answer->peer[dot] ? answer->peer + dot + 1 : "", first, out->spans);
    return (size_t)out->count;
}

/* Other gateways send their own; instances of an older version record none. */
static bool has_spans(const struct gateway *gateway, const char *peer)
{
    return strncmp(peer, "gateway.", strlen("gateway.")) != 0 &&
           bus_peer_knows_traces(gateway->service.bus, peer);
}

static size_t write_all(struct otlp *self, FILE *file, struct arena *arena)
{
    struct service *service = &self->gateway->service;
    struct fanout_reply *answers =
        bus_fanout(self->gateway, service_spans_method, has_spans, COLLECT_MS, arena);
    size_t count;
    const char *own = span_json_drain(service->spans, arena, &count);

    fputs("{\"resourceSpans\":[", file);
    if (count > 0)
        write_resource(file, service->definition->name, service->instance, true, own);
    for (; answers->peer; answers++)
        count += write_peer(file, arena, answers, count == 0);
    fputs("]}", file);
    return count;
}

static void collect(struct otlp *self, struct arena *arena)
{
    struct batch batch = {0};
    FILE *file = memory_ensure(open_memstream(&batch.body, &batch.size));

    batch.spans = write_all(self, file, arena);
    if (fclose(file) != 0)
        log_die("otlp", "out of memory");
    if (batch.spans == 0)
        free(batch.body);
    else
        self->batch = batch;
}

/* ---- sending ---- */

enum outcome { OUTCOME_TAKEN, OUTCOME_AGAIN, OUTCOME_REFUSED };

struct answer_body {
    struct codec_buffer buffer;
};

static size_t take(char *bytes, size_t one, size_t size, void *arg)
{
    struct answer_body *body = arg;

    if (body->buffer.size + one * size > ANSWER_MAX)
        return 0;
    codec_write(&body->buffer, bytes, one * size);
    return one * size;
}

static CURLcode set_options(const struct otlp *self, CURL *easy, struct answer_body *body)
{
    CURLcode code = CURLE_OK;

#define SET(option, value) code = code == CURLE_OK ? curl_easy_setopt(easy, option, value) : code
    SET(CURLOPT_URL, gateway_config(self->gateway)->otlp_endpoint);
    SET(CURLOPT_PROTOCOLS_STR, "https,http");
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    SET(CURLOPT_HTTPHEADER, self->headers);
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDS, self->batch.body);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)self->batch.size);
    SET(CURLOPT_USERAGENT, "Atrium/" ATRIUM_VERSION);
    SET(CURLOPT_WRITEFUNCTION, take);
    SET(CURLOPT_WRITEDATA, body);
#undef SET
    return code;
}

/* Spans refused by a receiver that took the request (ExportTracePartialSuccess). */
static size_t rejected(const struct answer_body *body, size_t sent)
{
    json_auto_t *answer = NULL;
    struct error ignored;
    long long number;
    json_t *count;

    error_init(&ignored, NULL);
    answer = codec_parse_json((const char *)body->buffer.bytes, body->buffer.size, true, &ignored);
    count = json_object_get(json_object_get(answer, "partialSuccess"), "rejectedSpans");
    number = json_is_string(count) ? strtoll(json_string_value(count), NULL, 10)
                                   : (long long)json_integer_value(count);
    return number > 0 ? MIN((size_t)number, sent) : 0;
}

/* The statuses that OTLP calls retryable, and what may be a proxy's. */
static enum outcome outcome_of(long status)
{
    if (status >= 200 && status < 300)
        return OUTCOME_TAKEN;
    return status == 429 || status == 502 || status == 503 || status == 504 ? OUTCOME_AGAIN
                                                                            : OUTCOME_REFUSED;
}

static void report(struct otlp *self, bool failed, const char *detail)
{
    if (failed && !self->failing)
        log_event(LOG_WARNING, "otlp", "the receiver of traces does not take spans", "detail",
                  detail, NULL);
    else if (!failed && self->failing)
        log_event(LOG_NOTICE, "otlp", "the receiver of traces takes spans again", NULL);
    self->failing = failed;
    *self->failures += failed;
}

static enum outcome send_batch(struct otlp *self, struct arena *arena, size_t *ret_rejected)
{
    CLEANUP(curl_loop_free_easy) CURL *easy = curl_loop_easy(self->curl);
    struct answer_body body;
    struct error err;
    long status = 0;
    CURLcode code;

    error_init(&err, arena);
    codec_buffer_init(&body.buffer, arena);
    code = set_options(self, easy, &body);
    if (code == CURLE_OK &&
        curl_loop_perform(self->curl, easy, clock_mono_ms() + SEND_MS, &code, &err) < 0) {
        report(self, true, err.message);
        return OUTCOME_AGAIN;
    }
    if (code != CURLE_OK && code != CURLE_WRITE_ERROR) {
        report(self, true, curl_easy_strerror(code));
        return OUTCOME_AGAIN;
    }
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    *ret_rejected = rejected(&body, self->batch.spans);
    report(self, outcome_of(status) != OUTCOME_TAKEN, arena_printf(arena, "HTTP %ld", status));
    return outcome_of(status);
}

static void batch_end(struct otlp *self, size_t dropped)
{
    spans_count_dropped(self->gateway->service.spans, dropped);
    free(self->batch.body);
    self->batch = (struct batch){0};
}

static void try_batch(struct otlp *self, struct arena *arena)
{
    struct batch *batch = &self->batch;
    size_t refused = 0;
    enum outcome outcome = send_batch(self, arena, &refused);

    if (outcome == OUTCOME_TAKEN) {
        *self->exported += batch->spans - refused;
        batch_end(self, refused);
    } else if (outcome == OUTCOME_REFUSED || ++batch->tries == TRIES_MAX) {
        batch_end(self, batch->spans);
    } else {
        batch->next_mono_ms =
            clock_mono_ms() + MIN((int64_t)PERIOD_MS << batch->tries, (int64_t)BACKOFF_MAX_MS);
    }
}

static int run(void *daemon, const struct request *req, struct error *err UNUSED)
{
    struct otlp *self = ((struct gateway *)daemon)->otlp;

    if (!self->batch.body)
        collect(self, req->arena);
    if (self->batch.body && clock_mono_ms() >= self->batch.next_mono_ms)
        try_batch(self, req->arena);
    return 0;
}

/* ---- life ---- */

int otlp_check(const struct gateway *gateway, struct error *err)
{
    const char *endpoint = gateway_config(gateway)->otlp_endpoint;

    struct uri uri;

    if (endpoint[0] == '\0' || uri_parse(endpoint, &uri))
        return 0;
    return error_set(err, ERR_BAD_REQUEST,
                     "otlp_endpoint must be a URL such as http://127.0.0.1:4318/v1/traces");
}

/* The headers of each request: of the file one, which may be a secret. */
static int make_headers(struct otlp *self, struct error *err)
{
    const char *path = gateway_config(self->gateway)->otlp_header_file;
    struct secret header = {0};

    self->headers = curl_slist_append(NULL, "Content-Type: application/json");
    self->headers = curl_slist_append(self->headers, "Expect:");
    if (path) {
        if (secret_load_text(path, &header, err) < 0)
            return -1;
        self->headers = curl_slist_append(self->headers, (const char *)header.bytes);
        secret_wipe(&header);
    }
    memory_ensure(self->headers);
    return 0;
}

int otlp_start(struct gateway *gateway, struct error *err)
{
    struct metrics *metrics = gateway->service.metrics;
    uint64_t *exported = metrics_counter(metrics, "atrium_trace_exported_total", "",
                                         "Spans that the receiver of traces has taken.");
    uint64_t *failures = metrics_counter(metrics, "atrium_trace_export_failures_total", "",
                                         "Tries to send spans that failed.");
    struct otlp *self;

    if (gateway_config(gateway)->otlp_endpoint[0] == '\0')
        return 0;
    self = memory_new(sizeof(*self));
    self->gateway = gateway;
    gateway->otlp = self;
    if (make_headers(self, err) < 0) {
        otlp_stop(gateway);
        return -1;
    }
    self->curl = curl_loop_new(gateway->service.loop);
    self->exported = exported;
    self->failures = failures;
    service_every(&gateway->service, "traces", PERIOD_MS, run);
    return 0;
}

void otlp_stop(struct gateway *gateway)
{
    struct otlp *self = TAKE_PTR(gateway->otlp);

    if (!self)
        return;
    free(self->batch.body);
    curl_loop_destroy(&self->curl);
    curl_slist_free_all(self->headers);
    free(self);
}
