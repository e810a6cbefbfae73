-- The settings of a project. No row: there is no such project.
-- class: read
-- in: project uuid
-- rows: one
-- row: row settings
select
    -- include: settings
from project p
where p.id = :project
