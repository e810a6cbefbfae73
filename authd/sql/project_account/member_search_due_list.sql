-- Returns accounts whose search keys authd must write, with the names and addresses for the keys.
-- These are empty if the account was deleted.
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
