/* service_status.c - health, metrics and spans of every daemon. */
#include <unistd.h>

#include "common/service/audit_leaf.h"
#include "common/service/metric_rows.h"
#include "common/service/project_read_only.h"
#include "common/service/service_private.h"
#include "common/service/service_tenant.h"
#include "common/service/span_json.h"

enum { METRIC_ROWS_MAX = 20000 };

static const struct field service_status_out_rows[] = {
    FIELD_TEXT(struct service_status_out, service, 1, 64, FIELD_REQUIRED, "Service", "authd"),
    FIELD_TEXT(struct service_status_out, instance, 1, 64, FIELD_REQUIRED, "Instance", "1"),
    FIELD_TEXT(struct service_status_out, version, 1, 64, FIELD_REQUIRED, "Version", "0.1.0"),
    FIELD_INT(struct service_status_out, uptimeMs, 0, INT64_MAX, 0, 0, "Since its start", "1000"),
    FIELD_INT(struct service_status_out, inFlight, 0, INT64_MAX, 0, 0, "Requests being served",
              "3"),
    FIELD_INT(struct service_status_out, queued, 0, INT64_MAX, 0, 0,
              "Jobs that wait for a thread of the offload pool", "0"),
    FIELD_INT(struct service_status_out, fibers, 0, INT64_MAX, 0, 0, "Fibers alive", "5"),
    FIELD_INT(struct service_status_out, pid, 0, INT64_MAX, 0, 0, "Process", "4711"),
    FIELD_BOOL(struct service_status_out, database, false, 0,
               "The database answers, or none is needed"),
    FIELD_TRISTATE(struct service_status_out, writable, 0, "It takes writes, or none is needed"),
    FIELD_TEXT(struct service_status_out, sandbox, 1, 64, 0, "What confines its programs",
               "bubblewrap"),
    FIELD_TEXT(struct service_status_out, sealKeys, 1, 64, 0, "Ids of the keys in its file",
               "4c1f0a6d93b2e871"),
    FIELD_TEXT(struct service_status_out, sealState, 1, 64, 0, "How far their exchange is",
               "single"),
};
FIELD_TABLE(service_status_out);

static const struct field service_metrics_out_rows[] = {
    FIELD_OBJECTS(struct service_metrics_out, metrics, metric_row, METRIC_ROWS_MAX, 0, "Metrics"),
};
FIELD_TABLE(service_metrics_out);

enum { SPANS_TEXT_MAX = 2 * 1024 * 1024 };

static const struct field service_spans_out_rows[] = {
    FIELD_TEXT(struct service_spans_out, spans, 0, SPANS_TEXT_MAX, FIELD_REQUIRED,
               "OTLP/JSON array of spans", "[]"),
    FIELD_INT(struct service_spans_out, count, 0, INT64_MAX, 0, 0, "How many", "0"),
};
FIELD_TABLE(service_spans_out);

int service_status(struct service *self, const struct request *req, const struct nothing *in,
                   struct service_status_out *out, struct error *err)
{
    (void)in, (void)err;
    *out = (struct service_status_out){
        .service = self->definition->name,
        .instance = self->instance,
        .version = ATRIUM_VERSION,
        .uptimeMs = clock_mono_ms() - self->started_mono_ms,
        .inFlight = (int64_t)bus_serving(self->bus),
        .queued = (int64_t)offload_waiting(self->offload),
        .fibers = (int64_t)fiber_count(self->loop),
        .pid = getpid(),
        .database = service_database_up(self),
        .writable = service_database_writable(self) ? TRISTATE_TRUE : TRISTATE_FALSE,
        .sandbox = self->sandbox,
        .sealKeys = service_seal_ids(self, req->arena),
        .sealState = service_seal_state(self),
    };
    return 0;
}

int service_metrics(struct service *self, const struct request *req, const struct nothing *in,
                    struct service_metrics_out *out, struct error *err)
{
    (void)in, (void)err;
    out->metrics = metrics_rows(self->metrics, req->arena);
    return 0;
}

int service_spans(struct service *self, const struct request *req, const struct nothing *in UNUSED,
                  struct service_spans_out *out, struct error *err UNUSED)
{
    size_t count;

    out->spans = span_json_drain(self->spans, req->arena, &count);
    out->count = (int64_t)count;
    return 0;
}

#define OP(handler, input, output, callers, flags) HANDLER_CALL(struct service, handler)
#include "common/service/service_routes.def"

static const struct operation built_in[] = {
#define OP(handler, input, output, callers, flags) \
    HANDLER_ROW(handler, input, output, callers, ACCESS_INTERNAL, REACH_PUBLIC, flags)
#include "common/service/service_routes.def"
};

#define OP(handler, input, output, callers, flags)                                             \
    struct bus_method handler##_method(const char *service)                                    \
    {                                                                                          \
        return (struct bus_method){service, #handler, flags, &input##_table, &output##_table}; \
    }
#include "common/service/service_routes.def"

const struct operation *service_operations(const struct operation *own, struct arena *arena)
{
    struct operation *all;
    size_t count = 0;

    while (own && own[count].name)
        count++;
    all = arena_calloc(arena, count + ARRAY_SIZE(built_in) + 1, sizeof(*all));
    if (count > 0)
        memcpy(all, own, count * sizeof(*all));
    memcpy(all + count, built_in, sizeof(built_in));
    return all;
}
