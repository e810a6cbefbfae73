-- Creates an authorization code, and spends the pushed request that it answers (`pushed` null: it
-- was none). No row: the request was answered before.
-- class: write
-- in: project uuid, code_hash bytea, client_id text, account uuid, parent uuid, redirect_uri text
-- in: challenge text null, scope text, resource text null, nonce text null, signed_in_at int8
-- in: now int8, expires_at int8, keep_until int8, pushed bytea null
-- rows: one
-- row: created_at int8
with
spent as (
    update oauth_pushed
    set used_at = :now
    where project_id = :project and hash = :pushed and used_at is null
    returning used_at
),
created as (
    insert into oauth_code (
        project_id, code_hash, client_id, account_id, parent_id, redirect_uri, challenge, scope,
        resource, nonce, signed_in_at, created_at, expires_at, keep_until
    )
    select
        :project, :code_hash, :client_id, :account, :parent, :redirect_uri, :challenge, :scope,
        :resource, :nonce, :signed_in_at, :now, :expires_at, :keep_until
    where :pushed::bytea is null or exists (select from spent)
    returning created_at
)
select created_at from created
