/*
 * mail.c - see mail.h.
 */
#include "authd/mail.h"

#include <jansson.h>

#include "common/codec.h"
#include "maild/maild_api.h"

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static const char *variables(struct arena *arena, const struct mail *mail)
{
    json_t *json = json_pack("{s:s, s:s, s:s, s:s}", "projectName", mail->tenant->name,
                             "tenantCode", or_empty(mail->tenant->tenantCode), "recipientName",
                             mail->display, "recipientEmail", mail->to);
    const char *text;

    for (size_t i = 0; i < MAIL_VARIABLES_MAX && mail->variables[i].name != NULL; i++)
        json_object_set_new(json, mail->variables[i].name,
                            json_string(or_empty(mail->variables[i].value)));
    text = codec_dump_json(arena, json);
    json_decref(json);
    return text;
}

struct outbox_row mail_row(struct authd *d, const struct request *req, const struct mail *mail)
{
    const struct mail_enqueue_in in = {.id = uuid_is_set(&mail->id) ? mail->id
                                                                    : uuid_ordered(req->now_ms),
                                       .projectId = mail->tenant->projectId,
                                       .template = mail->template,
                                       .to = mail->to,
                                       .defaultLanguage = mail->tenant->defaultLanguage,
                                       .variables = variables(req->arena, mail)};

    return outbox_row(d->svc.outbox, req->arena, &maild_mail_enqueue_method, in.id, &in);
}
