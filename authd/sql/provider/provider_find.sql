-- Returns a provider of one of these projects, or an enforced one of a project `above`. No row: none
-- has it.
-- class: read
-- in: projects uuid[], above uuid[], id uuid
-- rows: one
-- row: row provider
select
    -- include: provider(from = p)
from identity_provider p
where project_id = any (:above) and (project_id = any (:projects) or enforced <> '{}')
    and id = :id
