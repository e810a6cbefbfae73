-- Returns a page of remembered projects, after the project `after`.
-- class: read
-- in: after uuid, most int8
-- rows: many
-- row: project uuid
select project_id as project
from project_purge
where project_id > :after
order by project_id
limit :most
