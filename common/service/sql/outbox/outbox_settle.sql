-- Ends a batch: deletes delivered rows, and postpones the others to their times.
-- class: write
-- in: delivered uuid[], again uuid[], again_at int8[]
-- rows: none
with
deleted as (
    delete from outbox where id = any (:delivered)
)
update outbox o
set due_at = later.due_at
from unnest(:again, :again_at) as later (id, due_at)
where o.id = later.id and o.id = any (:again)
