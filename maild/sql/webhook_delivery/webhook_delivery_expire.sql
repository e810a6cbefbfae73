-- Marks deliveries as failed that have waited since before a time, up to `most`.
-- class: write
-- in: before int8, now int8, most int8
-- rows: none
update webhook_delivery d
set state = 'failed', ended_at = :now
from (
    select project_id, webhook_id, sequence
    from webhook_delivery
    where state = 'waiting' and created_at < :before
    order by created_at
    limit :most
    for update skip locked
) old
where d.project_id = old.project_id and d.webhook_id = old.webhook_id
    and d.sequence = old.sequence
