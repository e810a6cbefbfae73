-- Counts queued messages up to `most`, with the oldest's creation time, and returns when the first
-- job is due. The states are parameters, because otherwise the planner could choose the index of
-- due messages, which has another order. Always returns a row.
-- class: read
-- in: mail_state text, job_state text, most int8
-- rows: one
-- row: waiting int8, oldest int8 null, due int8 null
select
    (
        select count(*)
        from (
            select from message where state = :mail_state and state <> 'sent' limit :most
        ) m
    ) as waiting,
    (
        select created_at
        from message
        where state = :mail_state and state <> 'sent'
        order by state, created_at, id
        limit 1
    ) as oldest,
    (select due_at from job where state = :job_state order by state, due_at, id limit 1) as due
