-- Claims due jobs for this process until the lease ends, up to `most`. `contract_now` is contract
-- time, the other times are real.
-- class: write
-- in: contract_now int8, now int8, until int8, lease uuid, most int8
-- rows: many
-- row: id uuid, kind text, account uuid, schedule uuid, project uuid, attempts int8
update job
set try_at = :until, lease = :lease, attempts = attempts + 1
where id = any (array(
    select id
    from job
    where state = 'waiting' and due_at <= :contract_now and try_at <= :now
        and
        -- include: not_held(project = job.project_id)
    order by due_at
    limit :most
    for update skip locked
))
returning
    id, kind, account_id as account, schedule_id as schedule, project_id as project, attempts
