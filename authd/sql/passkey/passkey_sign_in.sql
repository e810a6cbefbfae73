-- Signs in with a passkey: uses up the challenge, records the use like passkey_use and gives the
-- login its session code. `begun`: false if the passkey or account was deleted meanwhile, or the
-- challenge was already used (`spent`).
-- class: write
-- in: start uuid, start_until int8, passkey uuid, sign_count int8, backed_up bool, now int8
-- in: id uuid, code_hash bytea, project uuid null, within uuid null, challenge text
-- in: expires_at int8, changes int8
-- rows: one
-- row: spent bool, begun bool
with
spent as (
    insert into passkey_start_spent (id, until)
    values (:start, :start_until)
    on conflict (id) do nothing
    returning 1
),
used as (
    update passkey
    set sign_count = greatest(sign_count, :sign_count), backed_up = :backed_up, last_used_at = :now
    where id = :passkey and exists (select from spent)
    returning account_id
),
begun as (
    insert into login (
        id, code_hash, account_id, project_id, within_id, challenge, auth_method, created_at,
        expires_at, credential_changes
    )
    select
        :id, :code_hash, a.id, :project, :within, :challenge, 'passkey', :now, :expires_at, :changes
    from used u
    join account a on a.id = u.account_id
    where a.locked_at is null and
        -- include: account_active(account = a, now = :now)
    for key share of a
    returning 1
)
select not exists (select from spent) as spent, exists (select from begun) as begun
