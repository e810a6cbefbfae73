-- Unlocks a member. No row: not locked.
-- class: write
-- in: project uuid, id uuid
-- rows: one
with
unlocked as (
    update membership
    set locked_at = null
    where project_id = :project and id = :id and locked_at is not null
    returning id
),
-- include: audit(from = unlocked)
select from unlocked
