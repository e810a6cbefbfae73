-- Adds a test event to an enabled webhook, in a lane of its own. No row: one waits already, or the
-- webhook was disabled or deleted.
-- class: write
-- in: project uuid, id uuid, event uuid, body text, at int8, now int8
-- rows: one
-- row: struct webhook_test_out
with
target as (
    select id, project_id
    from webhook
    where project_id = :project and id = :id and enabled and not exists (
        select
        from webhook_delivery
        where webhook_id = :id and state = 'waiting' and lane = :id
    )
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
