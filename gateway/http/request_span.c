/* request_span.c - see request_span.h. */
#include "gateway/http/request_span.h"

#include <stdio.h>

#include "gateway/endpoint/exchange.h"

static bool is_from_trusted(const struct exchange *exchange)
{
    return address_networks_have(&exchange->gateway->trusted, &exchange->connection->peer);
}

/* Probes and metrics scrapes aren't traced. */
static bool is_admin(const struct exchange *exchange)
{
    return exchange->site->router == exchange->gateway->admin_routes;
}

static void begin_trace(struct exchange *exchange, const struct trace_context *parent)
{
    const char *state = exchange->head.tracestate;
    const struct trace_wish wish = {
        .parent = parent,
        .trusted = parent && is_from_trusted(exchange),
        .sample = gateway_config(exchange->gateway)->trace_sample,
        .request_id = exchange->trace,
    };

    exchange->activity.context = trace_sample(&exchange->gateway->traces, &wish);
    if (!exchange->activity.context.sampled)
        return;
    exchange->activity.spans = exchange->gateway->service.spans;
    if (parent && state && tracestate_is_valid(state))
        exchange->activity.state = state;
    trace_hex(exchange->activity.context.trace_id, TRACE_ID_BYTES, exchange->trace_id);
}

void request_span_begin(struct exchange *exchange)
{
    const char *header = exchange->head.traceparent;
    struct trace_context parent;
    bool has = header && traceparent_read(header, &parent) == 0;

    trace_choose(&exchange->gateway->traces, exchange->head.request_id, has ? &parent : NULL,
                 exchange->trace);
    exchange->activity =
        (struct activity){.request_id = exchange->trace, .operation = "", .state = ""};
    if (exchange->gateway->otlp && !is_admin(exchange))
        begin_trace(exchange, has ? &parent : NULL);
    span_begin_at(&exchange->span, &exchange->activity, SPAN_SERVER, "HTTP", exchange->arrived_us);
    span_enter(&exchange->span);
}

/* Returns a name such as "GET /auth/me", which lives as long as the process, because spans only
 * point to it. */
static const char *span_name(struct exchange *exchange)
{
    struct endpoint *endpoint = exchange->endpoint;

    if (!endpoint)
        return "HTTP";
    if (!endpoint->span_name)
        endpoint->span_name = arena_printf(exchange->gateway->service.arena, "%s %s",
                                           endpoint->route.method, endpoint->route.path);
    return endpoint->span_name;
}

/* Returns the method as the semantic conventions spell it. A client can send any word. */
static const char *method_of(const struct exchange *exchange)
{
    const char *method = access_log_method(exchange->method);

    return strcmp(method, "other") == 0 ? "_OTHER" : method;
}

static void end_span(struct exchange *exchange)
{
    struct span *span = &exchange->span;

    if (!span->activity)
        return;
    span->name = span_name(exchange);
    span_text(span, "http.request.method", method_of(exchange));
    span_text(span, "url.scheme", "http");
    if (exchange->endpoint)
        span_text(span, "http.route", exchange->endpoint->route.path);
    if (exchange->status > 0)
        span_number(span, "http.response.status_code", exchange->status);
    if (exchange->status == 0)
        span_fail(span, "client_gone");
    else if (exchange->status >= 500)
        span_fail(span, error_status_name((int)exchange->status));
    span_end(span);
}

static int64_t called_us(const struct activity *activity)
{
    int64_t sum = 0;

    for (size_t i = 0; i < ARRAY_SIZE(activity->calls); i++)
        sum += activity->calls[i].us;
    return sum;
}

/* Returns how long the request took from the end of its body; for an upload, only the daemons' time
 * counts. */
static int64_t work_us(const struct exchange *exchange)
{
    if (exchange->dispatched_us == 0 || exchange->replied_us == 0)
        return 0;
    return exchange->upload ? called_us(&exchange->activity)
                            : exchange->replied_us - exchange->dispatched_us;
}

static void print_calls(const struct activity *activity, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < ARRAY_SIZE(activity->calls) && activity->calls[i].service; i++)
        if (used < size)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s %lldx %lldms", i > 0 ? ", " : "",
                                 activity->calls[i].service, (long long)activity->calls[i].count,
                                 (long long)activity->calls[i].us / 1000);
}

static void log_slow(const struct exchange *exchange, int64_t us)
{
    char calls[256];
    const struct log_field fields[] = {
        LOG_TEXT("method", access_log_method(exchange->method)),
        LOG_TEXT("route", exchange->endpoint->route.path),
        LOG_NUMBER("status", exchange->status),
        LOG_NUMBER("ms", us / 1000),
        LOG_NUMBER("calls_ms", called_us(&exchange->activity) / 1000),
        LOG_TEXT("calls", calls),
        LOG_TEXT("trace", exchange->trace),
        LOG_TEXT("trace_id", exchange->activity.spans ? exchange->trace_id : NULL),
    };

    print_calls(&exchange->activity, calls, sizeof(calls));
    log_fields(LOG_WARNING, "slow", "slow request", fields, ARRAY_SIZE(fields));
}

void request_span_end(struct exchange *exchange)
{
    int64_t us = work_us(exchange), limit_ms = gateway_config(exchange->gateway)->slow_request;

    end_span(exchange);
    if (limit_ms == 0 || us <= limit_ms * 1000 || !exchange->endpoint || is_admin(exchange))
        return;
    ++*exchange->gateway->slow;
    log_slow(exchange, us);
}
