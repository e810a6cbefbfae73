-- Notes what an account lets a client do from now on.
-- class: write
-- in: project uuid, account uuid, client_id text, client_name text, scope text, resource text
-- in: tos_version text, now int8
-- rows: one
-- row: updated_at int8
with
put as (
    insert into oauth_consent (
        project_id, account_id, client_id, client_name, scope, resource, tos_version, created_at,
        updated_at
    )
    values (
        :project, :account, :client_id, :client_name, :scope, :resource, :tos_version, :now, :now
    )
    on conflict (project_id, account_id, client_id) do update
    set client_name = :client_name, scope = :scope, resource = :resource,
        tos_version = :tos_version, updated_at = :now
    returning updated_at
),
-- include: audit(from = put)
select updated_at from put
