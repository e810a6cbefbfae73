/*
 * organization.c - the tenant code of the caller's project: read, and mailed to somebody.
 */
#include <jansson.h>

#include "authd/authd_api.h"
#include "common/wire/codec.h"
#include "maild/maild_api.h"
#include "settingsd/settingsd.h"
#include "settingsd/settingsd_api.h"

static int no_code(struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST, "The project has no tenant code.");
}

/* The name of who gets the mail is not known. */
static const char *mail_variables(struct arena *arena, const struct tenant *tenant,
                                  const char *email)
{
    json_t *json = json_pack("{s:s, s:s, s:s, s:s}", "projectName", tenant->name, "tenantCode",
                             tenant->tenantCode, "recipientName", email, "recipientEmail", email);
    const char *text = codec_dump_json(arena, json);

    json_decref(json);
    return text;
}

/* ---- handlers ---- */

/* The code that patients and practitioners type. Fails: BAD_REQUEST (a project may have none). */
int organization_code(struct settingsd *d, const struct request *req,
                      const struct nothing *in UNUSED, struct organization_code_out *out,
                      struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_ORGANIZATION_CODE, &res, err, DB_UUID(req->caller->project)) <
        0)
        return -1;
    if (db_rows(res) == 0)
        return no_code(err);
    db_row(res, 0, &organization_code_out_table, req->arena, out);
    return 0;
}

/* Mails the code, if the project maps ORGANIZATION_CODE. Fails: FORBIDDEN (no admin, and no access
 * policy), BAD_REQUEST (a project may have no code), THROTTLED. */
int organization_code_email(struct settingsd *d, const struct request *req,
                            const struct organization_code_email *in,
                            struct organization_code_email *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct mail_enqueue_in mail = {.id = uuid_ordered(req->now_ms),
                                   .template = "ORGANIZATION_CODE"};
    const struct code_mail_admit_in who = {req->caller->membership, in->email};
    struct nothing ignored;
    struct sql_outbox row;
    struct sql_audit audit;
    struct tenant tenant = {0};

    if (!req->caller->admin && !uuid_is_set(&req->caller->policy))
        return error_set(err, ERR_FORBIDDEN, "Forbidden");
    if (project_by_id(d, req, req->caller->project, &tenant, err) < 0)
        return -1;
    if (!tenant.tenantCode)
        return no_code(err);
    if (authd_code_mail_admit(d->svc.bus, req, &who, &ignored, err) < 0)
        return -1;
    mail.projectId = tenant.projectId;
    mail.defaultLanguage = tenant.defaultLanguage;
    mail.to = in->email;
    mail.variables = mail_variables(req->arena, &tenant, in->email);
    row = outbox_row(d->svc.outbox, req->arena, &maild_mail_enqueue_method, mail.id, &mail);
    audit = project_audit(req, "code.mail", tenant.projectId, NULL);
    if (db_query(d->svc.db, req, SQL_OUTBOX_INSERT, &res, err, DB_OUTBOX(row), DB_AUDIT(audit)) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    out->email = in->email;
    return 0;
}
