-- Returns a project by id. No row: not found.
-- class: read
-- in: id uuid
-- rows: one
-- row: row tenant
select
    -- include: tenant
from project p
-- include: project_code
-- include: project_tree
where p.id = :id
