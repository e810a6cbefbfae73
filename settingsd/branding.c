/*
 * branding.c - the look of a project's hosted pages. authd reads it with the tenant and renders it.
 *
 * URLs of colours (brand.css) and logo (brand.png) contain a hash, so that browsers can cache them
 * forever. A project's row stores JSON (brand_json.c).
 */
#include <jansson.h>
#include <sodium.h>
#include <string.h>

#include "common/domain/endpoint.h"
#include "common/domain/etag.h"
#include "common/domain/language.h"
#include "common/wire/codec.h"
#include "common/wire/fields.h"
#include "docd/docd_api.h"
#include "docd/image_api.h"
#include "settingsd/brand_api.h"
#include "settingsd/brand_style.h"
#include "settingsd/settingsd.h"
#include "settingsd/sql/setting.h"
#include "settingsd/tenant_api.h"

static_assert((int)BRAND_UPLOAD_MAX == (int)LOGO_INPUT_MAX, "docd takes what the route takes");

/* For a URL with the content's hash. */
#define KEPT_FOR_GOOD "public, max-age=31536000, immutable"
/* For a URL with another hash, or none. */
#define ASKED_AGAIN "no-cache"

static struct branding branding_of(struct arena *arena, const char *json, const char *etag)
{
    const struct branding *stored = branding_from_json(arena, json);
    struct branding branding = stored ? *stored : (struct branding){.name = NULL};

    branding.etag = etag;
    return branding;
}

static int branding_read(struct settingsd *d, const struct request *req,
                         struct sql_branding_get_row *ret, struct error *err)
{
    const struct sql_branding_get_in get = {.project = req->caller->project};

    return sql_require(sql_branding_get(d->svc.db, req, &get, ret, err), err, ERR_NOT_FOUND,
                       "Project not found.");
}

static int branding_read_for(struct settingsd *d, const struct request *req, const char *if_match,
                             struct sql_branding_get_row *ret, struct error *err)
{
    if (branding_read(d, req, ret, err) < 0)
        return -1;
    return project_require_unchanged(etag_admits(if_match, ret->etag), err);
}

static bool has_language(const struct field_texts *languages, const char *tag)
{
    for (size_t i = 0; i < languages->count; i++)
        if (strcmp(languages->items[i], tag) == 0)
            return true;
    return false;
}

/* Normalizes the languages, which must be unique and the project's. */
static int check_texts(const struct request *req, const struct field_texts *languages,
                       struct branding_text *texts, size_t count, struct error *err)
{
    int result = 0;

    for (size_t i = 0; i < count; i++) {
        const char *path = arena_printf(req->arena, "texts.%zu.language", i);
        const char *tag = language_tag(req->arena, texts[i].language);
        bool twice = false;

        for (size_t other = 0; tag && other < i; other++)
            twice = twice || strcmp(texts[other].language, tag) == 0;
        if (!tag || !has_language(languages, tag))
            result = error_problem(err, path, "must be a language of the project");
        else if (twice)
            result = error_problem(err, path, "must not appear twice");
        texts[i].language = tag ? tag : "";
    }
    return result;
}

static json_t *texts_json(const struct branding_text *texts, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        if (texts[i].intro || texts[i].help)
            json_array_append_new(list,
                                  json_pack("{s:s, s:s*, s:s*}", "language", texts[i].language,
                                            "intro", texts[i].intro, "help", texts[i].help));
    return list;
}

static int branding_json(const struct request *req, const struct branding_in *in,
                         const struct branding_text *texts, const char **ret, struct error *err)
{
    json_auto_t *json = json_pack("{s:s*, s:s*, s:s*, s:s*, s:s*}", "name", in->name, "colorLight",
                                  in->colorLight, "colorDark", in->colorDark, "imprintUrl",
                                  in->imprintUrl, "privacyUrl", in->privacyUrl);
    json_auto_t *list = texts_json(texts, in->texts.count);

    if (!json)
        return error_set(err, ERR_INTERNAL, "The branding cannot be written.");
    if (json_array_size(list) > 0)
        json_object_set(json, "texts", list);
    *ret = codec_dump_json(req->arena, json);
    return 0;
}

static int image_decode(const struct request *req, const char *text, struct field_bytes *ret,
                        struct error *err)
{
    size_t length = strlen(text), size;
    uint8_t *bytes = arena_alloc_raw(req->arena, length / 4 * 3 + 3);
    const char *end;

    if (sodium_base642bin(bytes, length / 4 * 3 + 3, text, length, NULL, &size, &end,
                          sodium_base64_VARIANT_ORIGINAL) < 0 ||
        *end != '\0')
        return error_problem(err, "image", "must be base64");
    if (size > BRAND_UPLOAD_MAX)
        return error_problem(err, "image", "must have at most %d bytes", BRAND_UPLOAD_MAX);
    *ret = (struct field_bytes){bytes, size};
    return 0;
}

/* Reports docd's error for the field `image`, because docd names a field of its own. */
static int logo_make_png(struct settingsd *d, const struct request *req,
                         const struct field_bytes *image, struct logo_made *ret, struct error *err)
{
    const struct logo_make_in in = {.projectId = req->caller->project, .image = *image};
    const char *why;

    if (docd_logo_make(d->svc.bus, req, &in, ret, err) == 0)
        return 0;
    if (err->code != ERR_VALIDATION || !err->problems)
        return -1;
    why = arena_strdup(req->arena, err->problems->value);
    error_clear(err);
    return error_problem(err, "image", "%s", why);
}

static int logo_write(struct settingsd *d, const struct request *req,
                      struct sql_brand_logo_write_in *write, const char *action,
                      struct branding *out, struct error *err)
{
    struct sql_brand_logo_write_row row;

    write->project = req->caller->project;
    write->history = history_of(req);
    write->outbox = publish_change_row(d, req, "project", write->project);
    write->audit = project_audit(req, action, write->project, NULL);
    if (project_require_unchanged(sql_brand_logo_write(d->svc.db, req, write, &row, err), err) < 0)
        return -1;
    *out = branding_of(req->arena, row.branding, row.etag);
    return publish_change(d, req, &write->outbox, "project", write->project, err);
}

int branding_get(struct settingsd *d, const struct request *req, const struct nothing *in UNUSED,
                 struct branding *out, struct error *err)
{
    struct sql_branding_get_row row;

    if (branding_read(d, req, &row, err) < 0)
        return -1;
    *out = branding_of(req->arena, row.branding, row.etag);
    return 0;
}

int branding_put(struct settingsd *d, const struct request *req, const struct branding_in *in,
                 struct branding *out, struct error *err)
{
    struct branding_text *texts =
        arena_memdup(req->arena, in->texts.items, in->texts.count * sizeof(*texts));
    struct sql_branding_write_in write = {
        .project = req->caller->project,
        .history = history_of(req),
        .outbox = publish_change_row(d, req, "project", req->caller->project),
        .audit = project_audit(req, "branding.write", req->caller->project, NULL)};
    struct sql_branding_write_row row;
    struct sql_branding_get_row before;
    struct field_texts languages;

    if (branding_read_for(d, req, in->ifMatch, &before, err) < 0)
        return -1;
    languages = field_texts_split(req->arena, before.languages);
    if (check_texts(req, &languages, texts, in->texts.count, err) < 0)
        return -1;
    write.version = before.version;
    if (branding_json(req, in, texts, &write.branding, err) < 0 ||
        project_require_unchanged(sql_branding_write(d->svc.db, req, &write, &row, err), err) < 0)
        return -1;
    *out = branding_of(req->arena, row.branding, row.etag);
    return publish_change(d, req, &write.outbox, "project", write.project, err);
}

int brand_logo_put(struct settingsd *d, const struct request *req, const struct brand_logo_in *in,
                   struct branding *out, struct error *err)
{
    struct sql_brand_logo_write_in write = {.hash = NULL};
    struct sql_branding_get_row before;
    struct field_bytes image = {NULL, 0};
    struct logo_made made = {{NULL, 0}};

    if (image_decode(req, in->image, &image, err) < 0 ||
        branding_read_for(d, req, in->ifMatch, &before, err) < 0 ||
        logo_make_png(d, req, &image, &made, err) < 0)
        return -1;
    write.version = before.version;
    write.logo = made.png;
    write.hash = brand_version(req->arena, made.png.bytes, made.png.size);
    return logo_write(d, req, &write, "branding.logo", out, err);
}

int brand_logo_delete(struct settingsd *d, const struct request *req,
                      const struct brand_logo_delete_in *in, struct branding *out,
                      struct error *err)
{
    struct sql_brand_logo_write_in write = {.hash = NULL};
    struct sql_branding_get_row before;

    if (branding_read_for(d, req, in->ifMatch, &before, err) < 0)
        return -1;
    write.version = before.version;
    return logo_write(d, req, &write, "branding.logo-delete", out, err);
}

static int no_brand(struct error *err)
{
    return error_set(err, ERR_NOT_FOUND, "Page not found.");
}

/* Finds a tenant's branding. NOT_FOUND also for suspended tenants and those without branding. */
static int brand_find(struct settingsd *d, const struct request *req, const char *code,
                      struct tenant *ret, struct error *err)
{
    const struct tenant_lookup_in which = {.tenantCode = code, .branding = true};

    if (tenant_lookup(d, req, &which, ret, err) < 0)
        return err->code == ERR_NOT_FOUND ? (error_clear(err), no_brand(err)) : -1;
    return ret->suspended || !ret->branding ? no_brand(err) : 0;
}

static const char *kept_for(const char *named, const char *version)
{
    return named && strcmp(named, version) == 0 ? KEPT_FOR_GOOD : ASKED_AGAIN;
}

int brand_css(struct settingsd *d, const struct request *req, const struct brand_in *in,
              struct endpoint_answer *out, struct error *err)
{
    struct tenant tenant = {0};
    const char *style;

    if (brand_find(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    style = brand_style(req->arena, tenant.branding->colorLight, tenant.branding->colorDark);
    if (!style)
        return no_brand(err);
    *out = (struct endpoint_answer){.status = 200,
                                    .contentType = "text/css; charset=utf-8",
                                    .cacheControl = kept_for(in->v, tenant.branding->style),
                                    .body = style};
    return 0;
}

int brand_png(struct settingsd *d, const struct request *req, const struct brand_in *in,
              struct endpoint_answer *out, struct error *err)
{
    struct sql_brand_logo_get_row row;
    struct tenant tenant = {0};

    if (brand_find(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    if (sql_brand_logo_get(d->svc.db, req,
                           &(struct sql_brand_logo_get_in){.project = tenant.projectId}, &row,
                           err) < 0)
        return -1;
    if (!tenant.branding->logo || !row.logo.bytes)
        return no_brand(err);
    *out = (struct endpoint_answer){.status = 200,
                                    .contentType = "image/png",
                                    .cacheControl = kept_for(in->v, tenant.branding->logo),
                                    .bytes = row.logo};
    return 0;
}
