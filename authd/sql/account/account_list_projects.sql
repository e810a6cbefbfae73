-- The projects that an account (null: none) is a member of, at most 1,000, the oldest membership
-- first; of `project` alone where that is given. Those that it is locked in only where `locked` asks
-- for them.
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
