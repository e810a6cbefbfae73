/*
 * arrival.c - see arrival.h.
 */
#include "authd/signin/arrival.h"

#include "authd/account/mail_route.h"
#include "authd/mail.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

static const char *or_unknown(const char *text)
{
    return text ? text : "unknown";
}

void arrival_report(struct authd *d, const struct request *req, const struct session_draft *draft,
                    enum role role, const char *email, const char *display)
{
    struct mail_route route;
    struct tenant tenant;
    struct error err;
    char when[25];
    struct mail mail = {.template = "NEW_SIGN_IN",
                        .to = email,
                        .display = display,
                        .variables = {{"when", when},
                                      {"browser", or_unknown(draft->browser)},
                                      {"os", or_unknown(draft->os)},
                                      {"address", req->address}}};

    clock_format_iso(req->now_ms, when);
    error_init(&err, req->arena);
    if (tenant_open_id(d, req, draft->refresh.project, &tenant, &err) == 0 &&
        mail_route_find(d, req, &tenant, role, draft->account, &route, &err) == 0) {
        mail.tenant = route.tenant;
        if (mail_queue(d, req, &mail, &err) == 0)
            return;
    }
    log_event(LOG_WARNING, "session", "the owner could not be told of a new sign-in", "trace",
              req->trace, NULL);
}
