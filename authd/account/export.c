/*
 * export.c - authd's part of the export of a person's data (docd/export). Handlers: export_admit,
 * export_page, export_made.
 *
 * The pages go through the parts below in order. Statements build the resources.
 */
#include <string.h>

#include <jansson.h>

#include "authd/authd.h"
#include "authd/mail.h"
#include "authd/operation_api.h"
#include "authd/session/step_up_check.h"
#include "authd/sql/export.h"
#include "authd/tenant.h"
#include "authd/trail/trail_api.h"
#include "common/wire/codec.h"
#include "settingsd/tenant_api.h"

enum { DATE_LENGTH = 10 }; /* "2026-01-31" */

int export_admit(struct authd *d, const struct request *req, const struct export_admit_in *in,
                 struct export_admit_out *out, struct error *err)
{
    const struct sql_export_person_get_in get = {
        .project = in->projectId, .account = in->account, .now = req->now_ms};
    struct sql_export_person_get_row row;

    if (sql_require(sql_export_person_get(d->svc.db, req, &get, &row, err), err, ERR_NOT_FOUND,
                    "Account not found.") < 0 ||
        step_up_check_session(d, req, in->projectId, in->sessionId, err) < 0)
        return -1;
    *out = (struct export_admit_out){row.role, row.profile};
    return 0;
}

/* ---- pages ---- */

struct part_page {
    const struct export_page_in *in;
    const char *subject; /* "Patient/..." */
    const char *after;   /* cursor within the part; "": its start */
    struct export_page_out *out;
};

typedef int part_reader(struct authd *d, const struct request *req, struct part_page *page,
                        const char **ret_next, struct error *err);

static void add(struct part_page *page, const char *resource)
{
    page->out->resources.items[page->out->resources.count++] = resource;
}

static struct uuid after_id(const struct part_page *page)
{
    struct uuid id;

    return uuid_parse(page->after, &id) == 0 ? id : (struct uuid){UUID_NIL};
}

/* Defines read_<name>() for the statement export_<name>_list. */
#define ID_PART(name)                                                                          \
    static int read_##name(struct authd *d, const struct request *req, struct part_page *page, \
                           const char **ret_next, struct error *err)                           \
    {                                                                                          \
        const struct sql_export_##name##_list_in list = {.project = page->in->projectId,       \
                                                         .account = page->in->account,         \
                                                         .subject = page->subject,             \
                                                         .after = after_id(page),              \
                                                         .most = EXPORT_PAGE_MAX};             \
        struct sql_export_##name##_list_rows rows;                                             \
                                                                                               \
        if (sql_export_##name##_list(d->svc.db, req, &list, &rows, err) < 0)                   \
            return -1;                                                                         \
        for (size_t i = 0; i < rows.count; i++)                                                \
            add(page, rows.items[i].resource);                                                 \
        if (rows.count == EXPORT_PAGE_MAX)                                                     \
            *ret_next = arena_strdup(req->arena, rows.items[rows.count - 1].id.text);          \
        return 0;                                                                              \
    }

ID_PART(identity)
ID_PART(membership)
ID_PART(passkey)
ID_PART(session)

static int read_consent(struct authd *d, const struct request *req, struct part_page *page,
                        const char **ret_next, struct error *err)
{
    const struct sql_export_consent_list_in list = {.project = page->in->projectId,
                                                    .account = page->in->account,
                                                    .subject = page->subject,
                                                    .after = page->after,
                                                    .most = EXPORT_PAGE_MAX};
    struct sql_export_consent_list_rows rows;

    if (sql_export_consent_list(d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++)
        add(page, rows.items[i].resource);
    if (rows.count == EXPORT_PAGE_MAX)
        *ret_next = rows.items[rows.count - 1].client_id;
    return 0;
}

/* Reads a page of audit rows, without data about other actors, like GET /auth/activity. */
static int read_audit(struct authd *d, const struct request *req, struct part_page *page,
                      const char **ret_next, struct error *err)
{
    const struct caller person = {.project = page->in->projectId, .account = page->in->account};
    const struct activity_in in = {._cursor = page->after[0] ? page->after : NULL,
                                   ._count = EXPORT_PAGE_MAX};
    struct activity_list list = {.next = NULL};
    struct request own = *req;
    const struct activity_row *rows;

    own.caller = &person;
    if (activity(d, &own, &in, &list, err) < 0)
        return -1;
    rows = list.resources.items;
    for (size_t i = 0; i < list.resources.count; i++)
        add(page, rows[i].event);
    *ret_next = list.next;
    return 0;
}

static const struct {
    const char *name;
    part_reader *read;
} parts[] = {
    {"membership", read_membership}, {"identity", read_identity}, {"passkey", read_passkey},
    {"session", read_session},       {"consent", read_consent},   {"audit", read_audit},
};

static int organization(struct authd *d, const struct request *req, struct part_page *page,
                        struct error *err)
{
    json_auto_t *json = NULL;
    struct tenant tenant;

    if (tenant_open_id(d, req, page->in->projectId, &tenant, err) < 0)
        return -1;
    json = json_pack("{s:s, s:s, s:s}", "resourceType", "Organization", "id",
                     page->in->projectId.text, "name", tenant.name);
    add(page, codec_dump_json(req->arena, json));
    return 0;
}

/* Returns the part that `after` names, with its cursor, or -1. */
static int find_part(const char *after, const char **ret_cursor)
{
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        size_t length = strlen(parts[i].name);

        if (strncmp(after, parts[i].name, length) != 0 || after[length] != ' ')
            continue;
        *ret_cursor = after + length + 1;
        return (int)i;
    }
    return -1;
}

int export_page(struct authd *d, const struct request *req, const struct export_page_in *in,
                struct export_page_out *out, struct error *err)
{
    const struct sql_export_person_get_in get = {
        .project = in->projectId, .account = in->account, .now = req->now_ms};
    struct part_page page = {.in = in, .after = "", .out = out};
    struct sql_export_person_get_row person;
    const char *next = NULL;
    int part = in->after ? find_part(in->after, &page.after) : 0;

    if (part < 0)
        return error_set(err, ERR_BAD_REQUEST, "Page not found.");
    if (sql_require(sql_export_person_get(d->svc.db, req, &get, &person, err), err, ERR_NOT_FOUND,
                    "Account not found.") < 0)
        return -1;
    page.subject = arena_printf(req->arena, "%s/%s", role_text(person.role), person.profile.text);
    out->resources.items =
        arena_calloc(req->arena, EXPORT_PAGE_MAX + 3, sizeof(*out->resources.items));
    if (!in->after) {
        add(&page, person.person);
        add(&page, person.account);
        if (organization(d, req, &page, err) < 0)
            return -1;
    }
    if (parts[part].read(d, req, &page, &next, err) < 0)
        return -1;
    if (next)
        out->next = arena_printf(req->arena, "%s %s", parts[part].name, next);
    else if (part + 1 < (int)ARRAY_SIZE(parts))
        out->next = arena_printf(req->arena, "%s ", parts[part + 1].name);
    return 0;
}

/* ---- email ---- */

/* Emails the person that the export is ready. Does nothing if the project has no template or the
 * account was deleted. */
int export_made(struct authd *d, const struct request *req, const struct export_made_in *in,
                struct nothing *out UNUSED, struct error *err)
{
    const struct sql_export_mail_get_in get = {
        .project = in->projectId, .account = in->account, .now = req->now_ms};
    struct sql_export_mail_get_row row;
    struct sql_export_mail_queue_in queue;
    struct sql_outbox mail;
    struct tenant tenant;
    char date[25];
    int found = sql_export_mail_get(d->svc.db, req, &get, &row, err);

    if (found <= 0)
        return found;
    if (tenant_open_id(d, req, in->projectId, &tenant, err) < 0) {
        if (err->code != ERR_NOT_FOUND) /* suspended projects send nothing */
            return -1;
        error_clear(err);
        return 0;
    }
    clock_format_iso(in->until, date);
    mail = mail_row(
        d, req,
        &(struct mail){.id = in->key,
                       .template = "EXPORT_MADE",
                       .tenant = &tenant,
                       .to = row.email,
                       .display = arena_printf(req->arena, "%s %s", row.name, row.surname),
                       .expires_at = in->until,
                       .variables = {{"date", arena_strndup(req->arena, date, DATE_LENGTH)}}});
    queue = (struct sql_export_mail_queue_in){.account = in->account,
                                              .id = mail.id,
                                              .method = mail.method,
                                              .body = mail.body,
                                              .at = mail.at};
    if (sql_export_mail_queue(d->svc.db, req, &queue, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return 0;
}
