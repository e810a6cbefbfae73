-- Writes a ceremony. For an enrollment or step-up, account, session and user handle are the
-- caller's, and the session's previous ceremony of this kind is deleted. For a second factor it
-- replaces the login's previous one: its id is the login's.
-- class: write
-- in: id uuid, kind text, challenge bytea, role role, rp_id text, project uuid null
-- in: tenant uuid null, account uuid null
-- in: session uuid null, user_handle bytea null, expires_at int8
-- rows: none
with
replaced as (
    delete from passkey_ceremony
    where account_id = :account and session_id = :session and kind = :kind
)
insert into passkey_ceremony (
    id, kind, challenge, role, rp_id, project_id, tenant_id, account_id, session_id, user_handle,
    expires_at
)
values (
    :id, :kind, :challenge, :role, :rp_id, :project, :tenant, :account, :session, :user_handle,
    :expires_at
)
on conflict (id) do update set
    challenge = excluded.challenge, rp_id = excluded.rp_id, project_id = excluded.project_id,
    expires_at = excluded.expires_at
