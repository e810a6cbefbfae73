/*
 * scim.c - see scim.h. Handler: scim_requests.
 */
#include "authd/federation/scim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <syslog.h>

#include "authd/credential/throttle.h"
#include "authd/federation/scim_api.h"
#include "authd/mail.h"
#include "authd/sql/domain.h"
#include "authd/sql/lock.h"
#include "authd/sql/scim.h"
#include "authd/tenant.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/secret.h"
#include "common/domain/endpoint.h"
#include "common/domain/policy.h"
#include "common/wire/codec.h"

#define ROOT "/scim/v2/"
#define USE_NOTED HOURS(1) /* at most one use is recorded in this time */

/* ---- the token ---- */

static int unauthorized(struct error *err)
{
    return error_set(err, ERR_UNAUTHORIZED, "The SCIM token is missing, unknown or expired.");
}

int scim_not_found(struct error *err)
{
    return error_set(err, ERR_NOT_FOUND, "Resource not found.");
}

/* RFC 6750, section 2.1. */
static const char *shown_token(const struct scim_in *in)
{
    static const char bearer[] = "Bearer ";
    const char *text = in->visit->authorization;

    if (!text || strncasecmp(text, bearer, strlen(bearer)) != 0)
        return NULL;
    text += strlen(bearer);
    text += strspn(text, " ");
    return strncmp(text, SCIM_TOKEN_PREFIX, strlen(SCIM_TOKEN_PREFIX)) == 0 ? text : NULL;
}

static int find_token(struct authd *d, const struct request *req, const struct scim_in *in,
                      struct sql_scim_token_find_row *ret, struct error *err)
{
    const char *text = shown_token(in);
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_scim_token_find_in find = {.hash = {hash, sizeof(hash)}, .now = req->now_ms};
    int found;

    if (!text)
        return unauthorized(err);
    secret_hash(text, hash);
    found = sql_scim_token_find(d->svc.db, req, &find, ret, err);
    return found > 0 ? 0 : found < 0 ? -1 : unauthorized(err);
}

/* Records the use, at most once an hour. The token works even if that fails. */
static void touch(struct authd *d, const struct request *req,
                  const struct sql_scim_token_find_row *token)
{
    const struct sql_scim_token_touch_in in = {.project = token->project,
                                               .id = token->id,
                                               .now = req->now_ms,
                                               .before = req->now_ms - USE_NOTED};
    struct error ignored;

    error_init(&ignored, req->arena);
    if (!token->last_used || *token->last_used < in.before)
        (void)!sql_scim_token_touch(d->svc.db, req, &in, &ignored);
}

/* The token must be of the tenant in the path, which tells nothing of others. */
static int open_tenant(struct scim *self, const struct request *req,
                       const struct sql_scim_token_find_row *token, struct error *err)
{
    if (tenant_open_id(self->d, req, token->project, &self->tenant, err) < 0)
        return -1;
    if (!self->tenant.tenantCode || strcmp(self->tenant.tenantCode, self->in->tenantCode) != 0)
        return unauthorized(err);
    return 0;
}

int scim_open(struct authd *d, const struct request *req, const struct scim_in *in,
              struct scim *ret, struct error *err)
{
    struct sql_scim_token_find_row token;

    *ret = (struct scim){.d = d, .req = *req, .in = in};
    if (find_token(d, req, in, &token, err) < 0)
        return -1;
    ret->caller = (struct caller){.project = token.project,
                                  .session = token.id,
                                  .profile = token.id,
                                  .role = ROLE_DEVICE,
                                  .display = token.name};
    ret->req.caller = &ret->caller;
    ret->err = err;
    if ((token.address_rules && policy_address_check(token.address_rules, req->address, err) < 0) ||
        open_tenant(ret, req, &token, err) < 0)
        return -1;
    touch(d, req, &token);
    ret->caller.projectName = ret->tenant.name;
    ret->caller.brandName = ret->tenant.brandName;
    ret->created_by = token.created_by;
    ret->base = arena_printf(req->arena, "%s/t/%s/scim/v2", in->visit->url, ret->tenant.tenantCode);
    ret->body = in->body ? json_loads(in->body, 0, NULL) : NULL;
    return 0;
}

/* Notes what an admin should see of a request: its ids only, because the directory writes the
 * other texts. A failure is ignored. */
static void note(const struct scim *self)
{
    const struct request *req = &self->req;
    const char *at = strstr(self->in->visit->path, ROOT);
    bool failed = self->err->code != ERR_NONE;
    struct sql_scim_request_note_in in = {.project = self->caller.project,
                                          .id = uuid_ordered(req->now_ms),
                                          .now = req->now_ms,
                                          .resource_id = self->made,
                                          .method = self->in->visit->method,
                                          .detail = failed ? self->err->message : NULL};
    int64_t status = error_kind(self->err->code)->status;
    struct error ignored;

    at = at ? at + strlen(ROOT) : "";
    in.resource = arena_strndup(req->arena, at, strcspn(at, "/"));
    if (failed)
        in.status = &status;
    if (self->in->id && uuid_parse(self->in->id, &in.resource_id) < 0)
        in.resource_id = (struct uuid){""};
    error_init(&ignored, req->arena);
    (void)!sql_scim_request_note(self->d->svc.db, req, &in, &ignored);
}

/* A read that succeeds is the token's last use. */
void scim_close(struct scim *self)
{
    if (self->err && (self->err->code != ERR_NONE || strcmp(self->in->visit->method, "GET") != 0))
        note(self);
    json_decref(self->body);
}

int scim_requests(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
                  struct scim_request_list *out, struct error *err)
{
    const struct sql_scim_request_list_in list = {.project = req->caller->project};

    return MIN(sql_scim_request_list(d->svc.db, req, &list, &out->resources, err), 0);
}

int scim_lock(const struct scim *self, struct db_tx *tx, struct error *err)
{
    const struct sql_name_lock_in lock = {
        .name = arena_printf(self->req.arena, "scim %s", self->tenant.projectId.text)};

    return sql_name_lock(tx, &self->req, &lock, err);
}

/* ---- answers ---- */

/* True if a list of attributes has this one, with or without a schema or sub-attribute. */
static bool lists(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        const char *from = at + strspn(at, " "), *end = at + strcspn(at, ",");

        for (const char *colon = from; colon < end; colon++)
            if (*colon == ':')
                from = colon + 1;
        if (strncasecmp(from, name, length) == 0 && strchr(",. ", from[length]))
            return true;
    }
    return false;
}

/* `id` and `schemas` are always returned (RFC 7643, sections 3 and 7). */
static bool is_wanted(const struct scim *self, const char *name)
{
    if (strcmp(name, "id") == 0 || strcmp(name, "schemas") == 0)
        return true;
    if (self->in->attributes)
        return lists(self->in->attributes, name);
    return !self->in->excludedAttributes || !lists(self->in->excludedAttributes, name);
}

static void select_attributes(const struct scim *self, json_t *resource)
{
    const char *name;
    json_t *value;
    void *next;

    json_object_foreach_safe(resource, next, name, value)
    {
        if (!is_wanted(self, name))
            json_object_del(resource, name);
    }
}

static void answer_json(const struct scim *self, int status, json_t *json,
                        struct endpoint_answer *out)
{
    out->status = status;
    out->contentType = "application/scim+json";
    out->body = codec_dump_json(self->req.arena, json);
    json_decref(json);
}

void scim_answer(const struct scim *self, int status, json_t *resource, struct endpoint_answer *out)
{
    const char *location =
        json_string_value(json_object_get(json_object_get(resource, "meta"), "location"));

    if (status == 201)
        out->location = arena_strdup(self->req.arena, location);
    select_attributes(self, resource);
    answer_json(self, status, resource, out);
}

static int64_t number_of(const char *text, int64_t fallback, int64_t min, int64_t max)
{
    char *end = NULL;
    long long value = text ? strtoll(text, &end, 10) : fallback;

    if (text && (end == text || *end))
        value = fallback;
    return MAX(MIN((int64_t)value, max), min);
}

struct scim_page scim_page_read(const struct scim *self)
{
    return (struct scim_page){
        .start = number_of(self->in->startIndex, 1, 1, INT32_MAX),
        .count = number_of(self->in->count, SCIM_PAGE_MAX, 0, SCIM_PAGE_MAX),
        .resources = json_array(),
    };
}

void scim_page_add(struct scim_page *self, json_t *resource)
{
    self->total++;
    if (self->total >= self->start && self->total < self->start + self->count)
        json_array_append_new(self->resources, resource);
    else
        json_decref(resource);
}

void scim_answer_page(const struct scim *self, struct scim_page *page, struct endpoint_answer *out)
{
    json_t *resource;
    size_t i;

    json_array_foreach(page->resources, i, resource)
    {
        select_attributes(self, resource);
    }
    answer_json(
        self, 200,
        json_pack("{s:[s], s:I, s:I, s:I, s:o}", "schemas", SCIM_LIST_SCHEMA, "totalResults",
                  (json_int_t)page->total, "startIndex", (json_int_t)page->start, "itemsPerPage",
                  (json_int_t)json_array_size(page->resources), "Resources", page->resources),
        out);
}

json_t *scim_meta(const struct scim *self, const char *type, const char *id, int64_t created)
{
    json_t *meta =
        json_pack("{s:s, s:o}", "resourceType", type, "location",
                  json_sprintf("%s/%ss%s%s", self->base, type, id ? "/" : "", id ? id : ""));
    char date[25];

    if (created > 0) {
        clock_format_iso(created, date);
        json_object_set_new(meta, "created", json_string(date));
    }
    return meta;
}

/* ---- emails ---- */

static int tell(const struct scim *self, struct uuid project, const char *template,
                const struct mail_variable variables[static 2], struct error *err)
{
    const struct sql_domain_admin_list_in list = {.project = project};
    const struct request *req = &self->req;
    struct sql_domain_admin_list_rows rows;

    if (sql_domain_admin_list(self->d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++) {
        const struct sql_domain_admin_list_row *admin = &rows.items[i];
        const struct mail mail = {
            .template = template,
            .to = admin->email,
            .display = arena_printf(req->arena, "%s %s", admin->name, admin->surname),
            .variables = {{"organization", self->tenant.name}, variables[0], variables[1]}};

        if (mail_queue(self->d, req, &mail, err) < 0)
            return -1;
    }
    return 0;
}

void scim_tell_admins(const struct scim *self, struct uuid project, const char *template,
                      const char *subject, int64_t period_ms,
                      const struct mail_variable variables[static 2])
{
    const char *key = arena_printf(self->req.arena, "%s %s", project.text, subject);
    bool admitted = false;
    struct error err;

    error_init(&err, self->req.arena);
    if (throttle_admit(self->d, &self->req, template, key, period_ms, 1, &admitted, &err) < 0 ||
        (admitted && tell(self, project, template, variables, &err) < 0))
        log_event(LOG_WARNING, "scim", "admins were not told", "template", template, "detail",
                  err.message, NULL);
}
