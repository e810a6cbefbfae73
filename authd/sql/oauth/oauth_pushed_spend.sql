-- Spends a pushed request that is answered with an error. No row: already answered.
-- class: write
-- in: project uuid, hash bytea, now int8
-- rows: one
-- row: spent int8
update oauth_pushed
set used_at = :now
where project_id = :project and hash = :hash and used_at is null
returning 1 as spent
