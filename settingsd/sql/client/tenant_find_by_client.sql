-- Returns a client application's project. No row: not found.
-- class: read
-- in: client uuid
-- rows: one
-- row: row tenant
select
    -- include: tenant
from client k
join project p on p.id = k.project_id
-- include: project_code
-- include: project_tree
where k.id = :client
