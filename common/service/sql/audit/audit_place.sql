-- The last sealed row up to `last` that was written before a time. No row: there is none. Rows are
-- nearly in the order of their times: what was written since is read, from the end on.
-- class: read
-- in: since int8, last int8
-- rows: one
-- row: sequence int8
select sequence
from audit
where sequence <= :last and sequence is not null and at < :since
order by sequence desc
limit 1
