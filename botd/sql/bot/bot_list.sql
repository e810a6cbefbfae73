-- Lists a project's bots, up to `most` bytes and 1,000 bots, because older releases allowed more.
-- class: read
-- in: project uuid, most int8
-- rows: many
-- row: struct bot
select
    -- include: bot_columns(from = b)
from (
    select
        b.*,
        sum(
            -- include: bot_bytes(from = b)
        ) over (order by b.name, b.id) as bytes
    from bot b
    where b.project_id = :project
) b
where b.bytes <= :most
order by b.name, b.id
limit 1000
