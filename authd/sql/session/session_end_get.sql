-- Returns the time at which a session ended or an API key, which can also belong to a form, was
-- revoked; null: it has not.
-- class: read
-- in: project uuid, session uuid
-- rows: one
-- row: ended_at int8 null
select ended_at from session where project_id = :project and id = :session
union all
select revoked_at from api_key where project_id = :project and id = :session
