/* template.c - a project's mail templates. */
#include "maild/sql/template.h"

#include <string.h>

#include "common/domain/etag.h"
#include "common/domain/language.h"
#include "common/service/list_write.h"
#include "common/wire/fields.h"
#include "maild/builtin.h"
#include "maild/maild.h"
#include "maild/render.h"
#include "maild/template_api.h"
#include "maild/template_html.h"

static const struct list_rule templates_rule = {
    LIST_LIMIT("templates"), &sql_template_lock_statement, &sql_template_size_statement};

static int require_template(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "Template not found.");
}

static int bad_language(struct error *err)
{
    return error_problem(err, "language", "must be a language tag such as en or pt-BR");
}

static const char *subject_value(void *arg, const char *name, bool in_query UNUSED)
{
    bool *secret = arg;

    *secret |= template_variable_is_secret(name);
    return NULL;
}

/* Checks that a secret link can reach only the recipient. */
static int secrets_check(struct arena *arena, const struct template_put_in *in, struct error *err)
{
    const char *why = in->html ? template_html_check(arena, in->html) : NULL;
    bool in_subject = false;
    int result = 0;

    render_with(arena, in->subject, subject_value, &in_subject);
    if (in_subject)
        result = error_problem(err, "subject", "must not contain a link with a secret");
    if (why)
        result = error_problem(err, "html", "%s", why);
    return result;
}

static int template_check(struct arena *arena, const struct template_put_in *in,
                          const char *language, struct error *err)
{
    const struct template_name *name = template_name_find(in->name);
    int result = 0;

    if (!name)
        return require_template(0, err);
    if (!language)
        result = bad_language(err);
    if (render_check(name, "subject", in->subject, err) < 0)
        result = -1;
    if (render_check(name, "html", in->html, err) < 0)
        result = -1;
    if (render_check(name, "text", in->text, err) < 0)
        result = -1;
    return result < 0 ? -1 : secrets_check(arena, in, err);
}

int template_pick(struct maild *d, const struct request *req, struct uuid project, const char *name,
                  const char *language, const char *default_language, struct template_record *out,
                  struct error *err)
{
    const char *wanted = language[0] ? language : default_language;
    const struct sql_template_pick_in pick = {.project = project,
                                              .name = name,
                                              .wanted = wanted,
                                              .wanted_base = language_base(req->arena, wanted),
                                              .default_language = default_language,
                                              .default_base =
                                                  language_base(req->arena, default_language)};

    return require_template(sql_template_pick(d->svc.db, req, &pick, out, err), err);
}

static struct sql_audit template_audit(const struct request *req, const char *action,
                                       struct uuid project, const char *name)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .project = project,
                                          .type = "Project",
                                          .id = project,
                                          .detail = name});
}

static int template_find(struct maild *d, const struct request *req, struct uuid project,
                         const char *name, const char *language, struct template_record *out,
                         struct error *err)
{
    const struct sql_template_get_in get = {.project = project, .name = name, .language = language};

    return sql_template_get(d->svc.db, req, &get, out, err);
}

/* Writes a template within the project's limits, with the list of its templates locked. */
static int put_within_limit(struct maild *d, const struct request *req,
                            const struct sql_template_put_in *put, struct template_record *out,
                            struct error *err)
{
    CLEANUP(list_write_end)
    struct list_write write = {.rule = &templates_rule, .project = put->project};
    int rows;

    if (list_write_begin(&write, d->svc.db, req, err) < 0)
        return -1;
    rows = sql_template_put(write.tx, req, put, out, err);
    if (rows == 0)
        return put->absent ? etag_exists("template", err) : etag_lost("template", err);
    return rows < 0 ? -1 : list_write_commit(&write, req, err);
}

/* Fails with VALIDATION (unknown variable), CONFLICT (If-Match, If-None-Match, limits). */
static int template_write(struct maild *d, const struct request *req,
                          const struct template_put_in *in, const char *if_match,
                          const char *if_none_match, struct template_record *out, struct error *err)
{
    const char *language = language_tag(req->arena, in->language);
    struct sql_template_put_in put = {.project = in->projectId,
                                      .name = in->name,
                                      .language = language,
                                      .subject = in->subject,
                                      .html = in->html && in->html[0] ? in->html : NULL,
                                      .text = in->text,
                                      .now = req->now_ms,
                                      .audit = template_audit(req, "template.write", in->projectId,
                                                              in->name)};
    int rows;

    if (template_check(req->arena, in, language, err) < 0)
        return -1;
    if (if_match || if_none_match) {
        rows = template_find(d, req, in->projectId, in->name, language, out, err);
        if (rows < 0 ||
            etag_check(if_match, if_none_match, rows > 0 ? out->etag : NULL, "template", err) < 0)
            return -1;
        put.absent = rows == 0;
        if (rows > 0)
            put.etag = if_match && etag_is_any(if_match) ? "*" : out->etag;
    }
    return put_within_limit(d, req, &put, out, err);
}

/* ---- operations between daemons ---- */

int template_put(struct maild *d, const struct request *req, const struct template_put_in *in,
                 struct template_record *out, struct error *err)
{
    return template_write(d, req, in, NULL, NULL, out, err);
}

int template_list(struct maild *d, const struct request *req, const struct template_list_in *in,
                  struct template_records *out, struct error *err)
{
    const struct sql_template_list_in list = {.project = in->projectId, .most = LIST_SIZE_MAX};

    return sql_template_list(d->svc.db, req, &list, &out->resources, err) < 0 ? -1 : 0;
}

static struct template_mapping mapping_of(const struct request *req, const char *name,
                                          const struct sql_template_summary_rows *rows)
{
    struct template_mapping ret = {.name = name, .builtin = builtin_is_fallback(name)};

    for (size_t i = 0; i < rows->count; i++) {
        const struct sql_template_summary_row *row = &rows->items[i];

        if (strcmp(row->name, name) != 0)
            continue;
        ret.mapped = true;
        ret.anyLanguage = row->any_language;
        ret.languages = field_texts_split(req->arena, row->languages);
    }
    return ret;
}

int template_summary(struct maild *d, const struct request *req, const struct template_list_in *in,
                     struct template_mappings *out, struct error *err)
{
    const struct sql_template_summary_in which = {.project = in->projectId};
    struct sql_template_summary_rows rows;
    struct template_mapping *list;
    size_t count = 0;

    if (sql_template_summary(d->svc.db, req, &which, &rows, err) < 0)
        return -1;
    while (template_name_at(count))
        count++;
    list = arena_calloc(req->arena, count, sizeof(*list));
    for (size_t i = 0; i < count; i++)
        list[i] = mapping_of(req, template_name_at(i)->name, &rows);
    out->templates = (struct field_list){list, count};
    return 0;
}

int template_mapped(struct maild *d, const struct request *req, const struct template_mapped_in *in,
                    struct template_mapped_out *out, struct error *err)
{
    const struct sql_template_mapped_in template = {.project = in->projectId, .name = in->name};
    struct sql_template_mapped_row row;

    if (sql_template_mapped(d->svc.db, req, &template, &row, err) < 0)
        return -1;
    out->mapped = row.mapped;
    return 0;
}

int template_preview(struct maild *d, const struct request *req,
                     const struct template_preview_in *in, struct email_template_preview *out,
                     struct error *err)
{
    const struct template_name *name = template_name_find(in->name);
    const char *language = language_tag(req->arena, in->language);
    struct template_record template = {0};
    json_auto_t *samples = NULL;

    if (!name)
        return require_template(0, err);
    if (!language)
        return bad_language(err);
    if (template_pick(d, req, in->projectId, in->name, language, "", &template, err) < 0)
        return -1;
    samples = template_name_samples(name);
    out->subject = render(req->arena, template.subject, samples, RENDER_TEXT);
    out->html = template.html ? render(req->arena, template.html, samples, RENDER_HTML) : NULL;
    out->text = render(req->arena, template.text, samples, RENDER_TEXT);
    return 0;
}

int template_delete(struct maild *d, const struct request *req, const struct template_delete_in *in,
                    struct nothing *out UNUSED, struct error *err)
{
    const struct sql_template_delete_in delete = {
        .project = in->projectId,
        .name = in->name,
        .language = in->language ? language_tag(req->arena, in->language) : NULL,
        .audit = template_audit(req, "template.delete", in->projectId, in->name)};

    if (in->language && !delete.language)
        return bad_language(err);
    return require_template(sql_template_delete(d->svc.db, req, &delete, err), err);
}

/* ---- routes of the caller's project ---- */

int email_templates(struct maild *d, const struct request *req, const struct nothing *in UNUSED,
                    struct template_records *out, struct error *err)
{
    struct template_list_in list = {.projectId = req->caller->project};

    return template_list(d, req, &list, out, err);
}

int email_template_get(struct maild *d, const struct request *req,
                       const struct email_template_get_in *in, struct template_record *out,
                       struct error *err)
{
    const char *language = language_tag(req->arena, in->language);

    if (!language)
        return bad_language(err);
    return require_template(
        template_find(d, req, req->caller->project, in->name, language, out, err), err);
}

int email_template_put(struct maild *d, const struct request *req,
                       const struct email_template_in *in, struct template_record *out,
                       struct error *err)
{
    struct template_put_in put = {.projectId = req->caller->project,
                                  .name = in->name,
                                  .language = in->language,
                                  .subject = in->subject,
                                  .html = in->html,
                                  .text = in->text};

    return template_write(d, req, &put, in->ifMatch, in->ifNoneMatch, out, err);
}

int email_template_delete(struct maild *d, const struct request *req,
                          const struct email_template_delete_in *in, struct nothing *out,
                          struct error *err)
{
    struct template_delete_in delete = {req->caller->project, in->name, in->language};

    return template_delete(d, req, &delete, out, err);
}

int email_template_preview(struct maild *d, const struct request *req,
                           const struct email_template_preview_in *in,
                           struct email_template_preview *out, struct error *err)
{
    struct template_preview_in preview = {req->caller->project, in->name, in->language};

    return template_preview(d, req, &preview, out, err);
}
