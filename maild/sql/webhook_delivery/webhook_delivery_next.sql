-- Lists the first waiting deliveries of a webhook, in order, up to `most`, without lanes whose
-- first delivery waits for its retry.
-- class: read
-- in: id uuid, now int8, most int8
-- rows: many
-- row: sequence int8, event uuid, lane uuid, body text, attempts int8, at int8
select sequence, event_id as event, lane, body, attempts, happened_at as at
from webhook_delivery
where webhook_id = :id and state = 'waiting' and lane not in (
    select lane
    from webhook_delivery
    where webhook_id = :id and state = 'waiting' and attempts > 0 and due_at > :now
)
order by sequence
limit :most
