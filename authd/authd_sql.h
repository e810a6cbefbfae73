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

/* The time of a key's limit-th newest hit in the window: while there is one, the key is at its
 * limit, and it is below again when that hit leaves the window. Null otherwise. */
#define SQL_HIT_AT_LIMIT(key, now, window, limit)                        \
    "(select (array(select h from unnest(t.hits) h where " SQL_HIT_LIVE( \
        now, window) " order by h desc))[" limit "::int] from throttle t where t.key = " key ")"

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

/* When a pair that failed 100 times in a row may try again: its row is kept for 24 hours after each
 * failure. Given as the time of a hit that leaves the window then. Null otherwise. */
#define SQL_PAIR_WAITS(key, now, window)                                       \
    "(select t.until - " window "::bigint from throttle t where t.key = " key  \
    " and t.in_a_row >= 100 and t.until > " now "::bigint and t.until <= " now \
    "::bigint + 86400000)"

/* The limit of a /48, see address_subjects(). */
#define SQL_WIDE(limit) "(8 * " limit "::bigint)"

/* Pair, address and account of a sign-in with the time that keeps each at its limit, or null:
 * DB_THROTTLE() is $1 to $7. $1 is the key of the pair, $2 those of the address and, for IPv6, of
 * the /48's pair and address, $3 that of the account; $4 now, $5 window, $6 limit of a pair, $7 of
 * the others. From a known address only the pair counts. */
/* clang-format off */
#define SQL_THROTTLE_LIMITS                                                               \
    "select greatest("                                                                    \
    SQL_HIT_AT_LIMIT("$1", "$4", "$5", "$6") ", " SQL_PAIR_WAITS("$1", "$4", "$5") ", "   \
    "case when not k.known then "                                                         \
    SQL_HIT_AT_LIMIT("($2::bytea[])[2]", "$4", "$5", SQL_WIDE("$6")) " end) as pair, "    \
    "case when not k.known then greatest("                                                \
    SQL_HIT_AT_LIMIT("($2::bytea[])[1]", "$4", "$5", "$7") ", "                           \
    SQL_HIT_AT_LIMIT("($2::bytea[])[3]", "$4", "$5", SQL_WIDE("$7")) ") end as address, " \
    "case when not k.known then "                                                         \
    SQL_HIT_AT_LIMIT("$3", "$4", "$5", "$7") " end as account "                           \
    "from (select exists (select from known_address where key = $1 and "                  \
    SQL_AFTER("until", "$4") ") as known offset 0) k"
/* clang-format on */

/* One more hit for each of the keys, which are locked in their order and stay for as many ms as
 * `lives` says beside them; yields how many hits of each are kept, the newest `kept`. */
#define SQL_THROTTLE_COUNT(keys, lives, kept, now, window)                            \
    "insert into throttle as t (key, hits, until, in_a_row) "                         \
    "select k.key, array[" now "::bigint], " now "::bigint + k.life, 1 "              \
    "from unnest(" keys "::bytea[], " lives "::bigint[]) with ordinality "            \
    "k (key, life, place) order by k.place "                                          \
    "on conflict (key) do update set until = excluded.until, "                        \
    "in_a_row = case when t.until > " now "::bigint then t.in_a_row else 0 end + 1, " \
    "hits = array(select h from unnest(t.hits) h where " SQL_HIT_LIVE(                \
        now, window) " order by h desc limit " kept ") || excluded.hits "             \
                     "returning cardinality(t.hits)"

/* The address (a pair's key) becomes one with a good sign-in to the account, if `from` has a row:
 * until `until`, or up to a minute longer. Within that minute it is not written again: sign-ins of
 * one account from one place, of which each would hold the row until its commit is on disk, do not
 * queue up behind each other. The pair's failures are no longer in a row. */
/* clang-format off */
#define SQL_ADDRESS_KNOWN(key, until_, from)                                                     \
    "address_known as (insert into known_address (key, until) "                                  \
    "select " key "::bytea, " until_ "::bigint + 60000 from " from " where not exists ("         \
    "select from known_address where key = " key "::bytea and " SQL_AFTER("until", until_) ") "  \
    "on conflict (key) do update set until = excluded.until), "                                  \
    "row_over as (update throttle set in_a_row = 0 where key = " key "::bytea and in_a_row > 0 " \
    "and exists (select from " from ")) "
/* clang-format on */

/* The address and the user agent of a session draft (see arrival.h) are known for 180 days after
 * the last session from there; a row is written again after a day. And whether both were new before
 * the statement. */
#define SQL_ARRIVAL_KEYS "substr($11::bytea, 33, 32), substr($11::bytea, 65, 32)"
#define SQL_ARRIVAL_KNOWN                                                                    \
    "arrival_known as (insert into known_address (key, until) "                              \
    "select k.key, $7::bigint + 15552000000 from session_made "                              \
    "cross join unnest(array[" SQL_ARRIVAL_KEYS "]) k (key) where coalesce((select o.until " \
    "from known_address o where o.key = k.key), 0) < $7::bigint + 15552000000 - 86400000 "   \
    "on conflict (key) do update set until = excluded.until) "
#define SQL_ARRIVAL_NEW                                                     \
    "not exists (select from known_address where key in (" SQL_ARRIVAL_KEYS \
    ") and " SQL_AFTER("until", "$7") ")"

/* The session that struct session_draft describes (its DB_SESSION() is $1 to $12), for what
 * `from` yields as account_id, membership_id, profile_id and role; and its address becomes one
 * with a good sign-in to the account, and known with its user agent. */
#define SQL_SESSION_MADE(from)                                                          \
    "session_made as (insert into session (project_id, id, account_id, membership_id, " \
    "profile_id, role, "                                                                \
    "auth_method, remote_address, browser, os, created_at, last_updated, "              \
    "refresh_hash, idle_until, absolute_until) "                                        \
    "select $1::uuid, $2::uuid, f.account_id, f.membership_id, f.profile_id, f.role, "  \
    "$3, $4, $5, $6, $7, $7, $8, $9, $10 from (" from ") f "                            \
    "returning account_id, membership_id, profile_id), " SQL_ADDRESS_KNOWN(             \
        "substr($11::bytea, 1, 32)", "$12", "session_made") ", " SQL_ARRIVAL_KNOWN

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

/* Who signs in takes the deletion back: in the statement that makes the session ($1 project, $7
 * now), which holds the account. `until`: when gateways need to know no longer; `event`: of the
 * audit row. DB_DELETION_ABORT() is both. */
#define SQL_DELETION_ABORTED(until, event)                                                 \
    "aborted as (update account a "                                                        \
    "set delete_at = null, delete_schedule = null, delete_wipe = false "                   \
    "from session_made s where a.id = s.account_id and a.delete_at > $7 returning a.id), " \
    "counted as (update change_counter set sequence = sequence + 1 "                       \
    "where exists (select from aborted) returning sequence), "                             \
    "told as (insert into change (sequence, kind, id, until) "                             \
    "select c.sequence, 'account', a.id, " until "::bigint from counted c, aborted a "     \
    "returning sequence), "                                                                \
    "abort_noted as (" SQL_AUDIT("$1", "$7", "'Account/' || id", event, "aborted") ") "

/* One more than the number of the last change of a policy or a project, see admission_cache.h. */
#define SQL_SETTINGS_CHANGED                             \
    "(select 1 + coalesce((select sequence from change " \
    "where kind in ('policy', 'project') order by sequence desc limit 1), 0))"

/* The membership of an account in a project, at most one. As a lateral query with a limit it is
 * planned for itself and looked up by its unique index, however few rows the tables had when the
 * plan was made: joined plainly, the planner may read all members of the project for each
 * request. */
#define SQL_MEMBERSHIP_OF(account, project)                                                        \
    "lateral (select id, profile_id, admin, policy_id from membership where account_id = " account \
    " and project_id = " project " limit 1) m"

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

/* A login l by its key, planned for itself as SQL_MEMBERSHIP_OF is. */
#define SQL_LOGIN_OF(id) "(select * from login where id = " id " limit 1) l"

/* A login l waits for a second factor: five wrong codes end it. */
#define SQL_LOGIN_WAITS(now)                                                           \
    "l.code_hash is null and l.used_at is null and l.mfa_failures < 5 and " SQL_AFTER( \
        "l.expires_at", now)

/* Whether an account has `limit` live sessions, before the statement. Each project's are read by
 * session_account, which holds no ended ones. */
#define SQL_SESSIONS_FULL(account, now, limit)                                                 \
    "exists (select from membership m cross join lateral (select from session s "              \
    "where s.project_id = m.project_id and s.account_id = m.account_id and " SQL_SESSION_LIVE( \
        now) " limit " limit "::bigint) s where m.account_id = " account " offset " limit      \
             "::bigint - 1)"

/* What a list of sessions shows: the columns of struct session_record, and which sessions live.
 * The first condition is the predicate of the index session_account, which such a list is read
 * by. */
#define SQL_SESSION_COLUMNS                                                      \
    "s.id, s.last_updated as \"lastUpdated\", s.auth_method as \"authMethod\", " \
    "s.remote_address as \"remoteAddress\", s.browser, s.os"
#define SQL_SESSION_LIVE(now) \
    "s.ended_at is null and s.idle_until > " now " and s.absolute_until > " now

#endif
