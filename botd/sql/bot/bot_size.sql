-- Counts a project's bots and the bytes of their texts.
-- class: tx
-- in: project uuid
-- rows: one
-- row: struct list_size
select
    count(*) as rows,
    coalesce(sum(
        -- include: bot_bytes(from = b)
    ), 0)::bigint as bytes
from bot b
where b.project_id = :project
