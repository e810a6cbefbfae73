-- Returns a project's tokens, oldest first, with expired ones that are not swept yet.
-- class: read
-- in: project uuid
-- rows: many
-- row: struct scim_token
select
    -- include: scim_token_columns(from = t)
from scim_token t
where project_id = :project
order by id
