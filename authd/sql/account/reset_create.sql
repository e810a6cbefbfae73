-- Creates an account's link to set a password, with its email and audit row, and replaces an older
-- one.
-- class: write
-- in: account uuid, project uuid, id uuid, secret_hash bytea, expires_at int8, installation bool
-- rows: none
with
written as (
    insert into password_reset (account_id, project_id, id, secret_hash, expires_at, installation)
    values (:account, :project, :id, :secret_hash, :expires_at, :installation)
    on conflict (account_id) do update
    set project_id = excluded.project_id, id = excluded.id, secret_hash = excluded.secret_hash,
        expires_at = excluded.expires_at, installation = excluded.installation
    returning id
),
-- include: audit(from = written),
-- include: outbox as mail(from = written)
select
