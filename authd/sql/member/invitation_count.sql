-- Counts the pending invitations for a role.
-- class: read
-- in: project uuid, role role
-- rows: one
-- row: total int8
select count(*) as total from invitation where project_id = :project and role = :role
