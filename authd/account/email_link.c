/*
 * email_link.c - see email_link.h.
 */
#include "authd/account/email_link.h"

#include <string.h>

#include "authd/account/email_verified.h"

void email_link_new(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const struct mail_route *route, const struct email_owner *owner,
                    enum email_link_kind kind, struct email_link *ret)
{
    bool change = kind == EMAIL_LINK_CHANGE, required = email_is_required(tenant);
    struct mail_route own = {.app = d->config->account_app_url};
    const struct mail_route *by = route->tenant && !route->app && required ? &own : route;
    struct mail mail = {.template = change ? "EMAIL_CHANGE" : "EMAIL_VERIFICATION",
                        .tenant = by->tenant,
                        .builtin = change || required,
                        .to = owner->email,
                        .display = owner->display};
    struct link link;

    *ret = (struct email_link){.installation = !by->tenant};
    if (!by->app && by->tenant)
        return;
    ret->id = uuid_random();
    ret->expires_at = req->now_ms + EMAIL_LINK_LIFE;
    link_new(req->arena, by->app, "verify-email", ret->id, &link);
    memcpy(ret->hash, link.hash, sizeof(ret->hash));
    mail.expires_at = ret->expires_at;
    mail.variables[0] = (struct mail_variable){"verifyUrl", link.url};
    ret->mail = mail_row(d, req, &mail);
}
