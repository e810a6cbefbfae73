-- Records the use of a token, unless a use since `before` is recorded.
-- class: write
-- in: project uuid, id uuid, now int8, before int8
-- rows: none
update scim_token
set last_used_at = :now
where project_id = :project and id = :id and (last_used_at is null or last_used_at < :before)
