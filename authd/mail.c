/*
 * mail.c - see mail.h.
 */
#include "authd/mail.h"

#include <jansson.h>

#include "authd/credential/throttle.h"
#include "authd/sql/outbox.h"
#include "common/wire/codec.h"
#include "maild/mail_api.h"
#include "maild/maild_api.h"
#include "settingsd/tenant_api.h"

enum { MAILBOX_MAX = 10, LINKS_MAX = 100, DELETION_MAX = 5 };
#define MAILBOX_WINDOW HOURS(1)
#define LINKS_WINDOW MINUTES(15)
#define DELETION_WINDOW MINUTES(15)

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static const char *variables(struct arena *arena, const struct mail *mail)
{
    const struct tenant *tenant = mail->tenant;
    json_t *json = json_pack("{s:s, s:s, s:s, s:s}", "projectName", tenant ? tenant->name : "",
                             "tenantCode", or_empty(tenant ? tenant->tenantCode : NULL),
                             "recipientName", mail->display, "recipientEmail", mail->to);
    const char *text;

    if (tenant && tenant->brandName)
        json_object_set_new(json, "brandName", json_string(tenant->brandName));
    for (size_t i = 0; i < MAIL_VARIABLES_MAX && mail->variables[i].name; i++)
        json_object_set_new(json, mail->variables[i].name,
                            json_string(or_empty(mail->variables[i].value)));
    text = codec_dump_json(arena, json);
    json_decref(json);
    return text;
}

int mail_admit(struct authd *d, const struct request *req, const char *to, bool *ret_admitted,
               struct error *err)
{
    return throttle_admit(d, req, "mailbox", to, MAILBOX_WINDOW, MAILBOX_MAX, ret_admitted, err);
}

int mail_admit_deletion(struct authd *d, const struct request *req, struct uuid account,
                        bool *ret_admitted, struct error *err)
{
    return throttle_admit(d, req, "deletion mail", account.text, DELETION_WINDOW, DELETION_MAX,
                          ret_admitted, err);
}

int mail_admit_link(struct authd *d, const struct request *req, const char *kind, const char *to,
                    bool *ret_admitted, struct error *err)
{
    bool address, mail = false;

    if (throttle_admit_client(d, req, kind, LINKS_WINDOW, LINKS_MAX, &address, err) < 0 ||
        (address && mail_admit(d, req, to, &mail, err) < 0))
        return -1;
    *ret_admitted = mail;
    return 0;
}

struct sql_outbox mail_row(struct authd *d, const struct request *req, const struct mail *mail)
{
    struct mail_enqueue_in in = {.id =
                                     uuid_is_set(&mail->id) ? mail->id : uuid_ordered(req->now_ms),
                                 .builtin = mail->builtin,
                                 .template = mail->template,
                                 .to = mail->to,
                                 .variables = variables(req->arena, mail),
                                 .expiresAt = mail->expires_at};

    if (mail->tenant) {
        in.projectId = mail->tenant->projectId;
        in.defaultLanguage = mail->tenant->defaultLanguage;
    }
    return outbox_row(d->svc.outbox, req->arena, &maild_mail_enqueue_method, in.id, &in);
}

int mail_queue(struct authd *d, const struct request *req, const struct mail *mail,
               struct error *err)
{
    struct sql_outbox_insert_in in = {.outbox = mail_row(d, req, mail)};

    if (sql_outbox_insert(d->svc.db, req, &in, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    return 0;
}
