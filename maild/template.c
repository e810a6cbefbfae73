/*
 * template.c - the templates that a project has mapped.  What is not mapped is not mailed.
 */
#include "maild/language.h"
#include "maild/maild.h"
#include "maild/render.h"

/* Checks the parts of a template in the order of their fields. */
static int template_check(const struct template_put_in *in, const char *language, struct error *err)
{
    const struct template_name *name = template_name_find(in->name);
    int result = 0;

    if (!name)
        return error_set(err, ERR_NOT_FOUND, "Template not found.");
    if (!language)
        result = error_problem(err, "language", "must be a language tag such as en or pt-BR");
    if (render_check(name, "subject", in->subject, err) < 0)
        result = -1;
    if (render_check(name, "html", in->html, err) < 0)
        result = -1;
    if (render_check(name, "text", in->text, err) < 0)
        result = -1;
    return result;
}

/* Maps a template, or replaces it. Fails: NOT_FOUND (no such name), VALIDATION (a variable that it has not). */
int template_put(struct maild *d, const struct request *req, const struct template_put_in *in,
                 struct template_record *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    const char *language = language_tag(req->arena, in->language);
    const char *html = in->html && in->html[0] ? in->html : NULL;

    if (template_check(in, language, err) < 0)
        return -1;
    if (db_query(d->svc.db, req, SQL_TEMPLATE_PUT, &res, err, DB_UUID(in->projectId),
                 DB_TEXT(in->name), DB_TEXT(language), DB_TEXT(in->subject), DB_TEXT(html),
                 DB_TEXT(in->text), DB_INT(req->now_ms)) < 0)
        return -1;
    db_row(res, 0, &template_record_table, req->arena, out);
    return 0;
}

int template_list(struct maild *d, const struct request *req, const struct template_list_in *in,
                  struct template_records *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_TEMPLATE_LIST, &res, err, DB_UUID(in->projectId)) < 0)
        return -1;
    out->resources = db_list(res, &template_record_table, req->arena);
    return 0;
}
