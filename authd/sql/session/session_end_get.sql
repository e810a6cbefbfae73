-- When a session ended; null: it has not.
-- class: read
-- in: project uuid, session uuid
-- rows: one
-- row: ended_at int8 null
select ended_at from session where project_id = :project and id = :session
