-- Locks a provider before its change, and returns it. No row: the project does not have it.
-- class: tx
-- in: project uuid, id uuid
-- rows: one
-- row: struct identity_provider
select
    -- include: provider_columns(from = p)
from identity_provider p
where project_id = :project and id = :id
for update
