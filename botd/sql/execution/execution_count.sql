-- Counts a bot's executions, up to 1,000.
-- class: read
-- in: project uuid, bot uuid
-- rows: one
-- row: count int8
select count(*) as count
from (select from execution where project_id = :project and bot_id = :bot limit 1000) e
