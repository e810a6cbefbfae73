-- Returns the practitioner with this email address. If the account is not active, its deletion is
-- due and the caller executes it. No row: the address is free.
-- class: read
-- in: email text, now int8
-- rows: one
-- row: id uuid, delete_schedule uuid null, name text, surname text, locked bool, active bool
select
    a.id,
    a.delete_schedule,
    a.name,
    a.surname,
    a.locked_at is not null as locked,
    -- include: account_active(account = a, now = :now)
    as active
from account a
where a.role = 'Practitioner' and a.email = :email
