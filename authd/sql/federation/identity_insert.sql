-- Links an identity to an account. One whose account was deleted can be linked again. No row: it
-- has another account.
-- class: tx
-- in: id uuid, provider uuid, project uuid, issuer text, subject text, role role, account uuid
-- in: now int8
-- rows: one
-- row: id uuid
with
linked as (
    insert into identity as i (
        id, provider_id, project_id, issuer, subject, role, account_id, created_at, last_used_at
    )
    values (:id, :provider, :project, :issuer, :subject, :role, :account, :now, :now)
    on conflict (provider_id, issuer, subject, role) do update
    set account_id = excluded.account_id, created_at = excluded.created_at,
        last_used_at = excluded.last_used_at
    where i.account_id is null
    returning id
),
-- include: audit(from = linked)
select id from linked
