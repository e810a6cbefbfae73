-- Lets an admin sign in without an identity provider, or not. No row: not an admin, or the project
-- has `most` already.
-- class: tx
-- in: project uuid, id uuid, local bool, most int8
-- rows: one
with
changed as (
    update membership
    set local_sign_in = :local
    where project_id = :project and id = :id and admin and (
        not :local
        or (select count(*) from membership where project_id = :project and local_sign_in) < :most
    )
    returning id
),
-- include: audit(from = changed)
select from changed
