-- Accounts whose search keys are to be written, with what they are made of; an account that is gone
-- has none of it.
-- class: read
-- in: most int8
-- rows: many
-- row: account uuid, name text, surname text, email text
select
    d.account_id as account,
    coalesce(a.name, '') as name,
    coalesce(a.surname, '') as surname,
    coalesce(a.email, '') as email
from (select account_id from member_search_due order by account_id limit :most) d
left join
    -- include: account_of(row = d)
    on true
