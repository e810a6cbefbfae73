-- Returns the projects of these ids, at most 1,000.
-- class: read
-- in: ids uuid[]
-- rows: many
-- row: row tenant
select
    -- include: tenant
from project p
-- include: project_code
-- include: project_tree
where p.id = any (:ids)
order by p.id
limit 1000
