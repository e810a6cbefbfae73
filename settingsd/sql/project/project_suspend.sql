-- Suspends or resumes a project. Runs after project_lock. No row: not found.
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
