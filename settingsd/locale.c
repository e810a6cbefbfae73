/*
 * locale.c - a project's languages and its default language.
 *
 * They are part of the project: a write that races another write of the project fails with 409.
 */
#include <string.h>

#include "common/domain/etag.h"
#include "common/domain/language.h"
#include "common/domain/policy.h"
#include "common/wire/fields.h"
#include "settingsd/setting_api.h"
#include "settingsd/settingsd.h"
#include "settingsd/sql/setting.h"

static bool texts_have(const struct field_texts *texts, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(texts->items[i], text) == 0)
            return true;
    }
    return false;
}

static struct db_array texts_array(struct arena *arena, const struct field_texts *texts)
{
    struct db_array array = db_array_new(arena, texts->count, LANGUAGE_TAG_MAX);

    for (size_t i = 0; i < texts->count; i++)
        db_array_add(&array, texts->items[i]);
    return array;
}

static int locales_read(struct settingsd *d, const struct request *req, struct uuid project,
                        struct locales *out, int64_t *ret_version, struct error *err)
{
    const struct sql_locales_get_in get = {.project = project};
    struct sql_locales_get_row row;

    if (sql_require(sql_locales_get(d->svc.db, req, &get, &row, err), err, ERR_NOT_FOUND,
                    "Project not found.") < 0)
        return -1;
    *ret_version = row.version;
    out->languages = field_texts_split(req->arena, row.languages);
    out->defaultLanguage = row.default_language;
    out->etag = row.etag;
    return 0;
}

/* Normalizes the tags into `out`; reports invalid and repeated ones. */
static int check_languages(const struct request *req, const struct field_texts *in,
                           struct field_texts *out, struct error *err)
{
    int result = 0;

    out->items = arena_calloc(req->arena, in->count, sizeof(*out->items));
    out->count = in->count;
    for (size_t i = 0; i < in->count; i++) {
        const char *path = arena_printf(req->arena, "languages.%zu", i);
        const char *tag = language_tag(req->arena, in->items[i]);

        out->items[i] = tag ? tag : "";
        if (!tag)
            result = error_problem(err, path, "must be a language tag such as en or pt-BR");
        else if (texts_have(out, i, tag))
            result = error_problem(err, path, "stands twice");
    }
    return result;
}

static int locales_merge(const struct request *req, const struct locales_in *in,
                         struct locales *out, struct error *err)
{
    int result = 0;

    if (in->languages.count > 0)
        result = check_languages(req, &in->languages, &out->languages, err);
    if (in->defaultLanguage)
        out->defaultLanguage = language_tag(req->arena, in->defaultLanguage);
    if (!out->defaultLanguage)
        return error_problem(err, "defaultLanguage", "must be a language tag such as en or pt-BR");
    if (!texts_have(&out->languages, out->languages.count, out->defaultLanguage))
        return error_problem(err, "defaultLanguage", "must be one of the languages");
    return result;
}

/* Fails: FORBIDDEN (by the caller's policy). */
int locales_get(struct settingsd *d, const struct request *req, const struct nothing *in UNUSED,
                struct locales *out, struct error *err)
{
    int64_t version;

    if (policy_check(req, "Locale", POLICY_READ, err) < 0)
        return -1;
    return locales_read(d, req, request_project(req), out, &version, err);
}

int locales_patch(struct settingsd *d, const struct request *req, const struct locales_in *in,
                  struct locales *out, struct error *err)
{
    struct uuid project = request_project(req);
    struct sql_locales_write_in write = {.project = project,
                                         .history = history_of(req),
                                         .outbox = publish_change_row(d, req, "project", project),
                                         .audit =
                                             project_audit(req, "locales.write", project, NULL)};
    struct sql_locales_write_row row;

    if (locales_read(d, req, project, out, &write.version, err) < 0)
        return -1;
    if (!etag_admits(in->ifMatch, out->etag))
        return project_require_unchanged(0, err);
    if (locales_merge(req, in, out, err) < 0)
        return -1;
    write.languages = texts_array(req->arena, &out->languages);
    write.default_language = out->defaultLanguage;
    if (project_require_unchanged(sql_locales_write(d->svc.db, req, &write, &row, err), err) < 0)
        return -1;
    out->etag = row.etag;
    return publish_change(d, req, &write.outbox, "project", project, err);
}
