/*
 * session.c - see session.h. Handlers: sessions, sessions_revoke, logout.
 */
#include "authd/session/session.h"

#include <string.h>

#include "authd/credential/user_agent.h"
#include "authd/operation_api.h"
#include "authd/session/address_key.h"
#include "authd/session/change.h"
#include "authd/session/deletion_abort.h"
#include "authd/session/key.h"
#include "authd/session/session_api.h"
#include "authd/session/token.h"
#include "authd/signin/sign_in_api.h"
#include "authd/sql/change.h"
#include "authd/sql/session.h"
#include "authd/sql/signin.h"
#include "authd/tenant.h"
#include "common/base/address.h"
#include "common/domain/reference.h"

static const struct field session_created_rows[] = {
    FIELD_UUID(struct session_created, membership, FIELD_REQUIRED, "The membership's id"),
    FIELD_UUID(struct session_created, profile, FIELD_REQUIRED, "The profile's id"),
    FIELD_BOOL(struct session_created, admin, false, FIELD_REQUIRED, "An admin of the project"),
    FIELD_INT(struct session_created, change, 0, 0, 0, 0, "Number of a change", "0"),
    FIELD_BOOL(struct session_created, surplus, false, FIELD_REQUIRED, "One session too many"),
    FIELD_BOOL(struct session_created, arrival, false, FIELD_REQUIRED, "By a new client"),
    FIELD_BOOL(struct session_created, renewed, false, 0, "With the hash of the password"),
};
FIELD_TABLE(session_created);

_Static_assert(ARRIVAL_KEYS_SIZE == 2 * THROTTLE_KEY_SIZE, "two keys");

/* Hashes the client's address (IPv6: the /64) and its user agent. */
static void arrival_keys(struct authd *d, const struct request *req, struct uuid account,
                         uint8_t ret[static ARRIVAL_KEYS_SIZE])
{
    struct throttle_move move = throttle_move_new(d, req);
    struct address_subjects subjects;

    address_subjects_of(req->address, &subjects);
    throttle_key(d, &move, "arrival address", account.text, subjects.items[0].text, "", ret);
    throttle_key(d, &move, "arrival agent", account.text, req->userAgent, "",
                 ret + THROTTLE_KEY_SIZE);
    throttle_move_run(d, req, &move);
}

int session_draft(struct authd *d, const struct request *req, struct uuid project,
                  struct uuid account, enum role role, const char *email, const char *auth_method,
                  struct session_draft *ret, struct error *err)
{
    struct throttle_keys keys;

    ret->account = account;
    ret->id = uuid_ordered(req->now_ms);
    ret->auth_method = auth_method;
    ret->browser = user_agent_browser(req->userAgent);
    ret->os = user_agent_os(req->userAgent);
    refresh_token_new(&d->svc.seal, project, ret->id, &ret->refresh);
    throttle_keys(d, req, role, project, email, req->address, &keys);
    memcpy(ret->known, keys.pair, THROTTLE_KEY_SIZE);
    arrival_keys(d, req, account, ret->known + THROTTLE_KEY_SIZE);
    ret->of_browser = false;
    return tenant_ancestors(d, req, project, &ret->above, err);
}

void session_draft_for_browser(struct session_draft *self, const char *cookie)
{
    self->of_browser = cookie != NULL;
    if (cookie)
        secret_hash(cookie, self->cookie_hash);
}

struct sql_session_insert session_values(const struct request *req,
                                         const struct session_draft *draft)
{
    const uint8_t *address = draft->known + THROTTLE_KEY_SIZE;
    bool page = draft->of_browser;
    int64_t idle_until = req->now_ms + (page ? BROWSER_IDLE_LIFE : SESSION_IDLE_LIFE);
    int64_t absolute_until = req->now_ms + (page ? BROWSER_ABSOLUTE_LIFE : SESSION_ABSOLUTE_LIFE);

    return (struct sql_session_insert){
        .above = draft->above,
        .project = draft->refresh.project,
        .id = draft->id,
        .auth_method = draft->auth_method,
        .address = req->address,
        .browser = draft->browser,
        .os = draft->os,
        .now = req->now_ms,
        .refresh_hash = {draft->refresh.hash, SECRET_HASH_SIZE},
        .cookie_hash = {page ? draft->cookie_hash : NULL, page ? SECRET_HASH_SIZE : 0},
        .idle_until = idle_until,
        .absolute_until = absolute_until,
        .pair_key = {draft->known, THROTTLE_KEY_SIZE},
        .pair_until = req->now_ms + KNOWN_ADDRESS_LIFE,
        .address_key = {address, ARRIVAL_KEYS_SIZE / 2},
        .user_agent_key = {address + ARRIVAL_KEYS_SIZE / 2, ARRIVAL_KEYS_SIZE / 2}};
}

void session_draft_wipe(struct session_draft *self)
{
    refresh_token_wipe(&self->refresh);
}

int session_access_token(struct authd *d, const struct request *req,
                         const struct token_subject *subject, const char **ret, struct error *err)
{
    const struct token_claims claims = {
        .issuer = d->config->issuer,
        .audience = d->config->audience,
        .role = subject->role,
        .profile = subject->profile,
        .project = subject->project,
        .membership = subject->membership,
        .session = subject->session,
        .id = uuid_random(),
        .admin = subject->admin,
        .now_ms = req->now_ms,
        .life_ms = ACCESS_TOKEN_LIFE,
    };

    *ret = token_mint(key_current(d, req->now_ms), &claims, req->arena);
    if (!*ret)
        return error_set(err, ERR_INTERNAL, "The token cannot be signed.");
    return 0;
}

const struct reference *session_reference(struct arena *arena, const char *type, struct uuid id,
                                          const char *display)
{
    struct reference *self = arena_alloc(arena, sizeof(*self));

    self->reference = arena_printf(arena, "%s/%s", type, id.text);
    self->display = arena_strdup(arena, display);
    return self;
}

int session_begun(struct authd *d, const struct request *req, const struct session_created *created,
                  const struct session_draft *draft, enum role role, struct token_subject *ret,
                  struct error *err)
{
    if (deletion_abort_publish(d, req, created->change, draft->account, err) < 0)
        return -1;
    if (created->surplus)
        session_end_surplus(d, req, draft->account, draft->id);
    ++*d->count.sign_in_good;
    *ret = (struct token_subject){.project = draft->refresh.project,
                                  .membership = created->membership,
                                  .profile = created->profile,
                                  .session = draft->id,
                                  .role = role,
                                  .admin = created->admin};
    return 0;
}

int session_answer(struct authd *d, const struct request *req, const struct token_subject *subject,
                   const struct session_draft *draft, const char *project_name, const char *display,
                   struct token_response *out, struct error *err)
{
    if (session_access_token(d, req, subject, &out->accessToken, err) < 0)
        return -1;
    out->refreshToken = arena_strdup(req->arena, draft->refresh.text);
    out->expiresIn = ACCESS_TOKEN_LIFE / 1000;
    out->project = session_reference(req->arena, "Project", subject->project, project_name);
    out->profile =
        session_reference(req->arena, role_text(subject->role), subject->profile, display);
    return 0;
}

struct sql_audit session_audit(const struct request *req, const char *action,
                               const struct session_draft *draft, struct uuid account,
                               enum role role)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .project = draft->refresh.project,
                                          .account = account,
                                          .role = role,
                                          .type = "Session",
                                          .id = draft->id,
                                          .detail = draft->auth_method});
}

struct sql_audit sign_in_failure(const struct request *req, const struct sign_in *who,
                                 const char *why)
{
    return audit_row(req, &(struct audit){.action = "session.create",
                                          .failure = true,
                                          .project = who->project,
                                          .account = who->account,
                                          .role = who->role,
                                          .detail = why});
}

int sign_in_refused(struct authd *d, const struct request *req, const struct sign_in *who,
                    const char *why, struct error *err)
{
    struct sql_sign_in_refuse_in in;

    address_key_load(d, req, who->account);
    in.audit = sign_in_failure(req, who, why);
    return MIN(sql_sign_in_refuse(d->svc.db, req, &in, err), 0);
}

/* ---- ending ---- */

enum { SESSION_END_PAGE = 1000 }; /* as in session_end.sql */

/* Returns the audit row of ended sessions, in which the statement sets each session's id. */
static struct sql_audit end_audit(const struct request *req, struct uuid project,
                                  struct uuid account, const char *reason, const char *why)
{
    return audit_row(req, &(struct audit){.action = "session.end",
                                          .project = project,
                                          .account = account,
                                          .detail = reason,
                                          .reason = why});
}

static int ended_settle(struct authd *d, const struct request *req, const struct field_list *ended,
                        struct error *err)
{
    const struct change *changes = ended->items;

    if (ended->count == 0)
        return 0;
    return invalidation_wait(d, req, changes[0].sequence, changes, ended->count, err);
}

static struct sql_session_end_in end_values(const struct request *req,
                                            const struct session_end *which)
{
    return (struct sql_session_end_in){.project = which->project,
                                       .account = which->account,
                                       .only = which->only,
                                       .except = which->except,
                                       .now = req->now_ms,
                                       .reason = which->reason,
                                       .token = which->token,
                                       .until = req->now_ms + CHANGE_SESSION_LIFE,
                                       .audit = end_audit(req, which->project, which->account,
                                                          which->reason, which->why)};
}

static int end_page(struct authd *d, const struct request *req, const struct session_end *which,
                    size_t *ret_count, struct error *err)
{
    const struct sql_session_end_in end = end_values(req, which);
    struct field_list ended;

    if (sql_session_end(d->svc.db, req, &end, &ended, err) < 0)
        return -1;
    *ret_count = ended.count;
    return ended_settle(d, req, &ended, err);
}

int session_end(struct authd *d, const struct request *req, const struct session_end *which,
                size_t *ret_count, struct error *err)
{
    size_t count;

    /* A second pass finds a grant that was created concurrently (oauth_code_redeem.sql waits for
     * the end, or the end for it). */
    bool again = uuid_is_set(&which->only);

    *ret_count = 0;
    address_key_load(d, req, which->account);
    for (;;) {
        if (end_page(d, req, which, &count, err) < 0)
            return -1;
        *ret_count += count;
        if (count < SESSION_END_PAGE && !(again && count > 0))
            return 0;
    }
}

void session_end_surplus(struct authd *d, const struct request *req, struct uuid account,
                         struct uuid kept)
{
    const struct sql_session_end_surplus_in end = {
        .account = account,
        .kept = kept,
        .most = d->config->sessions_per_account,
        .now = req->now_ms,
        .reason = "revoked",
        .audit = end_audit(req, (struct uuid){""}, account, "limit", NULL),
        .change = {.until = req->now_ms + CHANGE_SESSION_LIFE}};
    struct field_list ended;
    struct error err;

    error_init(&err, req->arena);
    if (sql_session_end_surplus(d->svc.db, req, &end, &ended, &err) < 0 ||
        ended_settle(d, req, &ended, &err) < 0)
        log_event(LOG_WARNING, "session", "a session over the limit could not be ended", "trace",
                  req->trace, NULL);
}

/* Ends a page of sessions in a transaction. If no project is set, ends those in all projects. */
static int end_page_in(struct db_tx *tx, const struct request *req, const struct session_end *which,
                       struct field_list *ret, struct error *err)
{
    const struct sql_session_end_in end = end_values(req, which);
    const struct sql_session_end_account_in all = {.account = end.account,
                                                   .except = end.except,
                                                   .now = end.now,
                                                   .reason = end.reason,
                                                   .audit = end.audit,
                                                   .change = {.until = end.until}};

    return uuid_is_set(&which->project) ? sql_session_end_tx(tx, req, &end, ret, err)
                                        : sql_session_end_account(tx, req, &all, ret, err);
}

void session_ended_add(const struct request *req, const struct field_list *changes,
                       struct session_ended *ended)
{
    struct change *all = arena_calloc(req->arena, ended->count + changes->count, sizeof(*all));

    if (changes->count == 0)
        return;
    if (ended->count > 0)
        memcpy(all, ended->changes, ended->count * sizeof(*all));
    memcpy(all + ended->count, changes->items, changes->count * sizeof(*all));
    ended->sequence = all[ended->count].sequence;
    ended->changes = all;
    ended->count += changes->count;
}

static int end_in(struct db_tx *tx, const struct request *req, const struct session_end *which,
                  struct session_ended *ret, struct error *err)
{
    struct field_list changes;

    *ret = (struct session_ended){.count = 0};
    do {
        if (end_page_in(tx, req, which, &changes, err) < 0)
            return -1;
        session_ended_add(req, &changes, ret);
    } while (changes.count == SESSION_END_PAGE);
    return 0;
}

int session_end_account(struct db_tx *tx, const struct request *req, struct uuid account,
                        struct uuid except, const char *reason, struct session_ended *ret,
                        struct error *err)
{
    const struct session_end which = {.account = account, .except = except, .reason = reason};

    return end_in(tx, req, &which, ret, err);
}

int session_end_project(struct db_tx *tx, const struct request *req, struct uuid project,
                        struct uuid account, const char *reason, struct session_ended *ret,
                        struct error *err)
{
    const struct session_end which = {.project = project, .account = account, .reason = reason};

    return end_in(tx, req, &which, ret, err);
}

static int changed(struct db_tx *tx, const struct request *req, const char *kind, struct uuid id,
                   struct session_ended *ended, struct error *err)
{
    struct sql_change_publish_in publish = {.kind = kind,
                                            .ids = db_array_new(req->arena, 1, sizeof(id.text)),
                                            .until = req->now_ms + CHANGE_EVENT_LIFE};
    struct field_list changes;

    db_array_add(&publish.ids, id.text);
    if (sql_change_publish_tx(tx, req, &publish, &changes, err) < 0)
        return -1;
    session_ended_add(req, &changes, ended);
    return 0;
}

int session_ended_membership(struct db_tx *tx, const struct request *req, struct uuid membership,
                             struct session_ended *ended, struct error *err)
{
    return changed(tx, req, "membership", membership, ended, err);
}

int session_ended_account(struct db_tx *tx, const struct request *req, struct uuid account,
                          struct session_ended *ended, struct error *err)
{
    return changed(tx, req, "account", account, ended, err);
}

int session_ended_project(struct db_tx *tx, const struct request *req, struct uuid project,
                          struct session_ended *ended, struct error *err)
{
    return changed(tx, req, "project", project, ended, err);
}

int session_revocation_wait(struct authd *d, const struct request *req,
                            const struct session_ended *ended, struct error *err)
{
    if (ended->count == 0)
        return 0;
    return invalidation_wait(d, req, ended->sequence, ended->changes, ended->count, err);
}

/* ---- handlers ---- */

int sessions(struct authd *d, const struct request *req, const struct sessions_in *in,
             struct session_list *out, struct error *err)
{
    const struct sql_session_list_in list = {.project = req->caller->project,
                                             .account = req->caller->account,
                                             .asking = req->caller->session,
                                             .now = req->now_ms,
                                             .most = in->_count,
                                             .skip = in->_offset};

    return MIN(sql_session_list(d->svc.db, req, &list, &out->sessions, err), 0);
}

int sessions_revoke(struct authd *d, const struct request *req, const struct sessions_revoke_in *in,
                    struct session_list *out, struct error *err)
{
    struct session_end which = {
        .project = req->caller->project, .account = req->caller->account, .reason = "revoked"};
    const struct sessions_in first_page = {._count = SESSIONS_PAGE};
    bool named = false;
    size_t count;

    if (strcmp(in->option, "current") == 0)
        which.only = req->caller->session;
    else if (strcmp(in->option, "other") == 0)
        which.except = req->caller->session;
    else if (strcmp(in->option, "all") != 0)
        named = true;
    if (named && uuid_parse(in->option, &which.only) < 0)
        return error_problem(err, "option", "must be current, other, all or a session id");
    if (session_end(d, req, &which, &count, err) < 0)
        return -1;
    if (named && count == 0)
        return error_set(err, ERR_NOT_FOUND, "Session not found.");
    return sessions(d, req, &first_page, out, err);
}

int logout(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
           struct nothing *out UNUSED, struct error *err)
{
    const struct session_end which = {.project = req->caller->project,
                                      .account = req->caller->account,
                                      .only = req->caller->session,
                                      .reason = "logout",
                                      .token = req->caller->tokenId};
    int64_t top;
    size_t count;

    if (session_end(d, req, &which, &count, err) < 0)
        return -1;
    if (count > 0)
        return 0;
    /* another request just ended it: wait for the gateways too */
    if (change_top(d, req, &top, err) < 0)
        return -1;
    return invalidation_wait(d, req, top, NULL, 0, err);
}
