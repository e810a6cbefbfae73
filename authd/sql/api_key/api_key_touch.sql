-- Notes that a key is in use, unless that was noted since `before`.
-- class: write
-- in: project uuid, id uuid, now int8, before int8
-- rows: none
update api_key
set last_used_at = :now
where project_id = :project and id = :id and (last_used_at is null or last_used_at < :before)
