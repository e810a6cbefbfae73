-- Spends a code and creates the grant, which is a session: of two requests at once one gets the
-- row. The browser's session is locked meanwhile, so that its end finds the grant: no row when it
-- has ended, nor when the account was locked or deleted. When the person has proven to be the one
-- counts from the browser's sign-in; the address of the client that asks is not the person's.
-- class: write
-- in: project uuid, code_hash bytea, parent uuid, id uuid, client_id text, client_name text
-- in: offline bool, jkt text null, address text, browser text null, os text null, now int8
-- in: refresh_hash bytea, idle_until int8, absolute_until int8, sessions_most int8
-- rows: one
-- row: membership uuid, profile uuid, admin bool, auth_method text, second_factor bool
-- row: surplus bool
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
spent as (
    update oauth_code
    set used_at = :now, session_id = :id
    where project_id = :project and code_hash = :code_hash and used_at is null
        and expires_at > :now and parent_id = :parent and exists (select from member)
    returning account_id, scope, resource, nonce, signed_in_at, patient_id
),
made as (
    insert into session (
        project_id, id, account_id, membership_id, profile_id, role, auth_method, second_factor,
        remote_address, browser, os, created_at, last_updated, proven_at, refresh_hash, idle_until,
        absolute_until
    )
    select
        :project, :id, s.account_id, m.id, m.profile_id, p.role, p.auth_method, p.second_factor,
        :address, :browser, :os, :now, :now, s.signed_in_at, :refresh_hash,
        :idle_until, case when :offline then :absolute_until
            else least(:absolute_until, p.absolute_until) end
    from spent s, member m, parent p
    returning account_id
),
granted as (
    insert into oauth_grant (
        project_id, session_id, client_id, client_name, scope, resource, nonce, parent_id,
        signed_in_at, jkt, created_at, patient_id
    )
    select
        :project, :id, :client_id, :client_name, s.scope, s.resource, s.nonce,
        case when :offline then null else :parent end, s.signed_in_at, :jkt, :now,
        s.patient_id
    from spent s, made
),
-- include: audit(from = made)
select
    m.id as membership,
    m.profile_id as profile,
    m.admin,
    p.auth_method,
    p.second_factor,
    -- include: sessions_full(account = (select account_id from made), now = :now,
    --     most = :sessions_most)
    as surplus
from made, member m, parent p
