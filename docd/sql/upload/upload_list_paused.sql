-- Those of the uploads whose next try is later than now: their projects and ids.
-- class: read
-- in: projects uuid[], ids uuid[], now int8
-- rows: many
-- row: id uuid
select u.id
from unnest(:projects, :ids) f (project_id, id)
cross join lateral (
    select id from upload where project_id = f.project_id and id = f.id and retry_at > :now offset 0
) u
