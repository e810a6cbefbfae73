-- Answers and records a poll. The row's lock orders polls, so only one is answered "redeemed", and
-- creates the grant. `parent`: the approving session, as read before (null: none). If the approval
-- is newer, or its person has changed since the tokens were signed, the next poll gets the answer.
-- Denies access if the session has ended or the account was locked or deleted. No row: the client
-- has no such device code.
-- class: write
-- in: device_hash bytea, parent uuid null, slower_s int8, sessions_most int8
-- rows: one
-- row: answer text, surplus bool
with
-- include: grant_member(project = :grant.project, parent = :parent, now = :grant.now),
-- include: grant_signed,
polled as (
    update oauth_device
    set polled_at = :grant.now,
        interval_s = case
            when state = 'waiting' and expires_at > :grant.now
                and polled_at > :grant.now - interval_s * 1000
            then interval_s + :slower_s
            else interval_s
        end,
        answer = case
            when state = 'redeemed' then 'invalid_grant'
            when expires_at <= :grant.now then 'expired_token'
            when state = 'denied' then 'access_denied'
            when state = 'approved' and session_id = :parent then
                case
                    when exists (select from grant_signed) then 'redeemed'
                    when exists (select from member) then 'authorization_pending'
                    else 'access_denied'
                end
            when state = 'waiting' and polled_at > :grant.now - interval_s * 1000 then 'slow_down'
            else 'authorization_pending'
        end,
        state = case
            when state = 'approved' and expires_at > :grant.now and session_id = :parent then
                case
                    when exists (select from grant_signed) then 'redeemed'
                    when exists (select from member) then 'approved'
                    else 'denied'
                end
            else state
        end
    where project_id = :grant.project and device_hash = :device_hash and client_id = :grant.client_id
    returning answer, account_id, scope, resource, patient_id, signed_in_at
),
redeemed as (
    select account_id, scope, resource, signed_in_at, patient_id,
        null::text as id_claims, null::text as id_acr
    from polled
    where answer = 'redeemed'
),
-- include: grant_insert as grant(from = redeemed, parent = :parent),
-- include: audit(from = grant_inserted)
select
    d.answer,
    coalesce(
        -- include: sessions_full(account = (select account_id from grant_inserted), now = :grant.now,
        --     most = :sessions_most)
        , false) as surplus
from polled d
