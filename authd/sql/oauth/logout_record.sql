-- Records an attempt's result. `state` waiting: retried at `retry_at`, and the client's other
-- logouts wait until `held_until`. A status of 0 or an error of "-" means none. `recorded` 0:
-- another process has claimed the logout, or it was deleted.
-- class: write
-- in: project uuid, session uuid, lease uuid, now int8, state text, retry_at int8, held_until int8
-- in: status int8, error text
-- rows: one
-- row: recorded int8
with
recorded as (
    update logout_delivery
    set state = :state,
        attempts = attempts + 1,
        due_at = :retry_at,
        lease = null,
        tried_at = :now,
        ended_at = case when :state <> 'waiting' then :now end,
        status = nullif(:status, 0),
        error = nullif(:error, '-')
    where project_id = :project and session_id = :session and lease = :lease
    returning client_id
),
held as (
    update logout_delivery
    set due_at = :held_until
    where :state = 'waiting' and ctid = any (array(
        select o.ctid
        from logout_delivery o
        where o.project_id = :project and o.client_id = (select client_id from recorded)
            and o.state = 'waiting' and o.due_at < :held_until and o.lease is null
        order by o.due_at
        limit 1000
        for update skip locked
    ))
    returning 1
)
select count(*) as recorded from recorded
