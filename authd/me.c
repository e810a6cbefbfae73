/*
 * me.c - the account profile (handler me): what the gateway knows of the caller, its account and
 * its sessions.
 */
#include <string.h>

#include "authd/email_verified.h"
#include "authd/session.h"

static const struct me_profile *profile(const struct request *req, const struct db_result *res)
{
    struct me_profile *self = arena_alloc(req->arena, sizeof(*self));
    struct me_telecom *telecom = arena_alloc(req->arena, sizeof(*telecom));
    struct me_name *name = arena_alloc(req->arena, sizeof(*name));
    const char **given = arena_alloc(req->arena, sizeof(*given));

    given[0] = arena_strdup(req->arena, db_text(res, 0, 8));
    *name = (struct me_name){{given, 1}, arena_strdup(req->arena, db_text(res, 0, 9))};
    *telecom = (struct me_telecom){"email", "home", arena_strdup(req->arena, db_text(res, 0, 7))};
    *self = (struct me_profile){req->caller->role, req->caller->profile, {name, 1}, {telecom, 1}};
    return self;
}

static const struct me_membership *membership(const struct request *req)
{
    const struct caller *caller = req->caller;
    struct me_membership *self = arena_alloc(req->arena, sizeof(*self));

    *self = (struct me_membership){"ProjectMembership", caller->membership, caller->admin,
                                   session_reference(req->arena, caller->role, caller->profile,
                                                     caller->display)};
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

/* Shows the sessions that SQL_ME yielded: it is asked for one more than are shown, which tells whether there are more.
 * The oldest that is not the caller's own is left out then. */
static void show_sessions(const struct request *req, const struct db_result *res,
                          struct me_security *security)
{
    struct field_list found = db_list(res, &session_record_table, req->arena);
    struct session_record *shown;
    const struct session_record *rows = found.items;

    security->sessions = found;
    if (found.count <= ME_SESSIONS_MAX)
        return;
    shown = arena_calloc(req->arena, ME_SESSIONS_MAX, sizeof(*shown));
    memcpy(shown, rows, ME_SESSIONS_MAX * sizeof(*shown));
    if (rows[ME_SESSIONS_MAX].current)
        shown[ME_SESSIONS_MAX - 1] = rows[ME_SESSIONS_MAX];
    security->sessions = (struct field_list){shown, ME_SESSIONS_MAX};
    security->moreSessions = true;
}

/* The caller's profile. Fails: UNAUTHORIZED when the account is gone. */
int me(struct authd *d, const struct request *req, const struct nothing *in, struct me_out *out,
       struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    const struct caller *caller = req->caller;
    struct me_security *security = arena_alloc(req->arena, sizeof(*security));
    struct me_project *project = arena_alloc(req->arena, sizeof(*project));
    struct me_config *config = arena_alloc(req->arena, sizeof(*config));

    (void)in;
    if (db_query(d->svc.db, req, SQL_ME, &res, err, DB_UUID(caller->project),
                 DB_UUID(caller->account), DB_UUID(caller->session), DB_INT(req->now_ms),
                 DB_INT(ME_SESSIONS_MAX)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_UNAUTHORIZED, "Unauthorized");
    if (!db_is_null(res, 0, 0)) /* the left join's one row without a session */
        show_sessions(req, res, security);
    security->mfaEnrolled = db_bool(res, 0, 10);
    if (email_verified_for_caller(d, req, db_text(res, 0, 11), &security->emailVerified, err) < 0)
        return -1;
    *project = (struct me_project){"Project", caller->project, caller->projectName, false};
    *config = (struct me_config){.resourceType = "UserConfiguration"};
    *out = (struct me_out){.project = project,
                           .membership = membership(req),
                           .profile = profile(req, res),
                           .accessPolicy = policy(req),
                           .config = config,
                           .security = security};
    return 0;
}
