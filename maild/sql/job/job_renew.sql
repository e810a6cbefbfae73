-- Extends the lease of jobs that this process works on.
-- class: write
-- in: lease uuid, ids uuid[], until int8
-- rows: none
update job
set try_at = :until
where id = any (:ids) and lease = :lease
    and
    -- include: not_held(project = job.project_id)
