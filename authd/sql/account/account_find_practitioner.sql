-- The practitioner who has this e-mail address, and whether the account is active: if not, the date
-- of its deletion has come, and the caller carries that out. No row: no practitioner has the
-- address.
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
