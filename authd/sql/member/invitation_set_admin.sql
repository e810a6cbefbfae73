-- Changes what a pending invitation will give. `by`: the member who changes it. No row: it is gone.
-- class: write
-- in: project uuid, id uuid, admin bool, by uuid
-- rows: one
with
changed as (
    update invitation
    set admin = :admin, invited_by = coalesce(invited_by, :by)
    where project_id = :project and id = :id
    returning id
),
-- include: audit(from = changed)
select from changed
