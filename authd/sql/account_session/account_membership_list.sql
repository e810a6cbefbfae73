-- Returns an account's memberships, oldest first, at most 100.
-- class: read
-- in: account uuid
-- rows: many
-- row: id uuid, project uuid, admin bool, locked bool
select id, project_id as project, admin, locked_at is not null as locked
from membership
where account_id = :account
order by created_at, id
limit 100
