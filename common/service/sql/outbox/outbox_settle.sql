-- Ends a batch: deletes the rows that were delivered, and puts the others off, each until its time.
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
