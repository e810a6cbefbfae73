-- Ends the work on a webhook. It is due again at `retry_at`; if that is null, now if deliveries
-- were added since `additions` was read; otherwise with the first postponed one. `failures` 0: a
-- success, or nothing to do. 0 rows: another process has claimed it.
-- class: write
-- in: id uuid, lease uuid, now int8, additions int8, failures int8, retry_at int8 null
-- rows: none
update webhook_queue q
set lease = null,
    failures = :failures,
    failing_since = case when :failures > 0 then coalesce(q.failing_since, :now) end,
    due_at = case
        when :retry_at::bigint is not null then :retry_at
        when q.additions <> :additions then :now
        else (
            select due_at
            from webhook_delivery
            where webhook_id = :id and state = 'waiting' and attempts > 0
            order by due_at
            limit 1
        )
    end
where q.webhook_id = :id and q.lease = :lease
