-- Ends the pause of all jobs that are due by contract time.
-- class: write
-- in: contract_now int8, now int8
-- rows: none
update job
set try_at = :now
where state = 'waiting' and due_at <= :contract_now and lease is null
    and
    -- include: not_held(project = job.project_id)
