-- Uses up a ceremony, so that only one of two requests gets the row. A second factor's has no
-- session; others can be used only by their own session.
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
