-- Finds bots with an identifier of that value, in that system ('': none; null: any): at most two
-- rows, because two are already ambiguous.
-- class: read tx
-- in: project uuid, value text, system text null
-- rows: many
-- row: struct found_bot
select
    -- include: found_bot_columns
from bot b
where b.project_id = :project and b.id in (
    select i.bot_id
    from bot_identifier i
    where i.project_id = :project and i.value = :value and (:system is null or i.system = :system)
)
limit 2
