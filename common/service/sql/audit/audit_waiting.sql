-- When the first row that is not sealed was written. In order, because a scan in order marks the
-- index entries of sealed rows as dead.
-- class: read
-- rows: one
-- row: at int8
select at from audit where sequence is null order by id limit 1
