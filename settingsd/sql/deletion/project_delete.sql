-- Deletes a project and its tenant code when every service has deleted its part, and settles the
-- deletion of the last one. No row: it was not being deleted, or is gone.
-- class: write
-- in: project uuid, last_service text, now int8
-- rows: one
with
codes_deleted as (
    delete from tenant_code where project_id = :project
),
deleted as (
    delete from project where id = :project and deleting_at is not null returning id
),
settled as (
    update project_deletion d
    set done_at = :now, last_error = null
    from deleted
    where d.project_id = :project and d.service = :last_service
),
-- include: outbox(from = deleted),
-- include: audit(from = deleted)
select from deleted
