/*
 * authd_sql.h - the statements of authd by name; their texts are in authd_sql.def.
 *
 * The string macros are pieces that several statements share; arguments are parameter texts such as "$3".
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

/* A hit h is within the window that ends now. Hits of an instance whose clock runs ahead count; those of a test
 * clock that was set back since do not. */
#define SQL_HIT_LIVE(now, window) \
    "h > " now "::bigint - " window "::bigint and h <= " now "::bigint + " window "::bigint"

/* The time of a key's limit-th newest hit in the window: while there is one, the key is at its limit, and it is
 * below again when that hit leaves the window. Null otherwise. */
#define SQL_HIT_AT_LIMIT(key, now, window, limit)                        \
    "(select (array(select h from unnest(t.hits) h where " SQL_HIT_LIVE( \
        now, window) " order by h desc))[" limit "::int] from throttle t where t.key = " key ")"

/* The session that struct session_draft describes (its DB_SESSION() is $1 to $12), for the membership that `from`
 * yields as account_id and membership_id; and its address becomes one with a good sign-in to the account. */
#define SQL_SESSION_MADE(from)                                                                   \
    "session_made as (insert into session (project_id, id, account_id, membership_id, "          \
    "auth_method, remote_address, browser, os, created_at, last_updated, "                       \
    "refresh_hash, idle_until, absolute_until) "                                                 \
    "select $1::uuid, $2::uuid, f.account_id, f.membership_id, $3, $4, $5, $6, $7, $7, $8, $9, " \
    "$10 from (" from ") f returning account_id, membership_id), "                               \
    "address_known as (insert into known_address (key, until) "                                  \
    "select $11, $12 from session_made "                                                         \
    "on conflict (key) do update set until = excluded.until) "

/* Ends the sessions whose ids `ids` yields ($1 now, $2 reason, $3 the jti that logged out or null, $4 until when
 * gateways must know), and numbers the change. Yields sequence and id of each session that was live. */
#define SQL_SESSIONS_ENDED(ids)                                                                  \
    "with ended as (update session s set ended_at = $1, end_reason = $2, end_token = $3, "       \
    "previous_hash = null, successor_sealed = null from (" ids ") o "                            \
    "where s.project_id = o.project_id and s.id = o.id and s.ended_at is null returning s.id), " \
    "counted as (update change_counter set sequence = sequence + 1 "                             \
    "where exists (select 1 from ended) returning sequence) "                                    \
    "insert into change (sequence, kind, id, token, until) "                                     \
    "select c.sequence, 'session', e.id, $3, $4 from counted c, ended e returning sequence, id"

/* What a list of sessions shows: the columns of struct session_record, and which sessions live. */
#define SQL_SESSION_COLUMNS                                                      \
    "s.id, s.last_updated as \"lastUpdated\", s.auth_method as \"authMethod\", " \
    "s.remote_address as \"remoteAddress\", s.browser, s.os"
#define SQL_SESSION_LIVE(now) \
    "s.ended_at is null and s.idle_until > " now " and s.absolute_until > " now

#endif
