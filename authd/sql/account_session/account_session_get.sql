-- Returns the session of a cookie on the installation's own pages. No row: none, or the account is
-- locked or not active.
-- class: read
-- in: cookie_hash bytea, now int8
-- rows: one
-- row: id uuid, used_at int8, absolute_until int8, waiting bool, account uuid, role role, email text
-- row: display text, second_factor bool, until int8 null, address_key text null
select
    s.id,
    s.last_updated as used_at,
    s.absolute_until,
    s.code_hash is not null as waiting,
    a.id as account,
    a.role,
    a.email,
    a.name || ' ' || a.surname as display,
    s.second_factor and (
        s.auth_method like '%passkey' or
        -- include: account_has_factor(account = a.id)
    ) as second_factor,
    a.delete_at as until,
    -- include: address_key_of(account = a.id)
    as address_key
from (select * from account_session where cookie_hash = :cookie_hash limit 1) s
cross join
    -- include: account_of(row = s)
where s.idle_until > :now and s.absolute_until > :now and a.locked_at is null and
    -- include: account_active(account = a, now = :now)
