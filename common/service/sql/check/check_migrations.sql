-- Returns the applied migrations.
-- class: read
-- rows: many
-- row: name text
select name from schema_migration order by name
