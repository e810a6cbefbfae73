-- Makes postponed deliveries due now when a webhook's receiver is back, up to `most`.
-- class: write
-- in: id uuid, now int8, most int8
-- rows: none
update webhook_delivery d
set due_at = :now
from (
    select project_id, webhook_id, sequence
    from webhook_delivery
    where webhook_id = :id and state = 'waiting' and attempts > 0 and due_at > :now
    order by due_at
    limit :most
) later
where d.project_id = later.project_id and d.webhook_id = later.webhook_id
    and d.sequence = later.sequence
