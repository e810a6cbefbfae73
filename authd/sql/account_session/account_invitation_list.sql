-- Returns the newest 100 pending invitations for a practitioner's address.
-- class: read
-- in: email text, now int8
-- rows: many
-- row: id uuid, project uuid, admin bool
select i.id, i.project_id as project, i.admin
from invitation i
where i.email = :email and i.role = 'Practitioner' and i.expires_at > :now
order by i.invited_at desc, i.id
limit 100
