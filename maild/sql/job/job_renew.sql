-- Extends the lease of jobs in progress in this process.
-- class: write
-- in: lease uuid, ids uuid[], until int8
-- rows: none
update job
set try_at = :until
where id = any (:ids) and lease = :lease
    and
    -- include: not_held(project = job.project_id)
