/*
 * email_link.c - see email_link.h.
 */
#include "authd/account/email_link.h"

#include <string.h>

#include "authd/account/app_url.h"
#include "authd/account/email_verified.h"

void email_link_new(struct authd *d, const struct request *req, const struct tenant *tenant,
                    const struct mail_route *route, const struct email_owner *owner,
                    enum email_link_kind kind, struct email_link *ret)
{
    bool change = kind == EMAIL_LINK_CHANGE, required = email_is_required(tenant);
    struct mail_route own = {.app = app_url_installation(d, req->arena)};
    const struct mail_route *by = route->tenant && !route->app && required ? &own : route;
    struct mail mail = {.template = change ? "EMAIL_CHANGE" : "EMAIL_VERIFICATION",
                        .tenant = by->tenant,
                        .builtin = kind != EMAIL_LINK_REGISTER || required,
                        .to = owner->email,
                        .display = owner->display};
    struct link link;

    *ret = (struct email_link){.row.installation = !by->tenant};
    if (!by->app && by->tenant)
        return;
    ret->row.id = uuid_random();
    ret->row.expires_at = req->now_ms + EMAIL_LINK_LIFE;
    link_new(req->arena, by->app, "verify-email", ret->row.id, &link);
    ret->row.secret_hash = (struct field_bytes){
        arena_memdup(req->arena, link.hash, sizeof(link.hash)), sizeof(link.hash)};
    mail.expires_at = ret->row.expires_at;
    mail.variables[0] = (struct mail_variable){"verifyUrl", link.url};
    ret->mail = mail_row(d, req, &mail);
}
