-- A webhook. No row: the project has no such one.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: struct webhook
select
    -- include: webhook_columns(from = w),
    -- include: row_etag(from = w)
    as etag
from webhook w
where project_id = :project and id = :id
