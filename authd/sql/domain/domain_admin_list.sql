-- Returns the admins of a project, for emails to all of them.
-- class: read
-- in: project uuid
-- rows: many
-- row: email text, name text, surname text
select a.email, a.name, a.surname
from membership m
join account a on a.id = m.account_id
where m.project_id = :project and m.admin
order by m.id
limit 100
