-- Deletes a group. No row: there is none.
-- class: tx
-- in: project uuid, id uuid
-- rows: one
with
deleted as (
    delete from scim_group where project_id = :project and id = :id returning id
),
-- include: audit(from = deleted)
select from deleted
