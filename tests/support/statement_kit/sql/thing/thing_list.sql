-- Lists all things.
-- class: read
-- rows: many
-- row: struct kit_thing
select id, name, label from thing order by id
