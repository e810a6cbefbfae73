-- Accounts whose names are to be folded, with these; an account that is gone has none.
-- class: read
-- in: most int8
-- rows: many
-- row: account uuid, name text, surname text
select d.account_id as account, coalesce(a.name, '') as name, coalesce(a.surname, '') as surname
from (select account_id from account_name_due order by account_id limit :most) d
left join
    -- include: account_of(row = d)
    on true
