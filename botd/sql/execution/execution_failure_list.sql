-- Lists up to 100 of a project's bots that have executions without success since a time, latest
-- failure first. Reads only these executions: the sweep leaves 1,000 per bot.
-- class: read
-- in: project uuid, since int8
-- rows: many
-- row: struct bot_failure
select
    b.id,
    b.name,
    f.failures,
    f.last_at as "lastFailureAt",
    f.last_outcome as "lastOutcome"
from (
    select
        bot_id,
        count(*) as failures,
        max(started_at) as last_at,
        (array_agg(outcome order by started_at desc, id desc))[1] as last_outcome
    from execution
    where project_id = :project and started_at >= :since and outcome <> 'success'
    group by bot_id
) f
join bot b on b.project_id = :project and b.id = f.bot_id
order by f.last_at desc, b.id
limit 100
