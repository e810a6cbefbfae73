-- Finds a project's pending invitation by role and email address. No row: there is none.
-- class: read
-- in: project uuid, role role, email text
-- rows: one
-- row: struct invitation_row
select
    -- include: invitation_columns
from invitation i
where i.project_id = :project and i.role = :role and i.email = :email
