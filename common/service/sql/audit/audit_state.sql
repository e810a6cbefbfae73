-- The end of the chain, how many rows wait for their place (at most a million are counted), and when
-- the first of them was written.
-- class: read
-- rows: one
-- row: sequence int8, hash bytea, unsealed int8, waiting_since int8 null
select
    sequence,
    hash,
    (select count(*) from (select from audit where sequence is null limit 1000000) u) as unsealed,
    (select at from audit where sequence is null order by id limit 1) as waiting_since
from audit_head
