-- Spends a pushed request by its answer, an error. No row: it was answered before.
-- class: write
-- in: project uuid, hash bytea, now int8
-- rows: one
-- row: spent int8
update oauth_pushed
set used_at = :now
where project_id = :project and hash = :hash and used_at is null
returning 1 as spent
