-- Returns a page of all projects, after the id `after`.
-- class: read
-- in: after uuid null, most int8
-- rows: many
-- row: row tenant
select
    -- include: tenant
from project p
-- include: project_code
-- include: project_tree
where p.id > coalesce(:after, '00000000-0000-0000-0000-000000000000')
order by p.id
limit :most
