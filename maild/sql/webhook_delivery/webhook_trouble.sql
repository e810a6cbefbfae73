-- Lists webhooks with failed deliveries, and enabled ones whose receiver has been failing since
-- before a time; up to `most` of each.
-- class: read
-- in: since int8, most int8
-- rows: many
-- row: id uuid, project uuid, dead bool
(
    select q.webhook_id as id, q.project_id as project, true as dead
    from webhook_queue q
    cross join lateral (
        select from webhook_delivery d
        where d.webhook_id = q.webhook_id and d.state = 'failed'
        limit 1
    ) failed
    where q.webhook_id > '00000000-0000-0000-0000-000000000000'
    order by q.webhook_id
    limit :most
)
union all
(
    select q.webhook_id, q.project_id, false
    from webhook_queue q
    join webhook w on w.id = q.webhook_id
    where q.failing_since < :since and w.enabled
    order by q.failing_since
    limit :most
)
