-- Returns a name as a role, which it may not be.
-- class: read
-- in: id int8
-- rows: one
-- row: role role null
select name as role from thing where id = :id
