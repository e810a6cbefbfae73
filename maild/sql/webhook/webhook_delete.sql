-- Removes a webhook. No row: there is no such one.
-- class: write
-- in: project uuid, id uuid
-- rows: one
with
deleted as (
    delete from webhook where project_id = :project and id = :id returning id
),
-- include: audit(from = deleted)
select from deleted
