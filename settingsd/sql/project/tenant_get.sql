-- A project by its id. No row: there is no such project.
-- class: read
-- in: id uuid
-- rows: one
-- row: account_policy text null, tenant struct tenant
select
    -- include: tenant_columns
from project p
-- include: project_code
-- include: project_tree
where p.id = :id
