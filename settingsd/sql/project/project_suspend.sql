-- Suspends a project, or resumes it. Runs behind project_lock. No row: there is no such project.
-- class: tx
-- in: project uuid, suspended bool
-- rows: one
with
updated as (
    update project
    set suspended = :suspended, version = version + 1
    where id = :project
    returning id
),
-- include: outbox(from = updated),
-- include: audit(from = updated)
select from updated
