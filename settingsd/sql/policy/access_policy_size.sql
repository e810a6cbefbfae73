-- Returns the number of a project's access policies and the bytes of their texts.
-- class: tx
-- in: project uuid
-- rows: one
-- row: struct list_size
select
    count(*) as rows,
    coalesce(sum(
        -- include: policy_bytes(from = a)
    ), 0)::bigint as bytes
from access_policy a
where a.project_id = :project
