-- Finds a sign-in by its state. No row: unknown, used, or expired.
-- class: read
-- in: state_hash bytea, now int8
-- rows: one
-- row: id uuid, provider uuid, project uuid, role role, nonce text, verifier text
-- row: browser_hash bytea null, challenge text null, redirect_uri text null
-- row: account uuid null, step_up bool, test bool, next text null, created_at int8
select
    f.id,
    f.provider_id as provider,
    f.project_id as project,
    f.role,
    f.nonce,
    f.verifier,
    f.browser_hash,
    f.challenge,
    f.redirect_uri,
    f.account_id as account,
    f.step_up,
    f.test,
    f.next,
    f.created_at
from federated_login f
where f.state_hash = :state_hash and f.used_at is null and
    -- include: not_expired(column = f.expires_at, now = :now)
