-- Writes a ceremony: the challenge of a sign-in, an enrolment or a step-up. For an enrolment or a
-- step-up account, session and user handle are the caller's.
-- class: write
-- in: id uuid, kind text, challenge bytea, role text, rp_id text, project uuid null
-- in: tenant uuid null, email text null, code_challenge text null, account uuid null
-- in: session uuid null, user_handle bytea null, expires_at int8
-- rows: none
insert into passkey_ceremony (
    id, kind, challenge, role, rp_id, project_id, tenant_id, email, code_challenge, account_id,
    session_id, user_handle, expires_at
)
values (
    :id, :kind, :challenge, :role, :rp_id, :project, :tenant, :email, :code_challenge, :account,
    :session, :user_handle, :expires_at
)
