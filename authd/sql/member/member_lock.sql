-- Locks a member, who then can't sign in to the project. No row: already locked, or not a member.
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
