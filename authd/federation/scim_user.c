/*
 * scim_user.c - users of a project's directory (RFC 7643, section 4.1). Handlers: scim_users,
 * scim_user_create, scim_user_show, scim_user_replace, scim_user_patch, scim_user_delete.
 *
 * An account that the project does not own is only invited, and keeps its name. Admins can be
 * deactivated, but nothing else of them changes.
 */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "authd/account/email_change.h"
#include "authd/account/mail_route.h"
#include "authd/account/ownership.h"
#include "authd/credential/throttle.h"
#include "authd/federation/domain.h"
#include "authd/federation/scim.h"
#include "authd/federation/scim_api.h"
#include "authd/federation/scim_patch.h"
#include "authd/mail.h"
#include "authd/member/invitation.h"
#include "authd/member/member.h"
#include "authd/member/member_api.h"
#include "authd/member/project_account.h"
#include "authd/session/address_key.h"
#include "authd/session/session.h"
#include "authd/shape_api.h"
#include "authd/sql/member.h"
#include "authd/sql/scim.h"
#include "common/base/clock.h"
#include "common/domain/endpoint.h"
#include "common/domain/name.h"
#include "common/service/audit.h"
#include "common/wire/codec.h"

enum {
    SCAN_PAGE = 500,
    SCAN_MAX = 20000, /* users that a filter without a key reads */
    TEXT_MAX = 256,   /* bytes of userName and externalId */
    MANY_PART = 5,    /* more than this part of the members: many are deactivated */
};
#define MANY_WINDOW HOURS(1)

/* What a request wants a user to be. NULL or unset: as it is. */
struct wanted {
    const char *user_name, *external_id, *given, *family;
    const char *email; /* from `emails`, or else userName */
    bool emails;
    enum tristate active;
};

static struct sql_audit user_audit(const struct scim *self, const char *action, const char *type,
                                   const struct sql_scim_user_row *user, const char *detail)
{
    return audit_row(&self->req, &(struct audit){.action = action,
                                                 .account = user->account,
                                                 .role = ROLE_PRACTITIONER,
                                                 .type = type,
                                                 .id = user->id,
                                                 .detail = detail});
}

static bool is_invited(const struct sql_scim_user_row *user)
{
    return !uuid_is_set(&user->account);
}

/* ---- showing ---- */

static json_t *user_json(const struct scim *self, const struct sql_scim_user_row *user)
{
    const char *display = arena_printf(self->req.arena, "%s %s", user->name, user->surname);
    json_t *json =
        json_pack("{s:[s], s:s, s:s, s:{s:s, s:s, s:s}, s:s, s:[{s:s, s:s, s:b}], s:b, s:o}",
                  "schemas", SCIM_USER_SCHEMA, "id", user->id.text, "userName", user->user_name,
                  "name", "givenName", user->name, "familyName", user->surname, "formatted",
                  display, "displayName", display, "emails", "value", user->email, "type", "work",
                  "primary", 1, "active", user->active, "meta",
                  scim_meta(self, "User", user->id.text, user->created));

    if (user->external_id)
        json_object_set_new(json, "externalId", json_string(user->external_id));
    return json;
}

static int get(const struct scim *self, struct uuid id, struct sql_scim_user_row *ret,
               struct error *err)
{
    const struct sql_scim_user_get_in in = {.project = self->tenant.projectId, .id = id};
    int found = sql_scim_user_get(self->d->svc.db, &self->req, &in, ret, err);

    return found > 0 ? 0 : found < 0 ? -1 : scim_not_found(err);
}

static int find(const struct scim *self, struct sql_scim_user_row *ret, struct error *err)
{
    struct uuid id;

    return uuid_parse(self->in->id, &id) < 0 ? scim_not_found(err) : get(self, id, ret, err);
}

static int show(const struct scim *self, struct uuid id, int status, struct endpoint_answer *out,
                struct error *err)
{
    struct sql_scim_user_row user;

    if (get(self, id, &user, err) < 0)
        return -1;
    scim_answer(self, status, user_json(self, &user), out);
    return 0;
}

/* ---- listing ---- */

static void add_matches(const struct scim *self, const struct scim_filter *filter,
                        const struct sql_scim_user_rows *rows, struct scim_page *page)
{
    for (size_t i = 0; i < rows->count; i++) {
        json_t *json = user_json(self, &rows->items[i]);

        if (!filter || scim_filter_match(filter, json))
            scim_page_add(page, json);
        else
            json_decref(json);
    }
}

static int list_all(const struct scim *self, struct scim_page *page, struct error *err)
{
    const struct sql_scim_user_count_in all = {.project = self->tenant.projectId};
    const struct sql_scim_user_list_in list = {
        .project = self->tenant.projectId, .most = page->count, .skip = page->start - 1};
    struct sql_scim_user_count_row count;
    struct sql_scim_user_rows rows;

    if (sql_scim_user_count(self->d->svc.db, &self->req, &all, &count, err) < 0 ||
        sql_scim_user_list(self->d->svc.db, &self->req, &list, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++)
        json_array_append_new(page->resources, user_json(self, &rows.items[i]));
    page->total = count.total;
    return 0;
}

/* Finds users by a value that the filter wants. 0: it wants none. */
static int list_by_key(const struct scim *self, const struct scim_filter *filter,
                       struct scim_page *page, struct error *err)
{
    struct sql_scim_user_find_in by = {
        .project = self->tenant.projectId,
        .user_name = scim_filter_key(filter, "userName", NULL),
    };
    struct sql_scim_user_rows rows;
    const char *email = by.user_name;

    if (!by.user_name)
        by.external_id = scim_filter_key(filter, "externalId", NULL);
    if (!by.user_name && !by.external_id)
        email = scim_filter_key(filter, "emails", "value");
    if (!email && !by.external_id)
        return 0;
    by.email = email ? fields_email(self->req.arena, email) : NULL;
    if (sql_scim_user_find(self->d->svc.db, &self->req, &by, &rows, err) < 0)
        return -1;
    add_matches(self, filter, &rows, page);
    return 1;
}

static int scan(const struct scim *self, const struct scim_filter *filter, struct scim_page *page,
                struct error *err)
{
    struct sql_scim_user_list_in list = {.project = self->tenant.projectId, .most = SCAN_PAGE};
    struct sql_scim_user_rows rows;

    do {
        if (list.skip >= SCAN_MAX)
            return scim_fail(err, ERR_BAD_REQUEST, "tooMany",
                             "The project has too many users for this filter. Filter by userName, "
                             "externalId or emails.value.");
        if (sql_scim_user_list(self->d->svc.db, &self->req, &list, &rows, err) < 0)
            return -1;
        add_matches(self, filter, &rows, page);
        list.skip += SCAN_PAGE;
    } while (rows.count == SCAN_PAGE);
    return 0;
}

static int list_users(const struct scim *self, struct endpoint_answer *out, struct error *err)
{
    const struct scim_filter *filter = NULL;
    struct scim_page page;
    int rc;

    if (self->in->filter && scim_filter_read(self->req.arena, self->in->filter, &filter, err) < 0)
        return -1;
    page = scim_page_read(self);
    rc = filter ? list_by_key(self, filter, &page, err) : list_all(self, &page, err);
    if (rc == 0 && filter)
        rc = scan(self, filter, &page, err);
    if (rc < 0) {
        json_decref(page.resources);
        return -1;
    }
    scim_answer_page(self, &page, out);
    return 0;
}

/* ---- what a request wants ---- */

static int invalid(struct error *err, const char *text)
{
    return scim_fail(err, ERR_BAD_REQUEST, "invalidValue", text);
}

/* Returns a member's text in the arena; NULL: absent, or no text. */
static const char *text_of(const struct scim *self, const json_t *object, const char *name)
{
    const char *text = json_string_value(scim_member(object, name));

    return text && *text ? arena_strdup(self->req.arena, text) : NULL;
}

/* Returns the primary address, or else that for work, or the first. */
static const char *email_of(const struct scim *self, const json_t *resource)
{
    const json_t *list = scim_member(resource, "emails"), *each, *best = NULL;
    int rank, best_rank = -1;
    size_t i;

    json_array_foreach(list, i, each)
    {
        const char *type = json_string_value(scim_member(each, "type"));

        rank = scim_bool(scim_member(each, "primary")) == TRISTATE_TRUE ? 2
               : type && strcasecmp(type, "work") == 0                  ? 1
                                                                        : 0;
        if (rank > best_rank && json_is_string(scim_member(each, "value"))) {
            best = each;
            best_rank = rank;
        }
    }
    return best ? text_of(self, best, "value") : NULL;
}

/* Without givenName and familyName, splits the name that is shown. */
static void read_names(const struct scim *self, const json_t *resource, struct wanted *ret)
{
    const json_t *name = scim_member(resource, "name");
    const char *shown = text_of(self, resource, "displayName"), *space;

    ret->given = text_of(self, name, "givenName");
    ret->family = text_of(self, name, "familyName");
    if (!shown)
        shown = text_of(self, name, "formatted");
    space = shown ? strrchr(shown, ' ') : NULL;
    if (ret->given || ret->family || !shown)
        return;
    ret->given = space ? arena_strndup(self->req.arena, shown, (size_t)(space - shown)) : shown;
    ret->family = space ? space + 1 : NULL;
}

static int check_name(const char *name, struct error *err)
{
    char why[96];

    if (!name)
        return 0;
    return codec_characters(name, strlen(name)) <= NAME_MAX_LENGTH && name_check(name, why) == 0
               ? 0
               : invalid(err, "A name is too long or has characters that names can't have.");
}

static int read_wanted(const struct scim *self, const json_t *resource, struct wanted *ret,
                       struct error *err)
{
    const char *email = email_of(self, resource);

    *ret = (struct wanted){.user_name = text_of(self, resource, "userName"),
                           .external_id = text_of(self, resource, "externalId"),
                           .emails = email != NULL,
                           .active = scim_bool(scim_member(resource, "active"))};
    read_names(self, resource, ret);
    if (!ret->user_name || strlen(ret->user_name) > TEXT_MAX ||
        (ret->external_id && strlen(ret->external_id) > TEXT_MAX))
        return invalid(err, "userName is missing, or a text is longer than 256 bytes.");
    ret->email = fields_email(self->req.arena, email ? email : ret->user_name);
    if (email && !ret->email)
        return invalid(err, "The email address is invalid.");
    return check_name(ret->given, err) < 0 || check_name(ret->family, err) < 0 ? -1 : 0;
}

/* ---- deactivating ---- */

static void tell_last_admin(const struct scim *self, const struct sql_scim_user_row *user)
{
    const char *person = arena_printf(self->req.arena, "%s %s", user->name, user->surname);
    const struct mail_variable variables[2] = {{"person", person}};

    scim_tell_admins(self, self->tenant.projectId, "SCIM_LAST_ADMIN", user->id.text, DAYS(1),
                     variables);
    if (uuid_is_set(&self->tenant.parentId))
        scim_tell_admins(self, self->tenant.parentId, "SCIM_LAST_ADMIN", user->id.text, DAYS(1),
                         variables);
}

/* API keys outlive the member who made them. */
static void tell_keys(const struct scim *self, const struct sql_scim_user_row *user)
{
    const struct sql_scim_key_list_in list = {
        .project = self->tenant.projectId, .membership = user->id, .now = self->req.now_ms};
    const char *person = arena_printf(self->req.arena, "%s %s", user->name, user->surname);
    struct sql_scim_key_list_rows rows;
    const char *keys = NULL;
    struct error ignored;

    error_init(&ignored, self->req.arena);
    if (sql_scim_key_list(self->d->svc.db, &self->req, &list, &rows, &ignored) <= 0)
        return;
    for (size_t i = 0; i < rows.count; i++)
        keys = keys ? arena_printf(self->req.arena, "%s, %s", keys, rows.items[i].name)
                    : rows.items[i].name;
    scim_tell_admins(self, self->tenant.projectId, "SCIM_MEMBER_KEYS", user->id.text, HOURS(1),
                     (const struct mail_variable[2]){{"person", person}, {"keys", keys}});
}

/* A failure to count is not the directory's. */
static void count_deactivation(const struct scim *self)
{
    const struct sql_scim_user_count_in all = {.project = self->tenant.projectId};
    const char *project = self->tenant.projectId.text;
    struct sql_scim_user_count_row count;
    bool few = true;
    struct error ignored;

    error_init(&ignored, self->req.arena);
    if (sql_scim_user_count(self->d->svc.db, &self->req, &all, &count, &ignored) < 0)
        return;
    if (count.members < MANY_PART)
        few = false;
    else if (throttle_admit(self->d, &self->req, "scim deactivation", project, MANY_WINDOW,
                            count.members / MANY_PART, &few, &ignored) < 0)
        return;
    if (!few)
        scim_tell_admins(self, self->tenant.projectId, "SCIM_MANY_DEACTIVATED", "", MANY_WINDOW,
                         (const struct mail_variable[2]){{"directory", self->caller.display}});
}

/* `rc` is the result of ending a member's access. */
static int deactivated(const struct scim *self, const struct sql_scim_user_row *user, int rc,
                       struct error *err)
{
    if (rc < 0 && err->code == ERR_CONFLICT)
        tell_last_admin(self, user);
    if (rc < 0)
        return -1;
    if (user->active) {
        tell_keys(self, user);
        count_deactivation(self);
    }
    return 0;
}

/* An invitation can't be accepted from then on. */
static int expire_invitation(const struct scim *self, const struct sql_scim_user_row *user,
                             struct error *err)
{
    const struct sql_scim_invitation_expire_in expire = {
        .project = self->tenant.projectId,
        .id = user->id,
        .now = self->req.now_ms,
        .audit = user_audit(self, "invitation.update", "Invitation", user, "expired")};

    return MIN(sql_scim_invitation_expire(self->d->svc.db, &self->req, &expire, err), 0);
}

static int deactivate(const struct scim *self, const struct sql_scim_user_row *user,
                      struct error *err)
{
    const struct member_lock how = {.account = user->account,
                                    .membership = user->id,
                                    .role = ROLE_PRACTITIONER,
                                    .by_directory = true};

    if (is_invited(user))
        return expire_invitation(self, user, err);
    return deactivated(self, user, member_lock(self->d, &self->req, &how, err), err);
}

static int send_invitation(const struct scim *self, struct invitation *invitation,
                           struct error *err)
{
    struct mail mail = invitation_mail(&self->req, invitation, &self->tenant,
                                       invitation_template(ROLE_PRACTITIONER));

    mail.variables[1] = (struct mail_variable){"inviterName", self->tenant.name};
    return invitation_send(self->d, &self->req, &self->tenant, invitation, &mail, err);
}

/* Unlocks what the directory has locked, and sends an expired invitation again. */
static int activate(const struct scim *self, const struct sql_scim_user_row *user,
                    struct error *err)
{
    const struct sql_member_unlock_in unlock = {
        .project = self->tenant.projectId,
        .id = user->id,
        .by_directory = true,
        .audit = user_audit(self, "membership.unlock", "ProjectMembership", user, NULL)};
    struct invitation invitation;

    if (!is_invited(user))
        return MIN(sql_member_unlock(self->d->svc.db, &self->req, &unlock, err), 0);
    if (user->admin || *user->invited_until > self->req.now_ms)
        return 0;
    if (invitation_find(self->d, &self->req, &self->tenant, user->id, &invitation, err) < 0)
        return -1;
    invitation.invited_by = self->created_by;
    return send_invitation(self, &invitation, err);
}

/* ---- changing ---- */

static int taken(struct error *err)
{
    return scim_fail(err, ERR_CONFLICT, "uniqueness",
                     "Another user has this userName or email address.");
}

/* Runs after scim_lock(). `own`: the user itself, or unset. */
static int check_free(const struct scim *self, struct db_tx *tx, const char *user_name,
                      const char *email, struct uuid own, struct error *err)
{
    const struct sql_scim_user_find_in by = {
        .project = self->tenant.projectId, .user_name = user_name, .email = email};
    struct sql_scim_user_rows rows;

    if (sql_scim_user_find_tx(tx, &self->req, &by, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++)
        if (!uuid_equal(&rows.items[i].id, &own))
            return taken(err);
    return 0;
}

static int put(const struct scim *self, struct db_tx *tx, struct uuid id, const char *user_name,
               const char *external_id, struct error *err)
{
    const struct sql_scim_user_put_in in = {
        .project = self->tenant.projectId,
        .id = id,
        .user_name = user_name,
        .external_id = external_id,
        .audit = audit_row(&self->req, &(struct audit){.action = "membership.update",
                                                       .type = "ProjectMembership",
                                                       .id = id,
                                                       .detail = "directory"})};
    int written = sql_scim_user_put(tx, &self->req, &in, err);

    return written > 0 ? 0 : written < 0 ? -1 : scim_not_found(err);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static int change_ids(const struct scim *self, const struct sql_scim_user_row *user,
                      const struct wanted *wanted, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const char *email = fields_email(self->req.arena, wanted->user_name);

    if (same_text(user->user_name, wanted->user_name) &&
        same_text(user->external_id, wanted->external_id))
        return 0;
    if (db_begin(self->d->svc.db, self->req.deadline_mono_ms, &tx, err) < 0 ||
        scim_lock(self, tx, err) < 0 ||
        check_free(self, tx, wanted->user_name, email, user->id, err) < 0 ||
        put(self, tx, user->id, wanted->user_name, wanted->external_id, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* Only the project that owns an account names its person. */
static int change_name(const struct scim *self, const struct sql_scim_user_row *user,
                       const struct wanted *wanted, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_scim_name_set_in set = {
        .account = user->account,
        .name = wanted->given ? wanted->given : user->name,
        .surname = wanted->family ? wanted->family : user->surname,
        .audit = user_audit(self, "membership.update", "ProjectMembership", user, "name")};
    struct session_ended changed = {.count = 0};
    struct ownership owner;

    if (user->admin || is_invited(user) ||
        (same_text(set.name, user->name) && same_text(set.surname, user->surname)))
        return 0;
    if (ownership_find(self->d, &self->req, user->account, self->tenant.projectId, &owner, err) < 0)
        return -1;
    if (!owner.owned)
        return 0;
    if (db_begin(self->d->svc.db, self->req.deadline_mono_ms, &tx, err) < 0 ||
        ownership_hold(self->d, tx, &self->req, user->account, &owner, err) < 0 ||
        sql_scim_name_set(tx, &self->req, &set, err) < 0 ||
        session_ended_account(tx, &self->req, user->account, &changed, err) < 0 ||
        db_commit(&tx, err) < 0)
        return -1;
    return session_revocation_wait(self->d, &self->req, &changed, err);
}

/* Offers the change to the owner, who redeems a link to the new address. Until then, and without
 * it, the address stays. */
static int change_email(const struct scim *self, const struct sql_scim_user_row *user,
                        const struct wanted *wanted, struct error *err)
{
    const struct email_owner owner = {user->account, ROLE_PRACTITIONER, wanted->email,
                                      arena_printf(self->req.arena, "%s %s", user->name,
                                                   user->surname)};
    const char *subject = arena_printf(self->req.arena, "%s %s", user->id.text, wanted->email);
    bool verified, admitted;
    struct mail_route route;
    struct ownership found;

    if (!wanted->emails || user->admin || is_invited(user) ||
        strcmp(user->email, wanted->email) == 0)
        return 0;
    if (domain_is_verified(self->d, &self->req, self->tenant.projectId,
                           strrchr(wanted->email, '@') + 1, &verified, err) < 0 ||
        ownership_find(self->d, &self->req, user->account, self->tenant.projectId, &found, err) < 0)
        return -1;
    mail_route_own(self->d, &self->req, &self->tenant, ROLE_PRACTITIONER, &route);
    if (!verified || !found.owned || !route.app)
        return 0;
    if (throttle_admit(self->d, &self->req, "scim email", subject, DAYS(1), 1, &admitted, err) < 0)
        return -1;
    return admitted ? email_change_send(self->d, &self->req, &self->tenant, &route, &owner, err)
                    : 0;
}

/* Deactivates first, and then nothing else that the directory asks for can fail the request. */
static int change(const struct scim *self, const struct sql_scim_user_row *user,
                  const json_t *resource, struct error *err)
{
    bool deactivates = scim_bool(scim_member(resource, "active")) == TRISTATE_FALSE;
    struct wanted wanted;
    int rc;

    if (deactivates && deactivate(self, user, err) < 0)
        return -1;
    rc = read_wanted(self, resource, &wanted, err);
    if (rc == 0)
        rc = change_ids(self, user, &wanted, err);
    if (rc == 0)
        rc = change_name(self, user, &wanted, err);
    if (rc == 0 && !deactivates)
        rc = change_email(self, user, &wanted, err);
    if (rc < 0 && deactivates && error_kind(err->code)->status < 500) {
        error_clear(err);
        rc = 0;
    }
    if (rc == 0 && wanted.active == TRISTATE_TRUE && !user->active)
        rc = activate(self, user, err);
    return rc;
}

/* ---- creating ---- */

static int check_email(const struct scim *self, const struct wanted *wanted, struct error *err)
{
    bool verified;

    if (!wanted->email)
        return invalid(err, "The user has no email address.");
    if (domain_is_verified(self->d, &self->req, self->tenant.projectId,
                           strrchr(wanted->email, '@') + 1, &verified, err) < 0)
        return -1;
    if (!verified)
        return invalid(err, "The project has not verified the domain of the email address.");
    if (!uuid_is_set(&self->tenant.defaultPractitionerPolicy))
        return error_set(err, ERR_CONFLICT,
                         "The project has no default access policy for practitioners.");
    return 0;
}

/* A new account has no password. */
static int create_account(const struct scim *self, struct db_tx *tx, const struct wanted *wanted,
                          const struct invitation *person, struct uuid *ret, struct error *err)
{
    struct uuid account = uuid_random(), id = uuid_ordered(self->req.now_ms);
    const struct sql_scim_account_create_in create = {
        .project = self->tenant.projectId,
        .account = account,
        .membership = id,
        .profile = uuid_random(),
        .policy = person->policy,
        .email = person->email,
        .name = person->name,
        .surname = person->surname,
        .password_hash = self->d->dummy_hash,
        .now = self->req.now_ms,
        .address_key_insert = address_key_draft(self->d, &self->req, account),
        .audit = user_audit(self, "membership.create", "ProjectMembership",
                            &(struct sql_scim_user_row){.id = id, .account = account}, NULL)};

    *ret = id;
    return sql_scim_account_create(tx, &self->req, &create, err) < 0 ||
                   put(self, tx, id, wanted->user_name, wanted->external_id, err) < 0
               ? -1
               : 0;
}

static int create_new(const struct scim *self, const struct wanted *wanted,
                      const struct invitation *person, struct uuid *ret, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;

    if (db_begin(self->d->svc.db, self->req.deadline_mono_ms, &tx, err) < 0 ||
        scim_lock(self, tx, err) < 0 ||
        check_free(self, tx, wanted->user_name, person->email, (struct uuid){""}, err) < 0)
        return -1;
    if (create_account(self, tx, wanted, person, ret, err) < 0) {
        if (err->code != ERR_CONFLICT)
            return -1;
        error_clear(err);
        return taken(err);
    }
    return db_commit(&tx, err);
}

/* Makes the owner of a known account a member if the project owns the account, or else invites. */
static int add_known(const struct scim *self, const struct invitee *invitee,
                     struct invitation *person, struct uuid *ret, struct error *err)
{
    struct member member;

    if (invitee->owned || invitee->joins) {
        if (member_join(self->d, &self->req, &self->tenant, person, invitee, &member, err) < 0)
            return -1;
        *ret = member.id;
        return 0;
    }
    if (invitation_check_mapped(self->d, &self->req, &self->tenant, ROLE_PRACTITIONER, err) < 0 ||
        invitation_prepare(self->d, &self->req, &self->tenant, person, err) < 0)
        return -1;
    if (person->pending)
        return taken(err);
    *ret = person->id;
    return send_invitation(self, person, err);
}

static int create_known(const struct scim *self, const struct wanted *wanted,
                        const struct invitee *invitee, struct invitation *person, struct uuid *ret,
                        struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;

    if (db_begin(self->d->svc.db, self->req.deadline_mono_ms, &tx, err) < 0 ||
        scim_lock(self, tx, err) < 0 ||
        check_free(self, tx, wanted->user_name, person->email, (struct uuid){""}, err) < 0)
        return -1;
    db_tx_destroy(&tx); /* what follows has its own transactions */
    if (add_known(self, invitee, person, ret, err) < 0) {
        if (err->code != ERR_CONFLICT)
            return -1;
        error_clear(err);
        return taken(err);
    }
    if (db_begin(self->d->svc.db, self->req.deadline_mono_ms, &tx, err) < 0 ||
        put(self, tx, *ret, wanted->user_name, wanted->external_id, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* Names that a directory leaves out are the mailbox's. */
static void describe_person(const struct scim *self, const struct wanted *wanted,
                            struct invitation *ret)
{
    const char *mailbox = arena_strndup(self->req.arena, wanted->email,
                                        MIN(strcspn(wanted->email, "@"), (size_t)NAME_MAX_LENGTH));

    *ret = (struct invitation){.role = ROLE_PRACTITIONER,
                               .email = wanted->email,
                               .name = wanted->given ? wanted->given : mailbox,
                               .surname = wanted->family ? wanted->family : mailbox,
                               .policy = self->tenant.defaultPractitionerPolicy,
                               .invited_by = self->created_by};
}

static int create(const struct scim *self, struct uuid *ret, struct error *err)
{
    struct invitation person;
    struct invitee invitee;
    struct wanted wanted;
    struct sql_scim_user_row user;

    if (read_wanted(self, self->body, &wanted, err) < 0 || check_email(self, &wanted, err) < 0)
        return -1;
    describe_person(self, &wanted, &person);
    if (member_find_invitee(self->d, &self->req, &self->tenant, &person, &invitee, err) < 0)
        return -1;
    if (invitee.member)
        return taken(err);
    if ((uuid_is_set(&invitee.account) ? create_known(self, &wanted, &invitee, &person, ret, err)
                                       : create_new(self, &wanted, &person, ret, err)) < 0)
        return -1;
    if (wanted.active != TRISTATE_FALSE)
        return 0;
    return get(self, *ret, &user, err) < 0 ? -1 : deactivate(self, &user, err);
}

/* ---- deleting ---- */

static int delete_user(const struct scim *self, const struct sql_scim_user_row *user,
                       struct error *err)
{
    const struct sql_invitation_withdraw_in withdraw = {
        .project = self->tenant.projectId,
        .id = user->id,
        .audit = user_audit(self, "invitation.withdraw", "Invitation", user, NULL)};

    if (is_invited(user))
        return MIN(sql_invitation_withdraw(self->d->svc.db, &self->req, &withdraw, err), 0);
    return deactivated(self, user,
                       member_remove_for(self->d, &self->req, user->account, self->tenant.projectId,
                                         NULL, NULL, err),
                       err);
}

/* ---- handlers ---- */

static int patch(const struct scim *self, const struct sql_scim_user_row *user, json_t *resource,
                 struct error *err)
{
    struct scim_operation *operations;
    size_t count;

    if (scim_patch_read(self->req.arena, self->body, &operations, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        scim_patch_apply(&operations[i], resource);
    return change(self, user, resource, err);
}

int scim_users(struct authd *d, const struct request *req, const struct scim_in *in,
               struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;

    return scim_open(d, req, in, &self, err) < 0 ? -1 : list_users(&self, out, err);
}

int scim_user_show(struct authd *d, const struct request *req, const struct scim_in *in,
                   struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;
    struct sql_scim_user_row user;

    if (scim_open(d, req, in, &self, err) < 0 || find(&self, &user, err) < 0)
        return -1;
    scim_answer(&self, 200, user_json(&self, &user), out);
    return 0;
}

int scim_user_create(struct authd *d, const struct request *req, const struct scim_in *in,
                     struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;

    if (scim_open(d, req, in, &self, err) < 0 || create(&self, &self.made, err) < 0)
        return -1;
    return show(&self, self.made, 201, out, err);
}

int scim_user_replace(struct authd *d, const struct request *req, const struct scim_in *in,
                      struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;
    struct sql_scim_user_row user;

    if (scim_open(d, req, in, &self, err) < 0 || find(&self, &user, err) < 0 ||
        change(&self, &user, self.body, err) < 0)
        return -1;
    return show(&self, user.id, 200, out, err);
}

int scim_user_patch(struct authd *d, const struct request *req, const struct scim_in *in,
                    struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;
    json_auto_t *resource = NULL;
    struct sql_scim_user_row user;

    if (scim_open(d, req, in, &self, err) < 0 || find(&self, &user, err) < 0)
        return -1;
    resource = user_json(&self, &user);
    json_object_del(resource, "active"); /* changes only if the request says so */
    if (patch(&self, &user, resource, err) < 0)
        return -1;
    return show(&self, user.id, 200, out, err);
}

int scim_user_delete(struct authd *d, const struct request *req, const struct scim_in *in,
                     struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;
    struct sql_scim_user_row user;

    if (scim_open(d, req, in, &self, err) < 0 || find(&self, &user, err) < 0 ||
        delete_user(&self, &user, err) < 0)
        return -1;
    out->status = 204;
    return 0;
}
