-- Withdraws a pending invitation. No row: it is gone.
-- class: write tx
-- in: project uuid, id uuid
-- rows: one
with
deleted as (
    delete from invitation where project_id = :project and id = :id returning id
),
-- include: audit(from = deleted)
select from deleted
