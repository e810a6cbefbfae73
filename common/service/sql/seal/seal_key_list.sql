-- Returns the keys that have sealed values, newest first; `sealed` is a rotated key.
-- class: read
-- rows: many
-- row: id text, writes_since int8, retired_at int8, sealed bytea null
select
    id, coalesce(writes_since, 0) as writes_since, coalesce(retired_at, 0) as retired_at,
    key_sealed as sealed
from seal_key
order by sequence desc
limit 64
