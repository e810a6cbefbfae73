-- Does an active account have this e-mail address, in any project and role? No row: none has.
-- class: read
-- in: email text, now int8
-- rows: one
select
from account a
where a.email = :email and
    -- include: account_active(account = a, now = :now)
limit 1
