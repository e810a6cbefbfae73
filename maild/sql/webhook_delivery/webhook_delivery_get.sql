-- Returns a delivery of a webhook. No row: no such webhook or delivery.
-- class: read
-- in: project uuid, id uuid, delivery int8
-- rows: one
-- row: struct webhook_delivery_detail
with
retried as (
    select lane, min(sequence) as first
    from webhook_delivery
    where webhook_id = :id and state = 'waiting' and attempts > 0
    group by lane
)
select
    -- include: webhook_delivery_columns(from = d, before = r),
    d.body as payload
from webhook_delivery d
join webhook w on w.project_id = d.project_id and w.id = d.webhook_id
left join retried r on d.state = 'waiting' and r.lane = d.lane and r.first < d.sequence
where d.project_id = :project and d.webhook_id = :id and d.sequence = :delivery
