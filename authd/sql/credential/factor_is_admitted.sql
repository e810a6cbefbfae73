-- Whether an operator has admitted that a second factor of an account is set up in a session of any
-- of its projects.
-- class: read
-- in: account uuid, now int8
-- rows: one
-- row: admitted bool
select coalesce(
    -- include: not_expired(column = factor_admitted_until, now = :now)
, false) as admitted
from account
where id = :account
