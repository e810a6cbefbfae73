-- Returns the name of a thing, which must have one.
-- class: read
-- in: id int8
-- rows: one
-- row: name text
select name from thing where id = :id
