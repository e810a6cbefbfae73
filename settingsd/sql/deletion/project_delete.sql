-- Deletes a project and its tenant code once all services have deleted their parts, and completes
-- settingsd's part. No row: not being deleted, or already gone.
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
