-- Reports if any active account has this email address. No row: none has.
-- class: read
-- in: email text, now int8
-- rows: one
select
from account a
where a.email = :email and
    -- include: account_active(account = a, now = :now)
limit 1
