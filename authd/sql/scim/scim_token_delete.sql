-- Deletes a token. No row: the project has no such token.
-- class: tx
-- in: project uuid, id uuid
-- rows: one
with
deleted as (
    delete from scim_token where project_id = :project and id = :id returning id
),
-- include: audit(from = deleted)
select from deleted
