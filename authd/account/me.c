/*
 * me.c - the caller's profile and sessions (handler me).
 */
#include "authd/account/email_verified.h"
#include "authd/session/session.h"
#include "authd/session/session_api.h"
#include "authd/sql/session.h"

static const struct me_profile *profile(const struct request *req, const struct sql_me_get_row *row)
{
    struct me_profile *self = arena_alloc(req->arena, sizeof(*self));
    struct me_telecom *telecom = arena_alloc(req->arena, sizeof(*telecom));
    struct me_name *name = arena_alloc(req->arena, sizeof(*name));
    const char **given = arena_alloc(req->arena, sizeof(*given));

    given[0] = row->name;
    *name = (struct me_name){{given, 1}, row->surname};
    *telecom = (struct me_telecom){"email", "home", row->email};
    *self = (struct me_profile){req->caller->role, req->caller->profile, {name, 1}, {telecom, 1}};
    return self;
}

static const struct me_membership *membership(const struct request *req)
{
    const struct caller *caller = req->caller;
    struct me_membership *self = arena_alloc(req->arena, sizeof(*self));

    *self = (struct me_membership){"ProjectMembership", caller->membership, caller->admin,
                                   session_reference(req->arena, role_text(caller->role),
                                                     caller->profile, caller->display)};
    return self;
}

static const struct me_policy *policy(const struct request *req)
{
    const struct caller *caller = req->caller;
    struct me_policy *self;

    if (!uuid_is_set(&caller->policy))
        return NULL;
    self = arena_alloc(req->arena, sizeof(*self));
    *self = (struct me_policy){"AccessPolicy", caller->policy, caller->policyName,
                               caller->policyResource};
    return self;
}

/* me_get() reads one extra row to detect more. If the caller's session is older than the page, it
 * takes the last place. */
static int show_sessions(struct authd *d, const struct request *req,
                         const struct sql_me_get_rows *found, struct me_security *security,
                         struct error *err)
{
    const struct sql_me_session_in own = {
        .project = req->caller->project, .session = req->caller->session, .now = req->now_ms};
    size_t count = MIN(found->count, (size_t)ME_SESSIONS_MAX);
    struct session_record *shown = arena_calloc(req->arena, count, sizeof(*shown));
    bool has_own = false;

    for (size_t i = 0; i < count; i++) {
        shown[i] = *found->items[i].session;
        has_own |= shown[i].current;
    }
    security->sessions = (struct field_list){shown, count};
    security->moreSessions = found->count > ME_SESSIONS_MAX;
    if (!security->moreSessions || has_own)
        return 0;
    return MIN(sql_me_session(d->svc.db, req, &own, &shown[count - 1], err), 0);
}

int me(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
       struct me_out *out, struct error *err)
{
    const struct caller *caller = req->caller;
    const struct sql_me_get_in get = {.project = caller->project,
                                      .account = caller->account,
                                      .asking = caller->session,
                                      .now = req->now_ms,
                                      .most = ME_SESSIONS_MAX + 1};
    struct me_security *security = arena_alloc(req->arena, sizeof(*security));
    struct me_project *project = arena_alloc(req->arena, sizeof(*project));
    struct me_config *config = arena_alloc(req->arena, sizeof(*config));
    struct sql_me_get_rows rows;

    if (sql_require(sql_me_get(d->svc.db, req, &get, &rows, err), err, ERR_UNAUTHORIZED,
                    "Unauthorized") < 0)
        return -1;
    if (uuid_is_set(&rows.items[0].session->id) && show_sessions(d, req, &rows, security, err) < 0)
        return -1;
    security->mfaEnrolled = rows.items[0].mfa;
    if (email_verified_for_caller(d, req, rows.items[0].verified, &security->emailVerified, err) <
        0)
        return -1;
    *project = (struct me_project){.resourceType = "Project",
                                   .id = caller->project,
                                   .name = caller->projectName,
                                   .brandName =
                                       caller->brandName ? caller->brandName : caller->projectName};
    *config = (struct me_config){.resourceType = "UserConfiguration"};
    *out = (struct me_out){.project = project,
                           .membership = membership(req),
                           .profile = profile(req, &rows.items[0]),
                           .accessPolicy = policy(req),
                           .config = config,
                           .security = security};
    return 0;
}
