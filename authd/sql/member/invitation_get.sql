-- Finds a project's pending invitation. No row: there is none.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: struct invitation_row
select
    -- include: invitation_columns
from invitation i
where i.project_id = :project and i.id = :id
