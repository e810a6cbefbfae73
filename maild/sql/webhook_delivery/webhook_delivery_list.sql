-- Lists a webhook's deliveries before the place `before`, newest event first, in one state or
-- (null) any.
-- class: read
-- in: project uuid, id uuid, before int8, state text null, most int8
-- rows: many
-- row: struct webhook_delivery
select
    sequence as id,
    event_id as event,
    type,
    state,
    attempts,
    happened_at as "happenedAt",
    coalesce(tried_at, 0) as "triedAt",
    case when state = 'waiting' then due_at else 0 end as "nextAt",
    coalesce(status, 0) as status,
    error
from webhook_delivery
where project_id = :project and webhook_id = :id and sequence < :before
    and (:state::text is null or state = :state)
order by project_id desc, webhook_id desc, sequence desc
limit :most
