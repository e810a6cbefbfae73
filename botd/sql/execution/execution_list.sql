-- Lists a bot's executions, newest first.
-- class: read
-- in: project uuid, bot uuid, count int8, offset int8
-- rows: many
-- row: struct bot_execution
select e.started_at as started, e.duration_ms as "durationMs", e.outcome, e.profile
from execution e
where e.project_id = :project and e.bot_id = :bot
order by e.id desc
limit :count offset :offset
