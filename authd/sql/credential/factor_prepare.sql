-- Stores a secret that the session can enroll, unless it has a valid one. A new secret keeps the
-- count of wrong codes.
-- class: write
-- in: session uuid, account uuid, secret_sealed bytea, expires_at int8, now int8
-- rows: none
with
prepared as (
    insert into mfa_pending as p (
        session_id, account_id, secret_sealed, expires_at, credential_changes
    )
    select :session, c.account_id, :secret_sealed, :expires_at, c.changes
    from credential c
    where c.account_id = :account
    on conflict (session_id) do update set
        secret_sealed = excluded.secret_sealed,
        expires_at = excluded.expires_at,
        credential_changes = excluded.credential_changes
    where not (
        p.credential_changes = excluded.credential_changes and
        -- include: not_expired(column = p.expires_at, now = :now)
    )
    returning session_id
),
-- include: audit(from = prepared)
select from prepared
