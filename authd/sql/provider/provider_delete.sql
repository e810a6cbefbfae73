-- Deletes a provider. No row: the project does not have it.
-- class: tx
-- in: project uuid, id uuid
-- rows: one
with
deleted as (
    delete from identity_provider where project_id = :project and id = :id returning id
),
-- include: audit(from = deleted)
select from deleted
