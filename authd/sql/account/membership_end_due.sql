-- Locks and returns the memberships that end by this schedule. No row: it is void.
-- class: tx
-- in: account uuid, schedule uuid
-- rows: many
-- row: id uuid, project uuid, profile uuid, at int8, wipe bool
select id, project_id as project, profile_id as profile, end_at as at, end_wipe as wipe
from membership
where account_id = :account and end_schedule = :schedule
order by id
for update
