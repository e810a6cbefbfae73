-- Returns a thing with its number of notes.
-- class: read
-- in: id int8
-- rows: one
-- row: notes int8, whole struct kit_thing
select (select count(*) from note n where n.thing = t.id) as notes, t.id, t.name, t.label
from thing t
where t.id = :id
