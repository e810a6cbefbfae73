/* organization.c - reads and emails the tenant code of the caller's project. */
#include <jansson.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "common/wire/codec.h"
#include "maild/mail_api.h"
#include "maild/maild_api.h"
#include "settingsd/project_api.h"
#include "settingsd/settingsd.h"
#include "settingsd/sql/outbox.h"
#include "settingsd/sql/project.h"
#include "settingsd/tenant_api.h"

static const char no_code[] = "The project has no tenant code.";

/* Returns the email's variables, in which the email address replaces the recipient's unknown
 * name. */
static const char *mail_variables(struct arena *arena, const struct tenant *tenant,
                                  const char *email)
{
    json_auto_t *json = json_pack("{s:s, s:s*, s:s, s:s, s:s}", "projectName", tenant->name,
                                  "brandName", tenant->brandName, "tenantCode", tenant->tenantCode,
                                  "recipientName", email, "recipientEmail", email);

    return codec_dump_json(arena, json);
}

int organization_code(struct settingsd *d, const struct request *req,
                      const struct nothing *in UNUSED, struct organization_code_out *out,
                      struct error *err)
{
    const struct sql_tenant_code_get_in get = {.project = req->caller->project};

    return sql_require(sql_tenant_code_get(d->svc.db, req, &get, out, err), err, ERR_BAD_REQUEST,
                       no_code);
}

/* Emails the code if ORGANIZATION_CODE is mapped. */
int organization_code_email(struct settingsd *d, const struct request *req,
                            const struct organization_code_email *in,
                            struct organization_code_email *out, struct error *err)
{
    struct mail_enqueue_in mail = {.id = uuid_ordered(req->now_ms),
                                   .template = "ORGANIZATION_CODE"};
    const struct code_mail_admit_in who = {req->caller->membership, in->email};
    struct nothing ignored;
    struct sql_outbox_insert_in insert;
    struct tenant tenant = {0};

    if (!req->caller->admin && !uuid_is_set(&req->caller->policy))
        return error_set(err, ERR_FORBIDDEN, "Forbidden");
    if (project_by_id(d, req, req->caller->project, &tenant, err) < 0)
        return -1;
    if (!tenant.tenantCode)
        return error_set(err, ERR_BAD_REQUEST, "%s", no_code);
    if (authd_code_mail_admit(d->svc.bus, req, &who, &ignored, err) < 0)
        return -1;
    mail.projectId = tenant.projectId;
    mail.defaultLanguage = tenant.defaultLanguage;
    mail.to = in->email;
    mail.variables = mail_variables(req->arena, &tenant, in->email);
    insert = (struct sql_outbox_insert_in){
        .outbox = outbox_row(d->svc.outbox, req->arena, &maild_mail_enqueue_method, mail.id, &mail),
        .audit = project_audit(req, "code.mail", tenant.projectId, NULL)};
    if (sql_outbox_insert(d->svc.db, req, &insert, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    out->email = in->email;
    return 0;
}
