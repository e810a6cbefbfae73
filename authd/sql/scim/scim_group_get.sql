-- Returns a group of a project's directory. No row: there is none.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: row scim_group
select
    -- include: scim_group(from = g)
from scim_group g
where project_id = :project and id = :id
