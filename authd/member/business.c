/*
 * business.c - see business.h.
 */
#include "authd/member/business.h"

#include <string.h>

#include "authd/account/mail_domain.h"
#include "authd/credential/continue_token.h"
#include "authd/member/invitation.h"
#include "authd/sql/account.h"
#include "maild/maild_api.h"
#include "maild/template_api.h"
#include "settingsd/tenant_api.h"

enum { INVITE_TRIES = 3 }; /* another request can change the invitation in between */

static const char TEMPLATE[] = "CLINICIAN_SIGNUP_INVITE";

int business_applies(struct authd *d, const struct request *req, const struct business_sign_up *who,
                     bool *ret, struct error *err)
{
    const struct tenant *tenant = who->tenant;
    const struct template_mapped_in in = {.projectId = tenant->projectId, .name = TEMPLATE};
    struct template_mapped_out out = {false};

    *ret = false;
    if (!tenant->inviteOnBusinessEmail || !tenant->practitionerInvitation ||
        !uuid_is_set(&tenant->defaultPractitionerPolicy) || !tenant->practitionerAppUrl ||
        !tenant->patientAppUrl ||
        !mail_domains_business(d->mail_domains, req->arena, strrchr(who->email, '@') + 1))
        return 0;
    if (maild_template_mapped(d->svc.bus, req, &in, &out, err) < 0)
        return -1;
    *ret = out.mapped;
    return 0;
}

static const char *continue_url(const struct authd *d, const struct request *req,
                                const struct business_sign_up *who)
{
    const struct tenant *tenant = who->tenant;

    return arena_printf(req->arena, "%s?token=%s",
                        link_page(req->arena, tenant->patientAppUrl, "continue-as-patient"),
                        continue_token_new(req->arena, &d->svc.seal, tenant->projectId, who->email,
                                           req->now_ms + CONTINUE_LIFE));
}

static int refuse_any_account(struct authd *d, const struct request *req, const char *email,
                              struct error *err)
{
    struct sql_email_is_taken_in in = {.email = email, .now = req->now_ms};
    int taken = sql_email_is_taken(d->svc.db, req, &in, err);

    return taken > 0 ? error_set(err, ERR_BAD_REQUEST, "Registration failed.") : taken;
}

static int invite(struct authd *d, const struct request *req, const struct business_sign_up *who,
                  struct error *err)
{
    struct invitation invitation = {.role = ROLE_PRACTITIONER,
                                    .email = who->email,
                                    .name = who->name,
                                    .surname = who->surname,
                                    .policy = who->tenant->defaultPractitionerPolicy};
    struct mail mail;

    if (invitation_prepare(d, req, who->tenant, &invitation, err) < 0)
        return -1;
    mail = invitation_mail(req, &invitation, who->tenant, TEMPLATE);
    mail.variables[1] = (struct mail_variable){"continueAsPatientUrl", continue_url(d, req, who)};
    if (invitation.by_admin)
        return invitation_send_sign_up(d, req, who->tenant, &invitation, &mail, err);
    return invitation_send(d, req, who->tenant, &invitation, &mail, err);
}

int business_invite(struct authd *d, const struct request *req, const struct business_sign_up *who,
                    struct error *err)
{
    bool admitted;

    if (refuse_any_account(d, req, who->email, err) < 0 ||
        mail_admit(d, req, who->email, &admitted, err) < 0)
        return -1;
    if (!admitted) /* no email; the link of the last one stays valid */
        return 0;
    for (int tries = 1; invite(d, req, who, err) < 0; tries++) {
        if (err->code != ERR_CONFLICT || tries == INVITE_TRIES)
            return -1;
        error_clear(err);
    }
    return 0;
}
