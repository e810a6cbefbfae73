-- Returns a project's providers, oldest first. An imported tenant can have more than it could make.
-- class: read
-- in: project uuid
-- rows: many
-- row: struct identity_provider
select
    -- include: provider_columns(from = p)
from identity_provider p
where project_id = :project
order by id
limit 100
