-- Adds a provider. No row: the project has 10. Runs after name_lock, because a statement that waits
-- counts the rows from before its wait.
-- class: tx
-- in: project uuid, id uuid, secret_sealed bytea null, now int8
-- rows: one
-- row: struct identity_provider
with
inserted as (
    insert into identity_provider (
        project_id, id, secret_sealed, created_at, updated_at, name, preset, issuer, client_id,
        auth_method, scopes, required_acr, trusted_for_mfa, roles, domains, provisioning, enforced,
        state
    )
    select
        :project, :id, :secret_sealed, :now, :now,
        -- include: provider_values
    where (select count(*) from identity_provider where project_id = :project) < 10
    returning *
),
-- include: audit(from = inserted)
select
    -- include: provider_columns(from = i)
from inserted i
