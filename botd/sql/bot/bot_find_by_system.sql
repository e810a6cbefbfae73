-- Finds bots with an identifier of that system: at most two rows, because two are already
-- ambiguous.
-- class: read
-- in: project uuid, system text
-- rows: many
-- row: struct found_bot
select
    -- include: found_bot_columns
from bot b
where b.project_id = :project and b.id in (
    select i.bot_id from bot_identifier i where i.project_id = :project and i.system = :system
)
limit 2
