-- Deletes a page of a deleted webhook's deliveries, then its queue. Returns the number of
-- deliveries.
-- class: write
-- in: project uuid, id uuid, lease uuid, most int8
-- rows: one
-- row: removed int8
with
deleted as (
    delete from webhook_delivery
    where ctid = any (array(
        select ctid
        from webhook_delivery
        where project_id = :project and webhook_id = :id
        order by project_id, webhook_id, sequence
        limit :most
    ))
    returning 1
),
queue as (
    delete from webhook_queue
    where webhook_id = :id and lease = :lease and not exists (select from deleted)
)
select count(*) as removed from deleted
