-- Returns the chain's end, the number of unsealed rows (up to a million), and when the first was
-- written.
-- class: read
-- rows: one
-- row: sequence int8, hash bytea, unsealed int8, waiting_since int8 null
select
    sequence,
    hash,
    (select count(*) from (select from audit where sequence is null limit 1000000) u) as unsealed,
    (select at from audit where sequence is null order by id limit 1) as waiting_since
from audit_head
