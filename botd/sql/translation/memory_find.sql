-- Finds stored translations by keys. Returns the key's place, from 1, the sealed value, and whether
-- its recorded use is so old that this one must be recorded.
-- class: read
-- in: project uuid, keys bytea[], used_before int8
-- rows: many
-- row: place int8, value bytea, is_stale bool
select asked.n as place, m.value, m.is_stale
from unnest(:keys) with ordinality asked (key, n)
cross join lateral (
    select value, used_at < :used_before as is_stale
    from translation_memory
    where project_id = :project and key = asked.key
    offset 0
) m
