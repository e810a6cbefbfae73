-- A client application. No row: the project has no such one.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: id uuid, name text, settings text, updated_at int8, secret_at int8, previous_until int8, etag text
select
    -- include: client_columns(from = c),
    -- include: row_etag(from = c)
    as etag
from client c
where project_id = :project and id = :id
