-- Returns only the caller's session, for an account with more newer ones than are shown.
-- class: read
-- in: project uuid, session uuid, now int8
-- rows: one
-- row: struct session_record
select
    -- include: session_columns,
    true as current
from session s
where s.project_id = :project and s.id = :session and
    -- include: session_valid(session = s, now = :now)
