/*
 * authd_sql.h - the statements of authd by name; their texts are in authd_sql.def.
 *
 * The string macros are pieces that several statements share; arguments are parameter texts such as
 * "$3".
 */
#ifndef ATRIUM_AUTHD_AUTHD_SQL_H
#define ATRIUM_AUTHD_AUTHD_SQL_H

#include "common/pg/db.h"
#include "common/service/audit.h"
#include "common/service/seal_table.h"

enum authd_statement {
#define SQL(name, class, params, text) name,
#include "authd/authd_sql.def"
#undef SQL
    AUTHD_STATEMENT_COUNT
};

extern const struct db_statement authd_statements[AUTHD_STATEMENT_COUNT];

/* A hit h is within the window that ends now. Hits of an instance whose clock runs ahead count;
 * those of a test clock that was set back since do not. */
#define SQL_HIT_LIVE(now, window) \
    "h > " now "::bigint - " window "::bigint and h <= " now "::bigint + " window "::bigint"

/* The time of the limit-th newest hit of an array in the window, or null; and the array with one
 * more hit, the newest `limit` of the others kept. */
/* clang-format off */
#define SQL_HIT_LIMIT_OF(hits, now, window, limit)                             \
    "(array(select h from unnest(" hits ") h where " SQL_HIT_LIVE(now, window) \
    " order by h desc))[" limit "::int]"
#define SQL_HIT_ADDED(hits, now, window, limit)                               \
    "array(select h from unnest(" hits ") h where " SQL_HIT_LIVE(now, window) \
    " order by h desc limit " limit "::int) || " now "::bigint"
/* clang-format on */

/* Whether the e-mail address of an account was proven: for all, or for the organisation (a root
 * project, tenant.rootId; null: for all only). */
#define SQL_EMAIL_VERIFIED(account, organization)                        \
    "exists (select from email_verified v where v.account_id = " account \
    " and v.organization_id in ('00000000-0000-0000-0000-000000000000', " organization "::uuid))"

/* Records the proof of an account's address at a time, for each row of `from`: for the
 * organisation, or, where that is null, for all. What was proven before stays as it is. Locks the
 * account's row `for key share`. */
#define SQL_EMAIL_PROVEN(account, organization, at, from)                                     \
    "email_proven as (insert into email_verified (account_id, organization_id, verified_at) " \
    "select " account ", coalesce(" organization                                              \
    "::uuid, '00000000-0000-0000-0000-000000000000'), " at "::bigint from " from              \
    " on conflict do nothing returning account_id) "

/* Account a is there: its deletion is not scheduled, or for later. Sign-in, a reset of the password
 * and a renewal look at this; the row of an account whose date has come may still stand
 * for a while. */
#define SQL_ACCOUNT_ACTIVE(a, now) "(" a ".delete_at is null or " a ".delete_at > " now ")"

/* What read_pending() of invitation.c reads. */
#define SQL_INVITATION_COLUMNS                                       \
    "id, role, email, name, surname, admin, policy_id, profile_id, " \
    "invited_at, invited_by, " SQL_INVITED_BY_ADMIN("invitation")

/* An admin, or an operator, has made invitation i or has sent it since: a sign-up invites without
 * rights of an admin and in the name of no member. */
#define SQL_INVITED_BY_ADMIN(i) "(" i ".invited_by is not null or " i ".admin)"

/* The hash of a secret is that of the invitation's link, or of the link of a sign-up to it, and
 * good until later. */
/* clang-format off */
#define SQL_INVITATION_LINK(hash, now)                          \
    "(secret_hash = " hash " and " SQL_AFTER("expires_at", now) \
    " or sign_up_hash = " hash " and " SQL_AFTER("sign_up_expires_at", now) ")"
/* clang-format on */

/* The account of a role and e-mail, of a patient in the project only, and whether its address is
 * proven. */
/* clang-format off */
#define SQL_INVITATION_ACCOUNT_OF(role_, project, email_, now, organization)                     \
    "select a.id, " SQL_EMAIL_VERIFIED("a.id", organization) " from account a where "            \
    role_ " = 'Practitioner' and a.role = 'Practitioner' and a.email = " email_                  \
    " and " SQL_ACCOUNT_ACTIVE("a", now)                                                          \
    " union all select a.id, " SQL_EMAIL_VERIFIED("a.id", organization) " from account a where " \
    role_ " = 'Patient' and a.role = 'Patient' and a.project_id = " project                      \
    " and a.email = " email_ " and " SQL_ACCOUNT_ACTIVE("a", now)
/* clang-format on */

/* The account of a membership or a login, looked up for each row rather than joined: for a list
 * that ends early, and for the same reason. */
#define SQL_ACCOUNT_OF(owned) \
    "lateral (select * from account where id = " owned ".account_id limit 1) a"

/* Whether an admin is there to stay. */
#define SQL_ADMIN_STAYS(membership)                                                            \
    "exists (select from account a where a.id = " membership ".account_id and a.delete_at is " \
    "null and a.locked_at is null)"

/* struct member from a membership m with its account a, and from an invitation i. */
#define SQL_MEMBER_COLUMNS(organization)                                                      \
    "m.id, a.email, a.name || ' ' || a.surname as \"displayName\", a.name as \"firstName\", " \
    "a.surname as \"lastName\", m.admin, a.role as \"profileType\", m.profile_id as "         \
    "\"profileId\", false as pending, m.invited_at as \"invitedAt\", " SQL_EMAIL_VERIFIED(    \
        "a.id", organization) " as \"emailVerified\""
#define SQL_MEMBER_INVITED                                                            \
    "i.id, i.email, i.name || ' ' || i.surname, i.name, i.surname, i.admin, i.role, " \
    "i.profile_id, true, i.invited_at, false"

/* Whether an account has a second factor; null when it never had. */
#define SQL_FACTOR_ON(account) \
    "(select f.enrolled_at is not null from mfa_factor f where f.account_id = " account ")"

/* Of the secret p that a session may enrol: it is of that account, has not expired, and no
 * credential of the account has changed since it was made. */
#define SQL_FACTOR_PENDING(columns, session, account, now)                                    \
    "select " columns " from mfa_pending p where p.session_id = " session                     \
    " and p.account_id = " account                                                            \
    " and " SQL_AFTER("p.expires_at", now) " "                                                \
                                           "and p.credential_changes = (select changes from " \
                                           "credential where account_id = " account ")"

/* A row that is found by its key is not over yet. The index on that time, which the sweep uses, is
 * not offered: a plan that was made while the table was empty would take it for as good as the
 * key's, and read all that lives for each request. */
#define SQL_AFTER(column, now) column " - " now "::bigint > 0"

/* What a list of sessions shows: the columns of struct session_record, and which sessions live.
 * The first condition is the predicate of the index session_account, which such a list is read
 * by. */
#define SQL_SESSION_COLUMNS                                                      \
    "s.id, s.last_updated as \"lastUpdated\", s.auth_method as \"authMethod\", " \
    "s.remote_address as \"remoteAddress\", s.browser, s.os"
#define SQL_SESSION_LIVE(now) \
    "s.ended_at is null and s.idle_until > " now " and s.absolute_until > " now

#endif
