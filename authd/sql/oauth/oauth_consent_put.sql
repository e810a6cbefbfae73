-- Adds an account's consent for a client, at a resource and in total. It extends the current row,
-- so that parallel consents are both kept and withdrawn ones don't return.
-- class: write
-- in: project uuid, account uuid, client_id text, client_name text, resource text, scope text
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
    set client_name = :client_name,
        scope =
            -- include: words_both(one = oauth_consent.scope, other = :scope),
        resource =
            -- include: words_both(one = oauth_consent.resource, other = :resource),
        tos_version = :tos_version,
        updated_at = :now
    returning project_id, account_id, client_id, updated_at
),
put_resource as (
    insert into oauth_consent_resource (project_id, account_id, client_id, resource, scope)
    select project_id, account_id, client_id, :resource, :scope from put
    on conflict (project_id, account_id, client_id, resource) do update
    set scope =
        -- include: words_both(one = oauth_consent_resource.scope, other = :scope)
),
-- include: audit(from = put)
select updated_at from put
