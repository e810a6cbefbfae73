-- The projects that an account (null: none) is a member of, at most 1,000, the oldest membership
-- first; of `project` alone where that is given.
-- class: read
-- in: account uuid null, project uuid null
-- rows: many
-- row: project uuid
select project_id as project
from membership
where account_id = :account and (:project is null or project_id = :project)
order by created_at, id
limit 1000
