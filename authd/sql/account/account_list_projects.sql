-- Returns the projects of an account (null: none), at most 1,000, oldest membership first, or only
-- `project`. `locked`: includes locked memberships.
-- class: read tx
-- in: account uuid null, project uuid null, locked bool
-- rows: many
-- row: project uuid
select project_id as project
from membership
where account_id = :account and (:project is null or project_id = :project)
    and (:locked or locked_at is null)
order by created_at, id
limit 1000
