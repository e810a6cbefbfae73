-- Spends a login's code and creates a session of the installation's own pages. With `code_hash`,
-- the session waits for an emailed code. No row: the code was spent, the credential has changed, or
-- the account is locked or not active.
-- class: tx
-- in: login uuid, id uuid, now int8, cookie_hash bytea, address text, browser text null, os text null
-- in: factor bool, idle_until int8, absolute_until int8, code_hash bytea null
-- rows: one
with
proven as (
    select 1
    from
        -- include: login_of(id = :login)
    join account a on a.id = l.account_id
    join credential c on c.account_id = a.id
    where c.changes = coalesce(l.credential_changes, c.changes) and a.locked_at is null and
        -- include: account_active(account = a, now = :now)
    for key share of a
    for share of c
),
spent as (
    update login
    set used_at = :now
    where id = :login and exists (select from proven) and used_at is null and
        -- include: not_expired(column = expires_at, now = :now)
    returning account_id, auth_method
),
created as (
    insert into account_session (
        id, account_id, cookie_hash, auth_method, second_factor, remote_address, browser, os,
        created_at, last_updated, proven_at, idle_until, absolute_until, code_hash
    )
    select
        :id, account_id, :cookie_hash, auth_method, :factor, :address, :browser, :os, :now, :now,
        :now, :idle_until, :absolute_until, :code_hash
    from spent
    returning id
),
-- include: outbox as mail(from = created),
-- include: audit(from = created)
select from created
