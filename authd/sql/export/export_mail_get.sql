-- Returns the recipient of the email about an export. No row: the account was deleted.
-- class: read
-- in: project uuid, account uuid, now int8
-- rows: one
-- row: email text, name text, surname text
select a.email, a.name, a.surname
from account a
join membership m on m.account_id = a.id and m.project_id = :project
where a.id = :account and
    -- include: account_active(account = a, now = :now)
