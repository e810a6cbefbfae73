-- Postpones the sweep of an object to `sweep_at`, after a failure.
-- class: write
-- in: project uuid, id uuid, sweep_at int8, now int8
-- rows: none
update object
set sweep_at = :sweep_at
where project_id = :project and id = :id and sweep_at <= :now
