-- Finds a passkey by its authenticator's id, with its account, unless that is being deleted.
-- class: read
-- in: rp_id text, credential_id bytea, role role, now int8
-- rows: one
-- row: id uuid, account uuid, opens uuid null, account_project uuid null, email text, name text
-- row: algorithm int8, public_key bytea, user_handle bytea, sign_count int8
select
    p.id,
    p.account_id as account,
    p.opens_id as opens,
    a.project_id as account_project,
    a.email,
    p.name,
    p.algorithm,
    p.public_key,
    p.user_handle,
    p.sign_count
from passkey p
cross join
    -- include: account_of(row = p)
where p.rp_id = :rp_id and p.credential_id = :credential_id and a.role = :role and
    -- include: account_active(account = a, now = :now)
