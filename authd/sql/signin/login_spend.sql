-- Uses a login's code and makes its session; only one of two requests gets the row. Makes nothing
-- if the password has changed, or the identity's provider is not
-- active. A later change, deletion or lock finds the session and ends it.
-- `federated` does not compare with 'active': a plan from when the table was small would read the
-- index of the active providers.
-- class: write
-- in: login uuid, role role, sessions_most int8
-- rows: one
-- row: struct session_created
with
held as materialized (
    select m.*
    from
        -- include: login_of(id = :login)
    cross join
        -- include: membership_held(account = l.account_id, project = :session.project)
),
federated as materialized (
    select p.id
    from
        -- include: login_of(id = :login)
    cross join lateral (
        select provider_id from identity where id = l.identity_id limit 1 for key share
    ) i
    cross join lateral (
        select id
        from identity_provider
        where id = i.provider_id and state not in ('draft', 'disabled')
        limit 1
        for share
    ) p
),
proven as (
    select 1
    from
        -- include: login_of(id = :login)
    join account a on a.id = l.account_id
    join credential c on c.account_id = a.id
    where exists (select from held)
        and (l.identity_id is null or exists (select from federated))
        and c.changes = coalesce(l.credential_changes, c.changes) and a.locked_at is null and
        -- include: account_active(account = a, now = :session.now)
    for key share of a
    for share of c
),
spent as (
    update login
    set used_at = :session.now, session_project = :session.project, session_id = :session.id
    where id = :login and exists (select from proven) and used_at is null and
        -- include: not_expired(column = expires_at, now = :session.now)
    returning account_id, identity_id, provider_sid
),
signed_in as (
    select s.account_id, s.identity_id, s.provider_sid, m.id as membership_id, m.profile_id,
        :role as role
    from spent s
    cross join held m
    where m.locked_at is null and (m.end_at is null or m.end_at > :session.now)
),
-- include: session_insert as session(from = signed_in),
-- include: address_known(key = :session.pair_key, until = :session.pair_until,
--     from = session_inserted),
-- include: client_known(address_key = :session.address_key,
--     user_agent_key = :session.user_agent_key, now = :session.now, from = session_inserted),
-- include: audit(from = session_inserted),
-- include: deletion_abort as deletion(from = session_inserted, project = :session.project,
--     now = :session.now)
select
    s.membership_id as membership,
    s.profile_id as profile,
    m.admin,
    (select max(sequence) from deletion_change) as change,
    -- include: sessions_full(account = (select account_id from session_inserted),
    --     now = :session.now, most = :sessions_most)
    as surplus,
    -- include: client_is_new(address_key = :session.address_key,
    --     user_agent_key = :session.user_agent_key, now = :session.now)
    as arrival
from session_inserted s
cross join
    -- include: membership_of(account = (select account_id from spent), project = :session.project)
