-- Unlocks a member. No row: not locked, or `by_directory` (SCIM) and locked by an admin.
-- class: write
-- in: project uuid, id uuid, by_directory bool
-- rows: one
with
unlocked as (
    update membership
    set locked_at = null
    where project_id = :project and id = :id and locked_at is not null
        and (
            not :by_directory or locked_at = (
                select s.locked_at
                from scim_user s
                where s.project_id = :project and s.id = :id
            )
        )
    returning id
),
-- include: audit(from = unlocked)
select from unlocked
