-- Finds the last sealed row up to `last` that was written before the time `since`. No row: none.
-- Reads from the end, because rows are almost in the order of their times.
-- class: read
-- in: since int8, last int8
-- rows: one
-- row: sequence int8
select sequence
from audit
where sequence <= :last and sequence is not null and at < :since
order by sequence desc
limit 1
