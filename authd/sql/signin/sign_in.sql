-- Makes the session of a one-step sign-in. `changes`: credential changes when the password was
-- verified, see login_spend. A hash is renewed only under that lock: two concurrent sign-ins that
-- hold it for share could not both go on to write it.
-- class: write
-- in: account uuid, changes int8, role role, sessions_most int8
-- rows: one
-- row: struct session_created
with
held as materialized (
    select m.*
    from (select) one
    cross join
        -- include: membership_held(account = :account, project = :session.project)
),
standing as (
    select a.id as account_id
    from held h
    cross join lateral (select * from account where h.id is not null and id = :account) a
    where a.id = :account and a.locked_at is null and
        -- include: account_active(account = a, now = :session.now)
    for key share of a
),
-- include: password_renew as password(from = standing),
unchanged as (
    select c.account_id
    from standing s
    join credential c on c.account_id = s.account_id
    where c.changes = :changes and not exists (select from password_renewed)
    for share of c
),
proven as (
    select account_id from unchanged
    union all
    select account_id from password_renewed where changes = :changes
),
signed_in as (
    select p.account_id, null::uuid as identity_id, null as provider_sid, m.id as membership_id,
        m.profile_id, :role as role
    from proven p
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
    as arrival,
    exists (select from password_renewed) as renewed
from session_inserted s
cross join
    -- include: membership_of(account = :account, project = :session.project)
