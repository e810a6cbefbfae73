-- Returns a project's settings. No row: project not found.
-- class: read
-- in: project uuid
-- rows: one
-- row: row settings
select
    -- include: settings
from project p
where p.id = :project
