-- Finds a project's pending invitation to an address that an admin made without admin rights, and
-- locks it. No row: there is none.
-- class: tx
-- in: project uuid, role role, email text, now int8
-- rows: one
-- row: id uuid
select i.id
from invitation i
where i.project_id = :project and i.role = :role and i.email = :email
    and i.invited_by is not null and not i.admin and i.expires_at > :now
for update
