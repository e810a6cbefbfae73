-- Lists a webhook's deliveries before the place `before`, newest event first, in one state or
-- (null) any.
-- class: read
-- in: project uuid, id uuid, before int8, state text null, most int8
-- rows: many
-- row: struct webhook_delivery
with
page as materialized (
    select *
    from webhook_delivery
    where project_id = :project and webhook_id = :id and sequence < :before
        and (:state::text is null or state = :state)
    order by project_id desc, webhook_id desc, sequence desc
    limit :most
),
retried as (
    select lane, min(sequence) as first
    from webhook_delivery
    where webhook_id = :id and state = 'waiting' and attempts > 0
    group by lane
)
select
    -- include: webhook_delivery_columns(from = d, before = r)
from page d
left join retried r on d.state = 'waiting' and r.lane = d.lane and r.first < d.sequence
order by d.sequence desc
