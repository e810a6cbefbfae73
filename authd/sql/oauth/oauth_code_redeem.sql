-- Spends a code and creates the grant, which is a session: of two requests at once one gets the
-- row. No row when the browser's session has ended, nor when the account was locked or deleted.
-- class: write
-- in: code_hash bytea, parent uuid, sessions_most int8
-- rows: one
-- row: membership uuid, profile uuid, admin bool, auth_method text, second_factor bool
-- row: surplus bool
with
-- include: grant_member(project = :grant.project, parent = :parent, now = :grant.now),
spent as (
    update oauth_code
    set used_at = :grant.now, session_id = :grant.id
    where project_id = :grant.project and code_hash = :code_hash and used_at is null
        and expires_at > :grant.now and parent_id = :parent and exists (select from member)
    returning account_id, scope, resource, signed_in_at, patient_id, id_claims, id_acr
),
-- include: grant_insert as grant(from = spent, parent = :parent),
-- include: audit(from = grant_inserted)
select
    m.id as membership,
    m.profile_id as profile,
    m.admin,
    p.auth_method,
    p.second_factor,
    -- include: sessions_full(account = (select account_id from grant_inserted), now = :grant.now,
    --     most = :sessions_most)
    as surplus
from grant_inserted, member m, parent p
