-- Locks an account that is due for deletion by this schedule; then no sign-in can cancel it.
-- No row: the schedule is void.
-- class: tx
-- in: account uuid, schedule uuid, now int8
-- rows: one
-- row: project uuid null, wipe bool, role role, due bool
select project_id as project, delete_wipe as wipe, role, delete_at <= :now as due
from account
where id = :account and delete_schedule = :schedule
for update
