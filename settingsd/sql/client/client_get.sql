-- A client application. No row: the project has no such one.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: id uuid, name text, settings text, updated_at int8, secret_at int8, previous_until int8
select
    -- include: client_columns(from = c)
from client c
where project_id = :project and id = :id
