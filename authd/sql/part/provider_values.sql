-- What an admin writes of a provider, in the order of provider_insert.sql and provider_replace.sql.
-- in: name text, preset text, issuer text, client_id text, auth_method text, scopes text
-- in: required_acr text null, trusted_for_mfa bool, roles text[], domains text[]
-- in: provisioning text, enforced text[], state text
:name, :preset, :issuer, :client_id, :auth_method, :scopes, :required_acr, :trusted_for_mfa, :roles,
:domains, :provisioning, :enforced, :state
