-- Reads a thing by id.
-- class: read tx
-- in: id int8
-- rows: one
-- row: struct kit_thing
select id, name, label from thing where id = :id
