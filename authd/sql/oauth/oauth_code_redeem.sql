-- Spends a code and creates the grant, a session whose tokens are already signed; of two requests,
-- one gets the row. No row: the browser's session has ended, the account was locked or deleted, or
-- they have changed since signing.
-- class: write
-- in: code_hash bytea, parent uuid, sessions_most int8
-- rows: one
-- row: surplus bool
with
-- include: grant_member(project = :grant.project, parent = :parent, now = :grant.now),
-- include: grant_signed,
spent as (
    update oauth_code
    set used_at = :grant.now, session_id = :grant.id
    where project_id = :grant.project and code_hash = :code_hash and used_at is null
        and expires_at > :grant.now and parent_id = :parent and exists (select from grant_signed)
    returning account_id, scope, resource, signed_in_at, patient_id, id_claims, id_acr
),
-- include: grant_insert as grant(from = spent, parent = :parent),
-- include: audit(from = grant_inserted)
select
    -- include: sessions_full(account = (select account_id from grant_inserted), now = :grant.now,
    --     most = :sessions_most)
    as surplus
from grant_inserted
