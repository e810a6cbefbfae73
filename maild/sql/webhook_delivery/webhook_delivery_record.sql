-- Records the outcomes of attempts: 1 delivered, 2 permanently refused, 0 to be retried at
-- `due_at`, unless the delivery is older than `give_up`. Status 0 and error "-" mean none. 0 rows:
-- another process has claimed the webhook, or its deliveries were deleted. Looks rows up one by
-- one: a plan made while the table was empty would read all rows of the webhook for each.
-- Keeps the 20 last attempts.
-- class: write
-- in: project uuid, id uuid, lease uuid, now int8, give_up int8, sequences int8[]
-- in: outcomes int8[], due_at int8[], statuses int8[], errors text[], durations int8[]
-- rows: none
update webhook_delivery d
set state = case
        when e.outcome = 1 then 'delivered'
        when e.outcome = 2 or d.created_at < :give_up then 'failed'
        else 'waiting'
    end,
    attempts = d.attempts + 1,
    due_at = e.due_at,
    earlier = case
        when d.tried_at is null then d.earlier
        else jsonb_path_query_array(
            jsonb_build_object(
                'at', d.tried_at, 'duration', d.duration, 'status', d.status, 'error', d.error
            ) || coalesce(d.earlier, '[]'),
            '$[0 to 18]'
        )
    end,
    tried_at = :now,
    duration = e.duration,
    ended_at = case when e.outcome > 0 or d.created_at < :give_up then :now end,
    status = nullif(e.status, 0),
    error = nullif(e.error, '-')
from (
    select found.ctid as at, u.outcome, u.due_at, u.status, u.error, u.duration
    from unnest(:sequences, :outcomes, :due_at, :statuses, :errors, :durations)
        as u (sequence, outcome, due_at, status, error, duration)
    cross join lateral (
        select o.ctid, o.state
        from webhook_delivery o
        where o.project_id = :project and o.webhook_id = :id and o.sequence = u.sequence
        offset 0
    ) found
    where found.state = 'waiting'
        and exists (select from webhook_queue where webhook_id = :id and lease = :lease)
) e
where d.ctid = e.at
