-- Claims webhooks that something is to be posted to for this process until the lease ends, at most
-- `most` of them.
-- class: write
-- in: now int8, until int8, lease uuid, most int8
-- rows: many
-- row: id uuid, project uuid
update webhook_queue
set due_at = :until, lease = :lease
where webhook_id = any (array(
    select webhook_id
    from webhook_queue
    where due_at <= :now
    order by due_at
    limit :most
    for update skip locked
))
returning webhook_id as id, project_id as project
