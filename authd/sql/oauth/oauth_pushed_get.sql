-- Returns a pushed request that is still valid. No row: none, or already answered.
-- class: read
-- in: project uuid, hash bytea, client_id text, now int8
-- rows: one
-- row: request text
select request
from oauth_pushed
where project_id = :project and hash = :hash and client_id = :client_id and used_at is null
    and expires_at > :now
