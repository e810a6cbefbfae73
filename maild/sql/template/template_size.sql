-- Counts a project's templates and the bytes of their texts.
-- class: tx
-- in: project uuid
-- rows: one
-- row: struct list_size
select
    count(*) as rows,
    coalesce(sum(
        -- include: template_bytes(from = t)
    ), 0)::bigint as bytes
from template t
where t.project_id = :project
