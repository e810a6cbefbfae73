-- Counts the users of a group.
-- class: tx
-- in: project uuid, id uuid
-- rows: one
-- row: count int8
select count(*) as count
from scim_group_member
where project_id = :project and group_id = :id
