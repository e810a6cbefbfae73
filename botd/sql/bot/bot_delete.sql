-- Deletes a bot with its executions. No row: no such bot.
-- class: write
-- in: project uuid, id uuid
-- rows: one
with
deleted as (
    delete from bot where project_id = :project and id = :id returning id
),
executions_deleted as (
    delete from execution where project_id = :project and bot_id in (select id from deleted)
),
-- include: audit(from = deleted)
select from deleted
