-- Locks a member: it cannot sign in to the project until it is unlocked. No row: it is locked
-- already, or there is no such member.
-- class: tx
-- in: project uuid, id uuid, now int8
-- rows: one
with
locked as (
    update membership
    set locked_at = :now
    where project_id = :project and id = :id and locked_at is null
    returning id
),
-- include: audit(from = locked)
select from locked
