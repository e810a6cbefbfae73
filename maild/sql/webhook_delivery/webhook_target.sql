-- Returns where and how to post a webhook's deliveries now. url null: deleted; enabled false:
-- disabled; audience null: format standard. No row: it has no queue.
-- class: read
-- in: id uuid
-- rows: one
-- row: additions int8, failures int8, enabled bool, url text null, secret bytea null
-- row: previous bytea null, previous_until int8 null, audience text null
select
    q.additions,
    q.failures,
    coalesce(w.enabled, false) as enabled,
    w.url,
    w.secret_sealed as secret,
    w.previous_sealed as previous,
    w.previous_until,
    w.audience
from webhook_queue q
left join webhook w on w.id = q.webhook_id
where q.webhook_id = :id
