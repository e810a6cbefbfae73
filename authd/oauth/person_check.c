/*
 * person_check.c - see person_check.h.
 */
#include "authd/oauth/person_check.h"

#include "authd/oauth/oauth_error.h"
#include "authd/session/admission.h"

static int deny(struct error *err, const char *text)
{
    return oauth_fail(err, ERR_BAD_REQUEST, "access_denied", text);
}

int person_check(const struct visit *visit, struct error *err)
{
    const struct tenant *tenant = &visit->tenant;
    const struct caller *caller = &visit->caller;
    bool patient = caller->role == ROLE_PATIENT;
    const struct admission who = {.project = caller->project,
                                  .account = caller->account,
                                  .session = caller->session,
                                  .role = caller->role,
                                  .policy = caller->policy,
                                  .admin = caller->admin,
                                  .action = "session.create"};

    if (patient ? !tenant->patientLogin : !tenant->practitionerLogin)
        return deny(err, "Sign-in is disabled.");
    if (admission_check(visit->d, &visit->req, &who, err) == 0)
        return 0;
    return err->code == ERR_FORBIDDEN ? deny(err, "Sign-in is not allowed from this IP address.")
                                      : -1;
}
