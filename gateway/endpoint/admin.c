/* admin.c - see admin.h. */
#include "gateway/endpoint/admin.h"

#include "common/service/metric_rows.h"
#include "gateway/endpoint/bus_fanout.h"
#include "gateway/endpoint/exchange.h"

enum { READY_MS = 1000, METRICS_MS = 2000 };

static void answer_json(struct exchange *exchange, unsigned status, json_t *json)
{
    struct answer answer = {.status = status};

    answer.body = codec_dump_json(exchange->arena, json);
    answer.size = strlen(answer.body);
    json_decref(json);
    exchange_reply(exchange, &answer);
}

static bool is_of(const char *peer, const char *service)
{
    size_t length = strlen(service);

    return strncmp(peer, service, length) == 0 && peer[length] == '.';
}

static bool answers(const struct fanout_reply *all, const char *service)
{
    for (; all->peer; all++)
        if (all->out && is_of(all->peer, service))
            return true;
    return false;
}

static bool has_database(const struct service_status_out *status)
{
    return status->database;
}

static bool has_writes(const struct service_status_out *status)
{
    return status->database && status->writable != TRISTATE_FALSE;
}

/* True if instances of a service answered, but `can` is false for all of them. */
static bool lacks(const struct gateway *gateway, const struct fanout_reply *all,
                  bool (*can)(const struct service_status_out *status))
{
    for (const char *const *service = gateway->daemons; *service; service++) {
        bool any = false, one = false;

        for (const struct fanout_reply *each = all; each->peer; each++) {
            if (!each->out || !is_of(each->peer, *service))
                continue;
            any = true;
            one = one || can(each->out);
        }
        if (any && !one)
            return true;
    }
    return false;
}

void admin_serve_ready(struct exchange *exchange)
{
    struct gateway *gateway = exchange->gateway;
    const struct fanout_reply *all =
        bus_fanout(gateway, service_status_method, NULL, READY_MS, exchange->arena);
    json_t *missing = json_array();
    bool ready;

    for (const char *const *service = gateway->daemons; *service; service++)
        if (!answers(all, *service))
            json_array_append_new(missing, json_string(*service));
    if (!lease_is_live(&gateway->lease))
        json_array_append_new(missing, json_string("lease"));
    if (lacks(gateway, all, has_database))
        json_array_append_new(missing, json_string("database"));
    else if (lacks(gateway, all, has_writes))
        json_array_append_new(missing, json_string("database writes"));
    ready = json_array_size(missing) == 0 && !gateway->service.stopping;
    answer_json(exchange, ready ? 200 : 503,
                json_pack("{s:b, s:o}", "ready", ready, "missing", missing));
}

void admin_serve_metrics(struct exchange *exchange)
{
    struct service *service = &exchange->gateway->service;
    struct arena *arena = exchange->arena;
    const struct fanout_reply *all =
        bus_fanout(exchange->gateway, service_metrics_method, NULL, METRICS_MS, arena);
    struct answer answer = {.status = 200,
                            .content_type = "text/plain; version=0.0.4; charset=utf-8"};
    size_t peers = 0, count = 1;
    struct metrics_part *parts;

    while (all[peers].peer)
        peers++;
    parts = arena_calloc(arena, peers + 1, sizeof(*parts));
    parts[0] =
        (struct metrics_part){"gateway", service->instance, metrics_rows(service->metrics, arena)};
    for (size_t i = 0; i < peers; i++) {
        const struct service_metrics_out *out = all[i].out;
        const char *dot = strrchr(all[i].peer, '.');

        if (out && dot)
            parts[count++] = (struct metrics_part){arena_strndup(arena, all[i].peer,
                                                                 (size_t)(dot - all[i].peer)),
                                                   dot + 1, out->metrics};
    }
    answer.body = metrics_text(parts, count, arena);
    answer.size = strlen(answer.body);
    exchange_reply(exchange, &answer);
}
