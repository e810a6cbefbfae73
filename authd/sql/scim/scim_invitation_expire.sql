-- Ends the links of a pending invitation, which stays. No row: it is gone, or has no valid link.
-- class: write
-- in: project uuid, id uuid, now int8
-- rows: one
with
expired as (
    update invitation
    set expires_at = :now, sign_up_hash = null, sign_up_expires_at = null
    where project_id = :project and id = :id and expires_at > :now
    returning id
),
-- include: audit(from = expired)
select from expired
