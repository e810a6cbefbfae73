-- Returns a project's domains, in order of their names.
-- class: read
-- in: project uuid, now int8
-- rows: many
-- row: struct project_domain
select
    -- include: domain_columns(from = d, now = :now)
from project_domain d
where project_id = :project
order by domain
