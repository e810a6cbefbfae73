-- The memberships by which an account is an admin, in the order of locks.
-- class: tx
-- in: account uuid
-- rows: many
-- row: project uuid, membership uuid
select project_id as project, id as membership
from membership
where account_id = :account and admin
order by project_id
