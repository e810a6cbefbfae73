-- Deletes a webhook; its deliveries follow soon. No row: no such webhook.
-- class: write
-- in: project uuid, id uuid
-- rows: one
with
deleted as (
    delete from webhook where project_id = :project and id = :id returning id, project_id
),
-- include: webhook_wake(from = deleted),
-- include: audit(from = deleted)
select from deleted
