-- Returns a project's patient with this email address. If the account is not active, its deletion
-- is due and the caller executes it. No row: the address is free in the project.
-- class: read
-- in: project uuid, email text, now int8
-- rows: one
-- row: id uuid, delete_schedule uuid null, active bool
select
    a.id,
    a.delete_schedule,
    -- include: account_active(account = a, now = :now)
    as active
from account a
where a.role = 'Patient' and a.project_id = :project and a.email = :email
