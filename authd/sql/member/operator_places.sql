-- Lists the memberships of all accounts with an email address. `project` null: in all projects.
-- class: read
-- in: email text, project uuid null
-- rows: many
-- row: project uuid, account uuid
select m.project_id as project, a.id as account
from account a
join membership m on m.account_id = a.id
where a.email = :email and (:project is null or m.project_id = :project)
order by m.project_id, a.id
limit 10000
