-- A request that was pushed and may still be begun. No row: there is none, or it was answered.
-- class: read
-- in: project uuid, hash bytea, client_id text, now int8
-- rows: one
-- row: request text
select request
from oauth_pushed
where project_id = :project and hash = :hash and client_id = :client_id and used_at is null
    and expires_at > :now
