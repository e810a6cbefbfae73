-- True if an account is active and an admin nowhere.
-- class: read tx
-- in: account uuid, now int8
-- rows: one
-- row: plain bool
select
    -- include: account_active(account = a, now = :now)
    and not exists (select from membership m where m.account_id = a.id and m.admin) as plain
from account a
where a.id = :account
