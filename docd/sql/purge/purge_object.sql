-- Makes a page of a deleted project's objects due for the sweep; the caller removes their bytes
-- now.
-- class: write
-- in: project uuid, most int8, now int8
-- rows: many
-- row: id uuid
with
due as materialized (
    select id from object where project_id = :project order by project_id, id limit :most for update
),
updated as (
    update object
    set sweep_at = :now
    where project_id = :project and id = any (array(select id from due))
    returning id
),
found as (
    select from updated limit 1
),
-- include: audit(from = found)
select id from updated
