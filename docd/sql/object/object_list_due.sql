-- Lists objects that are due for the sweep, up to `most`.
-- class: read
-- in: now int8, most int8
-- rows: many
-- row: project uuid, id uuid
select project_id as project, id
from object
where sweep_at <= :now
order by sweep_at
limit :most
