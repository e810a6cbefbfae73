-- Lists an account's admin memberships in lock order.
-- class: tx
-- in: account uuid
-- rows: many
-- row: project uuid, membership uuid
select project_id as project, id as membership
from membership
where account_id = :account and admin
order by project_id
