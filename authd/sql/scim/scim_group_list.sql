-- Returns a page of the groups of a project's directory.
-- class: read
-- in: project uuid, most int8, skip int8
-- rows: many
-- row: row scim_group
select
    -- include: scim_group(from = g)
from scim_group g
where project_id = :project
order by id
limit :most offset :skip
