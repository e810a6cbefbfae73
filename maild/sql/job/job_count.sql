-- How many jobs are in a state. There is always a row.
-- class: read
-- in: state text
-- rows: one
-- row: total int8
select count(*) as total from job where state = :state
