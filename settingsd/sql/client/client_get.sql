-- Returns a client application. No row: not found.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: row client
select
    -- include: client(from = c)
from client c
where project_id = :project and id = :id
