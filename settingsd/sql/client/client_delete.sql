-- Deletes a client application. No row: not found.
-- class: write
-- in: project uuid, id uuid
-- rows: one
with
deleted as (
    delete from client where project_id = :project and id = :id returning id
),
-- include: outbox(from = deleted),
-- include: audit(from = deleted)
select from deleted
