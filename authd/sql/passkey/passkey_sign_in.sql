-- A passkey was shown: notes its use as passkey_use does and gives a login its session code. Not
-- when the passkey or the account has gone meanwhile: no row.
-- class: write
-- in: passkey uuid, sign_count int8, backed_up bool, now int8, id uuid, code_hash bytea
-- in: project uuid null, challenge text, expires_at int8, changes int8
-- rows: one
with
used as (
    update passkey
    set sign_count = greatest(sign_count, :sign_count), backed_up = :backed_up, last_used_at = :now
    where id = :passkey
    returning account_id
),
begun as (
    insert into login (
        id, code_hash, account_id, project_id, challenge, auth_method, created_at, expires_at,
        credential_changes
    )
    select :id, :code_hash, a.id, :project, :challenge, 'passkey', :now, :expires_at, :changes
    from used u
    join account a on a.id = u.account_id
    where a.locked_at is null and
        -- include: account_active(account = a, now = :now)
    for key share of a
    returning 1
)
select from begun
