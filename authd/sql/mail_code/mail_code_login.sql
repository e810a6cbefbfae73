-- Creates the login after a right code: with a session code or, if the account has a second factor
-- or a passkey is required (`demanded`), waiting for that factor. No row: the account was deleted
-- or locked meanwhile, or its address is no longer the one that got the code.
-- class: tx
-- in: id uuid, code_hash bytea, account uuid, email text, project uuid, challenge text
-- in: demanded bool, now int8, expires_at int8
-- rows: one
-- row: mfa bool
with
begun as (
    insert into login (
        id, code_hash, account_id, project_id, challenge, auth_method, created_at, expires_at,
        credential_changes
    )
    select
        :id,
        case
            when :demanded or
                -- include: factor_enrolled(account = a.id)
            then null
            else :code_hash
        end,
        a.id,
        :project,
        :challenge,
        'mail-code',
        :now,
        :expires_at,
        c.changes
    from account a
    join credential c on c.account_id = a.id
    where a.id = :account and a.email = :email and a.locked_at is null and
        -- include: account_active(account = a, now = :now)
    for key share of a
    returning code_hash is null as mfa
)
select mfa from begun
