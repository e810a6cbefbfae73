-- The project of a tenant code. No row: there is no such code.
-- class: read
-- in: code text
-- rows: one
-- row: account_policy text null, tenant struct tenant
select
    -- include: tenant_columns
from tenant_code c
join project p on p.id = c.project_id
-- include: project_tree
where c.code = :code
