-- Counts waiting rows, at most OUTBOX_COUNT_MAX and first those that are due first, and returns the
-- oldest one's time.
-- class: read
-- rows: one
-- row: waiting int8, oldest_at int8 null
select count(*) as waiting, min(created_at) as oldest_at
from (select created_at from outbox order by due_at limit 10000) o
