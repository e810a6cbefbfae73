-- Locks an account that is to be deleted by this schedule; once it is locked and due, no sign-in
-- can take the date back. No row: the schedule is void.
-- class: tx
-- in: account uuid, schedule uuid, now int8
-- rows: one
-- row: project uuid null, wipe bool, role role, due bool
select project_id as project, delete_wipe as wipe, role, delete_at <= :now as due
from account
where id = :account and delete_schedule = :schedule
for update
