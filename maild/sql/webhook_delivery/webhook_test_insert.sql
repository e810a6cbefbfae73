-- Adds a test event to an enabled webhook, in a lane of its own. No row: one of the newest 20
-- deliveries is a test event that waits, or the webhook was disabled or deleted.
-- class: write
-- in: project uuid, id uuid, event uuid, body text, at int8, now int8
-- rows: one
-- row: struct webhook_test_out
with
newest as (
    select state, lane
    from webhook_delivery
    where project_id = :project and webhook_id = :id
    order by project_id desc, webhook_id desc, sequence desc
    limit 20
),
target as (
    select id, project_id
    from webhook
    where project_id = :project and id = :id and enabled
        and not exists (select from newest where state = 'waiting' and lane = :id)
),
added as (
    insert into webhook_delivery (
        project_id, webhook_id, event_id, lane, type, body, happened_at, created_at, due_at
    )
    select project_id, id, :event, id, 'webhook.test', :body, :at, :now, :now from target
    returning sequence
),
-- include: webhook_wake(from = target),
-- include: audit(from = target)
select sequence as delivery from added
