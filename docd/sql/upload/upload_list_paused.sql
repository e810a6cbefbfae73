-- Returns the uploads whose next try is in the future, or whose project is read-only.
-- class: read
-- in: projects uuid[], ids uuid[], now int8
-- rows: many
-- row: id uuid
select u.id
from unnest(:projects, :ids) f (project_id, id)
cross join lateral (
    select id
    from upload
    where project_id = f.project_id and id = f.id
        and (
            retry_at > :now
            or exists (select from project_hold h where h.project_id = f.project_id offset 0)
        )
    offset 0
) u
