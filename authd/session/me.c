/*
 * me.c - the account profile (handler me): what the gateway knows of the caller, its account and
 * its sessions.
 */
#include "authd/account/email_verified.h"
#include "authd/authd_api.h"
#include "authd/session/session.h"

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

/* Shows the newest sessions that SQL_ME yielded, which is asked for one more: that one tells
 * whether there are more. The caller's own takes the last place when it is older than all of
 * these. */
static int show_sessions(struct authd *d, const struct request *req, const struct db_result *res,
                         struct me_security *security, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *own = NULL;
    struct field_list found = db_list(res, &session_record_table, req->arena), current;
    const struct session_record *rows = found.items;
    struct session_record *shown;

    security->sessions = found;
    if (found.count <= ME_SESSIONS_MAX)
        return 0;
    security->moreSessions = true;
    security->sessions.count = ME_SESSIONS_MAX;
    for (size_t i = 0; i < ME_SESSIONS_MAX; i++)
        if (rows[i].current)
            return 0;
    if (db_query(d->svc.db, req, SQL_ME_CURRENT, &own, err, DB_UUID(req->caller->project),
                 DB_UUID(req->caller->session), DB_INT(req->now_ms)) < 0)
        return -1;
    current = db_list(own, &session_record_table, req->arena);
    if (current.count == 0)
        return 0;
    shown = arena_memdup(req->arena, rows, ME_SESSIONS_MAX * sizeof(*shown));
    shown[ME_SESSIONS_MAX - 1] = *(const struct session_record *)current.items;
    security->sessions.items = shown;
    return 0;
}

/* The caller's profile. Fails: UNAUTHORIZED when the account is gone. */
int me(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
       struct me_out *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    const struct caller *caller = req->caller;
    struct me_security *security = arena_alloc(req->arena, sizeof(*security));
    struct me_project *project = arena_alloc(req->arena, sizeof(*project));
    struct me_config *config = arena_alloc(req->arena, sizeof(*config));

    if (db_query(d->svc.db, req, SQL_ME, &res, err, DB_UUID(caller->project),
                 DB_UUID(caller->account), DB_UUID(caller->session), DB_INT(req->now_ms),
                 DB_INT(ME_SESSIONS_MAX + 1)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_UNAUTHORIZED, "Unauthorized");
    /* The left join has one row without a session when none lives. */
    if (!db_is_null(res, 0, 0) && show_sessions(d, req, res, security, err) < 0)
        return -1;
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
