/* otlp.c - see otlp.h. */
#include "gateway/endpoint/otlp.h"

#include <jansson.h>

#include "common/base/memory.h"
#include "common/base/secret.h"
#include "common/domain/uri.h"
#include "common/service/fetch.h"
#include "common/service/span_json.h"
#include "common/wire/codec.h"
#include "gateway/endpoint/bus_fanout.h"
#include "gateway/gateway.h"

enum {
    PERIOD_MS = 1000,
    COLLECT_MS = 1000,
    SEND_MS = 3000, /* a hanging receiver delays the exit by this */
    TRIES_MAX = 6,
    BACKOFF_MAX_MS = 30000,
    ANSWER_MAX = 64 * 1024,
};

struct batch {
    char *body; /* NULL: not sending */
    size_t size, spans;
    unsigned tries;
    int64_t next_mono_ms;
};

struct otlp {
    struct gateway *gateway;
    struct curl_loop *curl;
    char *header; /* additional header or NULL */
    struct batch batch;
    bool failing; /* the last attempt failed, which was logged */
    uint64_t *exported, *failures;
};

/* Names are [a-z0-9-] and need no escapes. */
static void write_resource(FILE *file, const char *service, const char *instance, bool first,
                           const char *spans)
{
    fprintf(file,
            "%s{\"resource\":{\"attributes\":["
            "{\"key\":\"service.name\",\"value\":{\"stringValue\":\"%s\"}},"
            "{\"key\":\"service.namespace\",\"value\":{\"stringValue\":\"atrium\"}},"
            "{\"key\":\"service.instance.id\",\"value\":{\"stringValue\":\"%s\"}}]},"
            "\"scopeSpans\":[{\"scope\":{\"name\":\"atrium\"},\"spans\":%s}]}",
            first ? "" : ",", service, instance, spans);
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

/* True if this gateway collects the peer's spans: other gateways send their own, and older
 * instances have none. */
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

enum outcome { OUTCOME_TAKEN, OUTCOME_AGAIN, OUTCOME_REFUSED };

/* Counts rejected spans of an accepted request (ExportTracePartialSuccess). */
static size_t rejected(const struct fetch_answer *from, size_t sent)
{
    struct error ignored;
    json_auto_t *answer = NULL;
    long long number;
    json_t *count;

    error_init(&ignored, NULL);
    answer = from->body ? codec_parse_json(from->body, from->size, true, &ignored) : NULL;
    count = json_object_get(json_object_get(answer, "partialSuccess"), "rejectedSpans");
    number = json_is_string(count) ? strtoll(json_string_value(count), NULL, 10)
                                   : (long long)json_integer_value(count);
    return number > 0 ? MIN((size_t)number, sent) : 0;
}

/* Retries the statuses that OTLP calls retryable; a proxy can send them, too. */
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
        log_event(LOG_WARNING, "otlp", "the receiver of traces rejects spans", "detail", detail,
                  NULL);
    else if (!failed && self->failing)
        log_event(LOG_NOTICE, "otlp", "the receiver of traces accepts spans again", NULL);
    self->failing = failed;
    *self->failures += failed;
}

static enum outcome send_batch(struct otlp *self, struct arena *arena, size_t *ret_rejected)
{
    const char *const headers[] = {self->header, NULL};
    const struct fetch what = {
        .url = gateway_config(self->gateway)->otlp_endpoint,
        .body = self->batch.body,
        .headers = headers,
        .plain = true,
        .answer_max = ANSWER_MAX,
        .deadline_mono_ms = clock_mono_ms() + SEND_MS,
    };
    struct fetch_answer answer = {0};
    struct error err;

    error_init(&err, arena);
    if (fetch_perform(self->curl, arena, &what, &answer, &err) < 0 && err.code != ERR_TOO_LARGE) {
        report(self, true, err.detail[0] ? err.detail : err.message);
        return OUTCOME_AGAIN;
    }
    *ret_rejected = rejected(&answer, self->batch.spans);
    report(self, outcome_of(answer.status) != OUTCOME_TAKEN,
           arena_printf(arena, "HTTP %ld", answer.status));
    return outcome_of(answer.status);
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

int otlp_check(const struct gateway *gateway, struct error *err)
{
    const char *endpoint = gateway_config(gateway)->otlp_endpoint;
    struct uri uri;

    if (endpoint[0] == '\0' || uri_parse(endpoint, &uri))
        return 0;
    return error_set(err, ERR_BAD_REQUEST,
                     "otlp_endpoint must be a URL such as http://127.0.0.1:4318/v1/traces");
}

/* Reads the additional header from its file, because it can be a secret. */
static int read_header(struct otlp *self, struct error *err)
{
    const char *path = gateway_config(self->gateway)->otlp_header_file;
    struct secret header = {0};

    if (!path)
        return 0;
    if (secret_load_text(path, &header, err) < 0)
        return -1;
    self->header = memory_text((const char *)header.bytes);
    secret_wipe(&header);
    return 0;
}

int otlp_start(struct gateway *gateway, struct error *err)
{
    struct metrics *metrics = gateway->service.metrics;
    uint64_t *exported = metrics_counter(metrics, "atrium_trace_exported_total", "",
                                         "Spans that the receiver of traces accepted.");
    uint64_t *failures = metrics_counter(metrics, "atrium_trace_export_failures_total", "",
                                         "Failed attempts to send spans.");
    struct otlp *self;

    if (gateway_config(gateway)->otlp_endpoint[0] == '\0')
        return 0;
    self = memory_new(sizeof(*self));
    self->gateway = gateway;
    gateway->otlp = self;
    if (read_header(self, err) < 0) {
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
    secret_wipe_text(self->header);
    free(self->header);
    free(self);
}
