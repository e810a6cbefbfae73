-- The bots of a project, at most 1,000.
-- class: read
-- in: project uuid
-- rows: many
-- row: struct bot
select
    -- include: bot_columns(from = b)
from bot b
where b.project_id = :project
order by b.name, b.id
limit 1000
