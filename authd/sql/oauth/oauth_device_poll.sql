-- Judges a poll and notes it: the row's lock puts polls in order, so of all only one is answered
-- "redeemed", and its grant, a session, is created here. `parent`: the session that approved, as it
-- was read before (null: none); an approval since then is answered to the next poll. The session
-- is locked meanwhile, so that its end finds the grant; when it has ended, or the account was locked
-- or deleted, access is denied. No row: the client has no such device code.
-- class: write
-- in: project uuid, device_hash bytea, client_id text, parent uuid null, id uuid, client_name text
-- in: offline bool, jkt text null, address text, browser text null, os text null, now int8
-- in: slower_s int8, refresh_hash bytea, idle_until int8, absolute_until int8, sessions_most int8
-- rows: one
-- row: answer text, membership uuid null, profile uuid null, admin bool, auth_method text null
-- row: second_factor bool, surplus bool
with
parent as (
    select s.account_id, s.role, s.auth_method, s.second_factor, s.absolute_until
    from session s
    where s.project_id = :project and s.id = :parent and
        -- include: session_valid(session = s, now = :now)
    for share
),
held as (
    select a.id
    from account a
    where a.id = (select account_id from parent) and a.locked_at is null and
        -- include: account_active(account = a, now = :now)
    for key share
),
member as (
    select m.id, m.profile_id, m.admin
    from held h
    cross join
        -- include: membership_of(account = h.id, project = :project)
    where m.locked_at is null
),
polled as (
    update oauth_device
    set polled_at = :now,
        interval_s = case
            when state = 'waiting' and expires_at > :now
                and polled_at > :now - interval_s * 1000
            then interval_s + :slower_s
            else interval_s
        end,
        answer = case
            when state = 'redeemed' then 'invalid_grant'
            when expires_at <= :now then 'expired_token'
            when state = 'denied' then 'access_denied'
            when state = 'approved' and session_id = :parent then
                case when exists (select from member) then 'redeemed' else 'access_denied' end
            when state = 'waiting' and polled_at > :now - interval_s * 1000 then 'slow_down'
            else 'authorization_pending'
        end,
        state = case
            when state = 'approved' and expires_at > :now and session_id = :parent then
                case when exists (select from member) then 'redeemed' else 'denied' end
            else state
        end
    where project_id = :project and device_hash = :device_hash and client_id = :client_id
    returning answer, account_id, scope, resource, patient_id, signed_in_at
),
made as (
    insert into session (
        project_id, id, account_id, membership_id, profile_id, role, auth_method, second_factor,
        remote_address, browser, os, created_at, last_updated, proven_at, refresh_hash, idle_until,
        absolute_until
    )
    select
        :project, :id, d.account_id, m.id, m.profile_id, p.role, p.auth_method, p.second_factor,
        :address, :browser, :os, :now, :now, d.signed_in_at, :refresh_hash,
        :idle_until, case when :offline then :absolute_until
            else least(:absolute_until, p.absolute_until) end
    from polled d, member m, parent p
    where d.answer = 'redeemed'
    returning account_id
),
granted as (
    insert into oauth_grant (
        project_id, session_id, client_id, client_name, scope, resource, nonce, parent_id,
        signed_in_at, jkt, created_at, patient_id
    )
    select
        :project, :id, :client_id, :client_name, d.scope, d.resource, null,
        case when :offline then null else :parent end, d.signed_in_at, :jkt, :now,
        d.patient_id
    from polled d, made
),
-- include: audit(from = made)
select
    d.answer,
    m.id as membership,
    m.profile_id as profile,
    coalesce(m.admin, false) as admin,
    p.auth_method,
    coalesce(p.second_factor, false) as second_factor,
    coalesce(
        -- include: sessions_full(account = (select account_id from made), now = :now,
        --     most = :sessions_most)
        , false) as surplus
from polled d
left join member m on true
left join parent p on true
