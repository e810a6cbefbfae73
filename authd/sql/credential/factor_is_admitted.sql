-- True while an operator lets the account set up a second factor in any of its projects.
-- class: read
-- in: account uuid, now int8
-- rows: one
-- row: admitted bool
select coalesce(
    -- include: not_expired(column = factor_admitted_until, now = :now)
, false) as admitted
from account
where id = :account
