-- Returns a project's bot.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: struct bot
select
    -- include: bot_columns(from = b),
    -- include: row_etag(from = b)
    as etag
from bot b
where b.project_id = :project and b.id = :id
