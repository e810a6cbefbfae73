-- Deletes a logout whose client has no logout URI.
-- class: write
-- in: project uuid, session uuid, lease uuid
-- rows: none
delete from logout_delivery
where project_id = :project and session_id = :session and lease = :lease
