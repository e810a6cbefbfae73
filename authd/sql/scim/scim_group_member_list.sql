-- Returns the users of a group.
-- class: read tx
-- in: project uuid, id uuid
-- rows: many
-- row: id uuid
select user_id as id
from scim_group_member
where project_id = :project and group_id = :id
order by user_id
