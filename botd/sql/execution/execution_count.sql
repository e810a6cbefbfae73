-- How many executions of a bot are recorded, of 1,000 at most.
-- class: read
-- in: project uuid, bot uuid
-- rows: one
-- row: count int8
select count(*) as count
from (select from execution where project_id = :project and bot_id = :bot limit 1000) e
