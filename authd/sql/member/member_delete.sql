-- Removes a member. No row: not a member.
-- class: tx
-- in: project uuid, id uuid
-- rows: one
with
deleted as (
    delete from membership where project_id = :project and id = :id returning account_id
),
-- include: audit(from = deleted)
select from deleted
