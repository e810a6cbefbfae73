-- Replaces an admin's settings of a provider. A null secret stays as it is. A test sign-in counts for
-- the settings that it tested. No row: the project does not have the provider.
-- class: tx
-- in: project uuid, id uuid, secret_sealed bytea null, now int8
-- rows: one
-- row: struct identity_provider
with
replaced as (
    update identity_provider
    set secret_sealed = coalesce(:secret_sealed, secret_sealed), updated_at = :now,
        tested_at = case
            when :secret_sealed::bytea is null
                and (preset, issuer, client_id, auth_method, scopes, required_acr)
                    is not distinct from (
                        :provider_values.preset, :provider_values.issuer,
                        :provider_values.client_id, :provider_values.auth_method,
                        :provider_values.scopes, :provider_values.required_acr
                    )
            then tested_at
        end,
        (name, preset, issuer, client_id, auth_method, scopes, required_acr, trusted_for_mfa, roles,
            domains, provisioning, enforced, state) = row(
            -- include: provider_values
        )
    where project_id = :project and id = :id
    returning *
),
-- include: audit(from = replaced)
select
    -- include: provider_columns(from = r)
from replaced r
