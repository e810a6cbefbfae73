-- Returns a domain of a project. No row: the project does not have it.
-- class: read
-- in: project uuid, domain text, now int8
-- rows: one
-- row: struct project_domain
select
    -- include: domain_columns(from = d, now = :now)
from project_domain d
where project_id = :project and domain = :domain
