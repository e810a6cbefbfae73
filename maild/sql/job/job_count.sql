-- Counts the jobs in a state. Always returns a row.
-- class: read
-- in: state text
-- rows: one
-- row: total int8
select count(*) as total from job where state = :state
