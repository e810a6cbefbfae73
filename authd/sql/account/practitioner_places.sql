-- The active practitioner with an e-mail address, each row with a project of a membership that is not
-- locked, the oldest first.
-- class: read
-- in: email text, now int8
-- rows: many
-- row: id uuid, name text, surname text, project uuid
select a.id, a.name, a.surname, m.project_id as project
from account a
join membership m on m.account_id = a.id
where a.email = :email and a.role = 'Practitioner' and not
    -- include: member_locked(account = a, membership = m)
    and
    -- include: account_active(account = a, now = :now)
order by m.created_at, m.id
limit 1000
