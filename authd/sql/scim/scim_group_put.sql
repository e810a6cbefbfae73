-- Changes a group. No row: there is none.
-- class: tx
-- in: project uuid, id uuid, display_name text, external_id text null
-- rows: one
with
changed as (
    update scim_group
    set display_name = :display_name, external_id = :external_id
    where project_id = :project and id = :id
    returning id
),
-- include: audit(from = changed)
select from changed
