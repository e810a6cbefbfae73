-- Returns these projects' tree sizes, if any, in the order of ids.
-- class: tx
-- in: projects uuid[]
-- rows: many
-- row: project uuid, size int8
select t.project_id as project, t.size
from unnest(:projects) as p (id)
cross join lateral (select * from trail_tree where project_id = p.id limit 1) t
order by t.project_id
