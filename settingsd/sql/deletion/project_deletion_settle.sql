-- Records a call's result: removed rows, time of the next call, time of completion, error.
-- class: write
-- in: project uuid, service text, removed int8, try_at int8, done_at int8 null, failure text null
-- rows: none
update project_deletion
set removed = removed + :removed, try_at = :try_at, done_at = coalesce(done_at, :done_at),
    last_error = :failure
where project_id = :project and service = :service
