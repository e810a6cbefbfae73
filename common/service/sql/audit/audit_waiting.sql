-- Returns when the first unsealed row was written. A scan in order marks the index entries of
-- sealed rows as dead.
-- class: read
-- rows: one
-- row: at int8
select at from audit where sequence is null order by id limit 1
