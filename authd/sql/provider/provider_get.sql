-- Returns a provider of a project. No row: the project does not have it.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: struct identity_provider
select
    -- include: provider_columns(from = p)
from identity_provider p
where project_id = :project and id = :id
