/*
 * authd_sql.h - the statements of authd by name; their texts are in authd_sql.def.
 *
 * The string macros are pieces that several statements share; arguments are parameter texts such as
 * "$3".
 */
#ifndef ATRIUM_AUTHD_SQL_H
#define ATRIUM_AUTHD_SQL_H

#include "common/db.h"

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

/* One more hit for each of the (place, key), locked in order of place; yields how many of each are
 * kept: the newest 100 decide every limit. */
#define SQL_THROTTLE_COUNT(keys, now, window)                                     \
    "insert into throttle as t (key, hits, until) "                               \
    "select k.key, array[" now "::bigint], " now "::bigint + " window "::bigint " \
    "from (values " keys ") k (place, key) order by k.place "                     \
    "on conflict (key) do update set until = excluded.until, "                    \
    "hits = array(select h from unnest(t.hits) h where " SQL_HIT_LIVE(            \
        now, window) " order by h desc limit 100) || excluded.hits returning cardinality(t.hits)"

/* The session that struct session_draft describes (its DB_SESSION() is $1 to $12), for what
 * `from` yields as account_id, membership_id, profile_id and role; and its address becomes one
 * with a good sign-in to the account. */
#define SQL_SESSION_MADE(from)                                                                     \
    "session_made as (insert into session (project_id, id, account_id, membership_id, "            \
    "profile_id, role, "                                                                           \
    "auth_method, remote_address, browser, os, created_at, last_updated, "                         \
    "refresh_hash, idle_until, absolute_until) "                                                   \
    "select $1::uuid, $2::uuid, f.account_id, f.membership_id, f.profile_id, f.role, "             \
    "$3, $4, $5, $6, $7, $7, $8, $9, $10 from (" from ") f returning membership_id, profile_id), " \
    "address_known as (insert into known_address (key, until) "                                    \
    "select $11, $12 from session_made "                                                           \
    "on conflict (key) do update set until = excluded.until) "

/* The membership of an account in a project, at most one. As a lateral query with a limit it is
 * planned for itself and looked up by its unique index, however few rows the tables had when the
 * plan was made: joined plainly, the planner may read all members of the project for each
 * request. */
#define SQL_MEMBERSHIP_OF(account, project)                                             \
    "lateral (select id, profile_id, admin from membership where account_id = " account \
    " and project_id = " project " limit 1) m"

/* Whether an account has a second factor; null when it never had. */
#define SQL_FACTOR_ON(account) \
    "(select f.enrolled_at is not null from mfa_factor f where f.account_id = " account ")"

/* A login l waits for a second factor: five wrong codes end it. */
#define SQL_LOGIN_WAITS(now) \
    "l.code_hash is null and l.used_at is null and l.mfa_failures < 5 and l.expires_at > " now

/* Whether the membership of session s administers the project; null when it is gone. */
#define SQL_SESSION_ADMIN                                                             \
    "(select m.admin from membership m where m.project_id = s.project_id and m.id = " \
    "s.membership_id)"

/* What a list of sessions shows: the columns of struct session_record, and which sessions live.
 * The first condition is the predicate of the index session_account, which such a list is read
 * by. */
#define SQL_SESSION_COLUMNS                                                      \
    "s.id, s.last_updated as \"lastUpdated\", s.auth_method as \"authMethod\", " \
    "s.remote_address as \"remoteAddress\", s.browser, s.os"
#define SQL_SESSION_LIVE(now) \
    "s.ended_at is null and s.idle_until > " now " and s.absolute_until > " now

/* The same for one session by its primary key. end_reason says what ended_at says but offers no
 * other index: a plan made while the table was small would read session_account from end to end. */
#define SQL_SESSION_ONE_LIVE(now) \
    "s.end_reason is null and s.idle_until > " now " and s.absolute_until > " now

#endif
