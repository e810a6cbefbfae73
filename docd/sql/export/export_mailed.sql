-- Records that the email was queued.
-- class: write
-- in: project uuid, id uuid, now int8
-- rows: none
update export
set mailed_at = :now, due_at = expires_at
where project_id = :project and id = :id and state = 'ready' and mailed_at is null
