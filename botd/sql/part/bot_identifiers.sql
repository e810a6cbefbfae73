-- What the written bots {from} can be found by.
-- args: from
{as}_inserted as (
    insert into bot_identifier (project_id, bot_id, system, value)
    select b.project_id, b.id, coalesce(i.system, ''), i.value
    from {from} b, json_to_recordset(b.identifier) i (system text, value text)
)
