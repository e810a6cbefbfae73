/*
 * webhook_event.c - makes deliveries from audit logs.
 *
 * Each instance reads each log twice a second. One statement writes the deliveries and the new
 * place in the log, unless another instance was faster, so each event is delivered once, in order.
 * While no webhook is enabled, only the place moves.
 */
#include <jansson.h>
#include <string.h>

#include "authd/authd_api.h"
#include "common/base/clock.h"
#include "common/service/audit_events.h"
#include "common/wire/codec.h"
#include "docd/docd_api.h"
#include "maild/sql/webhook_event.h"
#include "maild/webhook/webhook.h"
#include "settingsd/settingsd_api.h"

enum {
    PERIOD_MS = 500,
    CALL_MS = 5000,
    PAGES_MAX = 200,
    CLOCKS_MS = 1000, /* difference of clocks, see webhook_event_insert.sql */
};

static const struct kind {
    const char *source, *action, *event;
} kinds[] = {
    {"authd", "account.register", "account.created"},
    {"authd", "account.import", "account.created"},
    {"authd", "account.delete", "account.deleted"},
    {"authd", "session.create", "session.created"},
    {"authd", "session.end", "session.revoked"},
    {"authd", "membership.create", "member.added"},
    {"authd", "invitation.accept", "member.added"},
    {"authd", "admin.grant", "member.added"},
    {"authd", "admin.create", "member.added"},
    {"settingsd", "setting.write", "settings.changed"},
    {"settingsd", "account-policy.write", "settings.changed"},
    {"settingsd", "locales.write", "settings.changed"},
    {"settingsd", "branding.write", "settings.changed"},
    {"settingsd", "branding.logo", "settings.changed"},
    {"settingsd", "branding.logo-delete", "settings.changed"},
    {"docd", "document.upload", "document.created"},
};

static const struct source {
    const char *name;
    const struct bus_method *events;
} sources[WEBHOOK_SOURCES] = {{"authd", &authd_audit_events_method},
                              {"settingsd", &settingsd_audit_events_method},
                              {"docd", &docd_audit_events_method}};

/* Progress in a log, and the projects to read. */
struct place {
    const int64_t *sequence; /* NULL: unread */
    struct audit_events_in in;
};

/* ---- events ---- */

static json_t *body_of(const struct audit_event *row, const char *type, const char *subject)
{
    json_t *data = json_object();
    char at[25];

    clock_format_iso(row->at, at);
    codec_set_text(data, "project", row->project.text);
    codec_set_text(data, "account", row->account);
    codec_set_text(data, "role", row->role);
    codec_set_text(data, "actor", row->actor);
    codec_set_text(data, "subject", subject);
    return json_pack("{s:s, s:s, s:o}", "type", type, "timestamp", at, "data", data);
}

const char *webhook_event_body(struct arena *arena, const struct audit_event *row, const char *type,
                               const char *subject)
{
    json_auto_t *body = body_of(row, type, subject);

    return codec_dump_json(arena, body);
}

/* Returns the lane of the account or, if there is none, of the project. */
static const char *lane_of(const struct audit_event *row)
{
    struct uuid id;

    if (row->account && uuid_parse(row->account, &id) == 0)
        return row->account;
    if (row->actor && uuid_parse(row->actor, &id) == 0)
        return row->actor;
    return row->project.text;
}

static void add_event(json_t *list, const struct audit_event *row, const char *type,
                      const char *subject)
{
    const struct uuid id = uuid_ordered(row->at);

    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:s, s:s, s:I, s:o}", "id", id.text, "project",
                                    row->project.text, "lane", lane_of(row), "type", type, "at",
                                    (json_int_t)row->at, "body", body_of(row, type, subject)));
}

/* A registration that signs in is two events. */
static void add_events(json_t *list, const struct audit_event *row, const char *type)
{
    bool signs_in = strcmp(row->action, "account.register") == 0 && row->entity &&
                    strncmp(row->entity, "Session/", 8) == 0;

    add_event(list, row, type, signs_in ? NULL : row->entity);
    if (signs_in)
        add_event(list, row, "session.created", row->entity);
}

static const char *events_json(const struct request *req, const char *source,
                               const struct field_list *rows)
{
    json_auto_t *list = json_array();

    for (size_t i = 0; i < rows->count; i++) {
        const struct audit_event *row = (const struct audit_event *)rows->items + i;

        for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
            if (strcmp(kinds[k].source, source) == 0 && strcmp(kinds[k].action, row->action) == 0)
                add_events(list, row, kinds[k].event);
        }
    }
    return codec_dump_json(req->arena, list);
}

/* ---- reading ---- */

static struct field_texts actions_of(const struct request *req, const char *source)
{
    struct field_texts actions = {
        .items = arena_alloc(req->arena, ARRAY_SIZE(kinds) * sizeof(*actions.items))};

    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        if (strcmp(kinds[k].source, source) == 0)
            actions.items[actions.count++] = kinds[k].action;
    }
    return actions;
}

static int read_place(struct maild *d, const struct request *req, const char *source,
                      struct place *ret, struct error *err)
{
    const struct sql_webhook_source_get_in get = {.source = source};
    const struct sql_webhook_projects_in which = {.most = AUDIT_EVENT_PROJECTS_MAX + 1};
    struct sql_webhook_source_get_row row;
    struct sql_webhook_projects_rows projects;
    struct field_texts *texts = &ret->in.projects;

    if (sql_require(sql_webhook_source_get(d->svc.db, req, &get, &row, err), err, ERR_INTERNAL,
                    "The row with the place in an audit log is missing.") < 0 ||
        sql_webhook_projects(d->svc.db, req, &which, &projects, err) < 0)
        return -1;
    *ret = (struct place){.sequence = row.sequence,
                          .in = {.after = row.sequence ? *row.sequence : -1,
                                 .since = row.since ? *row.since - CLOCKS_MS : 0,
                                 .actions = actions_of(req, source),
                                 .everywhere = projects.count > AUDIT_EVENT_PROJECTS_MAX}};
    if (ret->in.everywhere)
        return 0;
    texts->items = arena_alloc(req->arena, (projects.count + 1) * sizeof(*texts->items));
    for (size_t i = 0; i < projects.count; i++)
        texts->items[texts->count++] = projects.items[i].project.text;
    return 0;
}

static struct db_array projects_array(const struct request *req, const struct field_texts *ids)
{
    struct db_array array = db_array_new(req->arena, ids->count, 36);

    for (size_t i = 0; i < ids->count; i++)
        db_array_add(&array, ids->items[i]);
    return array;
}

/* *ret_more: another page is ready; *ret_idle: no webhook is enabled. */
static int read_page(struct maild *d, const struct request *req, const struct source *source,
                     bool *ret_more, bool *ret_idle, struct error *err)
{
    struct sql_webhook_event_insert_in insert = {.source = source->name};
    struct sql_webhook_event_insert_row done;
    struct audit_events_out page = {.sequence = 0};
    struct place place;

    *ret_more = false;
    if (read_place(d, req, source->name, &place, err) < 0 ||
        bus_call(d->svc.bus, source->events, req, &place.in, &page, err) < 0)
        return -1;
    *ret_idle = !place.in.everywhere && place.in.projects.count == 0;
    if (place.sequence && *place.sequence == page.sequence)
        return 0;
    insert.read_to = place.sequence;
    if (!place.in.everywhere)
        insert.projects = projects_array(req, &place.in.projects);
    insert.sequence = page.sequence;
    insert.events = events_json(req, source->name, &page.events);
    insert.now = clock_now_ms(d->real);
    if (sql_webhook_event_insert(d->svc.db, req, &insert, &done, err) < 0)
        return -1;
    *ret_more = done.moved > 0 && page.sequence < page.end;
    *d->webhooks->events += (uint64_t)done.added;
    if (done.added > 0)
        webhook_post_kick(d);
    return 0;
}

static int follow(struct maild *d, size_t index, struct error *err)
{
    int64_t *idle_until = &d->webhooks->idle_until_mono_ms[index];
    bool more = true, idle = false;
    int rc = 0;

    if (clock_mono_ms() < *idle_until || !bus_has_peer(d->svc.bus, sources[index].name))
        return 0;
    *idle_until = clock_mono_ms() + WEBHOOK_SOURCE_IDLE_MS; /* unless a wake clears it */
    for (int i = 0; i < PAGES_MAX && more && rc == 0 && !d->svc.stopping; i++) {
        CLEANUP(service_request_destroy)
        struct request *req = service_request_new(&d->svc, CALL_MS);

        rc = read_page(d, req, &sources[index], &more, &idle, err);
    }
    if (!idle || rc < 0)
        *idle_until = 0;
    return rc;
}

static int follow_authd(void *daemon, const struct request *req UNUSED, struct error *err)
{
    return follow(daemon, 0, err);
}

static int follow_settingsd(void *daemon, const struct request *req UNUSED, struct error *err)
{
    return follow(daemon, 1, err);
}

static int follow_docd(void *daemon, const struct request *req UNUSED, struct error *err)
{
    return follow(daemon, 2, err);
}

void webhook_event_start(struct maild *d)
{
    service_every(&d->svc, "events of authd", PERIOD_MS, follow_authd);
    service_every(&d->svc, "events of settingsd", PERIOD_MS, follow_settingsd);
    service_every(&d->svc, "events of docd", PERIOD_MS, follow_docd);
}

void webhook_event_wake(struct maild *d)
{
    memset(d->webhooks->idle_until_mono_ms, 0, sizeof(d->webhooks->idle_until_mono_ms));
}
