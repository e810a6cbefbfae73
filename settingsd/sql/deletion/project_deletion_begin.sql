-- Marks a project as being deleted, with a row for each service's part. Runs after project_lock.
-- No row: already marked.
-- class: tx
-- in: project uuid, now int8, services text[]
-- rows: one
with
updated as (
    update project
    set suspended = true, deleting_at = :now, version = version + 1
    where id = :project and deleting_at is null
    returning id
),
services_inserted as (
    insert into project_deletion (project_id, service)
    select u.id, s from updated u, unnest(:services) s
),
-- include: outbox(from = updated),
-- include: audit(from = updated)
select from updated
