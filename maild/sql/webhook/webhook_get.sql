-- Returns a webhook. No row: none in the project.
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
