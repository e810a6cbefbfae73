-- Claims webhooks with something to post for this process until the lease ends, up to `most`.
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
