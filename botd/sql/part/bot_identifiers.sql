-- Inserts the identifiers of the written bots {from}, if {free} is true for identifier i of bot b.
-- Of bots that share one, the newest gets it. The constraint bot_identifier_key rejects one that
-- another bot has.
-- args: from, free = true
{as}_inserted as (
    insert into bot_identifier (project_id, bot_id, system, value)
    select distinct on (b.project_id, i.value, coalesce(i.system, ''))
        b.project_id, b.id, coalesce(i.system, ''), i.value
    from {from} b, json_to_recordset(b.identifier) i (system text, value text)
    where {free}
    order by b.project_id, i.value, coalesce(i.system, ''), b.id desc
)
