-- Creates an authorization code, and spends the pushed request that it answers and its launch,
-- which was checked for this person (null: none). No row: one of them is already spent. But a
-- session that spent the pushed request since `pushed_since` gets another code. Keeps a browser
-- session's latest 100 unused codes.
-- class: write
-- in: project uuid, code_hash bytea, client_id text, account uuid, parent uuid, redirect_uri text
-- in: challenge text null, scope text, resource text null, nonce text null, signed_in_at int8
-- in: now int8, expires_at int8, keep_until int8, pushed bytea null, launch bytea null
-- in: patient uuid null, jkt text null, id_claims text null, id_acr text null, pushed_since int8
-- rows: one
-- row: created_at int8
with
spent as (
    update oauth_pushed
    set used_at = coalesce(used_at, :now), used_by = :parent
    where project_id = :project and hash = :pushed
        and (used_at is null or (used_by = :parent and used_at > :pushed_since))
    returning used_at
),
older_deleted as (
    delete from oauth_code
    where project_id = :project and code_hash = any (array(
        select c.code_hash
        from oauth_code c
        where c.account_id = :account and c.parent_id = :parent and c.used_at is null
        order by c.created_at desc
        offset 99
    ))
),
launched as (
    update smart_launch
    set used_at = :now
    where project_id = :project and hash = :launch and used_at is null
    returning expires_at
),
created as (
    insert into oauth_code (
        project_id, code_hash, client_id, account_id, parent_id, redirect_uri, challenge, scope,
        resource, nonce, signed_in_at, created_at, expires_at, keep_until, patient_id,
        jkt, id_claims, id_acr
    )
    select
        :project, :code_hash, :client_id, :account, :parent, :redirect_uri, :challenge, :scope,
        :resource, :nonce, :signed_in_at, :now, :expires_at, :keep_until,
        :patient, :jkt, :id_claims, :id_acr
    where (:pushed::bytea is null or exists (select from spent))
        and (:launch::bytea is null or exists (select from launched where expires_at > :now))
    returning created_at
)
select created_at from created
