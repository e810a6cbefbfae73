-- Returns the active providers of these projects, and the enforced ones of the projects `above`, in
-- the order of these.
-- class: read
-- in: projects uuid[], above uuid[]
-- rows: many
-- row: row provider
select
    -- include: provider(from = p)
from identity_provider p
where project_id = any (:above) and (project_id = any (:projects) or enforced <> '{}')
    and state = 'active'
order by array_position(:above, project_id), name, id
limit 100
