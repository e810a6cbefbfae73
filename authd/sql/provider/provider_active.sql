-- Returns the active providers of these projects, in the projects' order.
-- class: read
-- in: projects uuid[]
-- rows: many
-- row: row provider
select
    -- include: provider(from = p)
from identity_provider p
where project_id = any (:projects) and state = 'active'
order by array_position(:projects, project_id), name, id
limit 100
