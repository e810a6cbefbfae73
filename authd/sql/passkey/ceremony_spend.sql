-- Spends a ceremony, whatever comes of it: of two requests with one challenge one gets the row. The
-- one of a second factor has no session; that of another kind only its own session spends.
-- class: write
-- in: id uuid, kind text, role role, session uuid null, now int8
-- rows: one
-- row: challenge bytea, rp_id text, project uuid null, tenant uuid null, account uuid null
-- row: user_handle bytea null
delete from passkey_ceremony
where id = :id and kind = :kind and role = :role and session_id is not distinct from :session and
    -- include: not_expired(column = expires_at, now = :now)
returning
    challenge,
    rp_id,
    project_id as project,
    tenant_id as tenant,
    account_id as account,
    user_handle
