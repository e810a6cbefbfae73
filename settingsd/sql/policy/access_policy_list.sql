-- The access policies of a project, the oldest first, at most 1,000.
-- class: read
-- in: project uuid
-- rows: many
-- row: struct access_policy
select
    -- include: policy_columns(from = a)
from access_policy a
where a.project_id = :project
order by a.created_at, a.id
limit 1000
