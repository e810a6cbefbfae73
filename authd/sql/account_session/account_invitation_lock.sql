-- Locks a pending invitation for an address. No row: it was accepted or withdrawn, or has expired.
-- class: tx
-- in: project uuid, id uuid, email text, now int8
-- rows: one
select
from invitation i
where i.project_id = :project and i.id = :id and i.email = :email and i.role = 'Practitioner'
    and i.expires_at > :now
for update
