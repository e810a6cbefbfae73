-- Grants or revokes the admin role, with which local sign-in goes. No row: not a member.
-- class: tx
-- in: project uuid, id uuid, admin bool
-- rows: one
with
changed as (
    update membership
    set admin = :admin, local_sign_in = local_sign_in and :admin
    where project_id = :project and id = :id
    returning id
),
-- include: audit(from = changed)
select from changed
