-- Returns a provider of one of these projects. No row: none has it.
-- class: read
-- in: projects uuid[], id uuid
-- rows: one
-- row: row provider
select
    -- include: provider(from = p)
from identity_provider p
where project_id = any (:projects) and id = :id
